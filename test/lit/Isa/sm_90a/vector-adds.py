# Neighbouring elements of an accumulator are added to memory by one instruction, where nobody asks what was there.
# RUN: tilec %s --target=sm_90a --entry "adds()" --emit=ptx | FileCheck %s --implicit-check-not=atom.global
# RUN: tilec %s --target=sm_90a --entry "adds('old')" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec %s --target=sm_90a --entry "adds('some')" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec %s --target=sm_90a --entry "adds('shifted')" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec %s --target=sm_80 --entry "adds()" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('some')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('shifted')" | FileCheck %s --check-prefix=RESULT
# CHECK: red.relaxed.gpu.global.add.v2.f32
# ONE: atom.global.add.f32
# RESULT: result {{ *}}PASS
import tilelang.language as T


def adds(form="all"):

    @T.prim_func
    def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((128, 32), "float16"), C: T.Tensor((64, 136), "float32"),
             Old: T.Tensor((64, 128), "float32")):
        with T.Kernel(2, threads=64):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((128, 32), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(64, 128):
                if form == "old":
                    Old[i, j] = T.atomic_add(C[i, j], c[i, j], return_prev=True)
                elif form == "some":
                    if j < 127:
                        T.atomic_add(C[i, j], c[i, j])
                elif form == "shifted":
                    T.atomic_add(C[i, j + 1], c[i, j])
                else:
                    T.atomic_add(C[i, j], c[i, j])

    return main

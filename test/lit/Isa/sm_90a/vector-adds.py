# Neighbouring elements of an accumulator are added to memory by one instruction, where nobody asks what was there.
# RUN: tilec %s --target=sm_90a --entry "adds()" --emit=ptx | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "adds(asks=True)" --emit=ptx | FileCheck %s --check-prefix=OLD --implicit-check-not="add.v2"
# RUN: tilec %s --target=sm_90a --entry "adds(columns=127)" --emit=ptx | FileCheck %s --check-prefix=ODD --implicit-check-not="add.v2"
# RUN: tilec %s --target=sm_80 --entry "adds()" --emit=ptx | FileCheck %s --check-prefix=OLD --implicit-check-not="add.v2"
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds(columns=126)" | FileCheck %s --check-prefix=RESULT
# CHECK: red.relaxed.gpu.global.add.v2.f32
# CHECK-NOT: add.f32 [%rd
# OLD: {{(atom|red).*}}add.f32
# ODD: {{(atom|red).*}}add.f32
# RESULT: result {{ *}}PASS
import tilelang.language as T


def adds(columns=128, asks=False):

    @T.prim_func
    def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((128, 32), "float16"), C: T.Tensor((64, columns), "float32"),
             Old: T.Tensor((64, columns), "float32")):
        with T.Kernel(2, threads=64):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((128, 32), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(64, 128):
                if j < columns:
                    if asks:
                        Old[i, j] = T.atomic_add(C[i, j], c[i, j], return_prev=True)
                    else:
                        T.atomic_add(C[i, j], c[i, j])

    return main

# Neighbouring elements of an accumulator are added to memory by one instruction, where nobody asks what was there.
# RUN: tilec %s --target=sm_90a --entry "adds()" --emit=ptx | FileCheck %s --implicit-check-not=atom.global
# RUN: tilec %s --target=sm_90a --entry "adds('old')" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec %s --target=sm_90a --entry "adds('some')" --emit=ptx | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --target=sm_90a --entry "adds('shifted')" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec %s --target=sm_80 --entry "adds()" --emit=ptx | FileCheck %s --check-prefix=ONE --implicit-check-not=add.v2
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('some')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('shifted')" | FileCheck %s --check-prefix=RESULT
# Two of 16 bits likewise, also where a condition says of rows which are added.
# RUN: tilec %s --target=sm_90a --entry "adds(dtype='bfloat16')" --emit=ptx | FileCheck %s --check-prefix=PAIR --implicit-check-not=atom.global
# RUN: tilec %s --target=sm_90a --entry "adds('rows', dtype='bfloat16')" --emit=ptx | FileCheck %s --check-prefix=PAIR --implicit-check-not=atom.global
# RUN: tilec %s --target=sm_120 --entry "adds('wide', dtype='float16')" --emit=ptx | FileCheck %s --check-prefix=WIDE --implicit-check-not=atom.global
# RUN: tilec %s --target=sm_90a --entry "adds('rows')" --emit=ptx | FileCheck %s --implicit-check-not=atom.global
# RUN: tilec %s --target=sm_89 --entry "adds(dtype='bfloat16')" --emit=ptx | FileCheck %s --check-prefix=NONE --implicit-check-not=bf16x2
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds(dtype='bfloat16')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('rows', dtype='bfloat16')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('rows')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "adds('chosen', dtype='bfloat16')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_120 --device=ptx --check --entry "adds('wide', dtype='float16')" | FileCheck %s --check-prefix=RESULT
# CHECK: red.relaxed.gpu.global.add.v2.f32
# PAIR: red.relaxed.gpu.global.add.noftz.bf16x2
# WIDE: red.relaxed.gpu.global.add.noftz.v4.f16x2
# NONE: atom.{{.*}}cas
# ONE: atom.global.add.f32
# RESULT: result {{ *}}PASS
import tilelang.language as T


def adds(form="all", dtype="float32"):

    @T.prim_func
    def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((128, 32), "float16"), C: T.Tensor((64, 136), dtype), I: T.Tensor((64,), "int32"),
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
                elif form == "rows":
                    row = I[i] % 96
                    if row < 60:
                        T.atomic_add(C[row, j], c[i, j])
                elif form == "chosen":
                    if c[i, j] > 0:
                        T.atomic_add(C[i, j], c[i, j])
                elif form == "wide":
                    T.atomic_add(C[i, j], a[i, j % 32])
                elif form == "shifted":
                    T.atomic_add(C[i, j + 1], c[i, j])
                else:
                    T.atomic_add(C[i, j], c[i, j])

    return main

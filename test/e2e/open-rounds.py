# Rounds that a tensor leaves out, of tensors of which only the run knows how long they are: those that are left out read
# behind the end of their first dimension, which is known.
# RUN: tilec-run %s --entry "picked()" --dim length=300 --dim most=7 --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --dim length=96 --dim most=5 --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --dim length=300 --dim most=7 --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --dim length=70 --dim most=3 --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "picked(batch=1, dim=40)" --dim length=130 --dim most=4 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --dim length=300 --dim most=7 --target=sm_80 --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --dim length=96 --dim most=5 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "picked()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "picked()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "picked()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# CHECK: PASS
# PLANNED: : planned:
import tilelang.language as T


# The sum of Q times the blocks of K that a table names, where its number is not odd.
def picked(batch=2, dim=64, block=32, threads=128):
    length, most = T.dynamic("length"), T.dynamic("most")

    @T.prim_func
    def main(Q: T.Tensor((batch, 64, dim), "float16"), K: T.Tensor((batch, length, dim), "float16"),
             Table: T.Tensor((batch, most), "int32"), O: T.Tensor((batch, 64, block), "float32")):
        with T.Kernel(batch, threads=threads) as b:
            q = T.alloc_shared((64, dim), "float16")
            k = T.alloc_shared((block, dim), "float16")
            o = T.alloc_fragment((64, block), "float32")
            T.copy(Q[b, 0, 0], q)
            T.clear(o)
            for n in T.Pipelined(most, num_stages=2):
                if Table[b, n] % 2 == 0:
                    T.copy(K[b, T.max(T.min(Table[b, n], 8), -1) * block, 0], k)
                    T.gemm(q, k, o, transpose_B=True)
            T.copy(o, O[b, 0, 0])

    return main

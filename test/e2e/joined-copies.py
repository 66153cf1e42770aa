# Two branches that copy to the same tiles are one copy whose place the condition chooses, so that it runs ahead
# (JoinCopies.cpp): rounds of a fresh region before those of a common one. What does more, or copies from other tensors,
# stays two branches.
# RUN: tilec-run %s --entry "regions(256)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(256)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(256)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(250)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(250)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(256, nested=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "regions(256, nested=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "others(256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "others(256)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "others(256, counts=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "others(256, counts=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "regions(256)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "regions(256)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "regions(256, nested=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# PLANNED: loop of regions at {{.*}} planned
import tilelang.language as T


def regions(n, nested=False):
    @T.prim_func
    def main(K: T.Tensor((2 * n, 64), "float16"), Q: T.Tensor((n, 64), "float16"), C: T.Tensor((n, 64), "float32")):
        with T.Kernel(n // 64, threads=128) as bx:
            q = T.alloc_shared((64, 64), "float16")
            k = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(c)
            for s in T.Pipelined(bx + 2, num_stages=2):
                is_own = T.if_then_else(s > bx, 1, 0)
                if is_own != 0:
                    if nested:
                        if bx % 2 == 0:
                            T.copy(K[bx * 64 : bx * 64 + 64, 0:64], k)
                        else:
                            T.copy(K[bx * 32 : bx * 32 + 64, 0:64], k)
                    else:
                        T.copy(K[bx * 64 : bx * 64 + 64, 0:64], k)
                else:
                    T.copy(K[n + s * 64 : n + s * 64 + 64, 0:64], k)
                T.gemm(q, k, c, transpose_B=True)
            T.copy(c, C[bx * 64, 0])

    return main


# counts: one branch does more than to copy; else they copy from different tensors.
def others(n, counts=False):
    @T.prim_func
    def main(K: T.Tensor((2 * n, 64), "float16"), Q: T.Tensor((n, 64), "float16"), C: T.Tensor((n, 64), "float32")):
        with T.Kernel(n // 64, threads=128) as bx:
            q = T.alloc_shared((64, 64), "float16")
            k = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(c)
            for s in T.Pipelined(4, num_stages=2):
                if s % 2 == 0:
                    if counts:
                        T.copy(K[bx * 64, 0], k)
                        for i, j in T.Parallel(64, 64):
                            c[i, j] += 1.0
                    else:
                        T.copy(Q[bx * 64, 0], k)
                else:
                    T.copy(K[n + s * 64 % n, 0], k)
                T.gemm(q, k, c, transpose_B=True)
            T.copy(c, C[bx * 64, 0])

    return main

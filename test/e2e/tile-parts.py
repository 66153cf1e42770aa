# Tiles that several copies of a round fill part by part, from two tensors, or along K: a ring's slot as those that one
# copy fills, or in registers a round ahead. Not where a part is read before the others are there, brought twice or left.
# RUN: tilec-run %s --entry "parts()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "parts(M=200, N=130, K=200, stages=3)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='uneven', M=200)" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='uneven')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(K=200)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='k')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='k', M=200, stages=3)" --target=gfx950 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='k')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='twice')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='between')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='left')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "parts(M=2048, N=2048, K=2048, bn=128)" --target=gfx942 --verify-stages --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "parts(M=2048, N=2048, K=2048, bn=128)" --target=gfx950 --verify-stages --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "parts(M=2048, N=2048, K=2048, bn=128)" --target=sm_80 --verify-stages --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "parts(M=2048, N=2048, K=2048, bn=128, how='k')" --target=gfx950 --verify-stages --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "parts(M=2048, N=2048, K=2048, bn=128, how='k')" --target=sm_90a --verify-stages --emit=report | FileCheck %s --check-prefix=PLANNED

# CHECK: PASS
# PLANNED: : planned
import tilelang.language as T


def parts(M=256, N=128, K=256, bm=128, bn=64, bk=64, threads=256, stages=2, how="rows"):
    half, cut = bk // 2, bm // 4 if how == "uneven" else bm // 2

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((M, K), "float16"), W: T.Tensor((N, K), "float16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            w = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            if how == "left":
                T.clear(a)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                if how == "k":
                    T.copy(A[by * bm:by * bm + bm, k * half:k * half + half], a[:, 0:half])
                    T.copy(B[by * bm:by * bm + bm, k * half:k * half + half], a[:, half:bk])
                else:
                    T.copy(A[by * bm:by * bm + cut, k * bk:k * bk + bk], a[0:cut, :])
                    if how == "between":
                        T.copy(W[bx * bn, k * bk], w)
                        T.gemm(a[0:cut, :], w, c[0:cut, :], transpose_B=True)
                    if how != "left":
                        T.copy(B[by * bm:by * bm + bm - cut, k * bk:k * bk + bk], a[cut:bm, :])
                    if how == "twice":
                        T.copy(B[by * bm + cut:by * bm + bm, k * bk:k * bk + bk], a[0:cut, :])
                T.copy(W[bx * bn, k * bk], w)
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])

    return main

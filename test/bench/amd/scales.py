# What a round reads beside its tiles: products of nibbles with a scale for G columns of a row, unpacked to shared memory or to
# registers, and of fp8 with a scale a row and one a tile of each round (test/bench/results/amd-scales-2026-11-29.txt).
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


def unpacked(M, N, K, bm, bn, bk, G, stages, threads):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K // 2), "uint8"),
             S: T.Tensor((N, K // G), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            As = T.alloc_shared((bm, bk), "float16")
            Bs = T.alloc_shared((bn, bk // 2), "uint8")
            Bd = T.alloc_shared((bn, bk), "float16")
            Cl = T.alloc_fragment((bm, bn), "float32")
            T.clear(Cl)
            for k in T.Pipelined(K // bk, num_stages=stages):
                T.copy(A[by * bm, k * bk], As)
                T.copy(B[bx * bn, k * bk // 2], Bs)
                for i, j in T.Parallel(bn, bk):
                    Bd[i, j] = (T.cast((Bs[i, j // 2] >> (4 * (j % 2))) & 15, "float16") - T.float16(8)) * S[bx * bn + i, (k * bk + j) // G]
                T.gemm(As, Bd, Cl, transpose_B=True)
            T.copy(Cl, C[by * bm, bx * bn])
    return main


def in_fragments(M, N, K, bm, bn, bk, G, stages, threads):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K // 2), "uint8"),
             S: T.Tensor((N, K // G), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            As = T.alloc_shared((bm, bk), "float16")
            Bs = T.alloc_shared((bn, bk // 2), "uint8")
            Ss = T.alloc_shared((bn, bk // G), "float16")
            Bf = T.alloc_fragment((bn, bk), "float16")
            Cl = T.alloc_fragment((bn, bm), "float32")
            T.clear(Cl)
            for k in T.Pipelined(K // bk, num_stages=stages):
                T.copy(A[by * bm, k * bk], As)
                T.copy(B[bx * bn, k * bk // 2], Bs)
                T.copy(S[bx * bn, k * bk // G], Ss)
                for i, j in T.Parallel(bn, bk):
                    Bf[i, j] = (T.cast((Bs[i, j // 2] >> (4 * (j % 2))) & 15, "float16") - T.float16(8)) * Ss[i, j // G]
                T.gemm(Bf, As, Cl, transpose_B=True)
            for i, j in T.Parallel(bm, bn):
                C[by * bm + i, bx * bn + j] = Cl[j, i]
    return main


def scaled_fp8(M, N, K, bm, bn, bk, stages, threads, dt="float8_e4m3fnuz"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dt), B: T.Tensor((N, K), dt), SA: T.Tensor((M, K // bk), "float32"),
             SB: T.Tensor((N // bn, K // bk), "float32"), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            As = T.alloc_shared((bm, bk), dt)
            Bs = T.alloc_shared((bn, bk), dt)
            sc = T.alloc_shared((bm,), "float32")
            Cl = T.alloc_fragment((bm, bn), "float32")
            Ca = T.alloc_fragment((bm, bn), "float32")
            T.clear(Ca)
            T.clear(Cl)
            for k in T.Pipelined(K // bk, num_stages=stages):
                T.copy(A[by * bm, k * bk], As)
                T.copy(B[bx * bn, k * bk], Bs)
                sb = SB[bx, k]
                for i in T.Parallel(bm):
                    sc[i] = SA[by * bm + i, k] * sb
                T.gemm(As, Bs, Cl, transpose_B=True)
                for i, j in T.Parallel(bm, bn):
                    Ca[i, j] += Cl[i, j] * sc[i]
                T.clear(Cl)
            T.copy(Ca, C[by * bm, bx * bn])
    return main

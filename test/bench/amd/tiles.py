# A product with any tiles, K of a round, form, threads and stages: what `tile-set-k-tiles` does with them.
import tilelang.language as T
def product(M=4096, N=4096, K=2048, BK=64, BM=128, BN=128, dtype="bfloat16", nt=True, threads=256, stages=3):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K) if nt else (K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(N // BN, M // BM, threads=threads) as (bx, by):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared((BN, BK) if nt else (BK, BN), dtype)
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            for k in T.Pipelined(K // BK, num_stages=stages):
                T.copy(A[by * BM, k * BK], a)
                if nt:
                    T.copy(B[bx * BN, k * BK], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c, transpose_B=nt)
            T.copy(c, C[by * BM, bx * BN])
    return main

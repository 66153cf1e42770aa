# A product whose order is planned, and one product behind another.
import tilelang.language as T


def gemm(M=128, N=128, K=256):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=256) as (bx, by):
            As = T.alloc_shared((128, 64), "float16")
            Bs = T.alloc_shared((128, 64), "float16")
            Cf = T.alloc_fragment((128, 128), "float32")
            T.clear(Cf)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 128, k * 64], As)
                T.copy(B[bx * 128, k * 64], Bs)
                T.gemm(As, Bs, Cf, transpose_B=True)
            T.copy(Cf, C[by * 128, bx * 128])

    return main


def two(M=64, K=128, blocks=1):
    @T.prim_func
    def main(
        Q: T.Tensor((blocks, M, 64), "float16"),
        B: T.Tensor((K, 64), "float16"),
        V: T.Tensor((K, 64), "float16"),
        O: T.Tensor((blocks, M, 64), "float32"),
    ):
        with T.Kernel(blocks, threads=256) as bx:
            Qs = T.alloc_shared((M, 64), "float16")
            Bs = T.alloc_shared((32, 64), "float16")
            Vs = T.alloc_shared((32, 64), "float16")
            S = T.alloc_fragment((M, 32), "float32")
            P = T.alloc_fragment((M, 32), "float16")
            F = T.alloc_fragment((M, 64), "float32")
            T.copy(Q[bx, 0, 0], Qs)
            T.clear(F)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(B[k * 32, 0], Bs)
                T.clear(S)
                T.gemm(Qs, Bs, S, transpose_B=True)
                for i, j in T.Parallel(M, 32):
                    S[i, j] = T.exp2(S[i, j] * 0.125)
                T.copy(S, P)
                T.copy(V[k * 32, 0], Vs)
                T.gemm(P, Vs, F)
            T.copy(F, O[bx, 0, 0])

    return main

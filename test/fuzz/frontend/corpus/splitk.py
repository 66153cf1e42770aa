# entry: splitk(64, 128, 256, 2)
import tilelang.language as T

def splitk(M, N, K, split):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), split, threads=128) as (bx, by, bz):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((64, 32), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(K // split // 32, num_stages=2):
                T.copy(A[by * 64, bz * (K // split) + k * 32], a)
                T.copy(B[bx * 64, bz * (K // split) + k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.atomic_add(C[by * 64, bx * 64], c)
    return main

# entry: transpose(96, 64)
import tilelang.language as T

def transpose(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((N, M), "float16")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            s = T.alloc_shared((32, 32), "float16")
            T.copy(A[by * 32, bx * 32], s)
            for i, j in T.Parallel(32, 32):
                B[bx * 32 + i, by * 32 + j] = s[j, i]
    return main

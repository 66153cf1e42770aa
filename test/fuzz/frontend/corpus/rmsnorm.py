# entry: rmsnorm(8, 1024)
import tilelang.language as T

def rmsnorm(M, N, block_M=2, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=256) as bx:
            xs = T.alloc_shared((block_M, N), dtype)
            p = T.alloc_fragment((block_M, N), "float32")
            x = T.alloc_fragment((block_M, N), "float32")
            s = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M : (bx + 1) * block_M, :], xs)
            T.copy(xs, x)
            for i, j in T.Parallel(block_M, N):
                p[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(p, s, dim=1)
            for i in T.Parallel(block_M):
                s[i] = T.rsqrt(s[i] / N + 1e-6)
            for i, j in T.Parallel(block_M, N):
                x[i, j] *= s[i]
            T.copy(x, Y[bx * block_M : (bx + 1) * block_M, :])
    return main

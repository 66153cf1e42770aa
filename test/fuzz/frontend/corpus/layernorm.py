# entry: layernorm(16, 256)
import tilelang.language as T

def layernorm(M, N, block_M=4, dtype="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            mean = T.alloc_fragment((block_M,), "float32")
            var = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            for i in T.Parallel(block_M):
                s = T.float32(0.0)
                for j in T.Parallel(N):
                    s += x[i, j]
                mean[i] = s / N
            for i in T.Parallel(block_M):
                v = T.float32(0.0)
                for j in T.Parallel(N):
                    d = x[i, j] - mean[i]
                    v += d * d
                var[i] = v / N
            for i, j in T.Parallel(block_M, N):
                x[i, j] = (x[i, j] - mean[i]) / T.sqrt(var[i] + 1e-5)
            T.copy(x, Y[bx * block_M, 0])
    return main

# entry: gelu(100, 70)
import tilelang.language as T

def gelu(M, N, bM=64, bN=64):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=256) as (bx, by):
            for i, j in T.Parallel(bM, bN):
                x = X[by * bM + i, bx * bN + j]
                Y[by * bM + i, bx * bN + j] = 0.5 * x * (1.0 + T.tanh(0.797885 * (x + 0.044715 * x * x * x)))
    return main

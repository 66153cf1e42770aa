# What kernels of rows read and write, without their arithmetic: the time that the memory takes for them.
import tilelang.language as T


def rows(M, N, dtype="float16", threads=256):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=threads) as row:
            x = T.alloc_fragment((1, N), dtype)
            T.copy(X[row, 0], x)
            T.copy(x, Y[row, 0])

    return main


# As upstream's online_softmax reads them, whose second pass waits for something from the first.
def rows_twice(M, N, dtype="float16", threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=threads) as row:
            x = T.alloc_fragment((1, N), dtype)
            largest = T.alloc_fragment((1,), dtype)
            T.copy(X[row, 0], x)
            T.reduce_max(x, largest, dim=1)
            T.copy(X[row, 0], x)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] + largest[i]
            T.copy(x, Y[row, 0])

    return main


# Halves of a row as a rotary embedding writes them: the second is read when the first is written, and may lie there.
def halves(M, D=128, dtype="bfloat16"):
    half = D // 2

    @T.prim_func
    def main(X: T.Tensor((M, D), dtype), Y: T.Tensor((M, D), dtype)):
        with T.Kernel(M // 16, threads=256) as block:
            for s, i in T.Parallel(16, half):
                row = block * 16 + s
                Y[row, i] = X[row, half + i]
                Y[row, half + i] = X[row, i]

    return main

# Kernels that read a matrix once and write one: docs/numbers/performance-nvidia.md compares them with a copy of the same bytes.
import tilelang
import tilelang.language as T


def softmax(M, N, block_M=1, threads=256, dtype="bfloat16"):
    log2e = 1.44269504

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), dtype)
            p = T.alloc_fragment((block_M, N), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            for i, j in T.Parallel(block_M, N):
                p[i, j] = T.cast(x[i, j], "float32")
            T.reduce_max(p, largest, dim=1)
            for i, j in T.Parallel(block_M, N):
                p[i, j] = T.exp2(p[i, j] * log2e - largest[i] * log2e)
            T.reduce_sum(p, total, dim=1)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = T.cast(p[i, j] / total[i], dtype)
            T.copy(x, Y[bx * block_M, 0])

    return main


def layernorm(M, N, block_M=1, threads=256, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), dtype)
            f = T.alloc_fragment((block_M, N), "float32")
            square = T.alloc_fragment((block_M, N), "float32")
            mean = T.alloc_fragment((block_M,), "float32")
            spread = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            for i, j in T.Parallel(block_M, N):
                f[i, j] = T.cast(x[i, j], "float32")
            T.reduce_sum(f, mean, dim=1)
            for i in T.Parallel(block_M):
                mean[i] = mean[i] / N
            for i, j in T.Parallel(block_M, N):
                f[i, j] = f[i, j] - mean[i]
                square[i, j] = f[i, j] * f[i, j]
            T.reduce_sum(square, spread, dim=1)
            for i in T.Parallel(block_M):
                spread[i] = T.rsqrt(spread[i] / N + 1e-5)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = T.cast(f[i, j] * spread[i] * T.cast(W[j], "float32") + T.cast(B[j], "float32"), dtype)
            T.copy(x, Y[bx * block_M, 0])

    return main


def rmsnorm(M, N, block_M=1, threads=256, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), dtype)
            square = T.alloc_fragment((block_M, N), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            for i, j in T.Parallel(block_M, N):
                square[i, j] = T.cast(x[i, j], "float32") * T.cast(x[i, j], "float32")
            T.reduce_sum(square, total, dim=1)
            for i in T.Parallel(block_M):
                total[i] = T.rsqrt(total[i] / N + 1e-6)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = T.cast(T.cast(x[i, j], "float32") * total[i] * T.cast(W[j], "float32"), dtype)
            T.copy(x, Y[bx * block_M, 0])

    return main


def gelu(M, N, block_M=1, block_N=1024, threads=128, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            x = T.alloc_fragment((block_M, block_N), dtype)
            f = T.alloc_fragment((block_M, block_N), "float32")
            T.copy(X[by * block_M, bx * block_N], x)
            for i, j in T.Parallel(block_M, block_N):
                f[i, j] = T.cast(x[i, j], "float32")
                x[i, j] = T.cast(0.5 * f[i, j] * (1 + T.tanh(0.79788456 * (f[i, j] + 0.044715 * f[i, j] * f[i, j] * f[i, j]))), dtype)
            T.copy(x, Y[by * block_M, bx * block_N])

    return main


# Running sums along a row, from chunk to chunk.
def prefix(M, N, chunk=1024, threads=256, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=threads) as row:
            s = T.alloc_fragment((chunk,), dtype)
            carry = T.alloc_var("float32", 0.0)
            for c in range(T.ceildiv(N, chunk)):
                T.copy(X[row, c * chunk:(c + 1) * chunk], s)
                T.cumsum(s, dim=0)
                for i in T.Parallel(chunk):
                    Y[row, c * chunk + i] = s[i] + carry
                carry = carry + s[chunk - 1]

    return main

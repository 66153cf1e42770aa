# The programs that tilec began with, written anew: what TileLang's own introductions teach, word for word the same calls.
import tilelang
import tilelang.language as T
from tilelang.intrinsics import TensorCoreIntrinEmitter


def matmul(M, N, K, block_M=128, block_N=128, block_K=32, dtype="float16", accum="float"):
    """B lies as K x N; swizzles, rasterisation and a copy that is written out, as the introductions have them."""

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum)
            T.annotate_layout({A_shared: tilelang.layout.make_swizzled_layout(A_shared)})  # a hint that is not needed
            T.use_swizzle(panel_size=10)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[by * block_M, k * block_K], A_shared)
                for i, j in T.Parallel(block_K, block_N):
                    B_shared[i, j] = B[k * block_K + i, bx * block_N + j]
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def attention(batch, heads, S, D, block_M=64, block_N=64, dtype="float16"):
    """Online softmax whose maximum begins anew with every tile (`T.reduce_max` clears): right, for exp(old - new) is what
    everything before is multiplied with, also where it is larger than 1."""
    scale = D**-0.5

    @T.prim_func
    def main(Q: T.Tensor((batch, heads, S, D), dtype), K: T.Tensor((batch, heads, S, D), dtype),
             V: T.Tensor((batch, heads, S, D), dtype), O: T.Tensor((batch, heads, S, D), dtype)):
        with T.Kernel(T.ceildiv(S, block_M), heads, batch, threads=128) as (bx, by, bz):
            q = T.alloc_shared((block_M, D), dtype)
            k = T.alloc_shared((block_N, D), dtype)
            v = T.alloc_shared((block_N, D), dtype)
            s = T.alloc_fragment((block_M, block_N), "float32")
            o = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            old = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.fill(top, -1e9)
            T.clear(total)
            T.clear(o)
            T.copy(Q[bz, by, bx * block_M, 0], q)
            for n in T.Pipelined(T.ceildiv(S, block_N), num_stages=2):
                T.copy(K[bz, by, n * block_N, 0], k)
                T.copy(V[bz, by, n * block_N, 0], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block_M, block_N):
                    s[i, j] *= scale
                T.copy(top, old)
                T.reduce_max(s, top, dim=1)
                for i in T.Parallel(block_M):
                    correction = T.exp(old[i] - top[i])
                    total[i] *= correction
                    for d in T.Parallel(D):
                        o[i, d] *= correction
                for i, j in T.Parallel(block_M, block_N):
                    s[i, j] = T.exp(s[i, j] - top[i])
                for i in T.Parallel(block_M):
                    row = T.float32(0.0)
                    for j in T.Parallel(block_N):
                        row += s[i, j]
                    total[i] += row
                T.gemm(s, v, o)  # P is rounded to V's dtype
            for i, d in T.Parallel(block_M, D):
                o[i, d] /= total[i]
            T.copy(o, O[bz, by, bx * block_M, 0])

    return main


def layernorm(M, N, dtype="float32"):
    """Loops in loops: each iteration of the outer one is a row, the inner ones fold it."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(1, threads=256):
            mean = T.alloc_fragment((M,), "float32")
            variance = T.alloc_fragment((M,), "float32")
            for i in T.Parallel(M):
                total = T.float32(0.0)
                for j in T.Parallel(N):
                    total += X[i, j]
                mean[i] = total / N
            for i in T.Parallel(M):
                total = T.float32(0.0)
                for j in T.Parallel(N):
                    difference = X[i, j] - mean[i]
                    total += difference * difference
                variance[i] = total / N
            for i, j in T.Parallel(M, N):
                Y[i, j] = (X[i, j] - mean[i]) / T.sqrt(variance[i] + 1e-5)

    return main


def relu_and_gelu(M, N, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Relu: T.Tensor((M, N), dtype), Gelu: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            for r, j in T.Parallel(16, N):
                i = bx * 16 + r
                x = X[i, j]
                Relu[i, j] = T.max(x, 0)
                Gelu[i, j] = 0.5 * x * (1.0 + T.tanh(0.797885 * (x + 0.044715 * x * x * x)))

    return main


def warps(M, N, K, chunk=32, dtype="float16", accum="float32"):
    """Matrix instructions by an emitter: 2 x 2 warps of 32 x 32. What a lane holds is the target's business."""
    emitter = TensorCoreIntrinEmitter(a_dtype=dtype, b_dtype=dtype, accum_dtype=accum, b_transposed=True, block_row_warps=2,
                                      block_col_warps=2, warp_row_tiles=32, warp_col_tiles=32, chunk=chunk)
    k_of_step = 32 if dtype == "int8" else 16

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a_shared = T.alloc_shared((64, chunk), dtype)
            b_shared = T.alloc_shared((64, chunk), dtype)
            tiles = T.alloc_shared((4, 4, 16, 16), accum)
            a = T.alloc_local((2 * 16 * k_of_step // 32,), dtype)
            b = T.alloc_local((2 * 16 * k_of_step // 32,), dtype)
            c = T.alloc_local((4 * 16 * 16 // 32,), accum)
            T.clear(c)
            for ko in T.Pipelined(K // chunk, num_stages=2):
                T.copy(A[by * 64, ko * chunk], a_shared)
                T.copy(B[bx * 64, ko * chunk], b_shared)
                for ki in T.serial(chunk // k_of_step):
                    emitter.ldmatrix_a(a, a_shared, ki)
                    emitter.ldmatrix_b(b, b_shared, ki)
                    emitter.mma(a, b, c)
            emitter.stmatrix(c, tiles)
            for i, j in T.Parallel(64, 64):
                C[by * 64 + i, bx * 64 + j] = tiles[i // 16, j // 16, i % 16, j % 16]

    return main

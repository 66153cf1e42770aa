# Products of 8-bit floats: one scale a tensor, scales of 1 x 128 and 128 x 128 pieces, and MXFP8 with one of 32.
import tilelang.language as T


def per_tensor(M, N, K, block_M=256, block_N=256, block_K=128, threads=512, stages=2, panel=8, dtype="float8_e4m3fn",
               out="bfloat16"):
    @T.prim_func
    def gemm_fp8(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), scale: T.float32, C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.use_swizzle(panel)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(block_M, block_N):
                c[i, j] *= scale
            T.copy(c, C[by * block_M, bx * block_N])

    return gemm_fp8


def block_scaled(M, N, K, block_M=128, block_N=128, threads=256, stages=2, dtype="float8_e4m3fn", out="bfloat16"):
    """A has a scale for each row and 128 columns, B for each 128 x 128: what DeepSeek's checkpoints have."""
    piece = 128

    @T.prim_func
    def gemm_fp8_blocks(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype),
                        SA: T.Tensor((M, T.ceildiv(K, piece)), "float32"),
                        SB: T.Tensor((T.ceildiv(N, piece), T.ceildiv(K, piece)), "float32"), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, piece), dtype)
            b = T.alloc_shared((block_N, piece), dtype)
            part = T.alloc_fragment((block_M, block_N), "float32")
            c = T.alloc_fragment((block_M, block_N), "float32")
            scale = T.alloc_fragment((block_M,), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, piece), num_stages=stages):
                T.copy(A[by * block_M, k * piece], a)
                T.copy(B[bx * block_N, k * piece], b)
                T.gemm(a, b, part, transpose_B=True, clear_accum=True)
                for i in T.Parallel(block_M):
                    scale[i] = SA[by * block_M + i, k] * SB[bx * block_N // piece, k]
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] += part[i, j] * scale[i]
            T.copy(c, C[by * block_M, bx * block_N])

    return gemm_fp8_blocks


def mxfp8(M, N, K, block_M=128, block_N=128, block_K=128, threads=256, stages=2, dtype="float8_e4m3fn", out="bfloat16"):
    """A scale of 8 exponent bits for each 32 numbers of a row: the OCP microscaling format."""
    piece = 32

    @T.prim_func
    def gemm_mxfp8(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), SA: T.Tensor((M, K // piece), "float8_e8m0fnu"),
                   SB: T.Tensor((N, K // piece), "float8_e8m0fnu"), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K), dtype)
            sa = T.alloc_shared((block_M, block_K // piece), "float8_e8m0fnu")
            sb = T.alloc_shared((block_N, block_K // piece), "float8_e8m0fnu")
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.copy(SA[by * block_M, k * (block_K // piece)], sa)
                T.copy(SB[bx * block_N, k * (block_K // piece)], sb)
                T.gemm_blockscaled(a, b, c, sa, sb, transpose_B=True, sf_a_granularity_k=piece, sf_b_granularity_k=piece)
            T.copy(c, C[by * block_M, bx * block_N])

    return gemm_mxfp8

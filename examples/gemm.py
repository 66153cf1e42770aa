# C = A * B^T in bf16, accumulated in f32: what `./dev demo` compiles, runs and checks.
#
#   tilec examples/gemm.py --target=gfx950 -o gemm.hsaco
#   tilec-run examples/gemm.py --target=gfx950 --device=sim --check
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def gemm(M=512, N=512, K=512, block_M=128, block_N=128, block_K=64, dtype="bfloat16"):

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

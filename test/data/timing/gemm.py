# C = A * B^T: the GEMMs of the timing cases. One block a tile; `window` is how many rows of tiles a
# chiplet goes down before it goes to the next column (0: blocks in the grid's own order).
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def gemm(M, N, K, block_M, block_N, block_K, threads=512, window=0, dtype="bfloat16", stages=2,
         out="bfloat16"):

    tiles_m = M // block_M
    tiles_n = N // block_N
    tiles = tiles_m * tiles_n

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        C: T.Tensor((M, N), out),
    ):
        with T.Kernel(tiles, threads=threads) as block:
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            if window:
                # Neighbouring tiles to one chiplet (work-group i runs on XCD i modulo 8).
                chip = (block % 8) * (tiles // 8) + block // 8
                inside = chip % (window * tiles_n)
                by = (chip // (window * tiles_n)) * window + inside % window
                bx = inside // window
            else:
                by = block // tiles_n
                bx = block % tiles_n
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

# One matrix product with every choice of form, types, sharing of the work and epilogue; see
# test/tools/gemm_breadth.py.
import tilelang.language as T


def gemm(M, N, K, form, dtype, accum, out, share, epilogue, BM=64, BN=64, BK=32, threads=128):
    trans_A, trans_B = form[0] == "t", form[1] == "t"
    tiles_m, tiles_n, steps = T.ceildiv(M, BM), T.ceildiv(N, BN), T.ceildiv(K, BK)
    batch = 2 if share == "batch" else 1
    parts = 3 if share == "split_k" else 1
    programs = 5
    total = tiles_m * tiles_n * steps
    grids = {"plain": (tiles_n, tiles_m), "batch": (tiles_n, tiles_m, batch), "split_k": (tiles_n, tiles_m, parts),
             "stream_k": (programs,), "persistent": (programs,)}
    has_bias, has_residual = epilogue in ("bias", "all"), epilogue in ("residual", "all")
    has_relu = epilogue in ("relu", "all")

    @T.macro
    def product(A, B, A_shared, B_shared, C_local, z, bm, bn, first, count):
        T.clear(C_local)
        for k in T.Pipelined(count, num_stages=2):
            if trans_A:
                T.copy(A[z, (first + k) * BK, bm * BM], A_shared)
            else:
                T.copy(A[z, bm * BM, (first + k) * BK], A_shared)
            if trans_B:
                T.copy(B[z, bn * BN, (first + k) * BK], B_shared)
            else:
                T.copy(B[z, (first + k) * BK, bn * BN], B_shared)
            T.gemm(A_shared, B_shared, C_local, transpose_A=trans_A, transpose_B=trans_B)

    @T.macro
    def finish(C_local, bias, R, C, z, bm, bn):
        for i, j in T.Parallel(BM, BN):
            if bm * BM + i < M and bn * BN + j < N:
                x = C_local[i, j]
                if has_bias:
                    x = x + bias[bn * BN + j]
                if has_relu:
                    x = T.max(x, T.cast(0, accum))
                if has_residual:
                    x = x + R[z, bm * BM + i, bn * BN + j]
                C[z, bm * BM + i, bn * BN + j] = T.cast(x, out)

    @T.macro
    def add(C_local, C, z, bm, bn):
        for i, j in T.Parallel(BM, BN):
            if bm * BM + i < M and bn * BN + j < N:
                T.atomic_add(C[z, bm * BM + i, bn * BN + j], C_local[i, j])

    @T.prim_func
    def main(A: T.Tensor((batch, K, M) if trans_A else (batch, M, K), dtype),
             B: T.Tensor((batch, N, K) if trans_B else (batch, K, N), dtype), bias: T.Tensor((N,), accum),
             R: T.Tensor((batch, M, N), accum), C: T.Tensor((batch, M, N), out)):
        with T.Kernel(*grids[share], threads=threads) as blocks:
            A_shared = T.alloc_shared((BK, BM) if trans_A else (BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK) if trans_B else (BK, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), accum)
            if share == "plain":
                product(A, B, A_shared, B_shared, C_local, 0, blocks[1], blocks[0], 0, steps)
                finish(C_local, bias, R, C, 0, blocks[1], blocks[0])
            elif share == "batch":
                product(A, B, A_shared, B_shared, C_local, blocks[2], blocks[1], blocks[0], 0, steps)
                finish(C_local, bias, R, C, blocks[2], blocks[1], blocks[0])
            elif share == "split_k":
                each = T.ceildiv(steps, parts)
                product(A, B, A_shared, B_shared, C_local, 0, blocks[1], blocks[0], blocks[2] * each,
                        T.min(each, T.max(steps - blocks[2] * each, 0)))
                add(C_local, C, 0, blocks[1], blocks[0])
            elif share == "persistent":
                for turn in T.serial(T.ceildiv(tiles_m * tiles_n, programs)):
                    tile = turn * programs + blocks
                    if tile < tiles_m * tiles_n:
                        product(A, B, A_shared, B_shared, C_local, 0, tile // tiles_n, tile % tiles_n, 0, steps)
                        finish(C_local, bias, R, C, 0, tile // tiles_n, tile % tiles_n)
            else:
                at = T.alloc_var("int32")
                stop = T.alloc_var("int32")
                at = blocks * total // programs
                while at < (blocks + 1) * total // programs:
                    first = at % steps
                    tile = at // steps
                    stop = T.min(at + steps - first, (blocks + 1) * total // programs)
                    product(A, B, A_shared, B_shared, C_local, 0, tile // tiles_n, tile % tiles_n, first, stop - at)
                    add(C_local, C, 0, tile // tiles_n, tile % tiles_n)
                    at = stop

    return main

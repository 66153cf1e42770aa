# A mixture of experts: the gate, the plan, the products of each expert's tokens, the sum. And a grouped product alone.
import tilelang.language as T

LOW = -1e30


def grouped(groups, M, N, K, block_M=128, block_N=128, block_K=64, threads=256, stages=2, dtype="bfloat16"):
    """C[rows of group g] = A[rows of group g] * B[g]^T; the groups' rows follow one another, their numbers are data."""

    @T.prim_func
    def grouped_gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((groups, N, K), dtype), Sizes: T.Tensor((groups,), "int32"),
                     C: T.Tensor((M, N), dtype)):
        # No group has more tiles than its rows fill and one begun, so this many blocks are enough for any sizes.
        with T.Kernel(T.ceildiv(N, block_N), M // block_M + groups, threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            group = T.alloc_var("int32", init=-1)
            first = T.alloc_var("int32", init=0)   # row of this tile
            behind = T.alloc_var("int32", init=0)  # end of its group
            row = T.alloc_var("int32", init=0)
            tile = T.alloc_var("int32", init=0)
            for g in T.serial(groups):
                tiles = T.ceildiv(Sizes[g], block_M)
                if by >= tile and by < tile + tiles:
                    group = g
                    first = row + (by - tile) * block_M
                    behind = row + Sizes[g]
                tile = tile + tiles
                row = row + Sizes[g]
            mine, start = group + 0, first + 0  # values: a copy whose place a variable holds does not run ahead
            if mine >= 0:
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                    T.copy(A[start, k * block_K], a)
                    T.copy(B[mine, bx * block_N, k * block_K], b)
                    T.gemm(a, b, c, transpose_B=True)
                for i, j in T.Parallel(block_M, block_N):
                    if first + i < behind:
                        C[first + i, bx * block_N + j] = c[i, j]

    return grouped_gemm


def gate(tokens, experts, top_k, block=32):
    """The `top_k` largest logits of each token, and their softmax as weights."""

    @T.prim_func
    def moe_gate(Logits: T.Tensor((tokens, experts), "float32"), Chosen: T.Tensor((tokens, top_k), "int32"),
                 Weights: T.Tensor((tokens, top_k), "float32")):
        with T.Kernel(T.ceildiv(tokens, block), threads=128) as bx:
            logits = T.alloc_fragment((block, experts), "float32")
            place = T.alloc_fragment((block, experts), "int32")
            top = T.alloc_fragment((block,), "float32")
            at = T.alloc_fragment((block,), "int32")
            weights = T.alloc_fragment((block, top_k), "float32")
            chosen = T.alloc_fragment((block, top_k), "int32")
            total = T.alloc_fragment((block,), "float32")
            T.copy(Logits[bx * block, 0], logits)
            for k in T.unroll(top_k):
                T.reduce_max(logits, top, dim=1)
                for i, j in T.Parallel(block, experts):
                    place[i, j] = T.if_then_else(logits[i, j] == top[i], j, experts)
                T.reduce_min(place, at, dim=1)  # of equal ones the first
                for i, j in T.Parallel(block, experts):
                    logits[i, j] = T.if_then_else(j == at[i], LOW, logits[i, j])
                for i in T.Parallel(block):
                    weights[i, k] = top[i]
                    chosen[i, k] = at[i]
            T.reduce_max(weights, top, dim=1)
            for i, k in T.Parallel(block, top_k):
                weights[i, k] = T.exp(weights[i, k] - top[i])
            T.reduce_sum(weights, total, dim=1)
            for i, k in T.Parallel(block, top_k):
                weights[i, k] /= total[i]
            T.copy(weights, Weights[bx * block, 0])
            T.copy(chosen, Chosen[bx * block, 0])

    return moe_gate


def plan(tokens, experts, top_k, block_M=64, chunk=128):
    """Where each assignment of a token goes, so that the rows of an expert are neighbours and fill whole tiles.

    Place[a] is the row of assignment a; Rows[row] the assignment there, -1 for none; Expert[tile] whose tile it is, -1
    behind the last. One block; the order of assignments stays, so that the result is always the same.
    """
    assignments = tokens * top_k
    tiles = assignments // block_M + experts

    @T.prim_func
    def moe_plan(Chosen: T.Tensor((assignments,), "int32"), Place: T.Tensor((assignments,), "int32"),
                 Rows: T.Tensor((tiles * block_M,), "int32"), Expert: T.Tensor((tiles,), "int32")):
        with T.Kernel(1, threads=256):
            counts = T.alloc_shared((experts,), "int32")
            ends = T.alloc_shared((experts,), "int32")  # in tiles
            base = T.alloc_shared((experts,), "int32")
            ranks = T.alloc_shared((chunk, experts), "int32")
            T.clear(counts)
            for a in T.Parallel(assignments):
                T.atomic_add(counts[Chosen[a]], 1)
            for e in T.Parallel(experts):
                ends[e] = T.ceildiv(counts[e], block_M)
            T.cumsum(ends)
            for e in T.Parallel(experts):
                base[e] = (ends[e] - T.ceildiv(counts[e], block_M)) * block_M
            for t in T.Parallel(tiles):
                mine = T.int32(0)
                for e in T.serial(experts):
                    mine += T.if_then_else(t >= ends[e], 1, 0)
                Expert[t] = T.if_then_else(mine < experts, mine, -1)
            T.fill(Rows, -1)
            for n in T.serial(T.ceildiv(assignments, chunk)):
                for i, e in T.Parallel(chunk, experts):
                    here = n * chunk + i < assignments
                    ranks[i, e] = T.if_then_else(here and Chosen[n * chunk + i] == e, 1, 0)
                T.cumsum(ranks, dim=0)
                for i in T.Parallel(chunk):
                    a = n * chunk + i
                    if a < assignments:
                        row = base[Chosen[a]] + ranks[i, Chosen[a]] - 1
                        Place[a] = row
                        Rows[row] = a
                for e in T.Parallel(experts):
                    base[e] += ranks[chunk - 1, e]

    return moe_plan


def experts_gemm(tokens, experts, top_k, N, K, block_M=64, block_N=128, block_K=64, threads=256, stages=2, dtype="bfloat16"):
    """Y[row] = X[token of the row] * W[expert of the row's tile]^T: the gather is the loop that fills the tile."""
    tiles = tokens * top_k // block_M + experts

    @T.prim_func
    def moe_experts(X: T.Tensor((tokens, K), dtype), W: T.Tensor((experts, N, K), dtype),
                    Rows: T.Tensor((tiles * block_M,), "int32"), Expert: T.Tensor((tiles,), "int32"),
                    Y: T.Tensor((tiles * block_M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), tiles, threads=threads) as (bx, by):
            x = T.alloc_shared((block_M, block_K), dtype)
            w = T.alloc_shared((block_N, block_K), dtype)
            rows = T.alloc_shared((block_M,), "int32")
            y = T.alloc_fragment((block_M, block_N), "float32")
            expert = Expert[by]
            if expert >= 0:
                T.copy(Rows[by * block_M], rows)
                T.clear(y)
                for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                    for i, j in T.Parallel(block_M, block_K):
                        x[i, j] = T.if_then_else(rows[i] >= 0, X[T.max(rows[i], 0) // top_k, k * block_K + j], 0)
                    T.copy(W[expert, bx * block_N, k * block_K], w)
                    T.gemm(x, w, y, transpose_B=True)
                T.copy(y, Y[by * block_M, bx * block_N])

    return moe_experts


def combine(tokens, experts, top_k, N, block_M=64, dtype="bfloat16"):
    """Out[token] = the weighted sum of its rows of Y."""
    tiles = tokens * top_k // block_M + experts

    @T.prim_func
    def moe_combine(Y: T.Tensor((tiles * block_M, N), dtype), Place: T.Tensor((tokens, top_k), "int32"),
                    Weights: T.Tensor((tokens, top_k), "float32"), Out: T.Tensor((tokens, N), dtype)):
        with T.Kernel(tokens, threads=128) as token:
            out = T.alloc_fragment((N,), "float32")
            T.clear(out)
            for k in T.serial(top_k):
                for j in T.Parallel(N):
                    out[j] += Y[Place[token, k], j] * Weights[token, k]
            T.copy(out, Out[token, 0])

    return moe_combine

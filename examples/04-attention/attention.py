# Attention with many queries: forward, and the three kernels of its gradient.
#
# Tensors are (batch, row, head, element). O = softmax(scale Q K') V; Lse is the logarithm (to base 2) of each row's sum,
# which is all that the gradient needs to make the weights again.
import tilelang.language as T

LOG2E = 1.44269504
LOW = -1e30  # of scores that the mask hides: finite, so that no row makes NaN


def forward(B, H, S, D, block_M=128, block_N=64, threads=256, stages=2, causal=False, dtype="bfloat16"):
    scale = D**-0.5 * LOG2E
    shape = (B, S, H, D)

    @T.prim_func
    def attention(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype),
                  O: T.Tensor(shape, dtype), Lse: T.Tensor((B, H, S), "float32")):
        with T.Kernel(H, T.ceildiv(S, block_M), B, threads=threads) as (head, rows, batch):
            q = T.alloc_shared((block_M, D), dtype)
            k = T.alloc_shared((block_N, D), dtype)
            v = T.alloc_shared((block_N, D), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            before = T.alloc_fragment((block_M,), "float32")
            part = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(Q[batch, rows * block_M:(rows + 1) * block_M, head, :], q)
            T.clear(out)
            T.clear(total)
            T.fill(top, LOW)
            rounds = T.min(T.ceildiv((rows + 1) * block_M, block_N), T.ceildiv(S, block_N)) if causal else T.ceildiv(S, block_N)
            for n in T.Pipelined(rounds, num_stages=stages):
                T.copy(K[batch, n * block_N:(n + 1) * block_N, head, :], k)
                T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                if causal:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i >= n * block_N + j, scores[i, j], LOW)
                elif S % block_N:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(n * block_N + j < S, scores[i, j], LOW)
                T.copy(top, before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    before[i] = T.exp2(before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - top[i] * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * before[i] + part[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_M, D):
                    out[i, j] *= before[i]
                T.copy(V[batch, n * block_N:(n + 1) * block_N, head, :], v)
                T.gemm(weights, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                out[i, j] /= total[i]
            T.copy(out, O[batch, rows * block_M:(rows + 1) * block_M, head, :])
            for i in T.Parallel(block_M):
                total[i] = T.log2(total[i]) + top[i] * scale
            T.copy(total, Lse[batch, head, rows * block_M:(rows + 1) * block_M])

    return attention


def delta(B, H, S, D, block=64, dtype="bfloat16"):
    """Delta[row] = sum of O * dO: what softmax's gradient takes off each row."""
    shape = (B, S, H, D)

    @T.prim_func
    def attention_delta(O: T.Tensor(shape, dtype), dO: T.Tensor(shape, dtype), Delta: T.Tensor((B, H, S), "float32")):
        with T.Kernel(H, T.ceildiv(S, block), B, threads=256) as (head, rows, batch):
            o = T.alloc_fragment((block, D), "float32")
            do = T.alloc_fragment((block, D), "float32")
            total = T.alloc_fragment((block,), "float32")
            T.copy(O[batch, rows * block:(rows + 1) * block, head, :], o)
            T.copy(dO[batch, rows * block:(rows + 1) * block, head, :], do)
            for i, j in T.Parallel(block, D):
                o[i, j] *= do[i, j]
            T.reduce_sum(o, total, dim=1)
            T.copy(total, Delta[batch, head, rows * block:(rows + 1) * block])

    return attention_delta


def gradient_kv(B, H, S, D, block_M=64, block_N=64, threads=256, stages=1, causal=False, dtype="bfloat16"):
    """dK and dV: a block owns `block_N` keys and walks over the queries, so nothing is added atomically."""
    scale, shape = D**-0.5, (B, S, H, D)

    @T.prim_func
    def attention_dkv(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype),
                      dO: T.Tensor(shape, dtype), Lse: T.Tensor((B, H, S), "float32"), Delta: T.Tensor((B, H, S), "float32"),
                      dK: T.Tensor(shape, dtype), dV: T.Tensor(shape, dtype)):
        with T.Kernel(H, T.ceildiv(S, block_N), B, threads=threads) as (head, keys, batch):
            k = T.alloc_shared((block_N, D), dtype)
            v = T.alloc_shared((block_N, D), dtype)
            q = T.alloc_shared((block_M, D), dtype)
            do = T.alloc_shared((block_M, D), dtype)
            lse = T.alloc_shared((block_M,), "float32")
            row_delta = T.alloc_shared((block_M,), "float32")
            p = T.alloc_fragment((block_N, block_M), "float32")
            dp = T.alloc_fragment((block_N, block_M), "float32")
            half = T.alloc_fragment((block_N, block_M), dtype)
            dk = T.alloc_fragment((block_N, D), "float32")
            dv = T.alloc_fragment((block_N, D), "float32")
            T.copy(K[batch, keys * block_N:(keys + 1) * block_N, head, :], k)
            T.copy(V[batch, keys * block_N:(keys + 1) * block_N, head, :], v)
            T.clear(dk)
            T.clear(dv)
            first = (keys * block_N) // block_M if causal else 0
            for m in T.Pipelined(first, T.ceildiv(S, block_M), num_stages=stages):
                T.copy(Q[batch, m * block_M:(m + 1) * block_M, head, :], q)
                T.copy(dO[batch, m * block_M:(m + 1) * block_M, head, :], do)
                T.copy(Lse[batch, head, m * block_M:(m + 1) * block_M], lse)
                T.copy(Delta[batch, head, m * block_M:(m + 1) * block_M], row_delta)
                T.gemm(k, q, p, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_N, block_M):
                    p[i, j] = T.exp2(p[i, j] * (scale * LOG2E) - lse[j])
                # Rows of Q past the end are zeros, and so is their dO: only the mask is left to say.
                if causal:
                    for i, j in T.Parallel(block_N, block_M):
                        p[i, j] = T.if_then_else(m * block_M + j >= keys * block_N + i, p[i, j], 0)
                T.copy(p, half)
                T.gemm(half, do, dv, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(v, do, dp, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_N, block_M):
                    half[i, j] = p[i, j] * (dp[i, j] - row_delta[j]) * scale
                T.gemm(half, q, dk, policy=T.GemmWarpPolicy.FullRow)
            T.copy(dk, dK[batch, keys * block_N:(keys + 1) * block_N, head, :])
            T.copy(dv, dV[batch, keys * block_N:(keys + 1) * block_N, head, :])

    return attention_dkv


def gradient_q(B, H, S, D, block_M=64, block_N=64, threads=256, stages=1, causal=False, dtype="bfloat16"):
    """dQ: a block owns `block_M` queries and walks over the keys."""
    scale, shape = D**-0.5, (B, S, H, D)

    @T.prim_func
    def attention_dq(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype),
                     dO: T.Tensor(shape, dtype), Lse: T.Tensor((B, H, S), "float32"), Delta: T.Tensor((B, H, S), "float32"),
                     dQ: T.Tensor(shape, dtype)):
        with T.Kernel(H, T.ceildiv(S, block_M), B, threads=threads) as (head, rows, batch):
            q = T.alloc_shared((block_M, D), dtype)
            do = T.alloc_shared((block_M, D), dtype)
            k = T.alloc_shared((block_N, D), dtype)
            v = T.alloc_shared((block_N, D), dtype)
            lse = T.alloc_fragment((block_M,), "float32")
            row_delta = T.alloc_fragment((block_M,), "float32")
            p = T.alloc_fragment((block_M, block_N), "float32")
            dp = T.alloc_fragment((block_M, block_N), "float32")
            half = T.alloc_fragment((block_M, block_N), dtype)
            dq = T.alloc_fragment((block_M, D), "float32")
            T.copy(Q[batch, rows * block_M:(rows + 1) * block_M, head, :], q)
            T.copy(dO[batch, rows * block_M:(rows + 1) * block_M, head, :], do)
            T.copy(Lse[batch, head, rows * block_M:(rows + 1) * block_M], lse)
            T.copy(Delta[batch, head, rows * block_M:(rows + 1) * block_M], row_delta)
            T.clear(dq)
            rounds = T.min(T.ceildiv((rows + 1) * block_M, block_N), T.ceildiv(S, block_N)) if causal else T.ceildiv(S, block_N)
            for n in T.Pipelined(rounds, num_stages=stages):
                T.copy(K[batch, n * block_N:(n + 1) * block_N, head, :], k)
                T.copy(V[batch, n * block_N:(n + 1) * block_N, head, :], v)
                T.gemm(q, k, p, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(do, v, dp, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_M, block_N):
                    p[i, j] = T.exp2(p[i, j] * (scale * LOG2E) - lse[i])
                if causal:
                    for i, j in T.Parallel(block_M, block_N):
                        p[i, j] = T.if_then_else(rows * block_M + i >= n * block_N + j, p[i, j], 0)
                for i, j in T.Parallel(block_M, block_N):
                    half[i, j] = p[i, j] * (dp[i, j] - row_delta[i]) * scale
                T.gemm(half, k, dq, policy=T.GemmWarpPolicy.FullRow)
            T.copy(dq, dQ[batch, rows * block_M:(rows + 1) * block_M, head, :])

    return attention_dq

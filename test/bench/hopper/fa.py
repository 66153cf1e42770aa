# Attention forward of docs/numbers/performance-nvidia.md.
import tilelang
import tilelang.language as T
from tilec import schedule


def fa(B=1, H=2, S=512, D=128, block_M=128, block_N=128, stages=2, threads=256, causal=False, dtype="bfloat16",
       turns=False, exact=False):
    scale = (1.0 / D) ** 0.5 * 1.44269504
    shape = [B, S, H, D]
    together = H
    while together > 1 and together % 2 == 0 and together * S * D * 4 > 2**25:
        together //= 2

    @T.prim_func
    def main(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype), Out: T.Tensor(shape, dtype)):
        # Heads whose keys and values fit into the L2 cache together; of their rows, those with the most work first.
        with T.Kernel(together, T.ceildiv(S, block_M), B * H // together, threads=threads) as (inner, row_block, outer):
            by = (outer * together + inner) % H
            bz = (outer * together + inner) // H
            bx = T.ceildiv(S, block_M) - 1 - row_block if causal else row_block
            Q_shared = T.alloc_shared([block_M, D], dtype)
            K_shared = T.alloc_shared([block_N, D], dtype)
            V_shared = T.alloc_shared([block_N, D], dtype)
            acc_s = T.alloc_fragment([block_M, block_N], "float32")
            acc_s_cast = T.alloc_fragment([block_M, block_N], dtype)
            acc_o = T.alloc_fragment([block_M, D], "float32")
            m_i = T.alloc_fragment([block_M], "float32")
            m_prev = T.alloc_fragment([block_M], "float32")
            alpha = T.alloc_fragment([block_M], "float32")
            row = T.alloc_fragment([block_M], "float32")
            l_i = T.alloc_fragment([block_M], "float32")
            T.copy(Q[bz, bx * block_M:(bx + 1) * block_M, by, :], Q_shared)
            T.fill(acc_o, 0)
            T.fill(l_i, 0)
            T.fill(m_i, -T.infinity("float32"))
            loop_range = T.ceildiv((bx + 1) * block_M, block_N) if causal else T.ceildiv(S, block_N)
            rounds = T.Pipelined(loop_range, num_stages=stages)
            for k in schedule.ping_pong(rounds) if turns else schedule.exact(rounds) if exact else rounds:
                T.copy(K[bz, k * block_N:(k + 1) * block_N, by, :], K_shared)
                if causal:
                    for i, j in T.Parallel(block_M, block_N):
                        acc_s[i, j] = T.if_then_else(bx * block_M + i >= k * block_N + j, 0, -T.infinity("float32"))
                else:
                    T.clear(acc_s)
                T.gemm(Q_shared, K_shared, acc_s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(m_i, m_prev)
                T.reduce_max(acc_s, m_i, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    alpha[i] = T.exp2(m_prev[i] * scale - m_i[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    acc_s[i, j] = T.exp2(acc_s[i, j] * scale - m_i[i] * scale)
                T.reduce_sum(acc_s, row, dim=1)
                for i in T.Parallel(block_M):
                    l_i[i] = l_i[i] * alpha[i] + row[i]
                T.copy(acc_s, acc_s_cast)
                for i, j in T.Parallel(block_M, D):
                    acc_o[i, j] *= alpha[i]
                T.copy(V[bz, k * block_N:(k + 1) * block_N, by, :], V_shared)
                T.gemm(acc_s_cast, V_shared, acc_o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                acc_o[i, j] /= l_i[i]
            T.copy(acc_o, Out[bz, bx * block_M:(bx + 1) * block_M, by, :])

    return main

# entry: fa(1, 2, 64, 32)
import tilelang.language as T

def fa(batch, heads, seq, dim, bM=32, bN=32, causal=True):
    scale = (1.0 / dim) ** 0.5 * 1.44269504
    shape = [batch, seq, heads, dim]
    @T.prim_func
    def main(Q: T.Tensor(shape, "float16"), K: T.Tensor(shape, "float16"), V: T.Tensor(shape, "float16"), O: T.Tensor(shape, "float16")):
        with T.Kernel(T.ceildiv(seq, bM), heads, batch, threads=128) as (bx, by, bz):
            q = T.alloc_shared([bM, dim], "float16")
            k = T.alloc_shared([bN, dim], "float16")
            v = T.alloc_shared([bN, dim], "float16")
            s = T.alloc_fragment([bM, bN], "float32")
            p = T.alloc_fragment([bM, bN], "float16")
            o = T.alloc_fragment([bM, dim], "float32")
            m = T.alloc_fragment([bM], "float32")
            prev = T.alloc_fragment([bM], "float32")
            total = T.alloc_fragment([bM], "float32")
            rows = T.alloc_fragment([bM], "float32")
            T.copy(Q[bz, bx * bM:(bx + 1) * bM, by, :], q)
            T.fill(o, 0)
            T.fill(total, 0)
            T.fill(m, -T.infinity("float32"))
            end = T.min(T.ceildiv(seq, bN), T.ceildiv((bx + 1) * bM, bN)) if causal else T.ceildiv(seq, bN)
            for j in T.Pipelined(end, num_stages=1):
                T.copy(K[bz, j * bN:(j + 1) * bN, by, :], k)
                for a, b in T.Parallel(bM, bN):
                    s[a, b] = T.if_then_else(bx * bM + a >= j * bN + b, 0, -T.infinity("float32")) if causal else 0
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(m, prev)
                T.reduce_max(s, m, dim=1, clear=False)
                for a, b in T.Parallel(bM, bN):
                    s[a, b] = T.exp2(s[a, b] * scale - m[a] * scale)
                T.reduce_sum(s, rows, dim=1)
                for a in T.Parallel(bM):
                    total[a] = total[a] * T.exp2(prev[a] * scale - m[a] * scale) + rows[a]
                for a, d in T.Parallel(bM, dim):
                    o[a, d] *= T.exp2(prev[a] * scale - m[a] * scale)
                T.copy(s, p)
                T.copy(V[bz, j * bN:(j + 1) * bN, by, :], v)
                T.gemm(p, v, o)
            for a, d in T.Parallel(bM, dim):
                o[a, d] /= total[a]
            T.copy(o, O[bz, bx * bM:(bx + 1) * bM, by, :])
    return main

# Loops without a planned order: products whose sums are scaled in each round, and products and attention of rows that
# numbers name (slots.py).
import tilelang.language as T
from tilec import schedule


def scaled(n=2048, block_M=128, block_N=128, block_K=64, stages=2, threads=256, exact=False):
    @T.prim_func
    def main(A: T.Tensor((n, n), "bfloat16"), B: T.Tensor((n, n), "bfloat16"), C: T.Tensor((n, n), "float32")):
        with T.Kernel(n // block_N, n // block_M, threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), "bfloat16")
            b = T.alloc_shared((block_N, block_K), "bfloat16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            p = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            rounds = T.Pipelined(n // block_K, num_stages=stages)
            for k in schedule.exact(rounds) if exact else rounds:
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, p, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] += p[i, j] * 0.5
            T.copy(c, C[by * block_M, bx * block_N])

    return main


# Experts: the rows of a block's tile are the tokens that chose its expert.
def picked(n=4096, block_M=128, block_N=128, block_K=64, stages=2, threads=256, dtype="bfloat16", exact=False):
    @T.prim_func
    def main(X: T.Tensor((n, n), dtype), W: T.Tensor((n, n), dtype), Rows: T.Tensor((n,), "int32"), C: T.Tensor((n, n), dtype)):
        with T.Kernel(n // block_N, n // block_M, threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            rounds = T.Pipelined(n // block_K, num_stages=stages)
            for k in schedule.exact(rounds) if exact else rounds:
                for i, j in T.Parallel(block_M, block_K):
                    a[i, j] = X[Rows[by * block_M + i], k * block_K + j]
                T.copy(W[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block_M, bx * block_N])

    return main


# Sparse attention: each query has keys of its own, which are values, too.
def sparse(heads=64, keys=4096, chosen=2048, dim=128, block=64, stages=2, threads=256, queries=256, dtype="bfloat16",
           exact=False):
    scale = (1.0 / dim) ** 0.5 * 1.44269504

    @T.prim_func
    def main(Q: T.Tensor((queries, heads, dim), dtype), KV: T.Tensor((keys, dim), dtype),
             Chosen: T.Tensor((queries, chosen), "int32"), Out: T.Tensor((queries, heads, dim), dtype)):
        with T.Kernel(queries, threads=threads) as bx:
            q = T.alloc_shared((heads, dim), dtype)
            kv = T.alloc_shared((block, dim), dtype)
            p = T.alloc_shared((heads, block), dtype)
            out = T.alloc_fragment((heads, dim), "float32")
            s = T.alloc_fragment((heads, block), "float32")
            most = T.alloc_fragment([heads], "float32")
            before = T.alloc_fragment([heads], "float32")
            alpha = T.alloc_fragment([heads], "float32")
            total = T.alloc_fragment([heads], "float32")
            row = T.alloc_fragment([heads], "float32")
            T.copy(Q[bx, 0, 0], q)
            T.fill(out, 0)
            T.fill(total, 0)
            T.fill(most, -(2**30))
            rounds = T.Pipelined(chosen // block, num_stages=stages)
            for k in schedule.exact(rounds) if exact else rounds:
                for i, j in T.Parallel(block, dim):
                    kv[i, j] = KV[Chosen[bx, k * block + i], j]
                T.clear(s)
                T.gemm(q, kv, s, transpose_B=True)
                T.copy(most, before)
                T.reduce_max(s, most, dim=1, clear=False)
                for i in T.Parallel(heads):
                    alpha[i] = T.exp2((before[i] - most[i]) * scale)
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.exp2(s[i, j] * scale - most[i] * scale)
                T.reduce_sum(s, row, dim=1)
                for i in T.Parallel(heads):
                    total[i] = total[i] * alpha[i] + row[i]
                for i, j in T.Parallel(heads, dim):
                    out[i, j] *= alpha[i]
                T.copy(s, p)
                T.gemm(p, kv, out)
            for i, j in T.Parallel(heads, dim):
                out[i, j] /= total[i]
            T.copy(out, Out[bx, 0, 0])

    return main

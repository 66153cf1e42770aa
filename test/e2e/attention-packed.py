# Sequences of different lengths that lie one behind the other, as upstream's variable-length programs have them: where a
# sequence begins is read from a tensor, and a mask says what is outside. One source for all targets.
# RUN: tilec-run %s --entry "attention()" --target=gfx950 --check --arg Starts=%S/Inputs/starts.npy --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True)" --target=gfx942 --check --arg Starts=%S/Inputs/starts.npy --seed 2 | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=sm_80 --device=ptx --check --arg Starts=%S/Inputs/starts.npy --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True)" --target=sm_90a --device=ptx --check --arg Starts=%S/Inputs/starts.npy --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "attention(threads=256, block_M=128)" --target=sm_90a --device=ptx --check --arg Starts=%S/Inputs/starts.npy --sim-interleave=2 | FileCheck %s
# CHECK: result {{ *}}PASS
#
# On sm_90a the producer reads where the sequence begins for itself, the gemms are overlapped, and the mask is put on
# where it cuts only.
# RUN: tilec %s --entry "attention(4096, threads=256, block_M=128, block_N=128, D=128)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=OVERLAP
# RUN: %if ptxas %{ tilec %s --entry "attention(4096, threads=256, block_M=128, block_N=128, D=128)" --target=sm_90a --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --entry "attention(4096, threads=256, block_M=128, block_N=128, D=128, causal=True)" --target=sm_90a --strict -o %t.cubin %}
# OVERLAP: tile.producer {
# OVERLAP:   tile.load {{.*}} -> i32
# OVERLAP:   tile.tma_copy
# OVERLAP: arith.cmpi sle
# OVERLAP-NEXT: scf.if
# OVERLAP-NEXT: tile.parallel
# OVERLAP:   tile.gemm {{.*}} clear(
# OVERLAP:   tile.gemm_wait {{.*}} pending 1
# OVERLAP:   tile.issue_fence
import tilelang
import tilelang.language as T


def attention(total=300, batches=2, longest=200, H=2, D=64, block_M=64, block_N=64, threads=128, stages=2, causal=False,
              dtype="float16"):
    scale = (1.0 / D) ** 0.5 * 1.44269504
    low = -1e9

    @T.prim_func
    def main(Q: T.Tensor((total, H, D), dtype), K: T.Tensor((total, H, D), dtype), V: T.Tensor((total, H, D), dtype),
             Starts: T.Tensor((batches + 1,), "int32"), Out: T.Tensor((total, H, D), dtype)):
        with T.Kernel(T.ceildiv(longest, block_M), H, batches, threads=threads) as (rows, head, batch):
            Q_shared = T.alloc_shared((block_M, D), dtype)
            K_shared = T.alloc_shared((block_N, D), dtype)
            V_shared = T.alloc_shared((block_N, D), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            top_before = T.alloc_fragment((block_M,), "float32")
            fade = T.alloc_fragment((block_M,), "float32")
            row_sum = T.alloc_fragment((block_M,), "float32")
            sums = T.alloc_fragment((block_M,), "float32")
            start = Starts[batch]
            length = Starts[batch + 1] - start
            T.copy(Q[start + rows * block_M, head, 0], Q_shared)
            T.fill(out, 0)
            T.fill(sums, 0)
            T.fill(top, low)
            rounds = T.ceildiv(length, block_N)
            if causal:
                rounds = T.min(rounds, T.ceildiv((rows + 1) * block_M, block_N))
            for k in T.Pipelined(rounds, num_stages=stages):
                T.copy(K[start + k * block_N, head, 0], K_shared)
                for i, j in T.Parallel(block_M, block_N):
                    outside = k * block_N + j >= length
                    if causal:
                        outside = outside or rows * block_M + i < k * block_N + j
                    scores[i, j] = T.if_then_else(outside, low, 0)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(top, top_before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    fade[i] = T.exp2(top_before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - top[i] * scale)
                T.reduce_sum(scores, row_sum, dim=1)
                for i in T.Parallel(block_M):
                    sums[i] = sums[i] * fade[i] + row_sum[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_M, D):
                    out[i, j] *= fade[i]
                T.copy(V[start + k * block_N, head, 0], V_shared)
                T.gemm(weights, V_shared, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                if rows * block_M + i < length:
                    Out[start + rows * block_M + i, head, j] = T.cast(out[i, j] / sums[i], dtype)

    return main

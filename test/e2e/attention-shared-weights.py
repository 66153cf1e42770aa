# Weights of attention that go through a shared tile. Where each wave multiplies the rows that it has made, they stay in
# registers (tile-forward-accumulators). `changed`: something else touches the tile; warp groups meet for it in each round,
# between the two gemms, so that none of them waits there for its turn to multiply (tile-take-turns).
# RUN: tilec-run %s --entry "attention(threads=256, block_M=128)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(threads=384, block_M=192, causal=True, turns=True)" --target=sm_90a --device=ptx --check 2>&1 | FileCheck %s --implicit-check-not=warning
# RUN: tilec-run %s --entry "attention(threads=128, block_M=128, causal=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention(threads=256, block_M=128, changed=True)" --target=sm_90a --device=ptx --check 2>&1 | FileCheck %s --implicit-check-not=warning
# RUN: tilec-run %s --entry "attention(threads=384, block_M=192, causal=True, changed=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(threads=256, block_M=128, causal=True, changed=True, turns=True)" --target=sm_90a --device=ptx --check 2>&1 | FileCheck %s --check-prefixes=TURNS,CHECK
# RUN: tilec-run %s --entry "attention(causal=True, changed=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True, changed=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention(causal=True, changed=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "attention(threads=256, block_M=128)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --entry "attention(threads=256, block_M=128)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --entry "attention(threads=256, block_M=128, changed=True)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=SHARED
# TURNS: warning: schedule `ping_pong` is not applied: warp groups meet in each round
# KEPT: tile.alloc "weights" {{.*}}, fragment>
# SHARED: tile.alloc "weights" {{.*}}, shared>
# CHECK: result {{ *}}PASS
import tilelang.language as T
from tilec import schedule


def attention(S=384, D=64, block_M=64, block_N=64, threads=128, causal=False, turns=False, changed=False):
    scale = (1.0 / D) ** 0.5 * 1.44269504

    @T.prim_func
    def main(Q: T.Tensor((S, D), "bfloat16"), K: T.Tensor((S, D), "bfloat16"), V: T.Tensor((S, D), "bfloat16"),
             Out: T.Tensor((S, D), "bfloat16")):
        with T.Kernel(S // block_M, threads=threads) as rows:
            queries = T.alloc_shared((block_M, D), "bfloat16")
            keys = T.alloc_shared((block_N, D), "bfloat16")
            values = T.alloc_shared((block_N, D), "bfloat16")
            weights = T.alloc_shared((block_M, block_N), "bfloat16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            before = T.alloc_fragment((block_M,), "float32")
            row = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(Q[rows * block_M, 0], queries)
            T.clear(out)
            T.clear(total)
            T.fill(top, -T.infinity("float32"))
            rounds = T.Pipelined((rows + 1) * block_M // block_N if causal else S // block_N, num_stages=2)
            for k in schedule.ping_pong(rounds) if turns else rounds:
                T.copy(K[k * block_N, 0], keys)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.if_then_else(causal and rows * block_M + i < k * block_N + j, -T.infinity("float32"), 0)
                T.gemm(queries, keys, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(top, before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    before[i] = T.exp2(before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - top[i] * scale)
                T.reduce_sum(scores, row, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * before[i] + row[i]
                T.copy(scores, weights)
                if changed:
                    for i, j in T.Parallel(block_M, block_N):
                        weights[i, j] = T.if_then_else(weights[i, j] < 2.0**-20, 0, weights[i, j])
                for i, j in T.Parallel(block_M, D):
                    out[i, j] *= before[i]
                T.copy(V[k * block_N, 0], values)
                T.gemm(weights, values, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                out[i, j] /= total[i]
            T.copy(out, Out[rows * block_M, 0])

    return main

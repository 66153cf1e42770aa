# RUN: tilec %s --target=sm_90a --entry "fa()" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "fa()" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "fa('behind')" --emit=tile-pipelined | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --target=sm_90a --entry "fa('window')" --emit=tile-pipelined | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --target=sm_90a --entry "fa('exp')" --emit=tile-pipelined | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --target=sm_90a --entry "fa('two maxima')" --emit=tile-pipelined | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --target=sm_90a --entry "fa('finite')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('counts')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('fades')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('reads fade')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('negative')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('bias')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('upwards')" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa(block_M=128, threads=256)" --emit=tile-pipelined | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --target=sm_90a --entry "fa('full', S=1000)" --emit=tile-pipelined | FileCheck %s --check-prefix=UNSEEN
# RUN: tilec %s --target=sm_90a --entry "fa('full', S=960)" --emit=tile-pipelined | FileCheck %s --check-prefix=SEEN
# RUN: tilec %s --target=sm_90a --entry "fa('sums rows', S=1000)" --emit=tile-pipelined | FileCheck %s --check-prefix=SEEN
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "fa()" --strict -o %t.cubin %}
#
# Under a causal mask of -inf the lower warp groups of a tile of 192 rows need fewer rounds over keys than the highest
# one: each leaves the loop behind its own, and does for the rest what the others wait for.

# CHECK:      tile.pipe_wait
# CHECK:      [[EVERY:%[0-9]+]] = arith.divui
# CHECK:      [[GROUP:%[0-9]+]] = tile.warp_group
# CHECK-NEXT: tile.below [[GROUP]], 3
# CHECK:      [[DEAD:%[0-9]+]] = arith.ceildivsi %{{[0-9]+}}, %c128
# CHECK:      [[LEAST:%[0-9]+]] = arith.maxsi [[DEAD]], %c1
# CHECK:      [[MINE:%[0-9]+]] = arith.minsi [[EVERY]], [[LEAST]]
# CHECK:      [[END:%[0-9]+]] = tile.of_group [[MINE]] whole([[EVERY]])
# CHECK:      [[CLEAR:%[0-9]+]] = tile.of_group %{{[0-9]+}} whole(%{{[0-9]+}}) : i1
# CHECK:      tile.gemm {{.*}} clear([[CLEAR]])
# CHECK:      tile.for {{.*}} to [[END]] step
# CHECK:        tile.issue_fence
# CHECK:      tile.gemm %weights
# CHECK-NEXT: tile.gemm_wait %out pending 0
# CHECK:      tile.for {{.*}} = [[END]] to [[EVERY]] step
# CHECK:        tile.group_turn
# CHECK-NEXT:   tile.group_turn pass
# CHECK:        [[K:%[0-9]+]] = tile.pipe_wait [[KEYS:%[0-9]+]]
# CHECK-NEXT:   [[V:%[0-9]+]] = tile.pipe_wait [[VALUES:%[0-9]+]]
# CHECK-NEXT:   tile.group_sync
# CHECK-NEXT:   tile.pipe_release [[KEYS]], [[K]]
# CHECK-NEXT:   tile.pipe_release [[VALUES]], [[V]]

# WAVE: wave.named_barrier %{{[0-9]+}} threads(128)

# OWN:      arith.ceildivsi
# OWN:      [[END:%[0-9]+]] = tile.of_group %{{[0-9]+}} whole([[EVERY:%[0-9]+]]) : index
# OWN:      tile.for {{.*}} = [[END]] to [[EVERY]] step
# OWN:        tile.group_sync

# Not where a round with -inf changes something, where it is read what a round leaves behind, where rows come to be
# seen later, or where all warp groups have rounds of their own up to the last.
# WHOLE-NOT: tile.group_sync
# SEEN-NOT: tile.group_sync

# Without a mask: rows behind the end of all tensors that they are stored to.
# UNSEEN:     [[OUT:%[0-9]+]] = arith.cmpi sge, %{{[0-9]+}}, %c1000
# UNSEEN:     arith.select [[OUT]], %c0, %c8
# UNSEEN:     tile.group_sync
import tilelang.language as T


def fa(form="causal", S=1536, heads=2, D=64, block_M=192, block_N=128, threads=384, dtype="bfloat16"):
    low = -1e30 if form == "finite" else -T.infinity("float32")
    scale = -0.18 if form == "negative" else 0.18
    exp = T.exp if form == "exp" else T.exp2
    full = form in ["full", "sums rows"]

    @T.prim_func
    def main(Q: T.Tensor((heads, S, D), dtype), K: T.Tensor((heads, S, D), dtype), V: T.Tensor((heads, S, D), dtype),
             Bias: T.Tensor((S,), "float32"), Out: T.Tensor((heads, S, D), dtype), More: T.Tensor((S,), "float32"),
             All: T.Tensor((heads, D), "float32")):
        with T.Kernel(heads, T.ceildiv(S, block_M), threads=threads) as (head, rows):
            Q_shared = T.alloc_shared((block_M, D), dtype)
            K_shared = T.alloc_shared((block_N, D), dtype)
            V_shared = T.alloc_shared((block_N, D), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            top_before = T.alloc_fragment((block_M,), "float32")
            top_here = T.alloc_fragment((block_M,), "float32")
            fade = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            row = T.alloc_fragment((block_M,), "float32")
            column = T.alloc_fragment((D,), "float32")
            T.copy(Q[head, rows * block_M, 0], Q_shared)
            T.clear(out)
            T.clear(total)
            T.fill(top, -T.infinity("float32"))
            for k in T.Pipelined(T.ceildiv(S, block_N) if full else T.ceildiv((rows + 1) * block_M, block_N),
                                 num_stages=2):
                T.copy(K[head, k * block_N, 0], K_shared)
                T.copy(V[head, k * block_N, 0], V_shared)
                if full or form == "behind":
                    T.clear(scores)
                elif form == "window":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(
                            rows * block_M + i < k * block_N + j or k * block_N + j + 500 < rows * block_M + i, low, 0)
                elif form == "upwards":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i <= k * block_N + j, 0, low)
                else:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i >= k * block_N + j, 0, low)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                if form == "behind":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i >= k * block_N + j, scores[i, j], low)
                if form == "bias":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] += Bias[k * block_N + j]
                T.copy(top, top_before)
                if form == "two maxima":
                    T.reduce_max(scores, top_here, dim=1)
                    for i in T.Parallel(block_M):
                        top[i] = T.max(top_before[i], top_here[i])
                else:
                    T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    fade[i] = exp(top_before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = exp(scores[i, j] * scale - top[i] * scale)
                T.reduce_sum(scores, row, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * fade[i] + row[i] + (1 if form == "counts" else 0)
                for i, j in T.Parallel(block_M, D):
                    out[i, j] *= fade[i] * (0.5 if form == "fades" else 1)
                T.copy(scores, weights)
                T.gemm(weights, V_shared, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                out[i, j] /= total[i]
            T.copy(out, Out[head, rows * block_M, 0])
            if form == "reads fade":
                T.copy(fade, More[rows * block_M])
            if form == "sums rows":
                T.reduce_sum(out, column, dim=0)
                T.copy(column, All[head, 0])

    return main

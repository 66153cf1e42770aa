# Causal attention whose author shares out the tiles: a few blocks, each with a loop over tiles around the loop over keys.
# RUN: tilec-run %s --entry "attention(3, 450, 64, 192, 64, 384)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "attention(3, 450, 64, 192, 64, 384)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "attention(2, 300, 128, 128, 64, 256)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "attention(2, 200, 64, 64, 64, 128)" --target=sm_80 --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# Nothing of what a loop of its own would get is lost: copies by a producer, gemms beside the softmax, rounds that are dead for
# warp groups, the approximated exponential and quotient (the next tile overwrites the fragments before it reads them).
# RUN: tilec %s --entry "attention(3, 450, 64, 192, 64, 384)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=OVERLAP
# RUN: %if ptxas %{ tilec %s --entry "attention(256, 2048, 64, 192, 128, 384, blocks=132)" --target=sm_90a --strict -o %t.cubin %}
# RUN: tilec %s --entry "attention(3, 450, 64, 192, 64, 384, keeps=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=KEEPS
# KEEPS: math.exp2
# KEEPS-NOT: math.exp2 {{.*}} fastmath<afn>
# OVERLAP: tile.gemm_wait {{.*}} pending 1
# OVERLAP: math.exp2 {{.*}} fastmath<afn>
# OVERLAP: tile.issue_fence
# OVERLAP: tile.group_sync
# OVERLAP: arith.divf {{.*}} fastmath<arcp>
import tilelang.language as T


def attention(heads, S, D, block_M, block_N, threads, blocks=4, keeps=False, dtype="bfloat16"):
    scale = (1.0 / D) ** 0.5 * 1.44269504
    in_head = -(-S // block_M)

    @T.prim_func
    def main(Q: T.Tensor((heads, S, D), dtype), K: T.Tensor((heads, S, D), dtype), V: T.Tensor((heads, S, D), dtype),
             Out: T.Tensor((heads, S, D), dtype), Last: T.Tensor((heads, S, block_N), "float32")):
        with T.Kernel(blocks, threads=threads) as block:
            Q_shared = T.alloc_shared((block_M, D), dtype)
            K_shared = T.alloc_shared((block_N, D), dtype)
            V_shared = T.alloc_shared((block_N, D), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            top_before = T.alloc_fragment((block_M,), "float32")
            fade = T.alloc_fragment((block_M,), "float32")
            row = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            for turn in T.serial(T.ceildiv(heads * in_head, blocks)):
                tile = turn * blocks + block
                if tile < heads * in_head:
                    head = tile % heads
                    rows = in_head - 1 - tile // heads
                    if keeps:  # what the tile before has left
                        T.copy(scores, Last[head, rows * block_M, 0])
                    T.copy(Q[head, rows * block_M, 0], Q_shared)
                    T.clear(out)
                    T.clear(total)
                    T.fill(top, -T.infinity("float32"))
                    for k in T.Pipelined(T.ceildiv((rows + 1) * block_M, block_N), num_stages=2):
                        T.copy(K[head, k * block_N, 0], K_shared)
                        for i, j in T.Parallel(block_M, block_N):
                            scores[i, j] = T.if_then_else(rows * block_M + i >= k * block_N + j, 0,
                                                          -T.infinity("float32"))
                        T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                        T.copy(top, top_before)
                        T.reduce_max(scores, top, dim=1, clear=False)
                        for i in T.Parallel(block_M):
                            fade[i] = T.exp2(top_before[i] * scale - top[i] * scale)
                        for i, j in T.Parallel(block_M, block_N):
                            scores[i, j] = T.exp2(scores[i, j] * scale - top[i] * scale)
                        T.reduce_sum(scores, row, dim=1)
                        for i in T.Parallel(block_M):
                            total[i] = total[i] * fade[i] + row[i]
                        T.copy(scores, weights)
                        for i, j in T.Parallel(block_M, D):
                            out[i, j] *= fade[i]
                        T.copy(V[head, k * block_N, 0], V_shared)
                        T.gemm(weights, V_shared, out, policy=T.GemmWarpPolicy.FullRow)
                    for i, j in T.Parallel(block_M, D):
                        out[i, j] /= total[i]
                    T.copy(out, Out[head, rows * block_M, 0])

    return main

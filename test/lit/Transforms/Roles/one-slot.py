# RUN: tilec %s --entry "attention()" --target=sm_90a --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --entry "attention()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec %s --entry "attention(stages=0)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "attention()" --schedule=producer_consumer --target=sm_90a --emit=tile-pipelined -o - 2>/dev/null | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "attention(block=64, dim=64, threads=128, heads=64)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "attention(block=64, dim=64, threads=128)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=FEW
# RUN: tilec-run %s --entry "attention(keys=384)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s --check-prefix=PASS
# RUN: tilec-run %s --entry "attention(keys=128)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s --check-prefix=PASS
# RUN: tilec-run %s --entry "attention(keys=300, is_causal=True)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s --check-prefix=PASS
# RUN: tilec %s --entry "attention(block=64, dim=64, threads=128)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=TOGETHER
#
# `num_stages=1` asks for no second slot. A loop of two gemms that read different tiles has a producer all the same, with
# one slot a tile, which fills the first gemm's a round ahead of the second one's: so consumers release them. 0 stays
# sequential, and so does a kernel of which a multiprocessor holds another block. Small gemms end together, so that both
# tiles are filled beside the exponentials; large ones run beside these.
# TOGETHER: tile.for %{{.*}} = %c1 to
# TOGETHER: tile.gemm_wait %s pending 1
# TOGETHER: tile.gemm_wait %o, {{.*}} pending 0
# TOGETHER: tile.pipe_release
# TOGETHER: math.exp2
import tilelang.language as T


def attention(keys=512, dim=128, block=128, stages=1, threads=256, is_causal=False, heads=2):
    @T.prim_func
    def main(Q: T.Tensor((heads, 256, dim), "float16"), K: T.Tensor((heads, keys, dim), "float16"), V: T.Tensor((heads, keys, dim), "float16"),
             O: T.Tensor((heads, 256, dim), "float16")):
        with T.Kernel(256 // block, heads, threads=threads) as (bx, by):
            q = T.alloc_shared((block, dim), "float16")
            k_tile = T.alloc_shared((block, dim), "float16")
            v_tile = T.alloc_shared((block, dim), "float16")
            s = T.alloc_fragment((block, block), "float32")
            p = T.alloc_fragment((block, block), "float16")
            o = T.alloc_fragment((block, dim), "float32")
            total = T.alloc_fragment((block,), "float32")
            part = T.alloc_fragment((block,), "float32")
            T.copy(Q[by, bx * block, 0], q)
            T.clear(o)
            T.clear(total)
            rounds = T.min(T.ceildiv(keys, block), T.ceildiv((bx + 1) * block, block)) if is_causal else T.ceildiv(keys, block)
            for k in T.Pipelined(rounds, num_stages=stages):
                T.copy(K[by, k * block, 0], k_tile)
                if is_causal:
                    for i, j in T.Parallel(block, block):
                        s[i, j] = T.if_then_else(bx * block + i >= k * block + j, 0, -T.infinity("float32"))
                else:
                    T.clear(s)
                T.gemm(q, k_tile, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block, block):
                    s[i, j] = T.if_then_else(k * block + j < keys, T.exp2(s[i, j] * 0.01), 0)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(block):
                    total[i] += part[i]
                T.copy(s, p)
                T.copy(V[by, k * block, 0], v_tile)
                T.gemm(p, v_tile, o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block, dim):
                o[i, j] /= total[i]
            T.copy(o, O[by, bx * block, 0])

    return main


# CHECK-DAG:  [[K:%[0-9]+]] = tile.pipe stages(1) bytes(32768)
# CHECK:      [[V:%[0-9]+]] = tile.pipe stages(1) bytes(32768)
# CHECK:      tile.producer
# The first round's K, the next one's, and then V.
# CHECK:        scf.if
# CHECK:          tile.pipe_acquire [[K]]
# CHECK:        scf.if
# CHECK:          tile.pipe_acquire [[K]]
# CHECK:        tile.pipe_acquire [[V]]
# REPORT: planned: a producer fills one tile while another is read
# NONE-NOT: tile.pipe
# 8 blocks have a multiprocessor each.
# FEW: tile.pipe stages(1)
# PASS: result {{ *}}PASS

# RUN: tilec %s --target=sm_90a --entry "fa()" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "fa()" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "fa()" --emit=asm | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=sm_90a --entry "fa('turns')" --emit=tile-pipelined | FileCheck %s --check-prefix=TURNS
# RUN: tilec %s --target=sm_90a --entry "fa('turns')" --emit=wave | FileCheck %s --check-prefix=BARRIERS
# RUN: tilec %s --target=sm_90a --entry "fa('masked')" --emit=tile-pipelined | FileCheck %s --check-prefix=MASK
# RUN: tilec %s --target=sm_90a --entry "fa('outside')" --emit=tile-pipelined | FileCheck %s --check-prefix=OUTSIDE
# RUN: tilec %s --target=sm_90a --entry "fa('nowhere')" --emit=tile-pipelined | FileCheck %s --check-prefix=NOWHERE
# RUN: tilec %s --target=sm_90a --entry "fa('lengths')" --emit=tile-pipelined | FileCheck %s --check-prefix=LENGTHS
# RUN: tilec %s --target=sm_90a --entry "fa('plain')" --emit=tile-pipelined | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --target=sm_90a --entry "fa('tied')" --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=TIED
# RUN: tilec %s --target=sm_90a --entry "fa(D=128)" --emit=tile-pipelined | FileCheck %s --check-prefix=CUT
# RUN: tilec %s --target=sm_90a --entry "fa()" --schedule=cluster_m --emit=tile-pipelined | FileCheck %s --check-prefix=CLUSTER
# RUN: tilec %s --target=sm_90a --entry "fa()" --schedule=ping_pong_cluster_m --emit=tile-pipelined -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOTBOTH
# RUN: tilec %s --target=sm_90a --entry "fa('lengths')" --emit=tile-pipelined | FileCheck %s --check-prefix=ALONE
# RUN: tilec %s --target=sm_90a --entry "fa('unequal')" --emit=tile-pipelined | FileCheck %s --check-prefix=UNEQUAL
# RUN: tilec %s --target=sm_90a --entry "fa('unequal', threads=128, block_M=64)" --emit=tile-pipelined | FileCheck %s --check-prefix=ALONE
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "fa()" --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "fa('turns')" --strict -o %t.cubin %}
#
# Of a loop of two gemms with a softmax between them, the first gemm of a round is started before the second one of
# the round before is waited for. Each has a ring of its own, Q one slot; blocks share out the tiles, those of the
# same keys first. What the second gemm reads or writes is left alone until it is done; the rescaling of its sums
# waits until the first gemm is on its way.

# NOTBOTH: warning: schedule `ping_pong_cluster_m` is not applied: the two gemms of a loop take turns (`ping_pong`) or share their copies (`cluster_m`), not both

# CHECK:      tile.kernel "fa" grid(%c132)
# CHECK:      [[K:%[0-9]+]] = tile.pipe stages(2) bytes(8192)
# CHECK:      [[V:%[0-9]+]] = tile.pipe stages(2) bytes(8192)
# CHECK:      [[Q:%[0-9]+]] = tile.pipe stages(1) bytes(16384)
# CHECK:      tile.producer {
# CHECK:        tile.for
# CHECK:          tile.pipe_acquire [[Q]]
# CHECK:          tile.for
# CHECK:            tile.pipe_acquire [[K]]
# CHECK:            tile.pipe_acquire [[V]]
# CHECK:      tile.for
# CHECK:        tile.pipe_wait [[Q]]
# CHECK:        tile.gemm {{.*}} %scores clear(%true) {in_flight
# CHECK-NEXT:   tile.gemm_wait %scores pending 0
# CHECK:        tile.for
# CHECK-NEXT:     tile.pipe_wait [[K]]
# CHECK:          tile.gemm {{.*}} %scores clear(%true) {in_flight
# CHECK:          arith.mulf
# CHECK:          tile.store {{.*}} %out
# CHECK:          tile.pipe_wait [[V]]
# CHECK:          tile.gemm %weights, {{.*}} %out {in_flight
# CHECK-NEXT:     tile.gemm_wait %scores pending 1
# CHECK-NEXT:     tile.pipe_release [[K]]
# CHECK:          tile.reduce max %scores to %top
# CHECK:          arith.subf {{.*}} fastmath<contract>
# CHECK-NEXT:     math.exp2 {{.*}} fastmath<afn>
# CHECK:          tile.issue_fence
# CHECK-NEXT:     tile.gemm_wait %out, %weights, %scores pending 0
# CHECK-NEXT:     tile.pipe_release [[V]]
# CHECK:          tile.store {{.*}} %weights
# CHECK:        }
# CHECK:        tile.pipe_release [[Q]]
# CHECK:        tile.gemm %weights, {{.*}} %out {in_flight
# CHECK-NEXT:   tile.gemm_wait %out pending 0
# CHECK-NEXT:   tile.pipe_release [[V]]
# CHECK:        arith.divf {{.*}} fastmath<arcp>

# WAVE:       wave.group_mma_wait 1
# WAVE:       wave.mbarrier_wait
# WAVE-NEXT:  wave.group_mma_wait 0

# PTX:        wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, da, db, 0, 1, 1, 0, 0;
# PTX:        wgmma.wait_group.sync.aligned 1
# PTX-COUNT-32: fma.rn.f32
# PTX:        wgmma.wait_group.sync.aligned 0

# TURNS:      tile.pipe_wait
# TURNS:      tile.group_turn
# TURNS-NEXT: tile.gemm
# TURNS:      tile.gemm
# TURNS-NEXT: tile.group_turn pass
# TURNS-NEXT: tile.gemm_wait %scores pending 1

# A second gemm of 128 columns leaves time for half of the exponentials; the other half and the sums come behind it.
# CUT:        tile.gemm_wait %scores pending 1
# CUT:        tile.parallel {{.*}} attributes {part = array<i64: 0, 2>}
# CUT:        math.exp2
# CUT:        tile.issue_fence
# CUT-NEXT:   tile.gemm_wait %out, %weights, %scores pending 0
# CUT:        tile.parallel {{.*}} attributes {part = array<i64: 1, 2>}
# CUT:        math.exp2
# CUT:        tile.reduce sum %scores
# CUT:        tile.store {{.*}} %weights

# Two blocks of a cluster bring half of K and V each, and all of Q.
# CLUSTER:    tile.kernel "fa" {{.*}}cluster = 2
# CLUSTER:    tile.pipe stages(2) bytes(8192) {shared}
# CLUSTER:    tile.pipe stages(2) bytes(8192) {shared}
# CLUSTER:    tile.pipe stages(1) bytes(16384)
# CLUSTER-NOT: {shared}
# CLUSTER:    tile.tma_copy {{.*}}parts = 2

# Blocks with unequal work take turns by themselves, one warp group does not.
# UNEQUAL:    tile.group_turn
# ALONE-NOT:  tile.group_turn

# The last warp group gives the first one its first turn.
# BARRIERS:   scf.if
# BARRIERS:     wave.named_barrier arrive {{.*}} threads(256)
# BARRIERS:   wave.named_barrier %{{[0-9]+}} threads(256)
# BARRIERS:   wave.named_barrier arrive %{{[0-9]+}} threads(256)

# The mask is put on where it cuts the tile; elsewhere the gemm clears by itself.
# MASK:       arith.cmpi sge
# MASK:       scf.if
# MASK-NEXT:    tile.parallel
# MASK:       tile.gemm {{.*}} %scores clear(%{{[0-9]+}}) {in_flight

# So it is where the condition says what is outside, in int32 and with `or`.
# OUTSIDE:    arith.cmpi sge
# OUTSIDE:    arith.cmpi sgt
# OUTSIDE:    arith.andi
# OUTSIDE:    scf.if
# OUTSIDE-NEXT: tile.parallel
# OUTSIDE:    tile.gemm {{.*}} %scores clear(%{{[0-9]+}}) {in_flight

# One that never cuts is not there.
# NOWHERE-NOT: arith.select
# NOWHERE:    tile.gemm {{.*}} %scores clear(%true) {in_flight

# A length is read in front of the loop, and the mask behind the gemm put on in the tiles that it cuts.
# LENGTHS:    [[LENGTH:%[0-9]+]] = tile.load %{{[0-9]+}}[%{{.*}}] : {{.*}} -> i32
# LENGTHS:    arith.cmpi sle
# LENGTHS-NEXT: scf.if
# LENGTHS-NEXT:   tile.parallel
# LENGTHS:    tile.for
# LENGTHS:      tile.gemm_wait %scores pending 1
# LENGTHS:      arith.cmpi sge
# LENGTHS-NEXT: scf.if
# LENGTHS-NEXT:   tile.parallel
# LENGTHS:      tile.issue_fence

# PLAIN-NOT:  in_flight
# PLAIN-NOT:  tile.issue_fence

# TIED: remark: its gemms are not overlapped: its first gemm needs what its second one gives
import tilelang.language as T
from tilec import schedule


def fa(form="auto", S=1024, heads=32, D=64, block_M=128, block_N=64, dtype="bfloat16", threads=256):
    @T.prim_func
    def main(Q: T.Tensor((heads, S, D), dtype), K: T.Tensor((heads, S, D), dtype), V: T.Tensor((heads, S, D), dtype),
             Lengths: T.Tensor((heads,), "int32"), n: T.int32, Out: T.Tensor((heads, S, D), dtype)):
        with T.Kernel(heads, S // block_M, threads=threads) as (head, rows):
            Q_shared = T.alloc_shared((block_M, D), dtype)
            K_shared = T.alloc_shared((block_N, D), dtype)
            V_shared = T.alloc_shared((block_N, D), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            row = T.alloc_fragment((block_M,), "float32")
            T.copy(Q[head, rows * block_M, 0], Q_shared)
            T.clear(out)
            T.clear(total)
            T.fill(top, -T.infinity("float32"))
            plain = T.Pipelined(rows + 1 if form == "unequal" else S // block_N, num_stages=2)
            loop = schedule.ping_pong(plain) if form == "turns" else schedule.producer_consumer(plain) if form == "plain" else plain
            for k in loop:
                T.copy(K[head, k * block_N, 0], K_shared)
                T.copy(V[head, k * block_N, 0], V_shared)
                if form == "masked":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i >= k * block_N + j, 0, -T.infinity("float32"))
                elif form == "outside":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i < k * block_N + j or k * block_N + j >= n, -1e9, 0)
                elif form == "nowhere":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(k * block_N + j >= S, -T.infinity("float32"), 0)
                elif form == "tied":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = out[i, j]
                else:
                    T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                if form == "lengths":
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(k * block_N + j < Lengths[head], scores[i, j], -1e30)
                before = T.alloc_fragment((block_M,), "float32")  # of the round
                T.copy(top, before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    before[i] = T.exp2(before[i] - top[i])
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * 0.125 - top[i] * 0.125)
                T.reduce_sum(scores, row, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * before[i] + row[i]
                for i, j in T.Parallel(block_M, D):
                    out[i, j] *= before[i]
                T.copy(scores, weights)
                T.gemm(weights, V_shared, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                out[i, j] /= total[i]
            T.copy(out, Out[head, rows * block_M, 0])

    return main

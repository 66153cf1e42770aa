# A schedule that the target has not is never dropped in silence. On the command line it is an error ...
# RUN: not tilec %s --target=sm_90a --entry "gemm()" --schedule=interleave 2>&1 | FileCheck %s --check-prefix=AMDS
# RUN: not tilec-run %s --target=sm_90a --device=ptx --entry "gemm()" --schedule=interleave 2>&1 | FileCheck %s --check-prefix=AMDS
# AMDS: error: --schedule: `interleave` is a schedule of other targets (gfx942, gfx950); sm_90a has auto, ping_pong, ping_pong_cluster_m, ping_pong_cluster_n, cluster_m, cluster_n, producer_consumer, overlap
# RUN: not tilec %s --target=sm_80 --entry "gemm()" --schedule=ping_pong 2>&1 | FileCheck %s --check-prefix=AMPERE
# AMPERE: error: --schedule: `ping_pong` is a schedule of other targets (gfx942, gfx950, sm_90a); sm_80 has only auto
# RUN: not tilec %s --target=gfx950 --entry "gemm()" --schedule=cluster_m 2>&1 | FileCheck %s --check-prefix=HOPPERS
# HOPPERS: error: --schedule: `cluster_m` is a schedule of other targets (sm_90a); gfx950 has auto, interleave, ping_pong, single
# RUN: not tilec %s --target=gfx942 --entry "gemm()" --schedule=fast 2>&1 | FileCheck %s --check-prefix=NOBODYS
# NOBODYS: error: --schedule: `fast` is no schedule; gfx942 has auto, interleave, ping_pong, single
# RUN: tilec %s --target=sm_80 --entry "gemm()" --schedule=auto --ptx-assembler=none -o %t.ptx 2>&1 | count 0
#
# ... and in a script, which may be for both vendors, a warning at the loop, unless one of the names is for the target.
# RUN: tilec %s --target=sm_90a --entry "gemm(['interleave'])" --ptx-assembler=none -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SCRIPT
# SCRIPT: schedule-of-another-target.py:[[#LOOP:]]:{{[0-9]+}}: warning: schedule `interleave` is not applied: `interleave` is a schedule of other targets (gfx942, gfx950); sm_90a has auto, ping_pong, {{.*}}; name one for each target, as in `schedule.ping_pong(schedule.interleave(...))`
# SCRIPT-NEXT: for k in wish(names,
# RUN: tilec %s --target=gfx942 --entry "gemm(['cluster_m', 'overlap'])" --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=BOTHS
# BOTHS: warning: schedule `overlap` is not applied: {{.*}} name one for each target, as in `schedule.interleave(schedule.overlap(...))`
# RUN: tilec %s --target=sm_80 --entry "gemm(['ping_pong'])" --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: warning: schedule `ping_pong` is not applied: {{.*}}; sm_80 has only auto; name one for each target, as in `schedule.auto(schedule.ping_pong(...))`
#
# Each target takes the name that is its own; where only `auto` is left, that.
# RUN: tilec %s --target=sm_90a --entry "gemm(['interleave', 'cluster_m'])" --emit=tile-pipelined -o %t.mlir 2>&1 | count 0
# RUN: FileCheck %s --check-prefix=CLUSTER --input-file=%t.mlir
# RUN: tilec %s --target=sm_90a --entry "gemm(['cluster_m', 'interleave'])" --emit=tile-pipelined | FileCheck %s --check-prefix=CLUSTER
# CLUSTER: cluster = 2
# RUN: tilec %s --target=gfx950 --entry "gemm(['interleave', 'cluster_m'])" --emit=wave | FileCheck %s --check-prefix=INTERLEAVE
# RUN: tilec %s --target=gfx950 --entry "gemm(['cluster_m', 'interleave', 'auto'])" --emit=wave | FileCheck %s --check-prefix=INTERLEAVE
# INTERLEAVE: wave.pipeline{{.*}}"interleave"
# RUN: tilec %s --target=sm_80 --entry "gemm(['cluster_m', 'interleave', 'auto'])" --emit=wave -o %t.mlir 2>&1 | count 0
#
# One that the target has, and the loop cannot have.
# RUN: tilec %s --target=sm_90a --entry "gemm(['cluster_m'], threads=96)" --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=THREADS
# THREADS: warning: schedule `cluster_m` is not applied: a producer warp needs threads= a multiple of 128, at most 896, not 96
# RUN: tilec %s --target=sm_90a --entry "gemm(['cluster_m'], K=513)" --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=RAGGED
# RAGGED: warning: schedule `cluster_m` is not applied: no producer warp copies for it: TMA cannot bring `A` to `A_shared`
# RUN: tilec %s --target=sm_90a --entry "gemm(K=513)" --schedule=cluster_m --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOLOOP
# NOLOOP: warning: schedule `cluster_m` is applied to no loop: no producer warp copies for it: TMA cannot bring `A` to `A_shared`
# RUN: tilec %s --target=sm_90a --entry "gemm(stages=1)" --schedule=cluster_m --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOSTAGES
# NOSTAGES: warning: schedule `cluster_m` is applied to no loop: nothing runs ahead with num_stages=1
# RUN: tilec %s --target=sm_90a --entry "gemm(['exact'], threads=384)" --schedule=cluster_m --remarks --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOGROUPS
# NOGROUPS-DAG: warning: schedule `cluster_m` is applied to no loop: no warp groups multiply in it; --remarks says why
# NOGROUPS-DAG: remark: no warp groups multiply here: 3 warp groups cannot share C of 128 x 128
# RUN: not tilec %s --target=sm_90a --entry "gemm(['overlap'])" --emit=wave 2>&1 | FileCheck %s --check-prefix=ONEGEMM
# ONEGEMM: error: `overlap` does not fit: it is for loops of two gemms
# RUN: tilec %s --target=gfx950 --entry "gemm(['interleave'], stages=1)" --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=STAGES
# RUN: tilec %s --target=sm_90a --entry "gemm(['cluster_m'], stages=1)" --emit=wave -o %t.mlir 2>&1 | FileCheck %s --check-prefix=STAGES
# STAGES: warning: schedule `{{interleave|cluster_m}}` is not applied: nothing runs ahead with num_stages=1
import tilelang.language as T
from tilec import schedule


def wish(names, loop):
    """The loop with these wishes, the last name outermost."""
    of_name = {"interleave": schedule.interleave, "ping_pong": schedule.ping_pong, "cluster_m": schedule.cluster_m,
               "overlap": schedule.overlap, "auto": schedule.auto, "exact": schedule.exact}
    for name in names:
        loop = of_name[name](loop)
    return loop


def gemm(names=[], M=512, N=512, K=512, threads=256, stages=3):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((N, K), "bfloat16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((128, 64), "bfloat16")
            B_shared = T.alloc_shared((128, 64), "bfloat16")
            C_local = T.alloc_fragment((128, 128), "float32")
            T.clear(C_local)
            for k in wish(names, T.Pipelined(T.ceildiv(K, 64), num_stages=stages)):
                T.copy(A[by * 128, k * 64], A_shared)
                T.copy(B[bx * 128, k * 64], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * 128, bx * 128])

    return main

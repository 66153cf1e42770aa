# A picture has every planned loop: matrix loops on AMD, producer, slots and consumers on Hopper; an
# axis, a legend, and each label at its line.
# SPDX-License-Identifier: Apache-2.0
# RUN: tilec %s --target=gfx950 --emit=schedule.svg | FileCheck %s --check-prefix=AMD
# AMD: two, loop 1: {{[a-z_]+}}, a round of
# AMD: step of the round
# AMD: for the K tile at hand
# AMD: barrier of the block
# AMD: two, loop 2: {{[a-z_]+}}, a round of
# AMD: step of the round
# RUN: tilec %s --target=sm_90a --emit=schedule.svg | FileCheck %s --check-prefix=HOPPER
# HOPPER: two: a producer and {{.*}} over {{[2-9]}} slots of {{[0-9]+}} bytes for `A_shared`, `B_shared`
# HOPPER: round 0
# HOPPER: producer
# HOPPER: slot 0
# HOPPER: slot 1
# HOPPER: consumers
# HOPPER: filled by copies in flight
# HOPPER: copy to A_shared
# HOPPER: wait for a full slot
# HOPPER-NEXT: gemm (line {{[0-9]+}})
# HOPPER-NOT: >alloc
# Where no warp produces and no order is planned, the threads that multiply copy ahead.
# RUN: tilec %s --target=sm_80 --emit=schedule.svg | FileCheck %s --check-prefix=AHEAD
# AHEAD: two: threads that copy ahead over 3 slots of 32768 bytes
# AHEAD: copies
# AHEAD: the block
# AHEAD: wait until at most 1 group is in flight
# AHEAD: start the copy of a later round to A_shared
# Too few tiles for two rounds: said, and no step of its own.
# RUN: tilec %examples/gemm.py --entry "gemm(128, 128, 128)" --target=gfx950 --emit=schedule.svg | FileCheck %s --check-prefix=SHORT
# SHORT: gemm: {{[a-z_]+}}, a round of {{.*}}; too few tiles for a loop
# SHORT-NOT: >no loop<
# Warp groups that take turns.
# RUN: tilec %examples/04-attention/attention.py --entry "forward(1, 2, 1024, 128, 128, 128)" --target=sm_90a --emit=schedule.svg | FileCheck %s --check-prefix=TURN
# TURN: >wait for the turn<
# TURN: >give the turn to the next warp group<
# RUN: not tilec %examples/elementwise_add.py --entry "add(M=64, N=64)" --target=gfx950 --emit=schedule.svg 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: error: no loop of this program has a planned schedule [NothingToShow]
import tilelang.language as T


@T.prim_func
def two(A: T.Tensor((256, 512), "float16"), B: T.Tensor((256, 512), "float16"), C: T.Tensor((256, 256), "float32"),
        D: T.Tensor((256, 256), "float32")):
    with T.Kernel(2, 2, threads=256) as (bx, by):
        A_shared = T.alloc_shared((128, 64), "float16")
        B_shared = T.alloc_shared((128, 64), "float16")
        C_local = T.alloc_fragment((128, 128), "float32")
        T.clear(C_local)
        for k in T.Pipelined(8, num_stages=2):
            T.copy(A[by * 128, k * 64], A_shared)
            T.copy(B[bx * 128, k * 64], B_shared)
            T.gemm(A_shared, B_shared, C_local, transpose_B=True)
        T.copy(C_local, C[by * 128, bx * 128])
        D_local = T.alloc_fragment((128, 128), "float32")
        A_again = T.alloc_shared((128, 64), "float16")
        B_again = T.alloc_shared((128, 64), "float16")
        T.clear(D_local)
        for k in T.Pipelined(8, num_stages=2):
            T.copy(B[by * 128, k * 64], A_again)
            T.copy(A[bx * 128, k * 64], B_again)
            T.gemm(A_again, B_again, D_local, transpose_B=True)
        T.copy(D_local, D[by * 128, bx * 128])

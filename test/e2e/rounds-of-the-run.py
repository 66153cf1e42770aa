# Matrix loops whose number of rounds only the run knows: no round, fewer than the plan looks ahead, and every
# remainder, in blocks of one launch. On AMD the order is planned, and the machine code keeps it (a schedule that is
# named is strict); what is too short for a round is done in order.
# RUN: tilec-run %s --entry "upto(256, 64)" --target=gfx942 --device=sim --schedule=interleave --check | FileCheck %s
# RUN: tilec-run %s --entry "upto(256, 64)" --target=gfx950 --device=sim --schedule=interleave --check | FileCheck %s
# RUN: tilec-run %s --entry "upto(256, 64)" --target=gfx950 --device=sim --schedule=single --sim-mode=strict --sim-interleave=7 --check | FileCheck %s
# RUN: tilec-run %s --entry "upto(512, 64)" --target=gfx950 --device=sim --schedule=ping_pong --sim-mode=strict --sim-interleave=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "upto(256, 64, 3)" --target=gfx950 --device=sim --schedule=interleave --check | FileCheck %s
# RUN: tilec-run %s --entry "upto(256, 64)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "upto(256, 64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "between()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "between()" --target=gfx950 --device=sim --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "between()" --target=sm_80 --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# Of a K that only the run knows, too, the whole rounds are a loop, whatever says how many rounds there are.
# RUN: tilec-run %s --entry "open_k()" --target=gfx942 --device=sim --check --dim k=330 --arg Rounds=3 | FileCheck %s
# RUN: tilec-run %s --entry "open_k()" --target=gfx942 --device=sim --check --dim k=330 --arg Rounds=9 --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "open_k()" --target=gfx950 --device=sim --check --dim k=100 --arg Rounds=2 | FileCheck %s
# RUN: tilec-run %s --entry "open_k()" --target=gfx950 --device=sim --check --dim k=640 --arg Rounds=-1 | FileCheck %s
# RUN: tilec-run %s --entry "open_k()" --target=gfx950 --device=sim --check --dim k=30 --arg Rounds=1 | FileCheck %s
# RUN: tilec-run %s --entry "open_k()" --target=sm_80 --device=ptx --check --dim k=330 --arg Rounds=7 | FileCheck %s
# RUN: tilec %s --entry "open_k()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=OPEN
# RUN: tilec %s --entry "open_k()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=OPEN
# OPEN: planned: tiles are read 1 round ahead to registers
# OPEN-NEXT: sequential: its rounds are those that another loop leaves
# RUN: tilec %s --entry "upto(256, 64)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "upto(256, 64)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "between()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# PLANNED: reads of their data are kept apart by waits and barriers
# PLANNED: planned: copies and matrix instructions in the order of a schedule
import tilelang.language as T


def upto(threads, block_K, stages=2, blocks=11, K=576):
    @T.prim_func
    def main(
        A: T.Tensor((128, K), "float16"),
        B: T.Tensor((blocks * 128, K), "float16"),
        C: T.Tensor((128, blocks * 128), "float32"),
    ):
        with T.Kernel(blocks, threads=threads) as bx:
            As = T.alloc_shared((128, block_K), "float16")
            Bs = T.alloc_shared((128, block_K), "float16")
            Cf = T.alloc_fragment((128, 128), "float32")
            T.clear(Cf)
            for k in T.Pipelined(T.min(bx, K // block_K), num_stages=stages):
                T.copy(A[0, k * block_K], As)
                T.copy(B[bx * 128, k * block_K], Bs)
                T.gemm(As, Bs, Cf, transpose_B=True)
            T.copy(Cf, C[0, bx * 128])

    return main


def between(K=640):
    """The first round is one of the run, too, and the last one is a number in memory."""

    @T.prim_func
    def main(
        A: T.Tensor((128, K), "float16"),
        B: T.Tensor((6 * 128, K), "float16"),
        Ends: T.Tensor((6,), "int32"),
        C: T.Tensor((128, 6 * 128), "float32"),
    ):
        with T.Kernel(6, threads=256) as bx:
            As = T.alloc_shared((128, 64), "float16")
            Bs = T.alloc_shared((128, 64), "float16")
            Cf = T.alloc_fragment((128, 128), "float32")
            T.clear(Cf)
            for k in T.Pipelined(bx // 2, T.min(Ends[bx], K // 64), num_stages=2):
                T.copy(A[0, k * 64], As)
                T.copy(B[bx * 128, k * 64], Bs)
                T.gemm(As, Bs, Cf, transpose_B=True)
            T.copy(Cf, C[0, bx * 128])

    return main


def open_k():
    k = T.dynamic("k")

    @T.prim_func
    def main(
        A: T.Tensor((64, k), "float16"),
        B: T.Tensor((64, k), "float16"),
        Rounds: T.Tensor((1,), "int32"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            As = T.alloc_shared((64, 64), "float16")
            Bs = T.alloc_shared((64, 64), "float16")
            Cf = T.alloc_fragment((64, 64), "float32")
            T.clear(Cf)
            for n in T.Pipelined(Rounds[0], num_stages=3):
                T.copy(A[0, n * 64], As)
                T.copy(B[0, n * 64], Bs)
                T.gemm(As, Bs, Cf, transpose_B=True)
            T.copy(Cf, C[0, 0])

    return main

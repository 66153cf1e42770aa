# T.sync_grid: all blocks of a launch meet, in loops and in branches that are the same for all, and keep what they have.
# RUN: tilec-run %s --entry "ring(8)" --arg n=4 --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(8)" --arg n=4 --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(8)" --arg n=4 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(8)" --arg n=4 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(1)" --arg n=2 --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(1)" --arg n=2 --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(1)" --arg n=2 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(1)" --arg n=2 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=gfx942 --device=sim --time --check | FileCheck %s --check-prefixes=NOTIME,CHECK
# NOTIME: model's time none: {{.*}}T.sync_grid
# RUN: tilec-run %s --entry "kept()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "until_small()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "until_small()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "until_small()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "until_small()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "phases()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "phases()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "phases()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "phases()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "two_launches()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "two_launches()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "two_launches()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "two_launches()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(8)" --arg n=4 --target=gfx950 --sim-mode=strict --sim-interleave=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "ring(8)" --arg n=4 --target=sm_90a --device=ptx --sim-interleave=5 --check | FileCheck %s
#
# One buffer instead of two that take turns: a block writes the next round's while others still read this one's.
# RUN: not tilec-run %s --entry "raced()" --arg n=3 --target=gfx942 --device=cpu 2>&1 | FileCheck %s --check-prefix=CPU
# RUN: not tilec-run %s --entry "raced()" --arg n=3 --target=gfx942 2>&1 | FileCheck %s --check-prefix=SIM
# RUN: not tilec-run %s --entry "raced()" --arg n=3 --target=sm_90a --device=ptx 2>&1 | FileCheck %s --check-prefix=PTX
# CPU: of a launch are in no order
# SIM: global-race: {{.*}}overwrites what is read by work-group
# PTX: which another block reads: nothing says that the read is over
#
# More blocks than the chip holds, which only the run knows.
# RUN: not tilec-run %s --entry "wide()" --dim n=20000 --target=gfx942 2>&1 | FileCheck %s --check-prefix=ROOM
# RUN: not tilec-run %s --entry "wide()" --dim n=20000 --target=sm_90a --device=ptx 2>&1 | FileCheck %s --check-prefix=ROOM
# RUN: tilec-run %s --entry "wide()" --dim n=300 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "wide()" --dim n=300 --target=sm_90a --device=ptx --check | FileCheck %s
# ROOM: `T.sync_grid` wants all 20000 blocks on the device at once, which has no room for so many
#
# RUN: tilec %s --entry "ring(8)" --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=MANIFEST
# MANIFEST: "version": 2
# MANIFEST: "cooperative": true
# MANIFEST: "name": "grid_barrier"
# MANIFEST-NEXT: "kind": "workspace"
# MANIFEST-NEXT: "bytes": 4
# MANIFEST-NEXT: "zeroed": true
#
# The timing model does not know them.
# RUN: not tilec-run %s --entry "kept()" --target=gfx950 --device=sim --bench 2>&1 | FileCheck %s --check-prefix=TIMING
# TIMING: the timing model knows no kernels whose blocks wait for each other
#
# CHECK: result PASS
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


def ring(blocks):
    @T.prim_func
    def main(A: T.Tensor((blocks, 64), "float32"), C: T.Tensor((blocks, 64), "float32"), n: T.int32):
        P = T.alloc_buffer((2, blocks, 64), "float32")
        with T.Kernel(blocks, threads=128) as bx:
            mine = T.alloc_fragment((64,), "float32")
            other = T.alloc_fragment((64,), "float32")
            T.copy(A[bx, 0:64], mine)
            for i in range(n):
                T.copy(mine, P[i % 2, bx, 0:64])
                T.sync_grid()
                T.copy(P[i % 2, (bx + 1) % blocks, 0:64], other)
                for j in T.Parallel(64):
                    mine[j] = mine[j] + other[j] * 0.5
            T.copy(mine, C[bx, 0:64])
    return main


def kept():
    """Threads' own variables and shared memory outlive it."""
    @T.prim_func
    def main(A: T.Tensor((4, 64), "int32"), C: T.Tensor((4, 64), "int32")):
        P = T.alloc_buffer((256,), "int32")
        with T.Kernel(4, threads=64) as bx:
            tx = T.get_thread_binding()
            mine = T.alloc_local((1,), "int32")
            s = T.alloc_shared((64,), "int32")
            mine[0] = A[bx, tx]
            s[tx] = mine[0]
            P[bx * 64 + tx] = mine[0]
            T.sync_grid()
            mine[0] += P[(bx * 64 + tx + 70) % 256] + s[63 - tx]
            T.sync_grid()
            P[bx * 64 + tx] = mine[0]
            T.sync_grid()
            C[bx, tx] = P[255 - bx * 64 - tx] + mine[0]
    return main


def until_small():
    """A loop whose end all blocks read from the same place, and branches of a scalar of the launch's size."""
    @T.prim_func
    def main(A: T.Tensor((8, 32), "int32"), C: T.Tensor((8, 32), "int32")):
        Left = T.alloc_buffer((2,), "int32")
        with T.Kernel(4, 2, threads=64) as (x, y):
            row = T.alloc_fragment((32,), "int32")
            left = T.alloc_var("int32")
            T.copy(A[y * 4 + x, 0:32], row)
            if x + y == 0:
                Left[0] = 5
            T.sync_grid()
            left = Left[0]
            while left > 0:
                for j in T.Parallel(32):
                    row[j] = row[j] * 3 + left
                if left > 2:
                    T.sync_grid()
                left = left - 1
            T.copy(row, C[y * 4 + x, 0:32])
    return main


def products():
    """Powers of a matrix: each product reads what all blocks wrote."""
    @T.prim_func
    def main(A: T.Tensor((128, 128), "float16"), C: T.Tensor((128, 128), "float32")):
        P = T.alloc_buffer((2, 128, 128), "float16")
        with T.Kernel(2, 2, threads=128) as (x, y):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A[y * 64, x * 64], c)
            for i in T.serial(3):
                for r, s in T.Parallel(64, 64):
                    P[i % 2, y * 64 + r, x * 64 + s] = c[r, s] * 0.125
                T.sync_grid()
                T.clear(c)
                for k in T.Pipelined(4, num_stages=2):
                    T.copy(P[i % 2, y * 64:y * 64 + 64, k * 32:k * 32 + 32], a)
                    T.copy(P[i % 2, k * 32:k * 32 + 32, x * 64:x * 64 + 64], b)
                    T.gemm(a, b, c)
            T.copy(c, C[y * 64, x * 64])
    return main


def phases():
    """Neighbours at constant distances, which the scalar cache would keep."""
    @T.prim_func
    def main(A: T.Tensor((66,), "float32"), C: T.Tensor((64,), "float32")):
        P = T.alloc_buffer((66,), "float32")
        with T.Kernel(64, threads=64) as bx:
            before = T.alloc_var("float32")
            P[bx + 1] = A[bx + 1]
            if bx == 0:
                P[0] = A[0]
                P[65] = A[65]
            T.sync_grid()
            before = P[bx] + P[bx + 2]
            T.sync_grid()
            P[bx + 1] = before
            T.sync_grid()
            C[bx] = P[bx] + P[bx + 2] + before
    return main


def two_launches():
    """Launches share the counter."""
    @T.prim_func
    def main(A: T.Tensor((4, 32), "int32"), C: T.Tensor((6, 32), "int32")):
        P = T.alloc_buffer((4, 32), "int32")
        with T.Kernel(4, threads=32) as bx:
            T.copy(A[bx, 0:32], P[bx, 0:32])
            T.sync_grid()
            row = T.alloc_fragment((32,), "int32")
            T.copy(P[3 - bx, 0:32], row)
            T.sync_grid()
            T.copy(row, P[bx, 0:32])
        with T.Kernel(6, threads=32) as bx:
            T.copy(P[bx % 4, 0:32], C[bx, 0:32])
            T.sync_grid()
            for j in T.Parallel(32):
                C[5 - bx, j] = C[5 - bx, j] + 1
    return main


def raced():
    @T.prim_func
    def main(A: T.Tensor((8, 64), "float32"), C: T.Tensor((8, 64), "float32"), n: T.int32):
        P = T.alloc_buffer((8, 64), "float32")
        with T.Kernel(8, threads=128) as bx:
            mine = T.alloc_fragment((64,), "float32")
            other = T.alloc_fragment((64,), "float32")
            T.copy(A[bx, 0:64], mine)
            for i in range(n):
                T.copy(mine, P[bx, 0:64])
                T.sync_grid()
                T.copy(P[(bx + 1) % 8, 0:64], other)
                for j in T.Parallel(64):
                    mine[j] = mine[j] + other[j] * 0.5
            T.copy(mine, C[bx, 0:64])
    return main


def wide():
    n = T.dynamic("n")

    @T.prim_func
    def main(C: T.Tensor((n, 64), "int32")):
        with T.Kernel(n, threads=64) as bx:
            T.sync_grid()
            for i in T.Parallel(64):
                C[bx, i] = bx + i
    return main


def in_parallel(N=512, block=64):
    """Barriers between the statements of a parallel loop part it."""
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=64) as bx:
            kept = T.alloc_fragment((block,), "float32")
            for i in T.Parallel(block):
                A[bx * block + i] = bx * block + i
            T.sync_grid()
            for i in T.Parallel(block):
                kept[i] = A[N - bx * block - i - 1]
                T.sync_grid()
                A[bx * block + i] = A[bx * block + i] + kept[i]
            T.sync_grid()
            for i in T.Parallel(block):
                T.device_assert(A[(bx * block + i + block) % N] == N - 1)
    return main

# Split K with planes and a second kernel, stream-K, persistent programs, and a batch in panels over the
# dies of the chip: from script code, on both targets, also with waves in any order.
# RUN: tilec-run %s --entry "stream_k(128, 192, 256, 5)" --target=gfx942 --check --arg C=zeros --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "stream_k(128, 192, 256, 5)" --target=gfx950 --check --arg C=zeros --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "workspace(128, 128, 512, 4)" --target=gfx942 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "persistent(192, 200, 128, 4)" --target=gfx942 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "batched(2, 200, 136, 136, 2)" --target=gfx942 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "batched(1, 520, 328, 64, 2)" --target=gfx942 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "workspace(128, 128, 512, 4)" --target=gfx950 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "persistent(192, 200, 128, 4)" --target=gfx950 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "batched(2, 200, 136, 136, 2)" --target=gfx950 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "batched(1, 520, 328, 64, 2)" --target=gfx950 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# Whole tiles: planned loops, whose copies find their rows behind the batch.
# RUN: tilec-run %s --entry "batched(2, 128, 192, 256, 2)" --target=gfx950 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "batched(3, 64, 128, 128, 2)" --target=gfx942 --check --sim-mode=strict --sim-interleave=9 | FileCheck %s
# RUN: tilec %s --entry "batched(1, 8192, 8192, 64, 8)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=ORDER
# RUN: tilec %s --entry "batched(1, 8192, 8192, 64, 8)" --target=sm_80 --emit=wave | FileCheck %s --check-prefix=PANELS
# CHECK: result {{ *}}PASS
# ORDER:  block_order = "panels of 8 rows, chunks of 64 blocks on each of 8 dies"
# PANELS: block_order = "panels of 8 rows"
import tilelang.language as T


def workspace(M, N, K, split, dtype="bfloat16"):
    """Each part of K into a plane of its own; a second kernel adds the planes, with a bias and a relu."""

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), bias: T.Tensor((N,), "float32"),
             P: T.Tensor((split, M, N), "float32"), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), split, threads=128) as (bx, by, bz):
            A_shared = T.alloc_shared((64, 64), dtype)
            B_shared = T.alloc_shared((64, 64), dtype)
            C_local = T.alloc_fragment((64, 64), "float32")
            T.clear(C_local)
            for k in T.Pipelined(K // split // 64, num_stages=2):
                T.copy(A[by * 64, bz * (K // split) + k * 64], A_shared)
                T.copy(B[bx * 64, bz * (K // split) + k * 64], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, P[bz, by * 64, bx * 64])
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 4), threads=128) as (bx, by):
            total = T.alloc_fragment((4, 64), "float32")
            T.clear(total)
            for s in T.serial(split):
                for i, j in T.Parallel(4, 64):
                    total[i, j] += P[s, by * 4 + i, bx * 64 + j]
            for i, j in T.Parallel(4, 64):
                C[by * 4 + i, bx * 64 + j] = T.max(total[i, j] + bias[bx * 64 + j], 0)

    return main


def stream_k(M, N, K, programs, dtype="float16"):
    """Every program takes the same number of K tiles, wherever they lie; a tile that several programs
    share is added up in memory."""
    BM, BN, BK = 64, 64, 32
    steps = K // BK
    tiles_n = N // BN
    total = (M // BM) * tiles_n * steps

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(programs, threads=128) as pid:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            at = T.alloc_var("int32")
            stop = T.alloc_var("int32")
            at = pid * total // programs
            while at < (pid + 1) * total // programs:
                first = at % steps
                tile = at // steps
                stop = T.min(at + steps - first, (pid + 1) * total // programs)
                T.clear(C_local)
                for k in T.Pipelined(stop - at, num_stages=2):
                    T.copy(A[tile // tiles_n * BM, (first + k) * BK], A_shared)
                    T.copy(B[tile % tiles_n * BN, (first + k) * BK], B_shared)
                    T.gemm(A_shared, B_shared, C_local, transpose_B=True)
                for i, j in T.Parallel(BM, BN):
                    T.atomic_add(C[tile // tiles_n * BM + i, tile % tiles_n * BN + j], C_local[i, j])
                at = stop

    return main


def persistent(M, N, K, programs, dtype="bfloat16"):
    """As many programs as the chip has room for; each takes tile after tile."""
    BM, BN, BK = 64, 64, 64
    tiles_n = T.ceildiv(N, BN)
    tiles = T.ceildiv(M, BM) * tiles_n

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(programs, threads=128) as pid:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            for turn in T.serial(T.ceildiv(tiles, programs)):
                tile = turn * programs + pid
                if tile < tiles:
                    T.clear(C_local)
                    for k in T.Pipelined(T.ceildiv(K, BK), num_stages=2):
                        T.copy(A[tile // tiles_n * BM, k * BK], A_shared)
                        T.copy(B[tile % tiles_n * BN, k * BK], B_shared)
                        T.gemm(A_shared, B_shared, C_local, transpose_B=True)
                    T.copy(C_local, C[tile // tiles_n * BM, tile % tiles_n * BN])

    return main


def batched(Z, M, N, K, panel, dtype="bfloat16"):
    """A batch, blocks in panels, a residual and a gelu behind the product."""

    @T.prim_func
    def main(A: T.Tensor((Z, M, K), dtype), B: T.Tensor((Z, K, N), dtype), R: T.Tensor((Z, M, N), dtype),
             C: T.Tensor((Z, M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), Z, threads=128) as (bx, by, bz):
            A_shared = T.alloc_shared((64, 64), dtype)
            B_shared = T.alloc_shared((64, 64), dtype)
            C_local = T.alloc_fragment((64, 64), "float32")
            T.use_swizzle(panel)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[bz, by * 64, k * 64], A_shared)
                T.copy(B[bz, k * 64, bx * 64], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            for i, j in T.Parallel(64, 64):
                if by * 64 + i < M and bx * 64 + j < N:
                    x = C_local[i, j] + T.cast(R[bz, by * 64 + i, bx * 64 + j], "float32")
                    C[bz, by * 64 + i, bx * 64 + j] = x / (1.0 + T.exp(-1.702 * x))

    return main

# A layout of a tensor says where its elements are in memory: what another kernel, or the caller, finds there.
# RUN: tilec-run %s --device=cpu --check --entry "moved()" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "moved()" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "moved()" | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "moved()" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "moved()" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "sums(40, 70, 96)" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "sums(40, 70, 96)" | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "sums(40, 70, 96)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "sums(40, 70, 96)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "sums(40, 70, 96, swap=True)" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "tiles()" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "tiles()" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --arg n=5 --entry "edges(24)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --arg n=5 --entry "edges(24)" | FileCheck %s
# RUN: tilec-run %s --device=cpu --check --arg n=5 --entry "edges(24)" | FileCheck %s
# CHECK: PASS
# Every place is what the layout says: an element's own number, compared in the kernel's other tensor by the caller's
# order.
# RUN: tilec-run %s --device=cpu --entry "numbers()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "numbers()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "numbers()" --check | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "numbers()" --emit=tile | FileCheck %s --check-prefix=TILE
# TILE: tile.tensor "P"[] {{{.*}}seen_shape = array<i64: 16, 24>} : !tile.buffer<[2, 3, 2, 32], i32, global>
# RUN: tilec %s --target=sm_90a --entry "numbers()" --emit=manifest | FileCheck %s --check-prefix=MANIFEST
# MANIFEST: "name": "P",
# MANIFEST: "shape": [
# MANIFEST-NEXT: 16,
# MANIFEST-NEXT: 24
# What a lane reads of a layout is one access where it lies side by side.
# RUN: tilec %s --target=sm_90a --entry "moved()" --emit=wave | FileCheck %s --check-prefix=WIDE
# WIDE: wave.global_read %A[{{.*}} align 16 : index -> vector<4xf32>
# Boxes of a tensor whose dimensions change places are still copied as a whole.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "permuted()" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "permuted()" | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "permuted()" --emit=wave | FileCheck %s --check-prefix=BOX
# BOX: tensor_maps = [{box = array<i64: 64, 64, 1, 1>, name = "A_map0", of = "A"
# What is not known, or not kept outside of the tensor, stays row-major and says so.
# RUN: tilec %s --target=sm_90a --entry "unknown(True)" --emit=tile 2>&1 | FileCheck %s --check-prefix=WARN
# RUN: tilec %s --target=sm_90a --entry "unknown(False)" --emit=tile 2>&1 | FileCheck %s --check-prefix=WARN
# WARN: warning: the tensor `A` stays row-major in memory
# WARN-NOT: seen_shape
import tilelang.language as T


def rows_of_eight(A):
    return T.Layout(A.shape, lambda l, d: [l // 8, d // 8, d % 2, 4 * (l % 8) + d % 8 // 2])


def numbers():
    @T.prim_func
    def main(P: T.Tensor((16, 24), "int32"), R: T.Tensor((16, 24), "int32")):
        with T.Kernel(1, threads=64) as bx:
            T.annotate_layout({P: rows_of_eight(P)})
            for i, j in T.Parallel(16, 24):
                P[i, j] = ((i // 8 * 3 + j // 8) * 2 + j % 2) * 32 + 4 * (i % 8) + j % 8 // 2
                R[i, j] = i * 24 + j

    return main


def moved():
    """Copies of all kinds, with elements of another type, and a part of the tensor."""

    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((64, 32), "float32"),
             D: T.Tensor((32, 64), "float32")):
        with T.Kernel(2, threads=64) as bx:
            T.annotate_layout({A: rows_of_eight(A), C: lambda i, j: [j, i]})
            T.copy(A[bx * 16 : (bx + 1) * 16, :], B[bx * 16 : (bx + 1) * 16, :])
            s = T.alloc_shared((16, 64), "float32")
            T.copy(A[bx * 16, 0], s)
            f = T.alloc_fragment((16, 64), "float32")
            T.copy(s, f)
            for i, j in T.Parallel(16, 64):
                f[i, j] = f[i, j] + A[bx * 16 + i, 63 - j]
            T.copy(f, D[bx * 16, 0])
            for i, j in T.Parallel(16, 64):
                C[j, bx * 16 + i] = f[i, j]

    return main


def sums(M, N, K, swap=False):
    """Sums of many blocks, as attention's backward has them for dQ."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((2, 40, 3, 72), "float32")):
        with T.Kernel(3, 2, threads=128) as (bx, by):
            if swap:
                T.annotate_layout({C: lambda b, l, h, d: [b, h, l, d]})
            else:
                T.annotate_layout({C: T.Layout(C.shape, lambda b, l, h, d: [b, l // 8, h, d // 8, d % 2, 4 * (l % 8) + d % 8 // 2])})
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((72, 32), "float16")
            c = T.alloc_fragment((64, 72), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[0, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(64, 72):
                T.atomic_add(C[by, i, bx, j], c[i, j])

    return main


def tiles():
    """Sums of a tile of shared memory."""

    @T.prim_func
    def main(A: T.Tensor((32, 24), "float32"), C: T.Tensor((40, 24), "float32")):
        with T.Kernel(2, threads=64) as bx:
            T.annotate_layout({C: rows_of_eight(C)})
            s = T.alloc_shared((32, 24), "float32")
            T.copy(A, s)
            T.atomic_add(C[bx * 16 : bx * 16 + 32, :], s)

    return main


def edges(M):
    """Rows in front of the tensor and behind it read as zero and are not written."""

    @T.prim_func
    def main(A: T.Tensor((M, 32), "float32"), B: T.Tensor((M + 16, 32), "float32"), n: T.int32):
        with T.Kernel(1, threads=64) as bx:
            T.annotate_layout({A: rows_of_eight(A)})
            for i, j in T.Parallel(M + 16, 32):
                B[i, j] = A[i - 8, j] + A[i, j + n]
            T.sync_threads()
            for i, j in T.Parallel(M + 16, 32):
                A[i - 8, j] = i * 32 + j

    return main


def permuted():
    """Products of a head's rows, which lie side by side."""

    @T.prim_func
    def main(A: T.Tensor((2, 128, 3, 64), "float16"), B: T.Tensor((2, 3, 64, 128), "float32")):
        with T.Kernel(2, 3, threads=128) as (bz, bx):
            T.annotate_layout({A: lambda b, l, h, d: [b, h, l, d]})
            q = T.alloc_shared((64, 64), "float16")
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A[bz, 0:64, bx, :], q)
            for i in T.Pipelined(2, num_stages=2):
                T.copy(A[bz, i * 64 : (i + 1) * 64, bx, :], a)
                T.gemm(q, a, c, transpose_B=True, clear_accum=True)
                T.copy(c, B[bz, bx, 0:64, i * 64 : (i + 1) * 64])

    return main


def unknown(open):
    size = T.dynamic("size") if open else 20

    @T.prim_func
    def main(A: T.Tensor((size, 32), "float32"), B: T.Tensor((16, 32), "float32")):
        with T.Kernel(1, threads=64) as bx:
            T.annotate_layout({A: lambda l, d: [l // 8, d, l % 8]})
            for i, j in T.Parallel(16, 32):
                B[i, j] = A[i, j]

    return main

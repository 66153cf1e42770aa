# Accumulators that go to shared memory as matrices of 8 rows of 16 bytes: products of 64 and 16 rows, rows with and
# without a swizzle, of 16-bit floats and integers, beside elements that do not fit, and where only a part of the block
# may come.
# RUN: tilec-run %s --device=cpu --check --entry "staged(96, 80)" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "staged(96, 80)" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "staged(96, 80)" | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "staged(96, 80)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(96, 80)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(128, 64, threads=256)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(256, 128, threads=256, dtype='bfloat16')" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(64, 24)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(64, 8)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(32, 48, threads=64)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(96, 80, pad=8)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "staged(96, 80, pad=3)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "both(128, 64)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "both(128, 64)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "by_threads(64, 64)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "by_threads(64, 64, some=True)" --arg n=-3 | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "by_threads(64, 64, some=True)" --arg n=-3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "shorts(64, 64)" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "shorts(64, 64)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "parts(32, 64)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "parts(16, 64)" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "parts(32, 64)" | FileCheck %s
# CHECK: PASS
# RUN: tilec %s --target=sm_90a --entry "staged(128, 64, threads=256)" --emit=wave | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --target=sm_90a --entry "staged(64, 80)" --emit=wave | FileCheck %s --check-prefix=FOUR
# FOUR: wave.stmatrix {{.*}} : vector<8xf16>
# Two matrices where a row of tiles is one tile wide; rows that do not begin at multiples of 16 bytes, word by word.
# RUN: tilec %s --target=sm_90a --entry "staged(64, 8)" --emit=wave | FileCheck %s --check-prefix=TWO
# TWO: wave.stmatrix {{.*}} : vector<4xf16>
# RUN: tilec %s --target=sm_90a --entry "staged(96, 80, pad=3)" --emit=wave | FileCheck %s --check-prefix=NONE --implicit-check-not="wave.stmatrix"
# RUN: tilec %s --target=sm_80 --entry "staged(96, 80)" --emit=wave | FileCheck %s --check-prefix=NONE --implicit-check-not="wave.stmatrix"
# NONE: wave.shared_write
# RUN: tilec %s --target=sm_90a --entry "parts(32, 64)" --emit=wave | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --target=sm_90a --entry "by_threads(64, 64)" --emit=wave | FileCheck %s --check-prefix=FOUR
import tilelang.language as T


def staged(M, N, K=64, threads=128, dtype="float16", pad=0):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((M, K), dtype)
            b = T.alloc_shared((N, K), dtype)
            c = T.alloc_fragment((M, N), "float32")
            staged = T.alloc_shared((M, N + pad), dtype)
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(M, N):
                staged[i, j] = c[i, j] * 0.5
            for i, j in T.Parallel(M, N):
                C[i, j] = staged[i, N - 1 - j]

    return main


def both(M, N, K=64, dtype="float16"):
    """Two tiles in one loop, one of them of f32, and a fragment that stays."""

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype), D: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((M, K), dtype)
            b = T.alloc_shared((N, K), dtype)
            c = T.alloc_fragment((M, N), "float32")
            half = T.alloc_fragment((M, N), dtype)
            halves = T.alloc_shared((M, N), dtype)
            others = T.alloc_shared((M, N), dtype)
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(M, N):
                half[i, j] = c[i, j]
                halves[i, j] = half[i, j]
                others[i, j] = c[i, j] - half[i, j]
            for i, j in T.Parallel(M, N):
                C[i, j] = halves[M - 1 - i, j]
                D[i, j] = c[i, j] + others[M - 1 - i, j]

    return main


def by_threads(M, N, K=64, some=False):
    """A kernel that names its threads; with `some`, a part of the block skips the tile."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16"), n: T.int32):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding()
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((N, K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            staged = T.alloc_shared((M, N), "float16")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            if some:
                T.clear(staged)
                if tx + n >= 0:
                    T.copy(c, staged)
            else:
                T.copy(c, staged)
            for v in T.serial(N // 2):
                C[tx // 2, tx % 2 * (N // 2) + v] = staged[tx // 2, N - 1 - (tx % 2 * (N // 2) + v)]

    return main


def shorts(M, N, K=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), "int8"), B: T.Tensor((N, K), "int8"), C: T.Tensor((M, N), "int16")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((M, K), "int8")
            b = T.alloc_shared((N, K), "int8")
            c = T.alloc_fragment((M, N), "int32")
            staged = T.alloc_shared((M, N), "int16")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(M, N):
                staged[i, j] = T.cast(c[i, j] // 8, "int16")
            for i, j in T.Parallel(M, N):
                C[i, j] = staged[i, N - 1 - j]

    return main


def parts(M, N, K=64):
    """Halves of a tile, by sums of the loop's variables and of the block's."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((2, M, N), "float16")):
        with T.Kernel(2, threads=64) as bx:
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((N, K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            staged = T.alloc_shared((2 * M, N), "float16")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            T.copy(c[0 : M // 2, :], staged[bx * M : bx * M + M // 2, :])
            T.copy(c[M // 2 : M, :], staged[bx * M + M // 2 : bx * M + M, :])
            for i, j in T.Parallel(M, N):
                C[bx, i, j] = staged[bx * M + i, N - 1 - j]

    return main

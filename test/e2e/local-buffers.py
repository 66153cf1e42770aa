# A T.alloc_local outside of lockstep mode is one buffer of the block: what one statement writes, another one reads,
# whichever threads do the two.
# RUN: tilec-run %s --entry "permuted()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "permuted()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scalar_loops(4, 8)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "scalar_loops(4, 8)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scalar_loops(2, 5)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "cleared(4)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "cleared(96)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "accumulated(8, 16)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "accumulated(64, 80)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "set_by_one()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "set_by_one()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "picked()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "swapped('float16')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "swapped('int8')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "matmul(16)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "matmul(16)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "viewed()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "viewed()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "of_iterations()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "of_iterations()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "between_loops()" --arg n=3 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "between_loops()" --arg n=3 --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def permuted():
    @T.prim_func
    def main(A: T.Tensor((4, 8), "float32"), C: T.Tensor((4, 8), "float32"), D: T.Tensor((8, 4), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_local((4, 8), "float32")
            T.copy(A, a)
            for r, k in T.Parallel(4, 8):
                C[r, k] = a[r, 7 - k]
            for k, r in T.Parallel(8, 4):
                D[k, r] = a[r, k]

    return main


def reduced():
    @T.prim_func
    def main(A: T.Tensor((4, 8), "float32"), C: T.Tensor((4,), "float32"), D: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_local((4, 8), "float32")
            b = T.alloc_local((4,), "float32")
            top = T.alloc_local((1,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, b, dim=1)
            T.reduce_max(b, top, dim=0)
            T.copy(b, C)
            D[0] = top[0] * 2.0 + b[1]

    return main


def scalar_loops(rows, columns):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float32"), C: T.Tensor((rows,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_local((rows, columns), "float32")
            b = T.alloc_local((rows,), "float32")
            T.copy(A, a)
            for r in T.serial(rows):
                b[r] = 0.0
                for k in T.serial(columns):
                    b[r] += a[r, k]
            T.copy(b, C)

    return main


def cleared(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_local((n,), "float32")
            b = T.alloc_local((n,), "int32")
            T.clear(a)
            T.fill(b, 7)
            a[1] = A[0]
            for i in T.Parallel(n):
                C[i] = a[n - 1 - i] + T.cast(b[(i + 3) % n], "float32")

    return main


def accumulated(rows, columns):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float32"), C: T.Tensor((rows,), "float32"), D: T.Tensor((3,), "float32")):
        with T.Kernel(1, threads=128):
            b = T.alloc_local((rows,), "float32")
            t = T.alloc_local((3,), "float32")
            T.clear(b)
            T.clear(t)
            for n in T.serial(3):
                for r, k in T.Parallel(rows, columns):
                    b[r] += A[r, k]
                for r in T.Parallel(rows):
                    t[n] = T.max(t[n], b[r])
            for r in T.Parallel(rows):
                C[r] = b[rows - 1 - r]
            for n in T.Parallel(3):
                D[n] = t[n]

    return main


# One iteration, or several with one value, write what all threads read afterwards.
def set_by_one():
    @T.prim_func
    def main(A: T.Tensor((256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            seen = T.alloc_var("int32", 0)
            picked = T.alloc_var("int32", 0)
            for i in T.Parallel(256):
                if A[i] > 3:
                    seen = 1
                if i == 200:
                    picked = A[i]
            for i in T.Parallel(256):
                C[i] = seen * 100 + picked

    return main


# Memory says which elements.
def picked():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), I: T.Tensor((64,), "int32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_local((64,), "float32")
            at = T.alloc_local((2,), "int32")
            T.copy(A, a)
            T.copy(I[0:2], at)
            for i in T.Parallel(64):
                C[i] = a[I[i] + 8]
            a[at[0] + 8] = 1.0
            for k in T.serial(3):
                a[k] = a[at[1] + 8 + k] + 2.0
            for i in T.Parallel(64):
                C[i] += a[63 - i]

    return main


# Written and read in turn, in a loop.
def swapped(dtype):
    @T.prim_func
    def main(A: T.Tensor((48,), dtype), C: T.Tensor((48,), dtype)):
        with T.Kernel(1, threads=96):
            a = T.alloc_local((48,), dtype)
            b = T.alloc_local((48,), dtype)
            T.copy(A, a)
            for k in T.serial(5):
                for i in T.Parallel(48):
                    b[i] = a[47 - i]
                for i in T.Parallel(24):
                    a[i] = b[i + 24]
                    a[i + 24] = b[i]
            T.copy(a, C)

    return main


def products():
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32"),
             D: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_local((32, 32), "float16")
            s = T.alloc_local((32, 32), "float32")
            p = T.alloc_local((32, 32), "float16")
            c = T.alloc_local((32, 32), "float32")
            d = T.alloc_local((32,), "float32")
            b = T.alloc_shared((32, 32), "float16")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(s)
            T.gemm(a, b, s, transpose_B=True)
            T.reduce_max(s, d, dim=1)
            for i, j in T.Parallel(32, 32):
                p[i, j] = s[i, j] - d[i]
            T.clear(c)
            T.gemm(p, b, c)
            c[3, 5] = 2.0
            T.copy(c, C)
            T.copy(d, D)

    return main


def matmul(block, K=8):
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float16")):
        with T.Kernel(32 // block, 32 // block) as (bx, by):
            a = T.alloc_local((block, K), "float16")
            b = T.alloc_local((K, block), "float16")
            c = T.alloc_local((block, block), "float32")
            T.clear(c)
            for ko in T.serial(32 // K):
                T.copy(A[by * block, ko * K], a)
                T.copy(B[ko * K, bx * block], b)
                for i, j, k in T.grid(block, block, K):
                    c[i, j] += a[i, k] * b[k, j]
            T.copy(c, C[by * block, bx * block])

    return main


def viewed():
    @T.prim_func
    def main(A: T.Tensor((4, 16), "float32"), C: T.Tensor((64,), "float32"), D: T.Tensor((128,), "int16")):
        with T.Kernel(1, threads=64):
            a = T.alloc_local((4, 16), "float32")
            flat = T.reshape(a, (64,))
            halves = T.view(a, (128,), dtype="int16")
            T.copy(A, a)
            for i in T.Parallel(64):
                C[i] = flat[63 - i]
            T.copy(halves, D)

    return main


# Allocated in a T.Parallel: one of the iteration.
def of_iterations():
    @T.prim_func
    def main(A: T.Tensor((48, 16), "float32"), C: T.Tensor((48, 16), "float32"), D: T.Tensor((48,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(48):
                v = T.alloc_local((16,), "float32")
                m = T.alloc_local((1,), "float32")
                T.copy(A[i, :], v)
                T.reduce_max(v, m, dim=0)
                for k in range(16):
                    C[i, k] = v[15 - k] - m[0]
                D[i] = m[0]

    return main


def scanned():
    @T.prim_func
    def main(A: T.Tensor((8, 40), "float32"), C: T.Tensor((8, 40), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_local((8, 40), "float32")
            b = T.alloc_local((8, 40), "float32")
            T.copy(A, a)
            T.cumsum(a, b, dim=1)
            for i, j in T.Parallel(8, 40):
                C[i, j] = b[i, 39 - j] + a[7 - i, j]

    return main


# Statements of the block, a branch and a loop known at run time, between loops over elements.
def between_loops():
    @T.prim_func
    def main(A: T.Tensor((16,), "float32"), n: T.int32, C: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_local((16,), "float32")
            for i in T.Parallel(16):
                a[i] = A[i]
            for k in T.serial(n):
                if a[k] < a[k + 1]:
                    held = a[k]
                    a[k] = a[k + 1]
                    a[k + 1] = held
                for i in T.Parallel(16):
                    a[i] = a[i] * 0.5
            for i in T.Parallel(16):
                C[i] = a[15 - i]

    return main

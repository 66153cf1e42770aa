# ptxas is told that one resident block will do where registers hide more than blocks: in kernels without a loop that
# reads memory, and in products where that was measured (CodeGen/PreferRegisters.cpp); not in other loops.
# RUN: tilec %s --entry "straight()" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# RUN: tilec %s --entry "straight()" --target=sm_80 --emit=asm --no-cache | FileCheck %s
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# RUN: tilec %s --entry "product()" --target=sm_80 --emit=asm --no-cache | FileCheck %s --check-prefix=OPEN
# RUN: tilec %s --entry "rounds()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=OPEN
# A kernel that would be alone on its multiprocessor saves them, and one of large blocks of which two would fit.
# RUN: tilec %s --entry "beside(16384)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=OPEN
# RUN: tilec %s --entry "beside(8192)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=TWO
# RUN: tilec %s --entry "beside(4096, 512)" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# RUN: tilec %s --entry "beside(8192, 512)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=OPEN
# Where the grid has a block for each multiprocessor at most, there is no other.
# RUN: tilec %s --entry "beside(16384, rows=8)" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# A block that meets twice wants more others beside it, if shared memory has room for them.
# RUN: tilec %s --entry "meets()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=OPEN
# RUN: tilec %s --entry "meets(once=True)" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# RUN: tilec %s --entry "meets(held=24576)" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# CHECK: .minnctapersm 1
# Of blocks in which nobody waits for others as many are asked for as give a scheduler four waves.
# RUN: tilec %s --entry "elements()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=FOUR
# RUN: tilec-run %s --entry "elements(M=6)" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RESULT
# TWO: .minnctapersm 2
# FOUR: .minnctapersm 4
# RESULT: result {{ *}}PASS
# OPEN-NOT: .minnctapersm
# OPEN: ret;
import tilelang.language as T


def straight(N=4096):
    @T.prim_func
    def main(X: T.Tensor((8, N), "float16"), Y: T.Tensor((8, N), "float16")):
        with T.Kernel(8, threads=128) as bx:
            row = T.alloc_fragment((N,), "float16")
            T.copy(X[bx, 0], row)
            for j in T.Parallel(N):
                row[j] = row[j] * 2
            T.copy(row, Y[bx, 0])

    return main


def elements(M=600, N=4096):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, 2), threads=128) as bx:
            rows = T.alloc_fragment((2, N), "float16")
            T.copy(X[bx * 2, 0], rows)
            for i, j in T.Parallel(2, N):
                rows[i, j] = T.tanh(rows[i, j])
            T.copy(rows, Y[bx * 2, 0])

    return main


def beside(N, threads=256, rows=800):
    @T.prim_func
    def main(X: T.Tensor((rows, N), "float16"), W: T.Tensor((2, N), "float16"), Y: T.Tensor((rows, N), "float16")):
        with T.Kernel(rows, threads=threads) as bx:
            row = T.alloc_fragment((N,), "float16")
            T.copy(X[bx, 0], row)
            for j in T.Parallel(N):
                row[j] = row[j] * W[0, j] + W[1, j]
            T.copy(row, Y[bx, 0])

    return main


def meets(N=4096, rows=800, once=False, held=0):
    @T.prim_func
    def main(X: T.Tensor((rows, N), "float16"), W: T.Tensor((2, N), "float16"), Y: T.Tensor((rows, N), "float16")):
        with T.Kernel(rows, threads=256) as bx:
            row = T.alloc_fragment((N,), "float32")
            square = T.alloc_fragment((N,), "float32")
            mean = T.alloc_fragment((1,), "float32")
            spread = T.alloc_fragment((1,), "float32")
            kept = T.alloc_shared((max(held, 1),), "float16")
            T.copy(X[bx, 0], row)
            T.reduce_sum(row, mean, dim=0)
            if held:
                for j in T.Parallel(N):
                    kept[j] = row[j]
                    kept[held - 1 - j] = row[j] + 1
            for j in T.Parallel(N):
                square[j] = (row[j] - mean[0]) * (row[j] - mean[0])
            if not once:
                T.reduce_sum(square, spread, dim=0)
            for j in T.Parallel(N):
                row[j] = row[j] * W[0, j] + W[1, j] + (mean[0] if once else spread[0])
                if held:
                    row[j] = row[j] + kept[N - 1 - j] + kept[held - N + j]
            T.copy(row, Y[bx, 0])

    return main


def rounds(N=1024, count=64):
    @T.prim_func
    def main(X: T.Tensor((count, N), "float16"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            row = T.alloc_fragment((N,), "float32")
            T.clear(row)
            for k in T.serial(count):
                for j in T.Parallel(N):
                    row[j] += X[k, j]
            T.copy(row, Y)

    return main


def product(M=64, N=64, K=257):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((M, 32), "float16")
            b = T.alloc_shared((32, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 32)):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    return main

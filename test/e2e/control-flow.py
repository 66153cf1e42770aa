# `while`, `break` and T.loop_break, of the block and of an iteration; parallels whose extents are known
# only when the kernel runs, alone and nested.
# RUN: tilec-run %s --entry "while_uniform(100)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_data(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_serial(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "loop_break_k(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_break(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_data(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_tile(4)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_tile(4)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_parallel(128)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_parallel(128)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_global()" --target=gfx950 --check --seed 1 --dim N=300 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_shared()" --target=gfx950 --check --seed 1 --dim N=77 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_2d()" --target=gfx950 --check --seed 1 --dim M=5 --dim N=37 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_arg()" --target=gfx950 --check --seed 1 --arg n=37 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn()" --target=gfx950 --check --seed 1 --dim N=37 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn_tri(16)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn_red(16)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn_arg()" --target=gfx950 --check --seed 1 --arg n=37 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_red()" --target=gfx950 --check --seed 1 --arg n=37 | FileCheck %s
# RUN: tilec-run %s --entry "for_dyn_bounds(16)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_uniform(100)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_data(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_serial(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "loop_break_k(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_break(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_data(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_tile(4)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_tile(4)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "while_parallel(128)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "break_parallel(128)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_global()" --target=gfx942 --check --seed 1 --dim N=300 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_shared()" --target=gfx942 --check --seed 1 --dim N=77 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_2d()" --target=gfx942 --check --seed 1 --dim M=5 --dim N=37 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_parallel_arg()" --target=gfx942 --check --seed 1 --arg n=37 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn()" --target=gfx942 --check --seed 1 --dim N=37 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn_tri(16)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn_red(16)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nested_dyn_arg()" --target=gfx942 --check --seed 1 --arg n=37 | FileCheck %s
# RUN: tilec-run %s --entry "dyn_red()" --target=gfx942 --check --seed 1 --arg n=37 | FileCheck %s
# RUN: tilec-run %s --entry "for_dyn_bounds(16)" --target=gfx942 --check --seed 1 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T

def while_uniform(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            i = T.alloc_var("int32")
            i = 0
            while i < N:
                B[i] = A[i] * 2.0
                i = i + 3
            while i >= 0:
                i = i - 1
                if i % 3 != 0 and i >= 0 and i < N:
                    B[i] = A[i]
    return main

def while_data(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(N, threads=64) as bx:
            x = T.alloc_var("int32")
            n = T.alloc_var("int32")
            x = T.abs(A[bx]) * 7 + 3
            n = 0
            while x != 1:
                if x % 2 == 0:
                    x = x // 2
                else:
                    x = 3 * x + 1
                n = n + 1
            B[bx] = n
    return main

def break_serial(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=128):
            n = T.alloc_var("int32")
            n = 0
            for i in T.serial(N):
                if i == 40:
                    break
                B[i] = A[i] + 1.0
                n = n + 1
            for i in T.serial(40, N):
                B[i] = 0.0
            C[0] = n
    return main

def loop_break_k(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.serial(N):
                B[i] = A[i] + 1.0
            for i in T.serial(N):
                if i >= 20:
                    T.loop_break()
                for j in T.serial(N):
                    if j > i:
                        T.loop_break()
                    B[i] = B[i] + 1.0
    return main

def while_break(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            i = T.alloc_var("int32")
            i = 0
            while True:
                if i >= N:
                    break
                B[i] = A[i] + 1.0
                i = i + 1
    return main

def break_data(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(N, threads=64) as bx:
            n = T.alloc_var("int32")
            n = -1
            for i in T.serial(N):
                n = i
                if A[(bx + i) % N] > 0.5:
                    break
            B[bx] = n
    return main

def while_tile(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64, 64), "float16"), B: T.Tensor((64, 64), "float32"), stop: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((64, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            i = T.alloc_var("int32")
            T.clear(acc)
            i = 0
            while i < n and i <= stop[0] % 4 + 1:
                T.copy(A[i, :, :], s)
                T.gemm(s, s, acc, transpose_B=True)
                i = i + 1
            T.copy(acc, B)
    return main

def break_tile(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64, 64), "float16"), B: T.Tensor((64, 64), "float32"), stop: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((64, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for i in T.Pipelined(n, num_stages=2):
                T.copy(A[i, :, :], s)
                if i > stop[0] % 4:
                    break
                T.gemm(s, s, acc, transpose_B=True)
            T.copy(acc, B)
    return main

def while_parallel(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                x = T.abs(A[i]) * 7 + 3
                n = 0
                while x > 1:
                    x = x // 2
                    n = n + 1
                B[i] = n
    return main

def break_parallel(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                n = -1
                for j in T.serial(N):
                    if A[(i + j) % N] > 0.5:
                        n = j
                        break
                B[i] = n
    return main

def dyn_parallel_global():
    N = T.dynamic("N")
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                B[i] = A[i] + 1.0
    return main

def dyn_parallel_shared():
    N = T.dynamic("N")
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((128,), "float32")
            for i in T.Parallel(T.min(N, 128)):
                s[i] = A[i] + 1.0
            for i in T.Parallel(T.min(N, 128)):
                B[i] = s[T.min(N, 128) - 1 - i]
    return main

def dyn_parallel_2d():
    M = T.dynamic("M")
    N = T.dynamic("N")
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N, M), "float32")):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(N, M):
                B[i, j] = A[j, i] + 1.0
    return main

def dyn_parallel_arg():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            T.clear(B)
            for i in T.Parallel(n):
                B[i] = A[i] + 1.0
    return main

def nested_dyn():
    N = T.dynamic("N")
    @T.prim_func
    def main(A: T.Tensor((16, N), "float32"), B: T.Tensor((16, N), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(16):
                x = A[i, 0] * 2.0
                for j in T.Parallel(N):
                    B[i, j] = A[i, j] + x
    return main

def nested_dyn_tri(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            T.clear(B)
            for i in T.Parallel(N):
                for j in T.Parallel(i + 1):
                    B[i, j] = A[i, j] + 1.0
    return main

def nested_dyn_red(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                s = T.float32(0.0)
                for j in T.Parallel(i + 1):
                    s += A[i, j]
                B[i] = s
    return main

def nested_dyn_arg():
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), B: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(16):
                s = T.float32(0.0)
                for j in T.Parallel(n):
                    s += A[i, j]
                B[i] = s
    return main

def dyn_red():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            s = T.alloc_var("float32")
            s = 0.0
            for i in T.Parallel(n):
                s += A[i]
            B[0] = s
    return main

def for_dyn_bounds(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                s = T.float32(0.0)
                for j in T.serial(i + 1):
                    s += A[i, j]
                B[i] = s
    return main

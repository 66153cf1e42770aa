# Views, reinterpreted bits, old values of atomics, launches that hand on data, conversions that
# saturate.
# RUN: tilec-run %s --entry "global_raw(300)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "global_loop(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "global_shift(128)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint8')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('int8')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('int32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('int64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_of_part(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "bytes_mixed(37, 53)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "at_prev_serial(16)" --target=gfx950 --check --seed 1 --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "at_minmax('float32')" --target=gfx950 --check --seed 1 --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "at_tile(64, 'float32')" --target=gfx950 --check --seed 1 --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "at_loadstore(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nextafter(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reint(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "workspace(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "two_kernels(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "swizzle(4, 'row')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "swizzle(3, 'column')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "swizzle(10, 'row')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "persistent3(3)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_global(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_shared(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_dtype(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reshape_g(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "strided(16, 24)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "safe_value(50)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "anyall(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cumsum_frag(32, 48)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reducer('sum')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reducer('max')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reducer('min')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "pipelined_order(4)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "global_raw(300)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "global_loop(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "global_shift(128)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint8')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('uint64')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('int8')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('int32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "to_unsigned('int64')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_of_part(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "bytes_mixed(37, 53)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "at_prev_serial(16)" --target=gfx942 --check --seed 1 --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "at_minmax('float32')" --target=gfx942 --check --seed 1 --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "at_tile(64, 'float32')" --target=gfx942 --check --seed 1 --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "at_loadstore(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nextafter(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reint(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "workspace(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "two_kernels(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "swizzle(4, 'row')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "swizzle(3, 'column')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "swizzle(10, 'row')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "persistent3(3)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_global(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_shared(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "view_dtype(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reshape_g(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "strided(16, 24)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "safe_value(50)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "anyall(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cumsum_frag(32, 48)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reducer('sum')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reducer('max')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reducer('min')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "pipelined_order(4)" --target=gfx942 --check --seed 1 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T

def at_prev_serial(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), C: T.Tensor((1,), "int32"), S: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=128):
            for k in T.serial(1):
                for i in T.Parallel(N):
                    if A[i] > 0:
                        p = T.atomic_add(C[0], 1, return_prev=True)
                        S[i] = T.if_then_else(p >= 0, 1, 0)
                    else:
                        S[i] = 0
    return main

def at_minmax(d):
    @T.prim_func
    def main(A: T.Tensor((256,), d), C: T.Tensor((4,), d)):
        with T.Kernel(2, threads=64) as bx:
            for i in T.Parallel(128):
                T.atomic_max(C[1], A[bx * 128 + i])
                T.atomic_min(C[2], A[bx * 128 + i])
    return main

def at_tile(N, d):
    @T.prim_func
    def main(A: T.Tensor((N, N), d), C: T.Tensor((N, N), d)):
        with T.Kernel(1, threads=64) as bx:
            f = T.alloc_fragment((N, N), d)
            s = T.alloc_shared((N, N), d)
            T.copy(A, f)
            T.copy(A, s)
            T.atomic_add(C, f)
            T.atomic_add(C[0:N, 0:N], s)
            T.atomic_add(C[0, 0], s)
    return main

def at_loadstore(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(N):
                T.atomic_store(C[i], T.atomic_load(A[i], "relaxed") + 1, "relaxed")
    return main

def nextafter(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(N):
                C[i] = T.nextafter(A[i], B[i])
    return main

def reint(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "int32"), D: T.Tensor((N,), "float16"), H: T.Tensor((N,), "uint16")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(N):
                C[i] = T.reinterpret(A[i], "int32")
                D[i] = T.reinterpret(T.cast(T.reinterpret(A[i], "uint32") >> T.uint32(16), "uint16"), "float16")
                H[i] = T.reinterpret(T.cast(A[i], "bfloat16"), "uint16")
    return main

def workspace(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        W = T.alloc_global((N,), "float32")
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(N):
                W[i] = A[i] * 2.0
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(N):
                C[i] = W[N - 1 - i] + 1.0
    return main

def two_kernels(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(2, threads=64) as bx:
            for i in T.Parallel(N // 2):
                B[bx * (N // 2) + i] = A[bx * (N // 2) + i] * 2.0
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(N):
                C[i] = B[N - 1 - i] + 1.0
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(N):
                C[i] = C[i] * 3.0
    return main

def swizzle(p, order):
    @T.prim_func
    def main(A: T.Tensor((5 * 8, 7 * 8), "float32"), C: T.Tensor((5 * 8, 7 * 8), "float32")):
        with T.Kernel(7, 5, threads=64) as (bx, by):
            T.use_swizzle(p, order=order)
            for i, j in T.Parallel(8, 8):
                C[by * 8 + i, bx * 8 + j] = A[by * 8 + i, bx * 8 + j] + bx * 10 + by
    return main

def persistent3(waves):
    @T.prim_func
    def main(A: T.Tensor((2, 24, 40), "float32"), C: T.Tensor((2, 24, 40), "float32")):
        with T.Kernel(waves, threads=64) as b:
            s = T.alloc_shared((8, 8), "float32")
            for z, i, j in T.Persistent([2, 3, 5], waves, b, group_size=2):
                T.copy(A[z, i * 8:i * 8 + 8, j * 8:j * 8 + 8], s)
                for p, q in T.Parallel(8, 8):
                    C[z, i * 8 + p, j * 8 + q] = s[q, p]
    return main

def view_global(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N * N,), "float32")):
        Av = T.view(A, (N * N,))
        with T.Kernel(1, threads=64) as b:
            s = T.alloc_shared((N * N,), "float32")
            T.copy(Av, s)
            for i in T.Parallel(N * N):
                C[i] = s[i] + Av[N * N - 1 - i]
    return main

def view_shared(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128) as b:
            s = T.alloc_shared((N * N,), "float16")
            b2 = T.alloc_shared((N, N), "float16")
            c = T.alloc_fragment((N, N), "float32")
            v = T.reshape(s, [N, N])
            T.copy(A, v)
            T.copy(B, b2)
            T.gemm(v, b2, c, clear_accum=True)
            for i, j in T.Parallel(N, N):
                c[i, j] += s[i * N + j]
            T.copy(c, C)
    return main

def view_dtype(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N * 2,), "uint16"), D: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64) as b:
            s = T.alloc_shared((N,), "float32")
            T.copy(A, s)
            h = T.view(s, (N * 2,), "uint16")
            w = T.view(s, dtype="int32")
            for i in T.Parallel(N * 2):
                C[i] = h[i]
            for i in T.Parallel(N):
                D[i] = w[i]
    return main

def reshape_g(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=64) as b:
            Av = T.reshape(A, [N // 2, 2, N])
            Cv = T.reshape(C, [N // 2, 2, N])
            for i, j, k in T.Parallel(N // 2, 2, N):
                Cv[i, j, k] = Av[i, 1 - j, k]
    return main

def strided(M, N):
    @T.prim_func
    def main(A: T.StridedTensor((M, N), (N * 2, 1), "float32"), B: T.StridedTensor((M, N), (1, M), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64) as b:
            s = T.alloc_shared((M, N), "float32")
            T.copy(A, s)
            for i, j in T.Parallel(M, N):
                C[i, j] = s[i, j] + B[i, j]
    return main

def safe_value(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((64,), "float32"), D: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as b:
            T.annotate_safe_value({A: -5.0})
            s = T.alloc_shared((64,), "float32")
            T.copy(A[0:64], s)
            for i in T.Parallel(64):
                C[i] = s[i]
                D[i] = A[i + 3]
    return main

def anyall(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), C: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=64) as b:
            s = T.alloc_shared((N,), "bool")
            for i in T.Parallel(N):
                s[i] = A[i] > 3
            C[0] = T.if_then_else(T.any_of(s), 1, 0)
            C[1] = T.if_then_else(T.all_of(s), 1, 0)
            if T.any_of(s[0:4]):
                C[2] = 5
            else:
                C[2] = 6
            C[3] = 0
    return main

def cumsum2(M, N, dim=0, rev=False, fn=None, frag=False):
    f = fn or T.cumsum
    al = T.alloc_fragment if frag else T.alloc_shared
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64) as b:
            s = al((M, N), "float32")
            T.copy(A, s)
            f(s, dim=dim, reverse=rev)
            T.copy(s, C)
    return main

def cumsum_frag(M, N):
    return cumsum2(M, N, 1, False, T.cumsum, True)

def reducer(op):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), C: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=64) as b:
            r = T.alloc_reducer((32,), "float32", op=op)
            o = T.alloc_fragment((32,), "float32")
            T.reducer_init(r)
            for i, j in T.Parallel(32, 64):
                T.reducer_update(r[i], A[i, j])
            T.finalize_reducer(r, o)
            T.copy(o, C)
    return main

def pipelined_order(n):
    @T.prim_func
    def main(A: T.Tensor((n * 32, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as (x):
            a = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for k in T.Pipelined(n, num_stages=2, order=[-1, 0], stage=[-1, 0], group=[[0], [1]]):
                T.copy(A[k * 32, 0], a)
                T.gemm(a, a, c)
            T.copy(c, C)
    return main

def global_raw(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=256):
            for i in T.Parallel(N):
                B[i] = A[i] * 2.0
            for i in T.Parallel(N):
                C[i] = B[N - 1 - i] + 1.0
    return main

def global_loop(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=256):
            T.copy(A, B)
            for k in T.serial(4):
                f = T.alloc_fragment((N,), "float32")
                for i in T.Parallel(N):
                    f[i] = B[(i + 7) % N] + 1.0
                T.copy(f, B)
    return main

def global_shift(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=256):
            i = T.alloc_var("int32")
            T.copy(A, B)
            B[0] = 0
            i = 0
            while B[0] < 10 and i < 100:
                for j in T.Parallel(N):
                    B[j] = B[j] + 1
                i = i + 1
            B[1] = i
    return main

def to_unsigned(d, N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), d), C: T.Tensor((N,), d)):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                B[i] = T.cast(A[i] * 100.0, d)
                C[i] = T.cast(A[i] * 1e20, d)
    return main

def view_of_part(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, 2), "float32")):
        with T.Kernel(1, threads=64):
            flat = T.reshape(A, (N * N,))
            s = T.alloc_shared((N,), "float32")
            for k in T.serial(2):
                T.copy(flat[k * N:k * N + N], s)
                for i in T.Parallel(N):
                    C[i, k] = s[i]
    return main

def bytes_mixed(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int8"), B: T.Tensor((M, N), "int8")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((M, N), "int8")
            T.copy(A, s)
            for i, j in T.Parallel(M, N):
                B[i, j] = s[M - 1 - i, N - 1 - j]
    return main

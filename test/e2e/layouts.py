# Layout inference serves every legal program: fragments read at two places, by a serial variable or a
# constant, operands with layouts that conflict, tiles that are no power of two, blocks of few threads.
# RUN: tilec-run %s --entry "transpose_add(32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "transpose_add(96)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "shifted(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "halves()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "serial_index(16, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "const_index(16, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "serial_row(16, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_m1(64, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_m1(128, 96)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(96, 160, 64, 96, 160, 32, 128)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(576, 64, 64, 576, 64, 32, 256)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(64, 576, 64, 64, 576, 32, 256)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(100, 100, 100, 96, 160, 48, 192)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(7, 9, 11, 16, 16, 16, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(7, 9, 11, 7, 9, 11, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(3, 5, 1, 3, 5, 1, 32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(48, 80, 72, 48, 80, 24, 320)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chained(64, 64, 32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chained(64, 96, 32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chained(48, 80, 16)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "two_gemm_conflict(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "c_as_a_and_b(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_frag(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reduce_middle(4, 16, 32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reduce_slice(64, 96)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "bcast_two_ways(64, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gather(64, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_1d_2d(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_reshape(32, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "stride_access(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "diag(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_scalar_write(32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_serial_write(32, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_serial_nonparallel(16)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "odd_tile_copy(37, 53)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_slice_copy(32, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_div(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "perm3(8, 4, 16)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_frag_a_nonpow2(96, 80, 48)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "pv_like(1, 64, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "tiny_threads(64, 32)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "wide_reduce(2, 5000)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "if_frag_block(64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "transpose_add(32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "transpose_add(96)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "shifted(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "halves()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "serial_index(16, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "const_index(16, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "serial_row(16, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_m1(64, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_m1(128, 96)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(96, 160, 64, 96, 160, 32, 128)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(576, 64, 64, 576, 64, 32, 256)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(64, 576, 64, 64, 576, 32, 256)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(100, 100, 100, 96, 160, 48, 192)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(7, 9, 11, 16, 16, 16, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(7, 9, 11, 7, 9, 11, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(3, 5, 1, 3, 5, 1, 32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_t(48, 80, 72, 48, 80, 24, 320)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chained(64, 64, 32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chained(64, 96, 32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chained(48, 80, 16)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "two_gemm_conflict(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "c_as_a_and_b(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_frag(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reduce_middle(4, 16, 32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "reduce_slice(64, 96)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "bcast_two_ways(64, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gather(64, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_1d_2d(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_reshape(32, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "stride_access(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "diag(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_scalar_write(32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_serial_write(32, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_serial_nonparallel(16)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "odd_tile_copy(37, 53)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_slice_copy(32, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "frag_div(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "perm3(8, 4, 16)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_frag_a_nonpow2(96, 80, 48)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "pv_like(1, 64, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "tiny_threads(64, 32)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "wide_reduce(2, 5000)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "if_frag_block(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T

def transpose_add(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((N, N), "float32")
            T.copy(A, f)
            for i, j in T.Parallel(N, N):
                B[i, j] = f[i, j] + f[j, i] * 2.0
    return main

def shifted(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((N,), "float32")
            T.copy(A, f)
            for i in T.Parallel(N):
                if i > 0:
                    B[i] = f[i] - f[i - 1]
                else:
                    B[i] = f[i]
    return main

def serial_index(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((M, N), "float32")
            T.copy(A, f)
            for k in T.serial(M):
                for j in T.Parallel(N):
                    f[k, j] = f[k, j] * 2.0 + f[0, j]
            T.copy(f, B)
    return main

def const_index(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((M, N), "float32")
            T.copy(A, f)
            for i, j in T.Parallel(M, N):
                B[i, j] = f[i, j] - f[3, 5] + f[2, j]
    return main

def serial_row(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((M, N), "float32")
            g = T.alloc_fragment((M,), "float32")
            T.copy(A, f)
            for i in T.Parallel(M):
                g[i] = 0.0
                for k in T.serial(N):
                    g[i] = g[i] * 0.5 + f[i, k]
            T.copy(g, B)
    return main

def gemm_m1(N, K):
    @T.prim_func
    def main(A: T.Tensor((1, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((1, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((1, K), "float16")
            b = T.alloc_shared((N, K), "float16")
            c = T.alloc_fragment((1, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)
    return main

def gemm_t(M, N, K, bM, bN, bK, threads):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=threads) as (bx, by):
            a = T.alloc_shared((bM, bK), "float16")
            b = T.alloc_shared((bK, bN), "float16")
            c = T.alloc_fragment((bM, bN), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bK), num_stages=2):
                T.copy(A[by * bM, k * bK], a)
                T.copy(B[k * bK, bx * bN], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * bM, bx * bN])
    return main

def chained(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), V: T.Tensor((N, K), "float16"), C: T.Tensor((M, K), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((N, K), "float16")
            v = T.alloc_shared((N, K), "float16")
            s = T.alloc_fragment((M, N), "float32")
            p = T.alloc_fragment((M, N), "float16")
            o = T.alloc_fragment((M, K), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(V, v)
            T.clear(s)
            T.clear(o)
            T.gemm(a, b, s, transpose_B=True)
            T.copy(s, p)
            T.gemm(p, v, o)
            T.copy(o, C)
    return main

def two_gemm_conflict(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32"), D: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float16")
            b = T.alloc_shared((N, N), "float16")
            c = T.alloc_fragment((N, N), "float32")
            d = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.clear(d)
            T.gemm(a, b, c)
            T.gemm(b, a, d, transpose_B=True)
            T.gemm(a, b, d, transpose_A=True)
            T.copy(c, C)
            T.copy(d, D)
    return main

def c_as_a_and_b(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float32")
            c = T.alloc_fragment((N, N), "float32")
            d = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            T.clear(c)
            T.clear(d)
            T.gemm(a, a, c)
            T.gemm(c, a, d)
            T.gemm(a, c, d)
            T.copy(d, C)
    return main

def frag_frag(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float16")
            b = T.alloc_fragment((N, N), "float16")
            c = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            T.copy(c, C)
    return main

def reduce_middle(L, M, N):
    @T.prim_func
    def main(A: T.Tensor((L, M, N), "float32"), C: T.Tensor((L, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((L, M, N), "float32")
            c = T.alloc_fragment((L, N), "float32")
            T.copy(A, a)
            T.reduce_absmax(a, c, dim=1)
            T.copy(c, C)
    return main

def reduce_slice(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            c = T.alloc_fragment((M,), "float32")
            T.copy(A, a)
            T.reduce_sum(a[:, 8:N - 8], c, dim=1)
            T.copy(c, C)
    return main

def bcast_two_ways(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), V: T.Tensor((M,), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            v = T.alloc_fragment((M,), "float32")
            T.copy(A, a)
            T.copy(V, v)
            for i, j in T.Parallel(M, N):
                a[i, j] = a[i, j] * v[i] + v[j]
            T.copy(a, C)
    return main

def gather(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), I: T.Tensor((M,), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            ix = T.alloc_fragment((M,), "int32")
            T.copy(A, a)
            T.copy(I, ix)
            for i, j in T.Parallel(M, N):
                C[i, j] = a[ix[i] + 8, j]
    return main

def frag_1d_2d(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N,), "float32")
            c = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(N, N):
                c[i, j] = a[i] * a[j]
            T.copy(c, C)
    return main

def frag_reshape(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M * N,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            v = T.reshape(a, [M * N])
            for i in T.Parallel(M * N):
                C[i] = v[i] + 1.0
    return main

def stride_access(N):
    @T.prim_func
    def main(A: T.Tensor((2 * N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((2 * N,), "float32")
            T.copy(A, a)
            for i in T.Parallel(N):
                C[i] = a[2 * i] + a[2 * i + 1]
    return main

def diag(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            for i in T.Parallel(N):
                C[i] = a[i, i]
    return main

def frag_scalar_write(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, N), "float32"), k: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            a[3, 4] = 7.0
            a[k[0] + 8, 0] = a[1, 2] + 1.0
            T.copy(a, C)
    return main

def frag_serial_write(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            row = T.alloc_fragment((N,), "float32")
            for i in T.serial(M):
                T.copy(A[i, 0], row)
                for j in T.Parallel(N):
                    a[i, j] = row[j] * 2.0
            T.copy(a, C)
    return main

def frag_serial_nonparallel(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            for i in T.serial(N):
                for j in T.serial(N):
                    a[i, j] = a[i, j] + 1.0
            T.copy(a, C)
    return main

def odd_tile_copy(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(1, threads=96):
            s = T.alloc_shared((M, N), "float16")
            f = T.alloc_fragment((M, N), "float16")
            T.copy(A, s)
            T.copy(s, f)
            T.copy(f, C)
    return main

def frag_slice_copy(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            b = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(a[0:M // 2, :], b[M // 2:M, :])
            T.copy(a[M // 2:M, :], b[0:M // 2, :])
            T.copy(b, C)
    return main

def frag_div(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), S: T.Tensor((N, N // 16), "float32"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((N, N), "float32")
            s = T.alloc_fragment((N, N // 16), "float32")
            T.copy(A, a)
            T.copy(S, s)
            for i, j in T.Parallel(N, N):
                a[i, j] = a[i, j] * s[i, j // 16]
            T.copy(a, C)
    return main

def perm3(L, M, N):
    @T.prim_func
    def main(A: T.Tensor((L, M, N), "float32"), C: T.Tensor((N, L, M), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((L, M, N), "float32")
            c = T.alloc_fragment((N, L, M), "float32")
            T.copy(A, a)
            for i, j, k in T.Parallel(L, M, N):
                c[k, i, j] = a[i, j, k]
            T.copy(c, C)
    return main

def gemm_frag_a_nonpow2(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, K), "float16")
            b = T.alloc_fragment((N, K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(M, N):
                c[i, j] = c[i, j] + a[i, j % K]
            T.copy(c, C)
    return main

def pv_like(M, N, D):
    @T.prim_func
    def main(P: T.Tensor((M, N), "float32"), V: T.Tensor((N, D), "float16"), O: T.Tensor((M, D), "float32")):
        with T.Kernel(1, threads=128):
            p = T.alloc_fragment((M, N), "float32")
            v = T.alloc_shared((N, D), "float16")
            o = T.alloc_fragment((M, D), "float32")
            T.copy(P, p)
            T.copy(V, v)
            T.clear(o)
            T.gemm(p, v, o)
            T.copy(o, O)
    return main

def tiny_threads(N, th):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), C: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=th):
            a = T.alloc_shared((N, N), "float16")
            c = T.alloc_fragment((N, N), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, clear_accum=True)
            T.copy(c, C)
    return main

def wide_reduce(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M,), "float32")):
        with T.Kernel(M, threads=256) as bx:
            a = T.alloc_fragment((1, N), "float32")
            c = T.alloc_fragment((1,), "float32")
            T.copy(A[bx, 0], a)
            T.reduce_sum(a, c, dim=1)
            C[bx] = c[0]
    return main

def if_frag_block(N):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), C: T.Tensor((2, N, N), "float32")):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((N, N), "float16")
            c = T.alloc_fragment((N, N), "float32")
            T.clear(c)
            T.copy(A, a)
            if bx == 1:
                T.gemm(a, a, c)
            else:
                T.fill(c, 3.0)
            T.copy(c, C[bx, :, :])
    return main

# Rows of fragments whose layouts differ: what is staged changes the layout of the copy's loop, which
# then serves the other fragment no more.
def halves():
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float64"), O: T.Tensor((16, 64), "bfloat16")):
        with T.Kernel(1, threads=64) as bx:
            a = T.alloc_fragment((16, 64), "float64")
            b = T.alloc_fragment((16, 64), "float32")
            c = T.alloc_fragment((16, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(16, 64):
                b[i, j] = a[i, j] + i
            T.copy(b[0:8, :], c[0:8, :])
            T.copy(b[8:16, :], c[8:16, :])
            T.copy(c, O)
    return main

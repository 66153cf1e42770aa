# Every dtype: through shared memory and fragments with ragged edges, from and to float32 and int32,
# arithmetic, element by element; products of dtypes that are converted.
# RUN: tilec-run %s --entry "every('float64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('bfloat16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e4m3fn')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e5m2')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e4m3fnuz')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e5m2fnuz')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e8m0fnu')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float4_e2m1fn')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int4')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint4')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int8')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint8')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('bool')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float64', 'float64', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e4m3fn', 'float8_e4m3fn', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e5m2fnuz', 'float8_e5m2fnuz', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float4_e2m1fn', 'float4_e2m1fn', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('int4', 'int4', 'int32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('uint4', 'uint4', 'int32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('uint8', 'uint8', 'int32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('int8', 'int8', 'int32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float64', 'float64', 'float64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float16', 'float16', 'float16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e4m3fn', 'float8_e5m2', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e5m2fnuz', 'float8_e4m3fnuz', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float32', 'float16', 'float32')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nibbles(16, 7)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "shared_bytes(15)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "narrower()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chosen_elements()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cleared_elements()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cleared_elements()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "constant_function()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "folded('int4')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "folded('uint4')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "high_bits('uint64')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float64')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('bfloat16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e4m3fn')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e5m2')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e4m3fnuz')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e5m2fnuz')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float8_e8m0fnu')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('float4_e2m1fn')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int4')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint4')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int8')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint8')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('int64')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('uint64')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "every('bool')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float64', 'float64', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e4m3fn', 'float8_e4m3fn', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e5m2fnuz', 'float8_e5m2fnuz', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float4_e2m1fn', 'float4_e2m1fn', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('int4', 'int4', 'int32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('uint4', 'uint4', 'int32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('uint8', 'uint8', 'int32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('int8', 'int8', 'int32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float64', 'float64', 'float64')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float16', 'float16', 'float16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e4m3fn', 'float8_e5m2', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float8_e5m2fnuz', 'float8_e4m3fnuz', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm('float32', 'float16', 'float32')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "nibbles(16, 7)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "shared_bytes(15)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "narrower()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chosen_elements()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "constant_function()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "folded('int4')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "folded('uint4')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "high_bits('uint64')" --target=gfx942 --check --seed 1 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T

def every(d, M=30, N=50):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), d),
        X: T.Tensor((M, N), "float32"),
        I: T.Tensor((M, N), "int32"),
        B: T.Tensor((M, N), d),
        C: T.Tensor((M, N), d),
        D: T.Tensor((M, N), "float32"),
        E: T.Tensor((M, N), d),
        F: T.Tensor((N, M), d),
        G: T.Tensor((M, N), d),
    ):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 16), threads=64) as (bx, by):
            s = T.alloc_shared((16, 32), d)
            f = T.alloc_fragment((16, 32), d)
            w = T.alloc_fragment((16, 32), "float32")
            T.copy(A[by * 16, bx * 32], s)
            T.copy(s, f)
            T.copy(f, B[by * 16, bx * 32])
            T.copy(s, w)
            T.copy(w, D[by * 16, bx * 32])
            for i, j in T.Parallel(16, 32):
                C[by * 16 + i, bx * 32 + j] = T.cast(X[by * 16 + i, bx * 32 + j] * 300.0, d)
                G[by * 16 + i, bx * 32 + j] = T.cast(I[by * 16 + i, bx * 32 + j] * 100, d)
            if d == "bool":
                for i, j in T.Parallel(16, 32):
                    E[by * 16 + i, bx * 32 + j] = f[i, j] and s[15 - i, j]
            else:
                for i, j in T.Parallel(16, 32):
                    E[by * 16 + i, bx * 32 + j] = T.max(f[i, j] + s[15 - i, j], f[i, j] * s[15 - i, j])
        with T.Kernel(1, threads=64) as bx:
            for i, j in T.Parallel(N, M):
                F[i, j] = A[j, i]
    return main

def gemm(d, e, c, M=64, N=64, K=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), d), B: T.Tensor((N, K), e), C: T.Tensor((M, N), c)):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((M, 32), d)
            b = T.alloc_shared((N, 32), e)
            acc = T.alloc_fragment((M, N), c)
            T.clear(acc)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[0, k * 32], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C)
    return main

def nibbles(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int4"), B: T.Tensor((N, M), "int4"), C: T.Tensor((M, N), "uint4"), R: T.Tensor((M,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            f = T.alloc_fragment((M, N), "int32")
            r = T.alloc_fragment((M,), "int32")
            T.copy(A, f)
            T.reduce_sum(f, r, dim=1)
            T.copy(r, R)
            for i, j in T.Parallel(M, N):
                B[j, i] = -A[i, j]
            for i, j in T.Parallel(M, N):
                C[i, j] = T.cast(f[i, j] + 3, "uint4")
    return main

# Bytes whose two elements are written by different blocks and lanes, in an output and in a
# workspace that ends in the middle of a word: nothing was there before.
def shared_bytes(M, N=28):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int4"), O: T.Tensor((M, 27), "int4"), W: T.Tensor((M, N), "int4")):
        half = T.alloc_global((M, 3, 7), "uint4")
        with T.Kernel(2, threads=64) as bx:
            f = T.alloc_fragment((M, 15), "int4")
            T.copy(A[0, bx * 15], f)
            for i, j in T.Parallel(M, 15):
                O[i, bx * 15 + j] = f[i, j]
        with T.Kernel(1, threads=64) as bx:
            for i, j, k in T.Parallel(M, 3, 7):
                half[i, j, k] = T.cast(A[i, j * 7 + k], "uint4")
        with T.Kernel(1, threads=64) as bx:
            for i, j in T.Parallel(M, N):
                W[i, j] = T.if_then_else(j < 21, T.cast(half[i, j // 7, j % 7], "int4"), A[i, j])
    return main

# Folds that begin with a limit: 4 bits do not hold the limits of the 8 that are computed with.
def folded(d, M=15, N=28):
    @T.prim_func
    def main(A: T.Tensor((M, N), d), O: T.Tensor((M, N), d), R: T.Tensor((6, M), d)):
        with T.Kernel(1, threads=64) as bx:
            f = T.alloc_fragment((M, N), d)
            r = T.alloc_fragment((M,), d)
            T.copy(A, f)
            T.reduce_max(f, r, dim=1)
            T.copy(r, R[0, 0:M])
            T.reduce_min(f, r, dim=1)
            T.copy(r, R[1, 0:M])
            T.reduce_bitand(f, r, dim=1)
            T.copy(r, R[2, 0:M])
            for i in T.Parallel(M):
                r[i] = A[i, 0]
            for i, j in T.Parallel(M, N):
                if j % 3 == 1:
                    r[i] = T.max(r[i], f[i, j])
            T.copy(r, R[3, 0:M])
            for i, j in T.Parallel(M, N):
                if j % 3 == 1:
                    r[i] = T.min(r[i], f[i, j])
            T.copy(r, R[4, 0:M])
            T.cumsum(f, dim=0)
            T.reduce_sum(f, r, dim=1)
            T.copy(r, R[5, 0:M])
            T.copy(A, f)
            T.cummax(f, dim=0, reverse=True)
            T.copy(f, O)
    return main

# The function is folded while compiling, and float64 shows how float32 rounded it.
def constant_function():
    @T.prim_func
    def main(O: T.Tensor((64,), "float64"), P: T.Tensor((64,), "float64")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(64):
                O[i] = T.asinh(T.float32(0.5)) + T.float32(i)
                P[i] = T.asinh(T.float32(0.5))
    return main

# From 8 bits to 4, of odd rows: single elements and no vectors.
def narrower():
    @T.prim_func
    def main(A: T.Tensor((17, 33), "float8_e5m2"), B: T.Tensor((17, 33), "float8_e4m3fn"), O: T.Tensor((17, 33), "float4_e2m1fn"), P: T.Tensor((17, 33), "float4_e2m1fn")):
        with T.Kernel(1, threads=64) as bx:
            s = T.alloc_shared((17, 33), "float4_e2m1fn")
            T.copy(A, s)
            T.copy(s, O)
            for i, j in T.Parallel(17, 33):
                s[i, j] = B[i, j]
            T.copy(s, P)
    return main

# Elements of 4 bits that are stored one by one stay in registers.
def chosen_elements():
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), C: T.Tensor((16, 64), "float4_e2m1fn"), O: T.Tensor((16, 64), "float4_e2m1fn")):
        with T.Kernel(1, threads=128) as bx:
            f = T.alloc_fragment((16, 64), "float4_e2m1fn")
            T.copy(A, f)
            for i, j in T.Parallel(16, 64):
                if A[i, j] < 0.25:
                    f[i, j] = A[i, j] + 1.0
            for i, j in T.Parallel(16, 64):
                O[i, j] = C[i, j]
            for i, j in T.Parallel(16, 64):
                if A[i, j] < 0.5:
                    O[i, j] = f[i, j]
    return main

# Zeros of 4 bits: clearing them is all, and must not read the bytes beside them.
def cleared_elements():
    @T.prim_func
    def main(O: T.Tensor((1,), "int4")):
        with T.Kernel(1, threads=64) as bx:
            f = T.alloc_fragment((1,), "int4")
            T.fill(f, 0)
            for i in T.Parallel(1):
                O[i] = f[i]
    return main


def high_bits(d, M=15, N=28):
    # Unsigned values that would be negative ones.
    @T.prim_func
    def main(A: T.Tensor((M, N), d), O: T.Tensor((M, N), d), R: T.Tensor((3, M), d)):
        with T.Kernel(1, threads=64) as bx:
            f = T.alloc_fragment((M, N), d)
            r = T.alloc_fragment((M,), d)
            for i, j in T.Parallel(M, N):
                f[i, j] = A[i, j] - T.cast(j, d)
            T.reduce_max(f, r, dim=1)
            T.copy(r, R[0, 0:M])
            T.reduce_min(f, r, dim=1)
            T.copy(r, R[1, 0:M])
            T.reduce_absmax(f, r, dim=1)
            T.copy(r, R[2, 0:M])
            T.cummax(f, dim=1)
            T.copy(f, O)

    return main

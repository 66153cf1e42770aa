# Kernels of many kinds agree with the cpu reference on both simulated chips: norms, activations,
# atomics, integer, fp8 and f32 products, scans, transposes, scalars, split-K.
# RUN: tilec-run %s --entry "layernorm(16, 256)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "rmsnorm(8, 1024)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gelu(100, 70)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "hist(1000, 16)" --target=gfx950 --check --arg H=zeros | FileCheck %s
# RUN: tilec-run %s --entry "gemm_i8(128, 64, 128)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_fp8(64, 64, 128)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_fp8(64, 64, 128, 'float8_e5m2fnuz')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_fp8(64, 64, 128, 'float8_e4m3fn', 'float8_e5m2')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_f32(64, 64, 96)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cumsum(16, 40)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "transpose(96, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "scalars(1000)" --target=gfx950 --check --arg s=3 --arg n=500 | FileCheck %s
# RUN: tilec-run %s --entry "splitk(64, 128, 256, 2)" --target=gfx950 --check --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "layernorm(16, 256)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "rmsnorm(8, 1024)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gelu(100, 70)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "hist(1000, 16)" --target=gfx942 --check --arg H=zeros | FileCheck %s
# RUN: tilec-run %s --entry "gemm_i8(128, 64, 128)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_fp8(64, 64, 128)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_fp8(64, 64, 128, 'float8_e5m2fnuz')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_fp8(64, 64, 128, 'float8_e5m2fnuz', 'float8_e4m3fnuz')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_f32(64, 64, 96)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cumsum(16, 40)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "transpose(96, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "scalars(1000)" --target=gfx942 --check --arg s=3 --arg n=500 | FileCheck %s
# RUN: tilec-run %s --entry "splitk(64, 128, 256, 2)" --target=gfx942 --check --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "column_sums(300, 64, 32)" --target=gfx942 --check --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "column_sums(300, 64, 32)" --target=gfx950 --check --arg C=zeros | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T

def layernorm(M, N, block_M=4, dtype="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            mean = T.alloc_fragment((block_M,), "float32")
            var = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            for i in T.Parallel(block_M):
                s = T.float32(0.0)
                for j in T.Parallel(N):
                    s += x[i, j]
                mean[i] = s / N
            for i in T.Parallel(block_M):
                v = T.float32(0.0)
                for j in T.Parallel(N):
                    d = x[i, j] - mean[i]
                    v += d * d
                var[i] = v / N
            for i, j in T.Parallel(block_M, N):
                x[i, j] = (x[i, j] - mean[i]) / T.sqrt(var[i] + 1e-5)
            T.copy(x, Y[bx * block_M, 0])
    return main

def rmsnorm(M, N, block_M=2, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=256) as bx:
            xs = T.alloc_shared((block_M, N), dtype)
            p = T.alloc_fragment((block_M, N), "float32")
            x = T.alloc_fragment((block_M, N), "float32")
            s = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M : (bx + 1) * block_M, :], xs)
            T.copy(xs, x)
            for i, j in T.Parallel(block_M, N):
                p[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(p, s, dim=1)
            for i in T.Parallel(block_M):
                s[i] = T.rsqrt(s[i] / N + 1e-6)
            for i, j in T.Parallel(block_M, N):
                x[i, j] *= s[i]
            T.copy(x, Y[bx * block_M : (bx + 1) * block_M, :])
    return main

def gelu(M, N, bM=64, bN=64):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=256) as (bx, by):
            for i, j in T.Parallel(bM, bN):
                x = X[by * bM + i, bx * bN + j]
                Y[by * bM + i, bx * bN + j] = 0.5 * x * (1.0 + T.tanh(0.797885 * (x + 0.044715 * x * x * x)))
    return main

def hist(N, B):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), H: T.Tensor((B,), "int32")):
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            for i in T.Parallel(256):
                T.atomic_add(H[X[bx * 256 + i] + 8], 1)
    return main

def gemm_i8(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "int8"), B: T.Tensor((N, K), "int8"), C: T.Tensor((M, N), "int32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), "int8")
            b = T.alloc_shared((64, 64), "int8")
            c = T.alloc_fragment((64, 64), "int32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])
    return main

def gemm_fp8(M, N, K, dt="float8_e4m3fn", dtB=None):
    dtB = dtB or dt
    @T.prim_func
    def main(A: T.Tensor((M, K), dt), B: T.Tensor((N, K), dtB), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), dt)
            b = T.alloc_shared((64, 64), dtB)
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])
    return main

def gemm_f32(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=64) as (bx, by):
            a = T.alloc_shared((32, 32), "float32")
            b = T.alloc_shared((32, 32), "float32")
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 32)):
                T.copy(A[by * 32, k * 32], a)
                T.copy(B[k * 32, bx * 32], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 32, bx * 32])
    return main

def cumsum(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64) as bx:
            a = T.alloc_shared((M, N), "float32")
            T.copy(A, a)
            T.cumsum(a, dim=1)
            T.copy(a, B)
    return main

def transpose(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((N, M), "float16")):
        with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
            s = T.alloc_shared((32, 32), "float16")
            T.copy(A[by * 32, bx * 32], s)
            for i, j in T.Parallel(32, 32):
                B[bx * 32 + i, by * 32 + j] = s[j, i]
    return main

def scalars(N, a: T.float32 = 2.0):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), s: T.float32, n: T.int32):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                if bx * 128 + i < n:
                    B[bx * 128 + i] = A[bx * 128 + i] * s
                else:
                    B[bx * 128 + i] = T.float32(-1.0)
    return main

def splitk(M, N, K, split):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), split, threads=128) as (bx, by, bz):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((64, 32), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(K // split // 32, num_stages=2):
                T.copy(A[by * 64, bz * (K // split) + k * 32], a)
                T.copy(B[bx * 64, bz * (K // split) + k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.atomic_add(C[by * 64, bx * 64], c)
    return main

# Sums of floats over blocks: the order of the atomics is nobody's, the rule takes that into account.
def column_sums(M, N, block_M):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            s = T.alloc_fragment((block_M, N), "float32")
            c = T.alloc_fragment((N,), "float32")
            T.copy(A[bx * block_M, 0], s)
            T.reduce_sum(s, c, dim=0)
            T.atomic_add(C, c)
    return main

# Tensors with fewer rows than the tile: TMA's boxes end with them (rows outside take it as long as those inside), and
# the rest of each slot is zero from the kernel's begin on.
# RUN: tilec-run %s --entry "product(16, 256, 328)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product(100, 20, 328)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(3, 5000, 256, threads=128, block_M=64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(16, 256, 328)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(16, 256, 328)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(16, 256, 328)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(20, 40)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "attention(20, 40)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "two(16, 96)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "two(16, 96)" --target=gfx942 --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# 16 and 128 rows of 128 bytes; 128 and 24 rows.
# RUN: tilec %s --entry "product(16, 256, 328)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=LEFT
# RUN: tilec %s --entry "product(100, 20, 328)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=BOTH
# LEFT: mov.b32 {{.*}}, 18432;
# LEFT-NEXT: mbarrier.arrive.expect_tx
# BOTH: mov.b32 {{.*}}, 16384;
# BOTH-NEXT: mbarrier.arrive.expect_tx
# A tile that two tensors fill in turn takes whole boxes.
# RUN: tilec %s --entry "two(16, 96)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=TWO
# TWO: mov.b32 {{.*}}, 32768;
# TWO-NEXT: mbarrier.arrive.expect_tx
import tilelang.language as T


def product(M, N, K, block_M=128, block_N=128, block_K=64, threads=256):

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), "float16")
            b = T.alloc_shared((block_N, block_K), "float16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=4):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block_M, bx * block_N])

    return main


# The rows outside of K and V are seen by the maximum and the sum of each row.
def attention(queries, keys, D=64, block_M=64, block_N=64):

    @T.prim_func
    def main(Q: T.Tensor((queries, D), "float16"), K: T.Tensor((keys, D), "float16"), V: T.Tensor((keys, D), "float16"),
             Out: T.Tensor((queries, D), "float32")):
        with T.Kernel(T.ceildiv(queries, block_M), threads=128) as bx:
            q = T.alloc_shared((block_M, D), "float16")
            k = T.alloc_shared((block_N, D), "float16")
            v = T.alloc_shared((block_N, D), "float16")
            s = T.alloc_fragment((block_M, block_N), "float32")
            p = T.alloc_fragment((block_M, block_N), "float16")
            out = T.alloc_fragment((block_M, D), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            part = T.alloc_fragment((block_M,), "float32")
            T.copy(Q[bx * block_M, 0], q)
            T.clear(out)
            T.clear(total)
            for n in T.Pipelined(T.ceildiv(keys, block_N), num_stages=2):
                T.copy(K[n * block_N, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)
                for i, j in T.Parallel(block_M, block_N):
                    s[i, j] = T.exp2(s[i, j] * 0.0625)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(block_M):
                    total[i] += part[i]
                T.copy(s, p)
                T.copy(V[n * block_N, 0], v)
                T.gemm(p, v, out)
            for i, j in T.Parallel(block_M, D):
                out[i, j] /= total[i]
            T.copy(out, Out[bx * block_M, 0])

    return main


def two(M, L, N=128, K=256, block_M=128, block_N=128, block_K=64):

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), D: T.Tensor((L, K), "float16"), B: T.Tensor((N, K), "float16"),
             C: T.Tensor((block_M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), threads=256) as bx:
            a = T.alloc_shared((block_M, block_K), "float16")
            b = T.alloc_shared((block_N, block_K), "float16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(D[0, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[0, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[0, bx * block_N])

    return main

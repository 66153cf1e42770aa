# Products of few tiles and a long K: where the chip has clusters, blocks share a tile, each a part of K.
# RUN: tilec-run %s --entry "product()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(M=100, N=200, K=4160)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(M=16, N=512, block_M=64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(K=8000, block_K=32, transposed=False)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(block_M=192, threads=384, M=192)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(N=200, block_N=80)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(M=256, N=192, K=2048, block_M=256, block_N=192)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(M=128, K=2048, block_N=256, out='float32', through_shared=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='int8', accum='int32', out='int32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='float16', accum='float16', out='float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(out='float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(through_shared=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(M=100, through_shared=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "biased()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "biased(M=100, N=200)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "biased()" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "batched()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "summed_rows()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reread()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(K=4097)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(K=1024)" --target=gfx950 --check | FileCheck %s
# CHECK: PASS
#
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=ptx --remarks 2>&1 | FileCheck %s --check-prefix=SPLIT
# RUN: tilec %s --entry "biased()" --target=sm_90a --emit=ptx --remarks 2>&1 | FileCheck %s --check-prefix=SPLIT
# RUN: tilec %s --entry "batched()" --target=sm_90a --emit=ptx --remarks 2>&1 | FileCheck %s --check-prefix=SPLIT
# SPLIT: remark: 8 blocks share each of the 2 tiles, each a part of K
# SPLIT: .reqnctapercluster 8, 1, 1
# SPLIT: barrier.cluster.wait.aligned
# SPLIT: ld.shared::cluster.v4.b32
#
# Sums that fill most of shared memory lie where the rings were: the allocator says that both fit.
# RUN: tilec %s --entry "product(M=256, N=192, K=2048, block_M=256, block_N=192)" --target=sm_90a --emit=ptx --remarks 2>&1 | FileCheck %s --check-prefix=LARGE
# RUN: tilec %s --entry "product(M=128, K=2048, block_N=256, out='float32', through_shared=True)" --target=sm_90a --emit=ptx --remarks 2>&1 | FileCheck %s --check-prefix=LARGE
# LARGE: remark: {{[248]}} blocks share each of the 1 tiles, each a part of K
#
# What names a schedule, has tiles enough or little to do, or needs whole tiles behind the loop stays as it is.
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=ptx --schedule=producer_consumer | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "product(K=512)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "product(M=4096, N=4096)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "summed_rows()" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "reread()" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "product(dtype='float32', out='float32')" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "product()" --target=sm_80 --emit=ptx | FileCheck %s --check-prefix=WHOLE
# WHOLE-NOT: ld.shared::cluster
# WHOLE: ret
import tilelang.language as T


def product(M=128, N=256, K=4096, block_M=128, block_N=128, block_K=64, threads=256, dtype="bfloat16", accum="float32", out="bfloat16",
            transposed=True, through_shared=False):
    b_shape = (N, K) if transposed else (K, N)
    b_tile = (block_N, block_K) if transposed else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared(b_tile, dtype)
            c = T.alloc_fragment((block_M, block_N), accum)
            c_shared = T.alloc_shared((block_M, block_N), out)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[by * block_M, k * block_K], a)
                if transposed:
                    T.copy(B[bx * block_N, k * block_K], b)
                else:
                    T.copy(B[k * block_K, bx * block_N], b)
                T.gemm(a, b, c, transpose_B=transposed)
            if through_shared:
                T.copy(c, c_shared)
                T.copy(c_shared, C[by * block_M, bx * block_N])
            else:
                T.copy(c, C[by * block_M, bx * block_N])

    return main


def biased(M=128, N=256, K=4096):
    """Each row is changed by itself behind the loop, by values of columns and of rows."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), bias: T.Tensor((N,), "float32"),
             scale: T.Tensor((M,), "float32"), D: T.Tensor((M, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            for i, j in T.Parallel(128, 128):
                c[i, j] = T.max(c[i, j] * scale[by * 128 + i] + bias[bx * 128 + j], 0)
            for i, j in T.Parallel(128, 128):
                if j % 2 == 0:
                    c[i, j] = c[i, j] + D[by * 128 + i, bx * 128 + j]
            T.copy(c, C[by * 128, bx * 128])

    return main


def batched(batch=2, K=4096):
    @T.prim_func
    def main(A: T.Tensor((batch, 64, K), "float16"), B: T.Tensor((batch, 128, K), "float16"), C: T.Tensor((batch, 64, 128), "float32")):
        with T.Kernel(1, batch, threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((128, 64), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=4):
                T.copy(A[by, 0, k * 64], a)
                T.copy(B[by, 0, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by, 0, 0])

    return main


def summed_rows(M=128, N=256, K=4096):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=256) as bx:
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            total = T.alloc_fragment((128,), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            T.reduce_sum(c, total, dim=0)
            T.copy(total, C[bx * 128])

    return main


def reread(M=128, N=256, K=4096):
    """A row of C is read again, behind what another block would write."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32"), D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=256) as bx:
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[0, bx * 128])
            for i, j in T.Parallel(128, 128):
                D[i, bx * 128 + j] = c[i, j] + C[127 - i, bx * 128 + j]

    return main

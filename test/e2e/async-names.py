# Copies, products and barriers as authors of asynchronous code write them: a statement has finished when the
# next one reads what it has written.
# RUN: tilec-run %s --entry "groups(100, 3)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "groups(100, 3)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "groups(100, 3)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "groups(100, 3)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(100, 72, 136)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(100, 72, 136)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(100, 72, 136)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(100, 72, 136)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "into_tensor(100, 72, 136)" --target=gfx942 --device=sim --arg=C=randn --check | FileCheck %s
# RUN: tilec-run %s --entry "into_tensor(100, 72, 136)" --target=gfx950 --device=sim --arg=C=randn --check | FileCheck %s
# RUN: tilec-run %s --entry "into_tensor(100, 72, 136)" --target=sm_80 --device=ptx --arg=C=randn --check | FileCheck %s
# RUN: tilec-run %s --entry "into_tensor(100, 72, 136)" --target=sm_90a --device=ptx --arg=C=randn --check | FileCheck %s
# RUN: tilec-run %s --entry "barriers(128, 192, 136, 2)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "barriers(100, 72, 136, 3)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "narrow_sums(100, 200, 136)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "narrow_sums(100, 200, 136)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "narrow_sums(100, 200, 136)" --target=gfx950 --device=sim --check | FileCheck %s
#
# CHECK: result PASS
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


# The copy of the next rows is asked for before the present ones are used, in slots that take turns.
def groups(N, rows):
    @T.prim_func
    def main(A: T.Tensor((rows, N), "float32"), C: T.Tensor((rows, N), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((2, N), "float32")
            T.async_copy(A[0, 0:N], s[0, 0:N])
            T.ptx_commit_group()
            for r in T.serial(rows):
                if r + 1 < rows:
                    T.async_copy(A[r + 1, 0:N], s[(r + 1) % 2, 0:N])
                    T.ptx_commit_group()
                    T.ptx_wait_group(1)
                else:
                    T.ptx_wait_group(0)
                first = T.int32()
                T.let(first, r % 2)
                for i in T.Parallel(N):
                    C[r, i] = s[first, N - 1 - i] * 2.0
    return main


def product(M, N, K, block=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.ClusterKernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128, cluster_dims=(2, 1, 1)) as (bx, by):
            a = T.alloc_shared((block, 32), "float16")
            b = T.alloc_shared((32, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=0):
                T.async_copy(A[by * block, k * 32], a, coalesced_width=8)
                T.async_copy(B[k * 32, bx * block], b)
                T.cp_async_wait_group(0)
                T.gemm(a, b, c)
            T.copy(c, C[by * block, bx * block])
    return main


# A sum in a tensor: what is there counts, and is replaced where it is cleared.
def into_tensor(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 64), threads=128) as by:
            a = T.alloc_shared((64, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            T.copy(A[by * 64, 0], a)
            T.copy(B, b)
            T.gemm(a, b, C[by * 64:by * 64 + 64, 0:N])
            T.gemm(a, b, D[by * 64:by * 64 + 64, 0:N], clear_accum=True)
    return main


def barriers(M, N, K, stages):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            out = T.alloc_shared((128, 64), "float16")
            c = T.alloc_fragment((128, 64), "float32")
            ready = T.alloc_barrier([128, 128])
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=stages):
                T.tma_copy(A[by * 128, k * 64], a, barrier=ready[0])
                T.barrier_arrive(ready[0])
                T.tma_copy(B[k * 64, bx * 64], b, barrier=ready[1])
                T.mbarrier_arrive(mbarrier=ready[1])
                T.barrier_wait(ready[0], k % 2)
                T.mbarrier_wait_parity(mbarrier=ready[1], parity=k % 2)
                T.wgmma_gemm(a, b, c)
                T.wait_wgmma(0)
            T.copy(c, out)
            T.fence_proxy_async()
            T.tma_copy(out, C[by * 128, bx * 64])
            T.tma_store_arrive()
            T.tma_store_wait()
    return main


# The sum in 16 bits is one in 32 that is rounded at the end: threads= is a wish for both.
def narrow_sums(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 256), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 256), "float16")
            c = T.alloc_fragment((128, 256), "float16")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 256], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 256])
    return main

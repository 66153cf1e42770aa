# Copies under conditions of their own run ahead, beside those of each round: `concat` brings a tile from one of two
# tensors, whichever the round's number says; `second` multiplies again, by a tile of its own, in rounds that a tensor
# names.
# RUN: tilec-run %s --entry "concat()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "concat(stages=2, rule='flag')" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "concat()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "concat(rule='flag')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "concat(stages=2)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "concat(rule='flag')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "second()" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "second(stages=2)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "second(other=True)" --target=sm_80 --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "second()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "second()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "second(stages=2, other=True)" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "concat()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "concat(rule='flag')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "concat()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "concat(rule='flag')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "second()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "second(stages=2)" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "second(other=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# PLANNED: planned: copies start {{[12]}} round{{s?}} ahead
# RUN: tilec %s --entry "second()" --target=sm_90a --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
# REMARK: remark: no producer warp copies for this loop: a copy stands under a condition of its own
#
# A tile that keeps what an earlier round brought cannot have several slots.
# RUN: tilec-run %s --entry "kept()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "kept()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=KEPT
# KEPT: unplanned: a copy of each round goes through registers
import tilelang.language as T


def concat(M=128, N=64, K=256, block_K=32, stages=3, rule="number"):
    @T.prim_func
    def main(A: T.Tensor((M, K // 2), "float16"), A2: T.Tensor((M, K // 2), "float16"), B: T.Tensor((N, K), "float16"),
             F: T.Tensor((K // block_K,), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64, threads=128) as by:
            a = T.alloc_shared((64, block_K), "float16")
            b = T.alloc_shared((N, block_K), "float16")
            c = T.alloc_fragment((64, N), "float32")
            T.clear(c)
            for k in T.Pipelined(K // block_K, num_stages=stages):
                if k * block_K < K // 2 if rule == "number" else F[k] % 2 == 0:
                    T.copy(A[by * 64, k * block_K % (K // 2)], a)
                else:
                    T.copy(A2[by * 64, k * block_K % (K // 2)], a)
                T.copy(B[0, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, 0])

    return main


def second(M=128, N=64, K=256, block_K=32, stages=3, other=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), D: T.Tensor((N, K), "float16"),
             F: T.Tensor((K // block_K,), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64, threads=128) as by:
            a = T.alloc_shared((64, block_K), "float16")
            b = T.alloc_shared((N, block_K), "float16")
            d = T.alloc_shared((N, block_K), "float16")
            c = T.alloc_fragment((64, N), "float32")
            T.clear(c)
            for k in T.Pipelined(K // block_K, num_stages=stages):
                T.copy(A[by * 64, k * block_K], a)
                T.copy(B[0, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
                if F[k] % 2 == 0:
                    if other:
                        for i, j in T.Parallel(64, N):
                            c[i, j] *= 0.5
                else:
                    T.copy(D[0, k * block_K], d)
                    T.gemm(a, d, c, transpose_B=True)
            T.copy(c, C[by * 64, 0])

    return main


def kept(N=64, K=256, block_K=32):
    @T.prim_func
    def main(A: T.Tensor((64, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((64, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, block_K), "float16")
            b = T.alloc_shared((N, block_K), "float16")
            c = T.alloc_fragment((64, N), "float32")
            T.clear(c)
            T.clear(b)
            for k in T.Pipelined(K // block_K, num_stages=3):
                T.copy(A[0, k * block_K], a)
                if k % 3 == 1:
                    T.copy(B[0, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)

    return main

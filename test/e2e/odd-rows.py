# Rows that no access may be wide in: on NVIDIA lanes take a word's elements each, side by side, and read them by a mask
# without a branch; on AMD accesses begin anywhere. Products whose operands have such rows, sums over them, bytes, and rows
# of an even pitch.
# RUN: tilec-run %s --entry "product()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(M=130, N=134, K=100)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='int8', accum='int32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums(dtype='uint8')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(dtype='float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "sums()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=WORDS
# RUN: tilec %s --entry "sums(columns=2048)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=WIDE
# RUN: tilec %s --entry "sums()" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=WIDE
# RUN: tilec %s --entry "sums()" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
# CHECK: PASS
# WORDS: tile.alloc "x" layout(#tile.fragment<shape = [512] register = {{\[\[}}1]] lane = {{\[\[}}2], [4]
# WIDE: tile.alloc "x" layout(#tile.fragment<shape = [512] register = {{\[\[}}1], [2]
# PTX: @p ld.global.nc.b16 %r{{[0-9]+}}, [%rd[[BASE:[0-9]+]]];
# PTX: @p ld.global.nc.b16 %r{{[0-9]+}}, [%rd[[BASE]]+2];
import tilelang.language as T


def product(M=131, N=133, K=101, dtype="float16", accum="float32"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), dtype)
            b = T.alloc_shared((32, 64), dtype)
            c = T.alloc_fragment((64, 64), accum)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return main


def sums(columns=1027, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((6, columns), dtype), Y: T.Tensor((6,), "float32")):
        with T.Kernel(6, threads=64) as bx:
            x = T.alloc_fragment((512,), "float32")
            s = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            total[0] = 0.0
            for k in T.serial(T.ceildiv(columns, 512)):
                for j in T.Parallel(512):
                    x[j] = T.if_then_else(k * 512 + j < columns, T.cast(X[bx, k * 512 + j], "float32"), 0.0)
                for j in T.Parallel(512):
                    x[j] = x[j] * 0.5
                T.reduce_sum(x, s, dim=0)
                total[0] += s[0]
            Y[bx] = total[0]

    return main

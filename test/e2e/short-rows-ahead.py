# On AMD, tiles that fill no whole instruction of a wave run ahead beside others, and what a round leaves in flight are
# copies that every wave has a part in: rows of 32 floats and 48 halves (some lanes copy), tiles of one wave of two (a wait
# for them would be one for everything), tiles that are all short (nothing to count on: not planned).
# RUN: tilec %s --target=gfx950 --entry "rows()" --emit=report | FileCheck %s --check-prefix=PLAN
# RUN: tilec %s --target=gfx942 --entry "rows()" --emit=report | FileCheck %s --check-prefix=PLAN
# RUN: tilec %s --target=gfx950 --entry "narrow()" --emit=report | FileCheck %s --check-prefix=PLAN
# RUN: tilec %s --target=gfx942 --entry "narrow(lanes=8)" --emit=report | FileCheck %s --check-prefix=PLAN
# RUN: tilec %s --target=gfx950 --entry "only_rows()" --emit=report | FileCheck %s --check-prefix=NONE
# RUN: tilec-run %s --device=cpu --entry "rows()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "rows()" --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "rows()" --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "rows(M=300, block=48, threads=128)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "rows(M=292, block=48, threads=128)" --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "narrow()" --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "narrow(lanes=8)" --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "only_rows()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "rows()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "rows(M=256, block=64)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "narrow()" --check | FileCheck %s
# PLAN: planned: copies start
# NONE-NOT: : planned
# CHECK: PASS
import tilelang.language as T


def rows(M=256, N=64, K=64, block=32, threads=128):
    """Scales and shifts of a round's rows, of two types."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), S: T.Tensor((M,), "float32"), H: T.Tensor((M,), "float16"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((block, K), "float16")
            b = T.alloc_shared((N, K), "float16")
            scale = T.alloc_shared((block,), "float32")
            shift = T.alloc_shared((block,), "float16")
            product = T.alloc_fragment((N, block), "float32")
            part = T.alloc_fragment((N,), "float32")
            sums = T.alloc_fragment((N,), "float32")
            T.copy(B, b)
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(M, block), num_stages=2):
                T.copy(A[k * block, 0], a)
                T.copy(S[k * block], scale)
                T.copy(H[k * block], shift)
                T.clear(product)
                T.gemm(b, a, product, transpose_B=True)
                for i, j in T.Parallel(N, block):
                    product[i, j] = T.if_then_else(k * block + j < M, product[i, j] * scale[j] + shift[j], 0)
                T.reduce_sum(product, part, dim=1)
                for i in T.Parallel(N):
                    sums[i] += part[i]
            T.copy(sums, C)

    return main


def narrow(M=64, N=64, rounds=8, lanes=16, threads=128):
    """The smallest tile is of one wave: another one is that which a wait leaves in flight."""

    @T.prim_func
    def main(A: T.Tensor((rounds * M, 32), "float16"), W: T.Tensor((rounds * 32, lanes), "int8"), C: T.Tensor((M, 32), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((M, 32), "float16")
            w = T.alloc_shared((32, lanes), "int8")
            wide = T.alloc_shared((32, 32), "float16")
            sums = T.alloc_fragment((M, 32), "float32")
            T.clear(sums)
            for k in T.Pipelined(rounds, num_stages=2):
                T.copy(A[k * M, 0], a)
                T.copy(W[k * 32, 0], w)
                for i, j in T.Parallel(32, 32):
                    wide[i, j] = T.cast(w[i, j % lanes], "float16") * 0.0625
                T.gemm(a, wide, sums)
            T.copy(sums, C)

    return main


def only_rows(M=256, block=32, threads=64):
    @T.prim_func
    def main(S: T.Tensor((M,), "float32"), C: T.Tensor((block,), "float32")):
        with T.Kernel(1, threads=threads):
            row = T.alloc_shared((block,), "float32")
            sums = T.alloc_fragment((block,), "float32")
            T.clear(sums)
            for k in T.Pipelined(M // block, num_stages=2):
                T.copy(S[k * block], row)
                for i in T.Parallel(block):
                    sums[i] += row[i]
            T.copy(sums, C)

    return main

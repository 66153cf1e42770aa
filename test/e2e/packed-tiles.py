# Shared tiles of 4-bit integers that copies fill in a loop with stages have the tensor's bytes, so that the copies run ahead,
# and what reads them takes half a byte: operands of products, and loops over elements. Boxes that end outside of the tensor,
# of a batch, and behind an offset; not rows of odd length, which begin within a byte.
# RUN: tilec-run %s --entry "products()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products(dtype='uint4', M=100, K=230)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "products(dtype='uint4', M=100, K=230)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products(M=100, K=232)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "products(K=231)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "products(K=0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=gfx942 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled(dtype='uint4')" --target=sm_80 --device=ptx --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "scaled(first=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "products()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "products()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "products()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "products()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "scaled()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "products()" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=BYTES
# RUN: tilec %s --entry "scaled()" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=BYTES
# RUN: tilec %s --entry "products(K=231)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --entry "scaled(first=1)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# CHECK: PASS
# PLANNED: : planned: copies start
# HELD: : planned: tiles are read 1 round ahead to registers
# BYTES: tile.alloc "a" {{.*}} !tile.buffer<[64, 32], ui8, shared>
# KEPT: tile.alloc "a" {{.*}} !tile.buffer<[64, 64], i4, shared>
import tilelang.language as T


def products(M=128, N=128, K=256, bm=64, bn=64, bk=64, threads=128, stages=3, dtype="int4"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "int32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), dtype)
            b = T.alloc_shared((bn, bk), dtype)
            c = T.alloc_fragment((bm, bn), "int32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                T.copy(A[by * bm, k * bk], a)
                T.copy(B[bx * bn, k * bk], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])

    return main


# Weights of a batch, with a scale for each row, from a column on.
def scaled(batch=2, M=64, N=64, K=256, bm=64, bn=64, bk=64, threads=128, dtype="int4", first=32):
    @T.prim_func
    def main(W: T.Tensor((batch, M, K + first), dtype), S: T.Tensor((M,), "float16"), B: T.Tensor((batch, N, K), "float16"),
             C: T.Tensor((batch, M, N), "float32")):
        with T.Kernel(batch, threads=threads) as bz:
            a = T.alloc_shared((bm, bk), dtype)
            wide = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            s = T.alloc_shared((bm,), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.copy(S, s)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                T.copy(W[bz, 0:bm, first + k * bk : first + (k + 1) * bk], a)
                T.copy(B[bz, 0, k * bk], b)
                for i, j in T.Parallel(bm, bk):
                    wide[i, j] = T.cast(a[i, j], "float16") * s[i]
                T.gemm(wide, b, c, transpose_B=True)
            T.copy(c, C[bz, 0, 0])

    return main

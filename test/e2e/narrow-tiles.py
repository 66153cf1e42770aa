# Tiles of products that are wider and longer than their tensors lose what no tensor gets (Normalize/NarrowTiles.cpp):
# columns of B and C in both orders, rows of A and C, with a round whose K ends inside of it, a C that goes through shared
# memory, and one that a loop over elements keeps as it is.
# RUN: tilec-run %s --entry "product(100, 72)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(40, 328, transposed=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(40, 72, transposed=True, threads=256)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(40, 72, staged=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(40, 72, scaled=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(40, 72, staged=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(40, 130, transposed=True, threads=256)" --target=gfx942 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def product(m, n, k=104, transposed=False, staged=False, scaled=False, threads=128):
    bm, bn, bk = 128, 256, 32
    shape, tile = ((n, k), (bn, bk)) if transposed else ((k, n), (bk, bn))

    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor(shape, "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared(tile, "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for r in T.Pipelined(T.ceildiv(k, bk), num_stages=2):
                T.copy(A[by * bm, r * bk], a)
                if transposed:
                    T.copy(B[bx * bn, r * bk], b)
                else:
                    T.copy(B[r * bk, bx * bn], b)
                T.gemm(a, b, c, transpose_B=transposed)
            if scaled:
                for i, j in T.Parallel(bm, bn):
                    c[i, j] = c[i, j] * 0.5
            if staged:
                o = T.alloc_shared((bm, bn), "float16")
                T.copy(c, o)
                T.copy(o, C[by * bm, bx * bn])
            else:
                T.copy(c, C[by * bm, bx * bn])

    return main

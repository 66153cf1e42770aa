# A guard that a whole run of elements answers alike, as one of rows and a tile's columns: the elements move together.
# RUN: tilec-run %s --entry "dots()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "dots(rows=77)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "dots(rows=77)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "dots(rows=77, columns=100)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "dots()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=WIDE
# CHECK: result {{ *}}PASS
# WIDE-COUNT-8: ld.global.nc.v4.b32
# WIDE-NOT: ld.global.b16
import tilelang.language as T


def dots(rows=128, columns=128, block=32):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float16"), B: T.Tensor((rows, columns), "float16"), Length: T.Tensor((1,), "int32"),
             C: T.Tensor((rows,), "float32")):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as bx:
            a = T.alloc_fragment((block, block), "float16")
            b = T.alloc_fragment((block, block), "float16")
            products = T.alloc_fragment((block, block), "float32")
            sums = T.alloc_fragment((block,), "float32")
            length = T.min(T.abs(Length[0]), rows)
            T.clear(products)
            for k in range(T.ceildiv(columns, block)):
                for i, j in T.Parallel(block, block):
                    if bx * block + i < length and k * block + j < columns:
                        a[i, j] = A[bx * block + i, k * block + j]
                        b[i, j] = B[bx * block + i, k * block + j]
                    else:
                        a[i, j] = 0.0
                        b[i, j] = 0.0
                for i, j in T.Parallel(block, block):
                    products[i, j] += a[i, j] * b[i, j]
            T.reduce_sum(products, sums, dim=1)
            for i in T.Parallel(block):
                if bx * block + i < rows:
                    C[bx * block + i] = sums[i]

    return main

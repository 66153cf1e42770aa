# Products in the tiles that tilec.tiles gives, imported in each of the three ways.
# RUN: tilec-run %s --entry "product(300, 200, 136)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 136)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 136)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 136)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 144, 'float16', False)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 144, 'int8')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 144, 'int8')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(96, 80, 64, 'float32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(96, 80, 64, 'float32')" --target=sm_89 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(300, 200, 136)" --device=cpu --check | FileCheck %s
# CHECK: PASS
#
# They are functions of the shape and the chip.
# RUN: tilec %s --entry "product(16384, 16384, 16384)" --target=gfx950 --emit=tile | FileCheck %s --check-prefix=LARGE
# RUN: tilec %s --entry "product(1024, 1024, 1024)" --target=gfx950 --emit=tile | FileCheck %s --check-prefix=SMALL
# RUN: tilec %s --entry "product(8192, 8192, 8192)" --target=sm_90a --emit=tile | FileCheck %s --check-prefix=TURNS
# RUN: tilec %s --entry "product(8192, 8192, 8192, 'int8')" --target=sm_90a --emit=tile | FileCheck %s --check-prefix=BYTES
# LARGE: threads(512)
# LARGE: <[256, 64], bf16, shared>
# SMALL: threads(256)
# SMALL: <[128, 64], bf16, shared>
# TURNS: threads(128)
# TURNS: <[128, 64], bf16, shared>
# TURNS: <[144, 64], bf16, shared>
# BYTES: <[128, 128], i8, shared>
#
# RUN: not tilec %s --entry "unknown()" --target=sm_90a 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# UNKNOWN: tiles.py:[[#]]:{{[0-9]+}}: error: module `tilec.tiles` has no attribute `produkt`; did you mean `product`? [NoAttribute]
import tilec.tiles as of_tiles
import tilelang.language as T
from tilec import tiles
from tilec.tiles import product as tiles_of


def product(M, N, K, dtype="bfloat16", transpose_B=True):
    tile = tiles.product(M, N, K, dtype, transpose_B)
    assert tile == tiles_of(M, N, K, dtype, transpose_B) == of_tiles.candidates(M, N, K, dtype, transpose_B)[0]
    assert len(of_tiles.candidates(M, N, K, dtype, count=2)) == 2
    block_M, block_N, block_K = tile["block_M"], tile["block_N"], tile["block_K"]
    accum = "int32" if dtype == "int8" else "float32"
    b_shape, b_tile = ((N, K), (block_N, block_K)) if transpose_B else ((K, N), (block_K, block_N))

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=tile["threads"]) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared(b_tile, dtype)
            c = T.alloc_fragment((block_M, block_N), accum)
            T.use_swizzle(tile["panel_size"])
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=tile["num_stages"]):
                T.copy(A[by * block_M, k * block_K], a)
                if transpose_B:
                    T.copy(B[bx * block_N, k * block_K], b)
                else:
                    T.copy(B[k * block_K, bx * block_N], b)
                T.gemm(a, b, c, transpose_B=transpose_B)
            T.copy(c, C[by * block_M, bx * block_N])

    return main


def unknown():
    return tiles.produkt(64, 64, 64)

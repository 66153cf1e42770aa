# Nibbles that a round unpacks straight from a tensor: the bytes of a lane are neighbours, also where two elements have one
# of them and the row's place stands in the quotient (Normalize/SimplifyOffsets.cpp, ToWave/Runs.cpp). One read of four
# bytes for eight elements.
# RUN: tilec %s --target=sm_90a --entry "unpack()" --emit=ptx | FileCheck %s --implicit-check-not="ld.global"
# RUN: tilec %s --target=gfx950 --entry "unpack()" --emit=asm | FileCheck %s --check-prefix=AMD
# CHECK: ld.global.nc.b32
# AMD-NOT: buffer_load_ubyte
# AMD-NOT: global_load_ubyte
# AMD: ds_write_b128
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "unpack()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx942 --check --entry "unpack()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx950 --check --entry "unpack(K=96)" | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T


def unpack(M=32, K=256, block=32):
    @T.prim_func
    def main(Q: T.Tensor((M, K // 2), "uint8"), C: T.Tensor((M, block), "float32")):
        with T.Kernel(1, threads=128) as bx:
            tile = T.alloc_shared((M, block), "bfloat16")
            sums = T.alloc_fragment((M, block), "float32")
            T.clear(sums)
            for k in T.serial(K // block):
                for i, j in T.Parallel(M, block):
                    tile[i, j] = T.cast((Q[i, (k * block + j) // 2] >> (j % 2 * 4)) & 15, "bfloat16")
                for i, j in T.Parallel(M, block):
                    sums[i, j] += tile[i, block - 1 - j]
            T.copy(sums, C)

    return main

# RUN: tilec %s --entry "rows()" --target=sm_90a --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --entry "rows()" --target=sm_90a --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --entry "rows(shift=1)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "rows(rewrites=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "rows()" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "rows(rewrites=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
#
# A loop over elements that fills a tile with rows by number is copied ahead like a T.copy, the numbers with it. A lane
# has 128 bytes of a row at a time: its pieces of other lines have the same row, so that it reads two numbers, not eight.
import tilelang.language as T


def rows(shift=0, rewrites=False):
    @T.prim_func
    def main(Q: T.Tensor((64, 128), "float16"), KV: T.Tensor((512, 136), "float16"), Numbers: T.Tensor((256,), "int32"),
             C: T.Tensor((64, 256), "float32")):
        with T.Kernel(1, threads=256) as bx:
            q = T.alloc_shared((64, 128), "float16")
            kv = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(Q, q)
            for k in T.Pipelined(4, num_stages=2):
                for i, j in T.Parallel(64, 128):
                    kv[i, j] = KV[Numbers[k * 64 + i], j + shift]
                T.clear(c)
                T.gemm(q, kv, c, transpose_B=True)
                if rewrites:
                    T.copy(c, kv[:, :64])
                T.copy(c, C[0, k * 64])

    return main


# CHECK:      [[RING:%.*]] = tile.alloc "kv" {{.*}} !tile.buffer<[3, 64, 128], f16, shared>
# CHECK:      tile.gather
# CHECK-NEXT:   tile.load {{.*}} i32
# CHECK:        tile.store {{.*}} [[RING]]
# CHECK:      tile.async_commit
# CHECK:      tile.for
# CHECK:        tile.async_wait 1
# CHECK:        tile.barrier
# CHECK:        tile.gather
# CHECK:        tile.async_commit
# CHECK:        tile.gemm
# NONE-NOT: tile.gather
# Twice in front of the loop, and in it: 64 rows of 256 bytes are 4 pieces of 16 bytes a lane.
# WAVE-COUNT-12: wave.cp_async %KV{{.*}} bytes 16
# WAVE-NOT:     wave.cp_async %KV

# RUN: tilec %s --entry "picked()" --target=gfx950 --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --entry "picked(stages=3)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --entry "picked(same=True)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "picked(mixed=True)" --target=gfx950 --emit=report --remarks 2>&1 | FileCheck %s --check-prefix=MIXED
# RUN: tilec %s --entry "picked()" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --entry "picked(written=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --entry "picked()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=REPORT
#
# Copies are counted, and so would be what lanes read of `Numbers` in a round. The numbers are copied, ahead of the rows:
# a tile of them is there before the round that starts their rows.
import tilelang.language as T


def picked(stages=2, same=False, mixed=False, written=False, rows=64, dim=128):
    @T.prim_func
    def main(Q: T.Tensor((64, dim), "float16"), KV: T.Tensor((1000, dim), "float16"), Numbers: T.Tensor((1024,), "int32"),
             C: T.Tensor((64, 1024), "float32")):
        with T.Kernel(1, threads=256) as bx:
            q = T.alloc_shared((64, dim), "float16")
            kv = T.alloc_shared((rows, dim), "float16")
            c = T.alloc_fragment((64, rows), "float32")
            T.copy(Q, q)
            for k in T.Pipelined(1024 // rows, num_stages=stages):
                for i, j in T.Parallel(rows, dim):
                    if same:
                        kv[i, j] = KV[Numbers[i], j]
                    elif mixed:
                        kv[i, j] = KV[Numbers[(k * 3 + i) // 2], j]
                    else:
                        kv[i, j] = KV[Numbers[k * rows + i], j]
                T.clear(c)
                T.gemm(q, kv, c, transpose_B=True)
                T.copy(c, C[0, k * rows])
                if written:
                    Numbers[k] = 0
    return main


# Four slots of rows run three rounds ahead, their numbers five, of which each has a place of its own and the next one.
# CHECK: [[AHEAD:%.*]] = tile.alloc "Numbers_ahead" {{.*}} : !tile.buffer<[8, 64], i32, shared>
# CHECK-COUNT-5: tile.async_copy {{.*}} {uncounted}
# CHECK-NOT: tile.async_copy
# CHECK: tile.async_wait 0
# CHECK-NEXT: tile.barrier
# CHECK-COUNT-3: tile.gather
# CHECK: tile.for
# CHECK: tile.async_wait 2
# CHECK-NEXT: tile.barrier
# CHECK: tile.async_copy {{.*}} {uncounted}
# CHECK: tile.gather
# CHECK-NEXT: tile.load [[AHEAD]]
# CHECK: tile.async_commit

# THREE: tile.alloc "Numbers_ahead" {{.*}} : !tile.buffer<[4, 64], i32, shared>
# THREE-COUNT-3: tile.async_copy {{.*}} {uncounted}
# THREE-NOT: tile.async_copy
# THREE: tile.for
# THREE: tile.async_wait 1

# Numbers of all rounds are read in front of them.
# SAME: scf.for
# SAME-NOT: wave.global_read
# SAME: wave.load_to_shared
# SAME-NOT: wave.global_read

# MIXED: planned: tiles are read 1 round ahead to registers

# Pieces of four bytes are slower than registers; and numbers that the loop writes are not read ahead.
# NARROW-NOT: tile.gather

# REPORT: planned: copies start 3 rounds ahead

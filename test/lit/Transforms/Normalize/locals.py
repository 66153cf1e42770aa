# Where local buffers of the block are: in every thread, spread over the block, or in shared memory.
# RUN: tilec %s --target=gfx950 --emit=tile-laid-out | FileCheck %s
# RUN: tilec %s --target=gfx950 --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec %s --target=gfx950 --emit=report --json | FileCheck %s --check-prefix=JSON
#
# CHECK:     tile.alloc "permuted" {{.*}} : !tile.buffer<[16, 8], f32, shared>
# CHECK:     tile.alloc "rows" {{.*}} : !tile.buffer<[16], f32, fragment>
# CHECK:     tile.alloc "few" : !tile.buffer<[4], f32, local>
# CHECK:     tile.alloc "many" {{.*}} : !tile.buffer<[40], f32, shared>
# CHECK:     tile.alloc "all" : !tile.buffer<[1], f32, local>
# CHECK:     tile.alloc "tile" {{.*}} : !tile.buffer<[16, 8], f32, fragment>
# A fill of what every thread has is done by every thread.
# CHECK-COUNT-4: tile.store %{{.*}}, %few[%c
# CHECK:     tile.alloc "own" : !tile.buffer<[2], f32, local>
#
# REPORT:      local buffer permuted[16, 8] float32 of main: shared memory
# REPORT-NEXT: local buffer rows[16] float32 of main: registers, spread over the threads of the block
# REPORT-NEXT: local buffer few[4] float32 of main: registers, a copy in every thread
# REPORT-NEXT: local buffer many[40] float32 of main: shared memory
# REPORT-NEXT: local buffer all[1] float32 of main: registers, a copy in every thread
# REPORT-NEXT: local buffer tile[16, 8] float32 of main: registers, spread over the threads of the block
# REPORT-NEXT: local buffer own[2] float32 of main: registers, one buffer an iteration
#
# JSON: "local_buffers": [
# JSON:   "kernel": "main"
# JSON:   "name": "permuted"
# JSON:   "place": "shared memory"
# JSON:   "type": "[16, 8] float32"
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 8), "float32"), C: T.Tensor((16, 8), "float32"), D: T.Tensor((16,), "float32")):
    with T.Kernel(1, threads=64):
        permuted = T.alloc_local((16, 8), "float32")
        rows = T.alloc_local((16,), "float32")
        few = T.alloc_local((4,), "float32")
        many = T.alloc_local((40,), "float32")
        all = T.alloc_local((1,), "float32")
        tile = T.alloc_local((16, 8), "float32")
        T.copy(A, permuted)
        T.copy(A, tile)
        T.clear(few)
        T.clear(many)
        all[0] = 1.0
        for i, j in T.Parallel(16, 8):
            all[0] += A[i, j]
        for k in T.serial(4):
            few[k] = many[k * 2] + all[0]
        for k in T.serial(3):
            many[k + 5] = few[k]
        T.reduce_sum(tile, rows, dim=1)
        for i, j in T.Parallel(16, 8):
            own = T.alloc_local((2,), "float32")
            own[0] = tile[i, j]
            own[1] = permuted[15 - i, j]
            C[i, j] = own[0] * own[1] + few[j % 4] + many[i]
        T.copy(rows, D)

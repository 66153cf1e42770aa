# A convolution is a product whose producer brings A by TMA in im2col mode: coordinates are those of the first place of
# the kernel that a tile has, offsets say which of the kernel's elements is meant. Two rounds of 32 channels are joined,
# since both are of one element.
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32)" --emit=tile-pipelined --verify-stages | FileCheck %s --check-prefix=TILE
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32)" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32)" --emit=asm | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32)" --emit=manifest | FileCheck %s --check-prefix=MANIFEST
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32)" --schedule=cluster_n --emit=asm | FileCheck %s --check-prefix=SHARED
#
# TILE: tile.pipe stages([[#]]) bytes(24576)
# TILE: tile.producer {
# TILE: tile.for %{{.*}} = %c0 to %c18
# TILE: %[[M:.*]] = tile.im2col %{{.*}} kernel(3) stride(2) dilation(1) pad(1)
# TILE: %[[BOX:.*]] = tile.subview %[[M]]
# TILE: tile.tma_copy %[[BOX]]
#
# WAVE: box = array<i64: 64, 64>, lower = array<i64: -1, -1>, name = "Image_map0", of = "Image", steps = array<i64: 2, 2>, swizzle = 128 : i64, upper = array<i64: -1, -1>
# WAVE: wave.tma_load %Image_map0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] offsets(%{{.*}}, %{{.*}}) to
# WAVE: wave.tma_load %Weights_map1[%{{.*}}, %{{.*}}] to
#
# PTX: cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}, {{{.*}}, {{.*}}, {{.*}}, {{.*}}}], [{{.*}}], {{{.*}}, {{.*}}};
# PTX-NOT: cp.async.c{{[ag]}}
# SHARED: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster
#
# MANIFEST: "version": 3
# MANIFEST: "name": "Image_map0"
# MANIFEST: "dims": [
# MANIFEST-NEXT: 128,
# MANIFEST-NEXT: 32,
# MANIFEST-NEXT: 32,
# MANIFEST-NEXT: 32
# MANIFEST: "im2col": {
# MANIFEST-NEXT: "lower": [
# MANIFEST-NEXT: -1,
#
# Weights and results that the kernel flattens have tensor maps of that shape.
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32, flat=True)" --emit=wave | FileCheck %s --check-prefix=FLAT
# FLAT: {box = array<i64: 64, 64>, dims = array<i64: 256, 1152>, name = "Weights_map1", of = "Weights", swizzle = 128 : i64}
# FLAT-SAME: {box = array<i64: 64, 64>, dims = array<i64: 256, 8192>, name = "Out_map2", of = "Out", swizzle = 128 : i64}
#
# What a round cannot have in one piece is copied as before: rows of 64 that belong to two elements of the kernel, and
# every copy where no producer is (one stage), or no warp groups multiply (48 rows).
# RUN: tilec %s --target=sm_90a --entry "conv(channels=96, block_K=64)" --emit=asm | FileCheck %s --check-prefix=PIECES
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32, stages=1)" --emit=asm --verify-stages | FileCheck %s --check-prefix=PIECES
# RUN: tilec %s --target=sm_90a --entry "conv(channels=128, block_K=32, block_M=48)" --emit=asm --verify-stages | FileCheck %s --check-prefix=PIECES
# PIECES-NOT: im2col
# Tiles of 32 of 96 channels have rows of 64 bytes and stay as they are.
# RUN: tilec %s --target=sm_90a --entry "conv(channels=96, block_K=32)" --emit=wave | FileCheck %s --check-prefix=NARROW
# NARROW: box = array<i64: 32, 64>{{.*}}of = "Image"{{.*}}swizzle = 64
import tilelang.language as T


def conv(images=32, size=32, channels=64, filters=256, kernel=3, stride=2, block_M=64, block_N=128, block_K=64, stages=3,
         flat=False):
    out = (size + 2 - kernel) // stride + 1
    inner, rows = kernel * kernel * channels, images * out * out

    @T.prim_func
    def main(Image: T.Tensor((images, size, size, channels), "float16"),
             Weights: T.Tensor((kernel, kernel, channels, filters) if flat else (inner, filters), "float16"),
             Out: T.Tensor((images, out, out, filters) if flat else (rows, filters), "float16")):
        with T.Kernel(T.ceildiv(filters, block_N), T.ceildiv(rows, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_K), "float16")
            b = T.alloc_shared((block_K, block_N), "float16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.Tensor((inner, filters), "float16", Weights.data)
            result = T.Tensor((rows, filters), "float16", Out.data)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(inner, block_K), num_stages=stages):
                T.im2col(Image, a, by, k, kernel, stride, 1, 1)
                T.copy(weights[k * block_K, bx * block_N], b)
                T.gemm(a, b, c)
            T.copy(c, result[by * block_M, bx * block_N])

    return main

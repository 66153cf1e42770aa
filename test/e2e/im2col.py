# Convolutions as products of an image's matrix: by TMA in im2col mode from a producer (sm_90a), in pieces by cp.async
# (sm_80), LDS-DMA (gfx950) or registers (gfx942). Tiles begin and end in the middle of lines and images, the last one
# is partial, and so may be the last tile along K (`channels` of 48, 96).
# RUN: tilec-run %s --entry "conv()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "conv(pad=0)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "conv(stride=2, pad=2)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "conv(dilation=2, pad=2)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(kernel=5, stride=2, dilation=2, pad=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(kernel=1, pad=0, block_K=64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(kernel=1, stride=2, pad=1, block_K=64, channels=192)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=128, block_K=32, threads=256, block_N=128, filters=128)" --target=sm_90a --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=192, block_K=128, block_M=128, threads=256)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=64, block_K=128, filters=72)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=96, block_K=32)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(dtype='bfloat16', channels=48, block_K=16)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=128, block_K=128, dtype='float8_e4m3fn', filters=64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(images=40, size=16, filters=256, block_N=128)" --schedule=cluster_n --target=sm_90a --device=ptx --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "conv(images=40, size=16, filters=256, block_N=128)" --schedule=cluster_m --target=sm_90a --device=ptx --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "conv(images=40, size=16, filters=128, block_N=64)" --schedule=ping_pong --target=sm_90a --device=ptx --check | FileCheck %s
#
# What has no im2col of its own there.
# RUN: tilec-run %s --entry "conv(channels=96, block_K=64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(stages=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(block_M=48)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(stride=9, size=32, pad=0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=96, block_K=64, stride=2, pad=2)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "conv()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=96, block_K=64, kernel=5, dilation=2, pad=1)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(stride=2, pad=0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=96, block_K=64)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=96, block_K=64, stride=2, pad=2)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "conv(channels=24, block_K=48)" --target=gfx942 --check | FileCheck %s
# Channels of a pixel are read in whole pieces, whose rows and masks quotients say.
# RUN: tilec %s --entry "conv(channels=96, block_K=64)" --target=gfx942 --emit=wave | FileCheck %s --check-prefix=PIECES --implicit-check-not="-> f16"
# PIECES: scf.for
# PIECES-COUNT-4: wave.global_read %Image{{.*}} mask({{.*}} -> vector<8xf16>
#
# Weights and the result flattened in the kernel, as upstream's example has them: maps and stores of another shape.
# RUN: tilec-run %s --entry "flat()" --target=sm_90a --device=ptx --check --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "flat(images=21, size=16, stride=2)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "flat()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "flat()" --target=gfx950 --check | FileCheck %s
#
# Numbers behind the matrix are zeros, not those further down in the image.
# RUN: tilec-run %s --entry "behind()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "behind()" --target=gfx950 --check | FileCheck %s
#
# CHECK: result         PASS
import tilelang.language as T


def conv(images=3, size=9, channels=64, filters=64, kernel=3, stride=1, dilation=1, pad=1, block_M=64, block_N=64,
         block_K=64, stages=3, threads=128, dtype="float16"):
    height, width = size, size + 2
    oh = (height + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    ow = (width + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    rows = images * oh * ow

    @T.prim_func
    def main(Image: T.Tensor((images, height, width, channels), dtype),
             Weights: T.Tensor((filters, kernel * kernel * channels), dtype), Out: T.Tensor((rows, filters), "float32")):
        with T.Kernel(T.ceildiv(filters, block_N), T.ceildiv(rows, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(kernel * kernel * channels, block_K), num_stages=stages):
                T.im2col(Image, a, by, k, kernel, stride, dilation, pad)
                T.copy(Weights[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, Out[by * block_M, bx * block_N])

    return main


def flat(images=2, size=10, channels=64, filters=128, stride=1):
    out = (size + 2 - 3) // stride + 1
    rows = images * out * out

    @T.prim_func
    def main(Image: T.Tensor((images, size, size, channels), "float16"),
             Weights: T.Tensor((3, 3, channels, filters), "float16"),
             Out: T.Tensor((images, out, out, filters), "float16")):
        with T.Kernel(T.ceildiv(filters, 128), T.ceildiv(rows, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            s = T.alloc_shared((64, 128), "float16")
            weights = T.Tensor((9 * channels, filters), "float16", Weights.data)
            result = T.Tensor((rows, filters), "float16", Out.data)
            T.clear(c)
            for k in T.Pipelined(9 * channels // 32, num_stages=3):
                T.im2col(Image, a, by, k, 3, stride, 1, 1)
                T.copy(weights[k * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, s)
            T.copy(s, result[by * 64, bx * 128])

    return main


def behind():
    @T.prim_func
    def main(Image: T.Tensor((1, 16, 8, 24), "float16"), Out: T.Tensor((128, 128), "float16")):
        with T.Kernel(2, threads=128) as by:
            a = T.alloc_shared((64, 64), "float16")
            for k in T.serial(2):
                T.im2col(Image, a, by, k, 2, 1, 1, 0)
                T.copy(a, Out[by * 64, k * 64])

    return main

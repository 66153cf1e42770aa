# Rows that a tensor of numbers names, boxes of an image and masked copies fill a shared tile in pieces by cp.async, two
# rounds of them in flight. Numbers outside of the tensor give rows of zeros, as they do anywhere. What does not move in
# whole pieces (`shift`) goes through registers as before.
# RUN: tilec-run %s --entry "rows()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(masked=True, dtype='bfloat16')" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "rows(dim=80, picked=96)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(dim=40, picked=70)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(shift=4)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(shift=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(stages=3, threads=256)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(stages=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "open_rows()" --dim batch=2 --dim count=37 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "open_rows()" --dim batch=3 --dim count=5 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "image(channels=24)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "image(channels=48, stride=2)" --target=sm_80 --device=ptx --check | FileCheck %s
#
# Where copies are counted (gfx950), what gathers find their rows by is copied to shared memory ahead of them: numbers,
# pages, what a mask reads, too; numbers that are the same in all rounds are read in front of the loop.
# RUN: tilec-run %s --entry "forms('numbers')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "forms('numbers', stages=3, threads=128)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "forms('numbers', stages=4, rows=32)" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "forms('pages', dtype='bfloat16')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "forms('pages', stages=3, picked=100)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('pages')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('pages')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('own')" --target=gfx950 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "forms('own', stages=4, threads=128)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('own')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('own', stages=1)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "forms('masked')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "forms('seen', stages=3)" --target=gfx950 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "forms('seen')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('backwards')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('same', threads=128)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "forms('staged', threads=128)" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "forms('both')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "forms('both', stages=3, threads=512)" --target=gfx950 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "forms('numbers', numbers='int64')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('numbers', dim=576, picked=128, blocks=300)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "forms('masked', blocks=3)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(shift=4)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(stages=3, threads=256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(dim=40, picked=70)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=gfx950 --check --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "image()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "image()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "image(channels=48, stride=2)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec %s --entry "image()" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=PIECES
# CHECK: result {{ *}}PASS
# A pixel's channels are whole pieces, whose place is found by one quotient.
# PIECES-NOT: buffer_load_ushort
# PIECES: buffer_load_dwordx
# PIECES-NOT: buffer_load_ushort
import tilelang.language as T


def rows(count=50, picked=192, dim=128, dtype="float16", stages=2, threads=128, masked=False, shift=0):
    @T.prim_func
    def main(Q: T.Tensor((64, dim), dtype), KV: T.Tensor((count, dim + 8), dtype), Numbers: T.Tensor((picked,), "int32"),
             C: T.Tensor((64, picked), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            q = T.alloc_shared((64, dim), dtype)
            kv = T.alloc_shared((64, dim), dtype)
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(Q, q)
            for k in T.Pipelined(T.ceildiv(picked, 64), num_stages=stages):
                for i, j in T.Parallel(64, dim):
                    if masked:
                        kv[i, j] = T.if_then_else(i % 3 != 0, KV[Numbers[k * 64 + i], j + shift], 0)
                    else:
                        kv[i, j] = KV[Numbers[k * 64 + i], j + shift]
                T.clear(c)
                T.gemm(q, kv, c, transpose_B=True)
                T.copy(c, C[0, k * 64])

    return main


def forms(form, picked=320, rows=64, dim=128, stages=2, threads=256, dtype="float16", numbers="int32", blocks=1, count=50):
    @T.prim_func
    def main(Q: T.Tensor((64, dim), dtype), KV: T.Tensor((count, dim), dtype), V: T.Tensor((count, dim), dtype),
             Numbers: T.Tensor((blocks, picked), numbers), C: T.Tensor((blocks, 64, picked), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            q = T.alloc_shared((64, dim), dtype)
            kv = T.alloc_shared((rows, dim), dtype)
            v = T.alloc_shared((rows, dim), dtype)
            own = T.alloc_shared((rows,), numbers)
            mask = T.alloc_fragment((rows,), "float32")
            c = T.alloc_fragment((64, rows), "float32")
            T.copy(Q, q)
            if form == "staged":
                T.copy(Numbers[bx, 0], own)
            for k in T.Pipelined(T.ceildiv(picked, rows), num_stages=stages):
                if form == "own":
                    T.copy(Numbers[bx, k * rows], own)
                for i, j in T.Parallel(rows, dim):
                    if form == "own" or form == "staged":
                        kv[i, j] = KV[own[i], j]
                    elif form == "masked":
                        kv[i, j] = T.if_then_else(Numbers[bx, k * rows + i] >= 3, KV[Numbers[bx, k * rows + i], j], 0)
                    elif form == "pages":
                        kv[i, j] = KV[Numbers[bx, (k * rows + i) // 16] * 16 + (k * rows + i) % 16, j]
                    elif form == "backwards":
                        kv[i, j] = KV[Numbers[bx, k * rows + rows - 1 - i] * 2 + 1, j]
                    elif form == "same":
                        kv[i, j] = KV[Numbers[bx, i], j]
                    else:
                        kv[i, j] = KV[Numbers[bx, k * rows + i], j]
                if form == "both":
                    for i, j in T.Parallel(rows, dim):
                        v[i, j] = V[Numbers[bx, k * rows + i], j]
                if form == "seen":
                    for i in T.Parallel(rows):
                        mask[i] = T.if_then_else(Numbers[bx, k * rows + i] > 10, 1.0, 0.0)
                T.clear(c)
                T.gemm(q, kv, c, transpose_B=True)
                if form == "both":
                    T.gemm(q, v, c, transpose_B=True)
                if form == "seen":
                    for i, j in T.Parallel(64, rows):
                        c[i, j] = c[i, j] * mask[j]
                T.copy(c, C[bx, 0, k * rows])

    return main


# What gathers bring is no copy that could run further ahead of gathers.
def twice(picked=256, dim=64, stages=3, threads=256, count=50):
    @T.prim_func
    def main(Q: T.Tensor((64, dim), "float16"), KV: T.Tensor((count, dim), "float16"), Pages: T.Tensor((40, 64), "int32"),
             Numbers: T.Tensor((picked,), "int32"), C: T.Tensor((64, picked), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            q = T.alloc_shared((64, dim), "float16")
            kv = T.alloc_shared((64, dim), "float16")
            pages = T.alloc_shared((64, 64), "int32")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(Q, q)
            for k in T.Pipelined(picked // 64, num_stages=stages):
                for i, j in T.Parallel(64, 64):
                    pages[i, j] = Pages[Numbers[k * 64 + i], j]
                for i, j in T.Parallel(64, dim):
                    kv[i, j] = KV[pages[i, 0], j]
                T.clear(c)
                T.gemm(q, kv, c, transpose_B=True)
                T.copy(c, C[0, k * 64])

    return main


# A stride that only the run knows is a multiple of the rows behind it.
def open_rows(dim=64, picked=128):
    batch, count = T.dynamic("batch"), T.dynamic("count")

    @T.prim_func
    def main(Q: T.Tensor((64, dim), "float16"), KV: T.Tensor((batch, count, dim), "float16"),
             Numbers: T.Tensor((batch, picked), "int32"), C: T.Tensor((batch, 64, picked), "float32")):
        with T.Kernel(batch, threads=128) as bx:
            q = T.alloc_shared((64, dim), "float16")
            kv = T.alloc_shared((64, dim), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(Q, q)
            for k in T.Pipelined(picked // 64, num_stages=2):
                for i, j in T.Parallel(64, dim):
                    kv[i, j] = KV[bx, Numbers[bx, k * 64 + i], j]
                T.clear(c)
                T.gemm(q, kv, c, transpose_B=True)
                T.copy(c, C[bx, 0, k * 64])

    return main


def image(channels=64, filters=64, size=8, stride=1):
    out = (size + 2 - 3) // stride + 1

    @T.prim_func
    def main(Image: T.Tensor((2, size, size, channels), "float16"), Weights: T.Tensor((9 * channels, filters), "float16"),
             Out: T.Tensor((2 * out * out, filters), "float32")):
        with T.Kernel(T.ceildiv(2 * out * out, 64), threads=128) as by:
            a = T.alloc_shared((64, 16), "float16")
            b = T.alloc_shared((16, filters), "float16")
            c = T.alloc_fragment((64, filters), "float32")
            T.clear(c)
            for k in T.Pipelined(9 * channels // 16, num_stages=3):
                T.im2col(Image, a, by, k, 3, stride, 1, 1)
                T.copy(Weights[k * 16, 0], b)
                T.gemm(a, b, c)
            T.copy(c, Out[by * 64, 0])

    return main

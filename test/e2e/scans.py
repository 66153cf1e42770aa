# T.cumsum and T.cummax: along each dimension, from each end, any shape, type and number of threads; fragments, shared tiles
# and slices of them, in place and not; tiles that registers do not hold; accumulators; carried from chunk to chunk.
#
# RUN: tilec-run %s --entry "scan((64, 96), 1, threads=128)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 1, threads=128)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 0, threads=128)" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 0, threads=128)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 1, reverse=True, threads=256)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 1, reverse=True, threads=256)" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 0, reverse=True, threads=64, kind='max')" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((64, 96), 0, reverse=True, threads=64, kind='max')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 1000), 1, threads=256)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 1000), 1, threads=256)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 1000), 1, threads=96, reverse=True, kind='max')" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 1000), 1, threads=96, reverse=True, kind='max')" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((3, 37), 1, threads=64, held='shared')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((3, 37), 1, threads=64, held='shared')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((3, 37), 0, threads=192, held='shared', reverse=True)" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((3, 37), 0, threads=192, held='shared', reverse=True)" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((7, 5, 33), 1, threads=128)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((7, 5, 33), 1, threads=128)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((7, 5, 33), 0, threads=128, reverse=True)" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((7, 5, 33), 0, threads=128, reverse=True)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((2, 3, 130), 2, threads=128, held='shared')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((2, 3, 130), 2, threads=128, held='shared')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((16, 40), 1, threads=64, dtype='float16', held='shared')" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((16, 40), 1, threads=64, dtype='float16', held='shared')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((16, 64), 1, threads=64, dtype='int8', to='int32')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((16, 64), 1, threads=64, dtype='int8', to='int32')" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((16, 64), 1, threads=64, dtype='uint8', kind='max', reverse=True)" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((16, 64), 1, threads=64, dtype='uint8', kind='max', reverse=True)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((8, 100), 1, threads=64, dtype='float64', held='shared')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((8, 100), 1, threads=64, dtype='float64', held='shared')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((4, 70), 1, threads=64, dtype='int64', kind='max')" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((4, 70), 1, threads=64, dtype='int64', kind='max')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((20, 300), 1, threads=32, held='shared')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((20, 300), 1, threads=32, held='shared')" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((128, 60), 0, threads=32, held='shared', reverse=True)" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((128, 60), 0, threads=32, held='shared', reverse=True)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 5000), 1, threads=64, held='shared')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 5000), 1, threads=64, held='shared')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 5000), 1, threads=64, held='shared', reverse=True, dtype='float16')" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((1, 5000), 1, threads=64, held='shared', reverse=True, dtype='float16')" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((2, 3000), 1, threads=32, held='shared', kind='max')" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "scan((2, 3000), 1, threads=32, held='shared', kind='max')" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "slices()" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "slices()" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "overlapping()" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "overlapping()" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "accumulators()" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "accumulators()" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "accumulators(dim=0, reverse=True)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "accumulators(dim=0, reverse=True)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "chunks(3, 2100, 512)" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "chunks(3, 2100, 512)" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "chunks(2, 1024, 256, threads=64)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "chunks(2, 1024, 256, threads=64)" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --device=ptx --target=sm_90a --check | FileCheck %s
# RUN: tilec-run %s --entry "under_condition()" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "under_condition()" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers()" --device=sim --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers()" --device=ptx --target=sm_80 --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers(reverse=True)" --device=sim --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers(reverse=True)" --device=ptx --target=sm_90a --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def scan(shape, dim, threads=128, reverse=False, kind="sum", dtype="float32", to=None, held="fragment"):
    to = to or dtype

    @T.prim_func
    def main(A: T.Tensor(shape, dtype), C: T.Tensor(shape, to)):
        with T.Kernel(1, threads=threads):
            if held == "fragment":
                a = T.alloc_fragment(shape, dtype)
                c = T.alloc_fragment(shape, to)
            else:
                a = T.alloc_shared(shape, dtype)
                c = T.alloc_shared(shape, to)
            T.copy(A, a)
            if kind == "sum":
                T.cumsum(a, c, dim=dim, reverse=reverse)
            else:
                T.cummax(a, c, dim=dim, reverse=reverse)
            T.copy(c, C)

    return main


def slices():
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), C: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            T.copy(A, a)
            T.cumsum(a[8:24, 16:48], dim=1)
            T.cumsum(a[0:8, :], dim=0, reverse=True)
            T.copy(a, C)

    return main


# All of the source is read before anything is written; the second does not fit in registers.
def overlapping(threads=64):
    @T.prim_func
    def main(A: T.Tensor((9000,), "float32"), C: T.Tensor((9000,), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((9000,), "float32")
            T.copy(A, a)
            T.cumsum(a[0:64], a[32:96])
            T.cummax(a[0:5000], a[3000:8000])
            T.copy(a, C)

    return main


def accumulators(dim=1, reverse=False):
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            T.cumsum(c, dim=dim, reverse=reverse)
            T.copy(c, C)

    return main


def chunks(M, N, chunk, threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=threads) as row:
            s = T.alloc_fragment((chunk,), "float32")
            carry = T.alloc_var("float32", 0.0)
            for c in range(T.ceildiv(N, chunk)):
                T.copy(X[row, c * chunk:(c + 1) * chunk], s)
                T.cumsum(s, dim=0)
                for i in T.Parallel(chunk):
                    Y[row, c * chunk + i] = s[i] + carry
                carry = carry + s[chunk - 1]

    return main


def in_parallel():
    @T.prim_func
    def main(A: T.Tensor((8, 40), "int32"), C: T.Tensor((8, 40), "int32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((8, 40), "int32")
            T.copy(A, a)
            for i in T.Parallel(8):
                T.cumsum(a[i, 0:40], dim=0)
            T.copy(a, C)

    return main


def under_condition():
    @T.prim_func
    def main(A: T.Tensor((4, 256), "int32"), C: T.Tensor((4, 256), "int32")):
        with T.Kernel(4, threads=128) as b:
            a = T.alloc_fragment((256,), "int32")
            T.copy(A[b, 0:256], a)
            if b > 1:
                T.cumsum(a, dim=0)
            for k in range(b):
                T.cummax(a, dim=0, reverse=True)
                T.cumsum(a, dim=0)
            T.copy(a, C[b, 0:256])

    return main


# A maximum is the largest number so far; without one it is NaN.
def numbers(reverse=False):
    @T.prim_func
    def main(A: T.Tensor((16, 300), "float32"), C: T.Tensor((16, 300), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((16, 300), "float32")
            for i, j in T.Parallel(16, 300):
                a[i, j] = T.sqrt(A[i, j])
            T.cummax(a, dim=1, reverse=reverse)
            T.copy(a, C)

    return main

# Slices whose bounds are names: the extent is what is left of their difference.
# RUN: tilec-run %s --entry "between_names()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "between_names()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "split(M=64, parts=2)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "split(M=96, parts=3)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "carried()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "carried()" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T


def between_names():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(2, threads=64) as bx:
            s = T.alloc_shared((16, 64), "float16")
            for k in T.serial(2):
                lo = 32 * bx + k * 16
                hi = 32 * bx + (k + 1) * 16
                T.copy(A[lo:hi, :], s)
                T.copy(s, C[lo:hi, :])

    return main


@tilelang.jit
def split(A, parts=2):
    M = T.const("M")
    A: T.Tensor((M, 64), "float16")
    C = T.empty((M, 64), "float16")
    with T.Kernel(parts, threads=128) as part:
        each = M // parts
        s = T.alloc_shared((16, 64), "float16")
        f = T.alloc_fragment((16, 32), "float16")
        first = part * each
        for k in T.Pipelined(T.ceildiv(each, 16), num_stages=2):
            begin = first + k * 16
            end = T.min(begin + 16, begin + each)
            left = 64 - 32
            T.copy(A[begin:end, :], s)
            T.copy(s[:, left : left + 32], f)
            C[begin:end, left:64] = f
            T.copy(s[0:16, 0:left], C[begin:end, :left])
    return C


# `lo` is bound before the loop and in it: a variable. Its reads are equal until it is stored to.
def carried():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((16, 64), "float32")
            lo = 48
            for k in T.serial(4):
                hi = lo + 16
                T.copy(A[lo:hi, :], s)
                T.copy(s, C[lo:hi, :])
                lo = lo - 16

    return main

# Sums of integers in results of more bits, or in floats: nothing wraps in the dtype of the source. Also the absolute
# value of the least integer, and clear=False, which adds before it converts.
# RUN: tilec-run %s --entry "every('fragment')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "every('shared')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "every('fragment')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "every('shared')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "every('fragment')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "every('shared')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "every('fragment')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "every('shared')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "in_parallel()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bytes()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "bytes()" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T

FORMS = [
    ("sum", "int8", "int32", 100),
    ("sum", "int8", "int16", -100),
    ("sum", "bool", "int32", 1),
    ("sum", "bool", "float32", 1),
    ("sum", "uint8", "float32", 250),
    ("sum", "int16", "int32", 32000),
    ("sum", "int16", "float32", -32000),
    ("sum", "int32", "int64", 2147483647),
    ("sum", "int32", "float32", 2147483647),
    ("abssum", "int8", "int32", -126),
    ("absmax", "int8", "int32", -126),
    ("absmax", "int8", "uint8", -126),
]


def every(place):
    @T.prim_func
    def main(C: T.Tensor((len(FORMS), 3), "int64")):
        with T.Kernel(1, threads=128):
            for f, (op, src, dst, first) in enumerate(FORMS):
                a = (T.alloc_fragment if place == "fragment" else T.alloc_shared)((3, 110), src)
                r = T.alloc_fragment((3,), dst)
                for i, j in T.Parallel(3, 110):
                    a[i, j] = T.cast(first - i, src)
                T.reduce(a, r, op, dim=1)
                for i in T.Parallel(3):
                    C[f, i] = T.cast(r[i], "int64")

    return main


# One sum an iteration.
def in_parallel():
    @T.prim_func
    def main(A: T.Tensor((8, 64), "int8"), C: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((8, 64), "int8")
            r = T.alloc_fragment((8,), "int32")
            T.copy(A, a)
            for i in T.Parallel(8):
                T.reduce_sum(a[i, :], r[i : i + 1], dim=0)
            T.copy(r, C)

    return main


# -3 + 5.8 is 2.8; the largest of unsigned numbers is below one that is not.
def kept():
    @T.prim_func
    def main(C: T.Tensor((3,), "int32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_fragment((2,), "float32")
            b = T.alloc_fragment((2,), "uint8")
            r = T.alloc_fragment((1,), "int32")
            T.fill(a, 2.9)
            T.fill(b, 200)
            T.fill(r, -3)
            T.reduce_sum(a, r, dim=0, clear=False)
            C[0] = r[0]
            T.fill(r, -3)
            T.reduce_max(b, r, dim=0, clear=False)
            C[1] = r[0]
            T.reduce_sum(b, r, dim=0, clear=False)
            C[2] = r[0]

    return main


# LLVM reads the eleven bytes as a dword and a pair of them; the twelfth is no finding.
def bytes():
    @T.prim_func
    def main(C: T.Tensor((11,), "int32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((11,), "int32")
            c = T.alloc_shared((11,), "uint8")
            T.fill(a, 9)
            for i in T.Parallel(11):
                c[i] = T.cast(i, "uint8")
            for i in T.Parallel(11):
                a[i // 3] += c[i]
            T.copy(a, C)

    return main

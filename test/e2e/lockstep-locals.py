# Local arrays of threads beside fragments, which are spread over them: sums go to all threads, single elements have to
# go through shared memory.
# RUN: tilec-run %s --entry "total()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "total()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "total()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "total()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: not tilec %s --entry "elements()" --target=gfx950 2>&1 | FileCheck %s --check-prefix=ELEMENTS
# RUN: not tilec %s --entry "last()" --target=sm_90a 2>&1 | FileCheck %s --check-prefix=ELEMENTS
# ELEMENTS: lockstep-locals.py:[[#]]:[[#]]: error: `T.Parallel` differs between threads, and a fragment is spread over all of them; go through a shared buffer [FragmentByThread]
#
# A place of which one index is known at run time only is one of a row, not of the whole array.
# RUN: tilec-run %s --entry "rows(33)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(40)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(33)" --target=sm_90a --device=ptx --check | FileCheck %s
#
# What a branch reads of shared memory is read in it: in front of it, it would be beside what others write.
# RUN: tilec-run %s --entry "guarded()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx950 --check | FileCheck %s
#
# Sixteen bytes of which twelve are used.
# RUN: tilec-run %s --entry "seven()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "seven()" --target=sm_90 --device=ptx --check | FileCheck %s
#
# A float in a place for integers is converted as any value is.
# RUN: tilec-run %s --entry "literals()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "literals()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def total():

    @T.prim_func
    def main(B: T.Tensor((100,), "float32"), D: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            b = T.alloc_fragment((100,), "float32")
            r = T.alloc_local((3,), "float32")
            T.copy(B, b)
            T.fill(r, 1)
            for i in T.Parallel(100):
                r[1] += b[i]
            for i in T.Parallel(100):
                r[2] = T.max(r[2], b[i])
            D[tx] = r[1] + r[2]

    return main


def elements():

    @T.prim_func
    def main(B: T.Tensor((8,), "float32"), D: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            b = T.alloc_fragment((8,), "float32")
            r = T.alloc_local((8,), "float32")
            T.copy(B, b)
            for i in T.Parallel(8):
                r[i] = b[i]
            D[tx] = r[tx % 8]

    return main


def last():

    @T.prim_func
    def main(B: T.Tensor((100,), "float32"), D: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            b = T.alloc_fragment((100,), "float32")
            v = T.alloc_var("float32", 0)
            T.copy(B, b)
            for i in T.Parallel(100):
                v = b[i]
            D[tx] = v

    return main


def rows(N):

    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), D: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            c = T.alloc_local((N, N), "float32")
            r = T.alloc_local((N,), "float32")
            T.copy(A, c)
            T.fill(r, 1)
            for i, j in T.Parallel(N, N):
                r[i] += c[i, (j + 1) % N]
            if tx == 0:
                T.copy(r, D)

    return main


def guarded():

    @T.prim_func
    def main(C: T.Tensor((65,), "int32")):
        with T.Kernel(1, threads=65):
            tx = T.get_thread_binding()
            s = T.alloc_shared((70,), "int32")
            T.fill(s, 3)
            if tx < 63:
                s[69 - tx] = s[20]
            C[tx] = s[tx]

    return main


def seven():

    @T.prim_func
    def main(B: T.Tensor((7,), "float32"), D: T.Tensor((7,), "float32")):
        with T.Kernel(1, threads=128):
            b = T.alloc_local((7,), "float32")
            T.copy(B, b)
            for j in T.Parallel(7):
                D[j] = b[6 - j]

    return main


def literals():

    @T.prim_func
    def main(O: T.Tensor((64,), "int32"), P: T.Tensor((64,), "uint8"), Q: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            v = T.alloc_var("int32", 1.5)
            for i in T.Parallel(64):
                O[i] = 0.5
            for i in T.Parallel(64):
                P[i] = T.cast(2.5, "uint8")
            for i in T.Parallel(64):
                Q[i] = v

    return main

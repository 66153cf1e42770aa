# Reads in loops of what the kernel does not write are ld.global.nc, and a loop of a few such rounds is written out, so
# that ptxas starts the reads of all rounds at once. Not: what is written, what is read once, and where a `while` may wait
# for another kernel.
# RUN: tilec %s --target=sm_90a --entry "rounds(5)" --emit=ptx | FileCheck %s --check-prefix=ROUNDS --implicit-check-not="bra"
# RUN: tilec %s --target=sm_80 --entry "rounds(5)" --emit=ptx | FileCheck %s --check-prefix=ROUNDS
# ROUNDS-COUNT-5: ld.global.nc
# RUN: tilec %s --target=sm_90a --entry "once()" --emit=ptx | FileCheck %s --check-prefix=PLAIN --implicit-check-not=global.nc
# RUN: tilec %s --target=sm_90a --entry "written(5)" --emit=ptx | FileCheck %s --check-prefix=PLAIN --implicit-check-not=global.nc
# RUN: tilec %s --target=sm_90a --entry "waits()" --emit=ptx | FileCheck %s --check-prefix=PLAIN --implicit-check-not=global.nc
# PLAIN: ld.global
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "rounds(5)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "rounds(17)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "written(5)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "waits()" | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T


def rounds(n):
    @T.prim_func
    def main(A: T.Tensor((n, 128), "float32"), W: T.Tensor((128,), "float32"), B: T.Tensor((n, 128), "float32")):
        with T.Kernel(1, threads=128) as bx:
            f = T.alloc_fragment((128,), "float32")
            for k in T.serial(n):
                for i in T.Parallel(128):
                    f[i] = A[k, i] * 2
                for i in T.Parallel(128):
                    B[k, i] = f[i]

    return main


def once():
    @T.prim_func
    def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            for i in T.Parallel(128):
                B[i] = A[i] * 2

    return main


def written(n):
    @T.prim_func
    def main(A: T.Tensor((n + 1, 128), "float32")):
        with T.Kernel(1, threads=128) as bx:
            for k in T.serial(n):
                for i in T.Parallel(128):
                    A[k + 1, i] = A[k, i] + 1

    return main


def waits():
    @T.prim_func
    def main(A: T.Tensor((4, 128), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            f = T.alloc_fragment((128,), "float32")
            k = T.alloc_var("int32")
            T.clear(f)
            k = 0
            while k < 4:
                for r in T.serial(2):
                    for i in T.Parallel(128):
                        f[i] = f[i] + A[k // 2 * 2 + r, i]
                k = k + 1
            T.copy(f, B)

    return main

# Tiles whose last part lies outside of their loop: what is read of a tensor that goes by the other variables alone is
# read without a mask, once for all rows. What stands in a branch, and what the kernel writes, keeps its mask.
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(x=37, c=20)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows(x=37, c=33)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(x=5, c=513, threads=128)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "branches()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "branches()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "own()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "own()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "rows()" --target=sm_90a --emit=wave --no-cache | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --entry "branches()" --target=sm_90a --emit=wave --no-cache | FileCheck %s --check-prefix=BRANCH
# CHECK: result {{ *}}PASS
# WAVE: wave.global_read %W[%{{[0-9]+}}] align
# WAVE-NOT: wave.global_read %W{{.*}}mask
# WAVE: wave.global_read %X{{.*}}mask
# BRANCH-NOT: wave.global_read %W[%{{[0-9]+}}] align
# BRANCH: wave.global_read %W{{.*}}mask
import tilelang.language as T


def rows(x=54, c=128, rounds=3, threads=256):
    @T.prim_func
    def main(X: T.Tensor((rounds, x, c), "float16"), W: T.Tensor((rounds, c), "float16"), Y: T.Tensor((x, c), "float32")):
        with T.Kernel(1, threads=threads) as _:
            acc = T.alloc_fragment((x, c), "float32")
            T.clear(acc)
            for r in T.serial(rounds):
                for i, j in T.Parallel(x, c):
                    acc[i, j] += T.cast(W[r, j], "float32") * T.cast(X[r, i, j], "float32")
            T.copy(acc, Y)

    return main


# Both by rows and by columns, and a place that both variables give.
def columns(x=27, c=72):
    @T.prim_func
    def main(A: T.Tensor((x,), "float32"), B: T.Tensor((c,), "float32"), I: T.Tensor((c,), "int32"),
             D: T.Tensor((x + c,), "float32"), Y: T.Tensor((x, c), "float32")):
        with T.Kernel(1, threads=256) as _:
            for i, j in T.Parallel(x, c):
                Y[i, j] = A[i] * B[j] + D[i + j] + A[T.max(T.min(I[j], x - 1), 0)]

    return main


def branches(x=54, c=128):
    @T.prim_func
    def main(X: T.Tensor((x, c), "float32"), W: T.Tensor((c,), "float32"), Y: T.Tensor((x, c), "float32")):
        with T.Kernel(1, threads=256) as _:
            for i, j in T.Parallel(x, c):
                Y[i, j] = 0
                if X[i, j] > 0:
                    Y[i, j] = X[i, j] * W[j]

    return main


# A row that the kernel has written: another loop's, of the same block.
def own(x=27, c=64):
    @T.prim_func
    def main(X: T.Tensor((x, c), "float32"), W: T.Tensor((c,), "float32"), Y: T.Tensor((x, c), "float32")):
        with T.Kernel(1, threads=256) as _:
            for j in T.Parallel(c):
                W[j] = X[0, j] + 1
            for i, j in T.Parallel(x, c):
                Y[i, j] = X[i, j] * W[j]

    return main

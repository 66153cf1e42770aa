# Rounds of a serial loop that read nothing which a round before computes or writes: several read before they work. What
# is left over is a group where the number of rounds is known, else a smaller one and single rounds.
# RUN: tilec %s --entry "recurrence(512)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=WHOLE
# WHOLE: scf.for {{.*}} to %c512 step %c16 {
# WHOLE-COUNT-32: wave.global_read
# WHOLE-NOT: wave.global_read
# WHOLE: wave.sched_fence
# WHOLE-COUNT-16: wave.global_write
# WHOLE-NOT: wave.global
# RUN: tilec %s --entry "recurrence(67)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=LEFT
# LEFT: scf.for {{.*}} to %c56 step %c14 {
# LEFT-COUNT-14: wave.global_write
# LEFT: }
# LEFT-COUNT-22: wave.global_read
# LEFT-NOT: wave.global_read
# LEFT: wave.sched_fence
# LEFT-COUNT-11: wave.global_write
# LEFT-NOT: wave.global
# RUN: tilec %s --entry "sums()" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=DYNAMIC
# DYNAMIC: scf.for
# DYNAMIC-COUNT-16: wave.global_read %X
# DYNAMIC: scf.for
# DYNAMIC-COUNT-4: wave.global_read %X
# DYNAMIC: scf.for
# DYNAMIC: wave.global_read %X
# DYNAMIC-NOT: wave.global_read
# What a round reads is what the one before has written; a barrier that others come to; a place that a round before gives.
# RUN: tilec %s --entry "own()" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "walk()" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "recurrence(512)" --target=sm_90a --emit=wave | FileCheck %s --check-prefix=NONE
# NONE: scf.for {{.*}} step %c1 {
# NONE-NOT: wave.sched_fence
import tilelang.language as T


def recurrence(S, D=128):
    @T.prim_func
    def main(X: T.Tensor((S, D), "float32"), A: T.Tensor((S, D), "float32"), Y: T.Tensor((S, D), "float32")):
        with T.Kernel(1, threads=D):
            h = T.alloc_fragment((D,), "float32")
            T.clear(h)
            for t in T.serial(S):
                for j in T.Parallel(D):
                    h[j] = h[j] * A[t, j] + X[t, j]
                    Y[t, j] = h[j]

    return main


def sums(D=128):
    n = T.dynamic("n")

    @T.prim_func
    def main(X: T.Tensor((n, D), "float32"), Y: T.Tensor((D,), "float32")):
        with T.Kernel(1, threads=D):
            h = T.alloc_fragment((D,), "float32")
            T.clear(h)
            for t in T.serial(n):
                for j in T.Parallel(D):
                    h[j] = h[j] * 0.5 + X[t, j]
            T.copy(h, Y)

    return main


def own(S=64, D=128):
    @T.prim_func
    def main(Y: T.Tensor((S, D), "float32")):
        with T.Kernel(1, threads=D):
            for t in T.serial(1, S):
                for j in T.Parallel(D):
                    Y[t, j] = Y[t, j] + Y[t - 1, j]

    return main


def walk(S=64, D=128):
    @T.prim_func
    def main(X: T.Tensor((D,), "int32"), Y: T.Tensor((D,), "int32")):
        with T.Kernel(1, threads=D):
            at = T.alloc_var("int32", 0)
            for t in T.serial(S):
                at = X[at]
            for j in T.Parallel(D):
                Y[j] = at

    return main

# `and` and `or` give one of their operands, as in Python: not whether it is true, where its number is asked for.
# RUN: tilec %s --entry "sizes()" --target=gfx942 --emit=tile | FileCheck %s
# RUN: tilec %s --entry "sizes(7)" --target=gfx942 --emit=tile | FileCheck %s --check-prefix=GIVEN
# RUN: not tilec %s --entry "called()" --target=gfx942 2>&1 | FileCheck %s --check-prefix=CALLED
# CHECK: %[[N:.*]] = tile.dim "n"
# CHECK: tile.tensor "X"[%[[N]]]
# CHECK: tile.tensor "Y"[%[[N]]]
# CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[N]], %c0
# CHECK: arith.select %[[SOME]], %c4_i32, %{{.*}} : i32
# CHECK: %[[AGAIN:.*]] = arith.cmpi ne, %[[N]], %c0
# CHECK: arith.select %[[AGAIN]], %{{.*}}, %c4_i32{{.*}} : i32
# What only decides stays a condition.
# CHECK: arith.andi %{{.*}}, %{{.*}} : i1
# CHECK: arith.cmpi sgt, %bx
# CHECK-NEXT: scf.if
# CHECK: arith.cmpi {{sle|sgt}}, %bx
# CHECK: scf.if
# GIVEN: tile.tensor "X"[] : !tile.buffer<[7], f32, global>
# GIVEN-NOT: arith.select
# CALLED: error: `and` does not work on numbers of which one is computed by a call
import tilelang.language as T


def sizes(given=None):
    n = given or T.dynamic("n")
    m = 4 and n
    both = n and 4
    either = n or 4

    @T.prim_func
    def main(X: T.Tensor((n,), "float32"), Y: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            for i in T.Parallel(64):
                Y[bx * 64 + i] = X[bx * 64 + i] + both + either
            if bx and n:
                Y[0] = 0.0
            if bx > 1 and 4:
                Y[1] = 0.0
            if 0 or not (bx > 2 or 0):
                Y[2] = 0.0

    return main


@T.macro
def next_of(x):
    v = T.alloc_var("int32")
    v = x + 1
    return v


def called():
    @T.prim_func
    def main(X: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.serial(4):
                X[i] = X[i] and next_of(X[i])

    return main

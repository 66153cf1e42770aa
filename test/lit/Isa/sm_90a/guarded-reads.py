# A pooling window at the edge of an image: the loops over it are written out, and reads that a lane leaves out stand side
# by side, eight at once.
# RUN: tilec %s --target=sm_90a --emit=ptx | FileCheck %s --implicit-check-not="bra"
# CHECK: .minnctapersm
# CHECK-COUNT-8: @p ld.global.nc.v4.b32
# CHECK: max.f32
# CHECK-COUNT-8: @p ld.global.nc.v4.b32
# CHECK: max.f32
# CHECK-COUNT-2: @p ld.global.nc.v4.b32
# RUN: tilec-run %s --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((2, 16, 112, 64), "bfloat16"), Y: T.Tensor((2, 8, 56, 64), "bfloat16")):
    with T.Kernel(8, 2, threads=256) as (bh, bb):
        acc = T.alloc_fragment((56, 64), "float32")
        T.fill(acc, -T.infinity("float32"))
        for r in T.serial(3):
            for q in T.serial(3):
                for i, j in T.Parallel(56, 64):
                    inside = T.And(bh * 2 + r >= 1, i * 2 + q >= 1)
                    x = T.cast(X[bb, bh * 2 + r - 1, i * 2 + q - 1, j], "float32")
                    acc[i, j] = T.max(acc[i, j], T.if_then_else(inside, x, -T.infinity("float32")))
        T.copy(acc, Y[bb, bh, :, :])

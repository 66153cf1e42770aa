# RUN: tilec %s --target=gfx950 --emit=wave | FileCheck %s
# RUN: tilec %s --target=sm_90a --emit=wave | FileCheck %s
#
# What lies between rows may take more than 32 bits although every index fits in them: strides are
# multiplied in 64 bits, from int64 parameters and from extents.
import tilelang.language as T


def f():
    m, n = T.dynamic("m, n")
    q = T.dynamic("q", "int64")

    @T.prim_func
    def main(A: T.StridedTensor((m, n), (q * 2 + m, 1), "int8"), D: T.Tensor((4, m, n), "int8"),
             B: T.Tensor((65536, 65536), "int8"), C: T.Tensor((64,), "int8")):
        with T.Kernel(1) as bx:
            rows = T.reshape(B, (131072, 32768))
            for i in T.Parallel(64):
                C[i] = A[m - 1, i] + D[3, m - 1, i] + rows[m, i]

    return main


# CHECK: %q: i64
# CHECK: %[[TWICE:.*]] = arith.muli %q, %{{.*}} : i64
# CHECK: %[[M:.*]] = arith.index_cast %{{.*}} : index to i64
# CHECK: %[[STRIDE:.*]] = arith.addi %[[TWICE]], %[[M]] : i64
# CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : index to i64
# CHECK: %[[PLANE:.*]] = arith.muli %[[M]], %[[N]] : i64
# CHECK: arith.muli %{{.*}}, %[[STRIDE]] : i64
# CHECK: wave.global_read %A[{{.*}} : i64 -> i8
# CHECK: arith.muli %[[PLANE]], %{{.*}} : i64
# CHECK: wave.global_read %D[{{.*}} : i64 -> i8
# CHECK: arith.muli %{{.*}}, %c32768_i64 : i64
# CHECK: wave.global_read %B[{{.*}} : i64 -> i8

# RUN: tilec %s --target=gfx950 --entry "numbers()" --emit=wave | FileCheck %s --check-prefix=PAIRS
# RUN: tilec %s --target=gfx950 --entry "numbers(rows=2**17)" --emit=wave | FileCheck %s --check-prefix=EACH
# RUN: tilec %s --target=gfx950 --entry "numbers(form='square')" --emit=wave | FileCheck %s --check-prefix=EACH
# RUN: tilec %s --target=sm_90a --entry "numbers()" --emit=wave | FileCheck %s --check-prefix=EACH
# RUN: tilec %s --target=gfx942 --entry "limits('length or causal')" --emit=wave | FileCheck %s --check-prefix=LOW
# RUN: tilec %s --target=gfx942 --entry "limits('length and causal')" --emit=wave | FileCheck %s --check-prefix=INSIDE
# RUN: tilec %s --target=gfx942 --entry "limits('two strict')" --emit=wave | FileCheck %s --check-prefix=STRICT
# RUN: tilec %s --target=gfx942 --entry "limits('window')" --emit=wave | FileCheck %s --check-prefix=BOTH
# RUN: tilec %s --target=gfx942 --entry "limits('unbounded')" --emit=wave | FileCheck %s --check-prefix=BOTH
# RUN: tilec %s --target=sm_90a --entry "limits('length or causal')" --emit=wave | FileCheck %s --check-prefix=BOTH
#
# Where f32 is computed in pairs, numbers of neighbouring elements are converted once, and constants are added, as
# long as f32 holds each of them: 2^24. Others, and what is no sum of loop variables, are converted one by one.
# Two limits on one side of a number are one comparison where a lane's condition is a pair of scalar registers,
# unless "one more" may leave 32 bits.
# SPDX-License-Identifier: Apache-2.0

# PAIRS:         arith.sitofp
# PAIRS-NOT:     arith.sitofp
# PAIRS-COUNT-2: arith.addf {{.*}} : vector<2xf32>
# PAIRS-NOT:     arith.sitofp
# EACH-COUNT-4:  arith.sitofp
# EACH-NOT:      arith.addf

# LOW:        [[ROW:%[0-9]+]] = wave.block_id 0
# LOW:        [[NEXT:%[0-9]+]] = arith.addi [[ROW]], %c1
# LOW:        [[NEAR:%[0-9]+]] = arith.minsi {{%[0-9]+}}, [[NEXT]]
# LOW:        arith.cmpi sge, {{%[0-9]+}}, [[NEAR]]
# LOW-NOT:    arith.ori
# INSIDE:     [[ROW:%[0-9]+]] = wave.block_id 0
# INSIDE:     [[NEXT:%[0-9]+]] = arith.addi [[ROW]], %c1
# INSIDE:     [[NEAR:%[0-9]+]] = arith.minsi {{%[0-9]+}}, [[NEXT]]
# INSIDE:     arith.cmpi slt, {{%[0-9]+}}, [[NEAR]]
# INSIDE-NOT: arith.andi
# STRICT:     [[FAR:%[0-9]+]] = arith.maxsi
# STRICT:     arith.cmpi sgt, {{%[0-9]+}}, [[FAR]]
# STRICT-NOT: arith.andi
# BOTH-NOT:   arith.m{{ax|in}}si
# BOTH:       arith.{{and|or}}i
import tilelang.language as T


def numbers(rows=64, form="sum"):
    @T.prim_func
    def main(Y: T.Tensor((rows, 256), "float32")):
        with T.Kernel(rows, threads=64) as row:
            for j in T.Parallel(256):
                if form == "sum":
                    Y[row, j] = T.cast(row * 256 + j, "float32")
                else:
                    Y[row, j] = T.cast(j * j, "float32")

    return main


def limits(form, rows=64, columns=256):
    @T.prim_func
    def main(Limits: T.Tensor((2,), "int32"), X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows, threads=64) as row:
            length = Limits[0]
            other = Limits[1]
            for j in T.Parallel(columns):
                if form == "length or causal":
                    Y[row, j] = T.if_then_else(T.Or(j >= length, row < j), -1.0, X[row, j])
                elif form == "length and causal":
                    Y[row, j] = T.if_then_else(T.And(j < length, row >= j), X[row, j], -1.0)
                elif form == "two strict":
                    Y[row, j] = T.if_then_else(T.And(j > length, other < j), X[row, j], -1.0)
                elif form == "window":
                    Y[row, j] = T.if_then_else(T.And(j > row - 8, j <= row), X[row, j], -1.0)
                else:
                    Y[row, j] = T.if_then_else(T.Or(j >= length, other < j), -1.0, X[row, j])

    return main

# Two limits of one number become one comparison: what that gives at the ends of 32 bits.
# RUN: tilec-run %s --entry "limits()" --target=gfx942 --check --arg Limits=%S/Inputs/limits.npy --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "limits()" --target=gfx950 --check --arg Limits=%S/Inputs/limits.npy --seed 2 | FileCheck %s
# RUN: tilec-run %s --entry "limits(columns=250)" --target=gfx942 --check --sim-mode=strict --arg Limits=%S/Inputs/limits.npy | FileCheck %s
# RUN: tilec-run %s --entry "limits()" --target=sm_90a --device=ptx --check --arg Limits=%S/Inputs/limits.npy | FileCheck %s
# SPDX-License-Identifier: Apache-2.0
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T


def limits(rows=8, columns=256, cases=5):
    @T.prim_func
    def main(Limits: T.Tensor((cases, 2), "int32"), X: T.Tensor((rows, columns), "float32"),
             Y: T.Tensor((cases, 8, rows, columns), "float32")):
        with T.Kernel(rows, cases, threads=64) as (row, case):
            length = Limits[case, 0]
            other = Limits[case, 1]
            for j in T.Parallel(columns):
                Y[case, 0, row, j] = T.if_then_else(T.Or(j >= length, row * 20 < j), -1.0, X[row, j])
                Y[case, 1, row, j] = T.if_then_else(T.And(j < length, row * 20 >= j), X[row, j], -1.0)
                Y[case, 2, row, j] = T.if_then_else(T.And(j > length, other < j), X[row, j], -1.0)
                Y[case, 3, row, j] = T.if_then_else(T.Or(j >= length, other < j), X[row, j], -1.0)
                Y[case, 4, row, j] = T.if_then_else(T.Or(j < length, j <= row * 20), X[row, j], -1.0)
                Y[case, 5, row, j] = T.if_then_else(T.And(length <= j, row * 20 < j), X[row, j], -1.0)
                Y[case, 6, row, j] = T.if_then_else(T.And(j <= length, other >= j), X[row, j], -1.0)
                Y[case, 7, row, j] = T.if_then_else(T.Or(length > j, j < other), X[row, j], T.cast(row * 256 + j, "float32"))

    return main

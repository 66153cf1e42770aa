# SPDX-License-Identifier: Apache-2.0
"""The largest error of a function of f32 over every argument, found on the device (accuracy.py --every).

A block takes `rounds` times COLUMNS arguments, whose bits are multiples of `step`, and gives its largest error in ulp, the
bits of the argument where that is, and how many special results (NaN, infinity, zero's sign) are wrong. What is special and
what is an ulp is as in ulp.cpp. The reference is the function in f64.
"""
import tilelang.language as T

COLUMNS = 4096
NEARLY_LARGEST = 0.999 * 3.4028234663852886e38


def every(f, rounds, blocks, step):
    @T.prim_func
    def main(Error: T.Tensor((blocks,), "float32"), At: T.Tensor((blocks,), "uint32"),
             Wrong: T.Tensor((blocks,), "int32")):
        with T.Kernel(blocks, threads=256) as block:
            error = T.alloc_fragment((COLUMNS,), "float32")
            at = T.alloc_fragment((COLUMNS,), "uint32")
            wrong = T.alloc_fragment((COLUMNS,), "int32")
            largest = T.alloc_fragment((1,), "float32")
            where = T.alloc_fragment((1,), "uint32")
            count = T.alloc_fragment((1,), "int32")
            T.clear(error)
            T.clear(at)
            T.clear(wrong)
            for r in T.serial(rounds):
                for i in T.Parallel(COLUMNS):
                    bits = T.cast((T.cast(block, "int64") * rounds + r) * COLUMNS + i, "uint32") * T.uint32(step)
                    x = T.reinterpret(bits, "float32")
                    y = f(x)
                    value = f(T.cast(x, "float64"))
                    near = T.cast(value, "float32")
                    nearBits = T.reinterpret(near, "uint32")
                    isSame = T.if_then_else(T.isnan(near), T.isnan(y), nearBits == T.reinterpret(y, "uint32"))
                    isEdge = T.isinf(near) != T.isinf(y) and not T.isnan(y) and T.abs(y) >= NEARLY_LARGEST
                    if T.isnan(near) or T.isinf(near) or value == 0.0 or T.isnan(y) or T.isinf(y):
                        if not (isSame or isEdge):
                            wrong[i] += 1
                    else:
                        exponent = T.max((nearBits >> 23) & 255, T.uint32(1))
                        ulp = T.reinterpret((T.cast(exponent, "uint64") + 873) << 52, "float64")
                        distance = T.cast(T.abs(T.cast(y, "float64") - value) / ulp, "float32")
                        if distance > error[i]:
                            error[i] = distance
                            at[i] = bits
            T.reduce_max(error, largest, dim=0)
            for i in T.Parallel(COLUMNS):
                at[i] = T.if_then_else(error[i] == largest[0], at[i], T.uint32(0))
            T.reduce_max(at, where, dim=0)
            T.reduce_sum(wrong, count, dim=0)
            Error[block] = largest[0]
            At[block] = where[0]
            Wrong[block] = count[0]
    return main

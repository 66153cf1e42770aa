# Rows divided by a number each, from all kinds of bits: a quotient has the bits that the cpu device gives it where its
# divisor is shared, too (CodeGen/ShareDivisors.cpp). Of `rounded` the integer next to it alone is asked for.
# RUN: tilec-run %s --entry "special()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "special()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "special()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "special()" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "special()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "any()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "any()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "any()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "any()" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "any()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded()" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# One reciprocal for the row, and of each quotient a product, its residual and a correction.
# RUN: tilec %s --target=sm_90a --entry "any()" --emit=ptx | FileCheck %s --check-prefix=PTX
# PTX:         rcp.rn.f32 [[R:%r[0-9]+]], [[D:%r[0-9]+]];
# PTX:         mul.rn.f32 [[Q:%r[0-9]+]], [[X:%r[0-9]+]], [[R]];
import tilelang.language as T

INF, NAN = float("inf"), float("nan")
DIVISORS = [3.0, 0.1, 7.9e-9, 1.4e-45, 3e-39, 7e-31, 8e-31, 1.6e7, 1.7e7, 3e38, INF, -INF, -3.0, 0.0, -0.0, NAN]
# Both zeros, the largest, and small ones of whose residual bits are lost.
NUMERATORS = [0.0, -0.0, 1.4e-45, 1.47136339e-43, -4.70203317e-39, 7e-31, 8e-31, -1e-20, 1.5, -1.5, 4.5, 4.9303822e-33, 1e30, -3e38, INF, NAN]


def hidden(value, zero):
    """A number that the compiler does not know, its sign as well."""
    return T.reinterpret(T.reinterpret(T.float32(value), "int32") + zero, "float32")


def bits(value):
    return T.if_then_else(value == value, T.reinterpret(value, "int32"), 0)


def special():
    """Each thread has one of the numerators, and others at which nothing is lost."""
    @T.prim_func
    def main(Z: T.Tensor((64,), "int32"), W: T.Tensor((len(DIVISORS), 4, 64), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                x = T.alloc_var("float32")
                x = 1.5
                for n, own in enumerate(NUMERATORS):
                    x = T.if_then_else(i % len(NUMERATORS) == n, hidden(own, Z[i]), x)
                for d, s in enumerate(DIVISORS):
                    W[d, 0, i] = bits(x / hidden(s, Z[i]))
                    for n, other in enumerate([1.5, -2.0, 1e-3]):
                        W[d, 1 + n, i] = bits(hidden(other, Z[i]) / hidden(s, Z[i]))

    return main


def any(columns=1024):
    @T.prim_func
    def main(Z: T.Tensor((64,), "int32"), W: T.Tensor((len(DIVISORS), columns), "int32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((columns,), "float32")
            for j in T.Parallel(columns):
                x[j] = T.reinterpret(Z[0] + j * -1640531535, "float32")
            for d, s in enumerate(DIVISORS):
                for j in T.Parallel(columns):
                    W[d, j] = bits(x[j] / hidden(s, Z[0]))

    return main


def rounded(columns=1000):
    """By 0.25 to 4 in steps of an odd length, of halves: quotients on both sides of what rounds to another number."""
    @T.prim_func
    def main(Z: T.Tensor((64,), "int32"), W: T.Tensor((len(NUMERATORS), columns), "int32"), Q: T.Tensor((len(NUMERATORS), columns), "int8")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((len(NUMERATORS), columns), "float32")
            s = T.alloc_fragment((len(NUMERATORS),), "float32")
            for d in T.Parallel(len(NUMERATORS)):
                s[d] = T.cast(Z[0] + d * 2 + 1, "float32") * 0.0078125
            for d, j in T.Parallel(len(NUMERATORS), columns):
                x[d, j] = (T.cast(Z[0] + j, "float32") + 0.5) * s[d]
            for d, j in T.Parallel(len(NUMERATORS), columns):
                x[d, j] = T.round(x[d, j] / s[d])
            for d, j in T.Parallel(len(NUMERATORS), columns):
                W[d, j] = T.cast(x[d, j], "int32")
            for d, j in T.Parallel(len(NUMERATORS), columns):
                Q[d, j] = T.cast(x[d, j], "int8")

    return main

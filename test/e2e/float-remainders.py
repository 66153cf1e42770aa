# `%` and `//` of floats are Python's, whatever the quotient's size: the remainder exact and of the divisor's sign, the
# quotient the floor of the exact one. The numbers that are expected are Python's own.
# RUN: tilec-run %s --entry "numbers()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers()" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
#
# Random ones, bit for bit.
# RUN: tilec-run %s --entry "random()" --device=cpu --save R=%t.cpu.r.npy --save Q=%t.cpu.q.npy
# RUN: tilec-run %s --entry "random()" --target=gfx942 --device=sim --save R=%t.942.r.npy --save Q=%t.942.q.npy
# RUN: tilec-run %s --entry "random()" --target=sm_90a --device=ptx --save R=%t.90a.r.npy --save Q=%t.90a.q.npy
# RUN: cmp %t.cpu.r.npy %t.942.r.npy
# RUN: cmp %t.cpu.q.npy %t.942.q.npy
# RUN: cmp %t.cpu.r.npy %t.90a.r.npy
# RUN: cmp %t.cpu.q.npy %t.90a.q.npy
#
# float64, and narrower types, which compute in f32.
# RUN: tilec-run %s --entry "numbers('float64')" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "numbers('float64')" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "halves()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "halves()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "halves()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T

# All are numbers of f32.
PAIRS = [(1e10, 15.0), (13863.1796875, 21.9701747894287109375), (-7.0, 3.0), (7.0, -3.0), (-7.0, -3.0), (6.0, -3.0),
         (-6.0, 3.0), (5.5, 0.25), (615.0, 15.0), (2.0**60, 7.0), (-(2.0**60), 7.0), (16777215.0, 3.0),
         (16777213.0, 2.0), (0.0, 5.0), (1.0, 2.0**-20), (2.0**-30, -1.0), (-(2.0**-30), 5.0), (41.0, 41.0),
         (8388609.0, 0.5), (25165821.0 / 3 // 1, 3.0)]


def numbers(dtype="float32"):
    @T.prim_func
    def main(Z: T.Tensor((64,), dtype), R: T.Tensor((len(PAIRS), 64), dtype), Q: T.Tensor((len(PAIRS), 64), dtype)):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                for n, (x, y) in enumerate(PAIRS):
                    R[n, i] = (Z[i] + x) % (Z[i] + y)
                    Q[n, i] = (Z[i] + x) // (Z[i] + y)
                    T.device_assert((Z[i] + x) % (Z[i] + y) == T.cast(x % y, dtype))
                    T.device_assert((Z[i] + x) // (Z[i] + y) == T.cast(x // y, dtype))

    return main


def random():
    """The divisors are from 2^-30 to 2^9 of a size, the quotients of all."""

    @T.prim_func
    def main(X: T.Tensor((40, 256), "float32"), Y: T.Tensor((40, 256), "float32"),
             R: T.Tensor((40, 256), "float32"), Q: T.Tensor((40, 256), "float32")):
        with T.Kernel(1, threads=128):
            for n, i in T.Parallel(40, 256):
                y = Y[n, i] * T.exp2(T.cast(n, "float32") - 30)
                R[n, i] = X[n, i] % y
                Q[n, i] = X[n, i] // y

    return main


def halves():
    @T.prim_func
    def main(Z: T.Tensor((64,), "float16"), R: T.Tensor((2, 64), "float16"), Q: T.Tensor((2, 64), "float16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                R[0, i] = (Z[i] + 2049) % (Z[i] + 2)  # 2049 is no number of float16
                Q[0, i] = (Z[i] + 2049) // (Z[i] + 2)
                R[1, i] = (Z[i] - 7) % (Z[i] + 3)
                Q[1, i] = (Z[i] - 7) // (Z[i] + 3)
                T.device_assert((Z[i] + 2049) % (Z[i] + 2) == 1.0 and (Z[i] - 7) % (Z[i] + 3) == 2.0)
                T.device_assert((Z[i] + 2049) // (Z[i] + 2) == 1024.0 and (Z[i] - 7) // (Z[i] + 3) == -3.0)

    return main

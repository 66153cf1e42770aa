# Elements of fp8 that are only moved keep their bits: infinities, which arithmetic's results never are, and NaN; by copies
# of any width, by loops over elements, through fragments and gathered.
# RUN: tilec-run %s --entry "codes()" --device=cpu --save C=%t.npy
# RUN: tilec-run %s --entry "moved('copy')" --arg A=%t.npy --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('copy')" --arg A=%t.npy --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('elements')" --arg A=%t.npy --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('elements')" --arg A=%t.npy --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('fragment')" --arg A=%t.npy --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('gathered')" --arg A=%t.npy --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('gathered')" --arg A=%t.npy --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "moved('doubled')" --arg A=%t.npy --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def codes():
    @T.prim_func
    def kernel(C: T.Tensor((32, 129), "uint8")):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(32, 129):
                C[i, j] = T.cast((i * 129 + j) % 256, "uint8")

    return kernel


def moved(how):
    """Rows of an odd length, of which copies are narrow."""

    @T.prim_func
    def kernel(
        A: T.Tensor((32, 129), "float8_e5m2"),
        C: T.Tensor((32, 128), "float8_e5m2"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float8_e5m2")
            f = T.alloc_fragment((32, 64), "float8_e5m2")
            for k in T.serial(2):
                if how == "copy":
                    T.copy(A[0, k * 64], a)
                    T.copy(a, C[0, k * 64])
                elif how == "elements":
                    for i, j in T.Parallel(32, 64):
                        a[i, j] = A[i, k * 64 + j]
                    for i, j in T.Parallel(32, 64):
                        C[i, k * 64 + j] = a[i, j]
                elif how == "fragment":
                    for i, j in T.Parallel(32, 64):
                        f[i, j] = A[i, k * 64 + 63 - j]
                    for i, j in T.Parallel(32, 64):
                        C[i, k * 64 + j] = f[i, j]
                elif how == "gathered":
                    for i, j in T.Parallel(32, 64):
                        a[i, j] = A[i * 5 % 32, k * 64 + j]
                    T.copy(a, C[0, k * 64])
                else:
                    T.copy(A[0, k * 64], a)
                    for i, j in T.Parallel(32, 64):
                        C[i, k * 64 + j] = a[i, j] * 2

    return kernel

# Results that are rounded to 16 bits at the ends of f32's range: quotients by denormal numbers, whose reciprocals are
# infinite, inverse square roots of such, and the tail of a GELU, which is zero and stays so whatever it is multiplied by.
# RUN: tilec-run %s --entry "quotients()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "roots()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "roots()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "roots()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "roots()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "tails()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "tails()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "tails()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "tails()" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "tails()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
#
# A divisor or root that is known to be no denormal number is asked nothing: of f16, at least a constant, next to one.
# RUN: tilec %s --entry "known()" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=KNOWN
# KNOWN-NOT: v_cmp_{{n?[gl][et]}}_f32
# KNOWN:     s_endpgm
# CHECK: result {{ *}}PASS
import tilelang.language as T

INF = float("inf")
DIVIDED = [(0.0, 1e-39), (1e-39, 1e-39), (3e-45, 1.4e-45), (1e-45, 3e-39), (1.0, 1e-39), (-2e-38, 1e-38), (0.0, 0.0),
           (0.0, -1e-44), (1.0, 0.0), (INF, 1e-40), (INF, INF), (1e38, 3e38), (3e38, 2e38), (1e-39, 2.0), (5.0, 1e-37),
           (1e-40, INF)]
ROOTS = [1e-39, 1.4e-45, 1e-37, 0.0, 4.0, INF, 3e38, 1.17549435e-38]
TAILS = [-10.0, -12.0, -14.0, -100.0, -1e10, -3e38, -INF, 3.0, 6.0, 1e10, INF, 0.0]


def quotients():
    @T.prim_func
    def main(Z: T.Tensor((64,), "float32"), H: T.Tensor((len(DIVIDED), 64), "float16"),
             B: T.Tensor((len(DIVIDED), 64), "bfloat16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                for n, (x, y) in enumerate(DIVIDED):
                    H[n, i] = (Z[i] + T.float32(x)) / (Z[i] + T.float32(y))
                    B[n, i] = (Z[i] + T.float32(x)) / (Z[i] + T.float32(y))

    return main


def roots():
    @T.prim_func
    def main(Z: T.Tensor((64,), "float32"), H: T.Tensor((len(ROOTS), 64), "float16"),
             B: T.Tensor((len(ROOTS), 64), "bfloat16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                for n, x in enumerate(ROOTS):
                    H[n, i] = T.rsqrt(Z[i] + T.float32(x))
                    B[n, i] = T.rsqrt(Z[i] + T.float32(x))

    return main


def tails():
    @T.prim_func
    def main(Z: T.Tensor((64,), "float32"), H: T.Tensor((len(TAILS), 64), "float16"),
             B: T.Tensor((len(TAILS), 64), "bfloat16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                for n, number in enumerate(TAILS):
                    x = Z[i] + T.float32(number)
                    H[n, i] = 0.5 * x * (1.0 + T.erf(x))
                    B[n, i] = 0.5 * x * (1.0 + T.erf(x))

    return main


def known():
    @T.prim_func
    def main(X: T.Tensor((64, 64), "float16"), S: T.Tensor((64,), "float16"), Y: T.Tensor((4, 64, 64), "bfloat16")):
        with T.Kernel(1, threads=64):
            tile = T.alloc_fragment((64, 64), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.copy(X, tile)
            T.reduce_absmax(tile, top, dim=1)
            for i in T.Parallel(64):
                top[i] = T.max(top[i], 1e-4) / 448.0
            for i, j in T.Parallel(64, 64):
                Y[0, i, j] = tile[i, j] / S[j]
                Y[1, i, j] = tile[i, j] / top[i]
                Y[2, i, j] = tile[i, j] * T.rsqrt(T.abs(tile[i, j]) + 1e-6)
                Y[3, i, j] = 1.0 / (1.0 + T.abs(tile[i, j]))

    return main

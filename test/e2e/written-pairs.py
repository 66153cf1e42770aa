# Elements that an iteration writes side by side are one of their size: a lane has so many iterations as write 16 bytes, and
# lanes lie beside each other in each access. Pairs of f32 and of halves, four bytes, by a last index and by 2 i + 1.
# RUN: tilec-run %s --entry "product()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='float16')" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product(n=37)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rotated()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "rotated(n=100)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "product(n=512)" --target=sm_90a --emit=ptx --no-cache -o - | FileCheck %s --check-prefix=PAIRS
# RUN: tilec %s --entry "rotated(n=512)" --target=sm_90a --emit=ptx --no-cache -o - | FileCheck %s --check-prefix=PAIRS
# CHECK: PASS
# 32 lanes of 16 bytes, then the next ones.
# PAIRS: st.global.v4.b32 [%rd{{[0-9]+}}], {
# PAIRS: st.global.v4.b32 [%rd{{[0-9]+}}+512], {
import tilelang.language as T


def product(n=64, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((4, n, 2), dtype), B: T.Tensor((4, n, 2), dtype), C: T.Tensor((4, n, 2), dtype)):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(n):
                C[bx, i, 0] = A[bx, i, 0] * B[bx, i, 0] - A[bx, i, 1] * B[bx, i, 1]
                C[bx, i, 1] = A[bx, i, 0] * B[bx, i, 1] + A[bx, i, 1] * B[bx, i, 0]

    return main


def rotated(n=64):
    @T.prim_func
    def main(X: T.Tensor((4, 2 * n), "float32"), S: T.Tensor((n,), "float32"), Y: T.Tensor((4, 2 * n), "float32")):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(n):
                Y[bx, 2 * i] = X[bx, 2 * i] * S[i] - X[bx, 2 * i + 1]
                Y[bx, 2 * i + 1] = X[bx, 2 * i + 1] * S[i] + X[bx, 2 * i]

    return main

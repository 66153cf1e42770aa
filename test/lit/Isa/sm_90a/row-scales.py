# How many neighbours a lane takes is what moves along the row: f32 scales of rows do not make pieces of bf16 8 bytes.
# And a sum of products of bf16, which f32 holds, is one operation each.
# RUN: tilec %s --target=sm_90a --entry "scaled()" --emit=ptx | FileCheck %s --check-prefix=SCALED --implicit-check-not="ld.global.v2"
# SCALED: ld.global.v4.b32
# SCALED: st.global.v4.b32
# RUN: tilec %s --target=sm_90a --entry "taps()" --emit=ptx | FileCheck %s --check-prefix=TAPS --implicit-check-not="add.rn.f32"
# TAPS: fma.rn.f32
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "scaled()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "taps()" --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def scaled():
    @T.prim_func
    def main(X: T.Tensor((8, 2048), "bfloat16"), S: T.Tensor((8,), "float32"), Y: T.Tensor((8, 2048), "bfloat16")):
        with T.Kernel(8, threads=128) as bx:
            for j in T.Parallel(2048):
                Y[bx, j] = X[bx, j] * S[bx]

    return main


def taps():
    @T.prim_func
    def main(X: T.Tensor((67, 64), "bfloat16"), W: T.Tensor((3, 64), "bfloat16"), Y: T.Tensor((64, 64), "bfloat16")):
        with T.Kernel(1, threads=128) as bx:
            for i, j in T.Parallel(64, 64):
                Y[i, j] = X[i, j] * W[0, j] + X[i + 1, j] * W[1, j] + X[i + 2, j] * W[2, j]

    return main

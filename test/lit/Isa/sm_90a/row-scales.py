# How many neighbours a lane takes is what moves along the row: f32 scales of rows do not make pieces of bf16 8 bytes.
# RUN: tilec %s --target=sm_90a --entry "scaled()" --emit=ptx | FileCheck %s --check-prefix=SCALED --implicit-check-not="ld.global.v2"
# SCALED: ld.global.v4.b32
# SCALED: st.global.v4.b32
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "scaled()" --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def scaled():
    @T.prim_func
    def main(X: T.Tensor((8, 2048), "bfloat16"), S: T.Tensor((8,), "float32"), Y: T.Tensor((8, 2048), "bfloat16")):
        with T.Kernel(8, threads=128) as bx:
            for j in T.Parallel(2048):
                Y[bx, j] = X[bx, j] * S[bx]

    return main

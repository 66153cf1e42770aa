# What a loop between tensors reads for several of a lane's pieces goes in front of the first piece that it writes, where
# registers of 1024 threads of a unit hold it: an assembler moves no read in front of a write. Reads that several pieces
# have in common, and more than those registers hold, stay with their piece.
# RUN: tilec %s --entry "scaled()" --target=sm_90a --emit=ptx --no-cache -o - | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "taps()" --target=sm_90a --emit=ptx --no-cache -o - | FileCheck %s --check-prefix=APART
# RUN: tilec-run %s --entry "scaled(8)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "taps(1)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "scaled(8)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(8)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# CHECK: PASS
# AHEAD-COUNT-9: ld.global
# AHEAD: st.global
# APART-COUNT-8: ld.global
# APART-NOT: ld.global
# APART: st.global
# APART: ld.global
import tilelang.language as T


def scaled(blocks=4096):
    @T.prim_func
    def main(X: T.Tensor((blocks, 8, 1024), "bfloat16"), S: T.Tensor((blocks, 1024), "bfloat16"), B: T.Tensor((blocks, 1024), "bfloat16"),
             Y: T.Tensor((blocks, 8, 1024), "bfloat16")):
        with T.Kernel(blocks, threads=256) as bx:
            for i, j in T.Parallel(8, 1024):
                Y[bx, i, j] = X[bx, i, j] * (1 + S[bx, j]) + B[bx, j]

    return main


def taps(blocks=4096):
    @T.prim_func
    def main(X: T.Tensor((blocks, 67, 64), "bfloat16"), W: T.Tensor((4, 64), "bfloat16"), Y: T.Tensor((blocks, 64, 64), "bfloat16")):
        with T.Kernel(blocks, threads=256) as bx:
            for i, j in T.Parallel(64, 64):
                Y[bx, i, j] = X[bx, i, j] * W[0, j] + X[bx, i + 1, j] * W[1, j] + X[bx, i + 2, j] * W[2, j] + X[bx, i + 3, j] * W[3, j]

    return main

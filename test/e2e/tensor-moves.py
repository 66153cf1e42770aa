# Tiles that go from a tensor to another (ToWave/Parallel.cpp): rows that no wave is as wide as, ragged ones, reads ahead of
# the writes where the grid leaves registers, and many blocks, which have a loop.
# RUN: tilec-run %s --entry "moves(130, 576)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moves(64, 100)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moves(130, 192, threads=256)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moves(130, 576)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "moves(70, 100)" --target=gfx942 --check | FileCheck %s
# CHECK: result {{ *}}PASS
# The tile of 64 x 576 f32 is 72 pieces of 16 bytes of each thread, and 50 and more of them are read before one is written.
# RUN: tilec %s --entry "moves(128, 576)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=AHEAD
# AHEAD: .minnctapersm 1
# AHEAD-NOT: st.global
# AHEAD-COUNT-50: ld.global.v4
# AHEAD: st.global
# AHEAD-NOT: setp
# RUN: tilec %s --entry "moves(524288, 576)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=ROUNDS
# ROUNDS: bra
import tilelang.language as T


def moves(rows, columns, threads=128):
    @T.prim_func
    def main(A: T.Tensor((rows, 1, columns), "float32"), B: T.Tensor((rows, 1, columns), "bfloat16")):
        with T.Kernel(T.ceildiv(rows, 64), threads=threads) as bx:
            T.copy(A[bx * 64 : (bx + 1) * 64, 0, :], B[bx * 64 : (bx + 1) * 64, 0, :])

    return main

# Random numbers of one block with a known seed are constants: the grid's only block has a number, and a loop of which
# nothing but its stores would be left is written out. Of two blocks they are computed.
# RUN: tilec %s --target=sm_90a --entry "words(1)" --emit=ptx | FileCheck %s --check-prefix=KNOWN
# KNOWN-NOT: mul.
# KNOWN-COUNT-32: st.global.v4.b32
# RUN: tilec %s --target=sm_90a --entry "words(2)" --emit=ptx | FileCheck %s --check-prefix=COMPUTED
# COMPUTED: mul.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "words(1)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "words(2)" | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T


def words(blocks):
    @T.prim_func
    def main(W: T.Tensor((blocks, 128), "uint32")):
        with T.Kernel(blocks, threads=1) as bx:
            T.rng_init(42, 0, bx * 128)
            for j in T.Parallel(128):
                W[bx, j] = T.rng_rand()

    return main

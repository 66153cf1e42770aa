# A generator's block of four words is computed once: a loop over words has several blocks in a round, without a
# condition for the place in a block, and stores four words together. The lanes that a block of one thread does not have
# leave before the loop, not in each round.
# RUN: tilec %s --entry "words()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=WORDS
# WORDS: bra
# WORDS: [[ROUND:.*]]:
# WORDS-NOT: bra
# WORDS-COUNT-4: st.global.v4.b32
# WORDS-NOT: st.global
# WORDS: bra [[ROUND]]
# WORDS-NOT: bra
import tilelang.language as T


def words(first=0):
    @T.prim_func
    def main(W: T.Tensor((8, 128), "uint32")):
        with T.Kernel(8, threads=1) as bx:
            T.rng_init(42, 0, bx * 128 + first)
            for j in T.Parallel(128):
                W[bx, j] = T.rng_rand()

    return main

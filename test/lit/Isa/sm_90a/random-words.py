# A generator's block of four words is computed once: a loop over words has several blocks in a round, without a
# condition for the place in a block, and stores four words together. The lanes that a block of one thread does not have
# leave before the loop, not in each round; so do those of an author's condition, and a round with work for all keeps its.
# RUN: tilec %s --entry "words()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=WORDS
# RUN: tilec %s --entry "words(1)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=ODD
# RUN: tilec %s --entry "some()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=SOME
# RUN: tilec %s --entry "words()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=HALVES
# Products are of 32 bits each (CodeGen/WideProducts.cpp).
# HALVES: mul.hi.u32
# HALVES-NOT: mul.lo.s64
# WORDS: bra
# WORDS: [[ROUND:.*]]:
# WORDS-NOT: bra
# WORDS-COUNT-4: st.global.v4.b32
# WORDS-NOT: st.global
# WORDS: bra [[ROUND]]
# WORDS-NOT: bra
# ODD-NOT: st.global.v4
# ODD: ret
# SOME: setp.gt.u32 %p[[LEAVES:[0-9]+]]
# SOME: @%p[[LEAVES]] bra
# SOME: [[ROUND:.*]]:
# SOME: ld.global
# SOME-NOT: bra
# SOME: bra [[ROUND]]
# SOME-NOT: bra
import tilelang.language as T


def words(first=0):
    @T.prim_func
    def main(W: T.Tensor((8, 128), "uint32")):
        with T.Kernel(8, threads=1) as bx:
            T.rng_init(42, 0, bx * 128 + first)
            for j in T.Parallel(128):
                W[bx, j] = T.rng_rand()

    return main


def some():
    @T.prim_func
    def main(A: T.Tensor((4096, 64), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            total = T.alloc_local((1,), "float32")
            total[0] = 1.0
            for i in T.serial(4096):
                if tx < 50:
                    total[0] = total[0] + A[i, tx]
            B[tx] = total[0]

    return main

# RUN: tilec %s --target=sm_80 --emit=wave | FileCheck %s
#
# A product of f32 is summed up by lanes, in a loop that stays one: unrolled, it is as long as K.
#
# CHECK:      scf.for
# CHECK-NEXT:   wave.rolled
# CHECK:        math.fma
import tilelang
import tilelang.language as T


@tilelang.jit
def product():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            As = T.alloc_shared((64, 64), "float32")
            Bs = T.alloc_shared((64, 64), "float32")
            acc = T.alloc_fragment((64, 64), "float32")
            T.copy(A, As)
            T.copy(B, Bs)
            T.clear(acc)
            T.gemm(As, Bs, acc)
            T.copy(acc, C)

    return main

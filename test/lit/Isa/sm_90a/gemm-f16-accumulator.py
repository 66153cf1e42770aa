# A gemm whose C is f16 rounds once: no instruction that sums in f16 is taken, on tensor cores or in warp groups.
# RUN: tilec %s --target=sm_80 --emit=asm -o - | FileCheck %s --check-prefix=SM80
# RUN: tilec %s --target=sm_90a --emit=asm -o - | FileCheck %s --check-prefix=SM90
import tilelang.language as T

# SM80-NOT: mma.sync{{.*}}f16.f16.f16.f16
# SM80: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
# SM80: cvt.rn.f16x2.f32
# SM90: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
# SM90: cvt.rn.f16x2.f32


@T.prim_func
def main(A: T.Tensor((128, 64), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((128, 128), "float16")):
    with T.Kernel(1, threads=256) as bx:
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((128, 64), "float16")
        c = T.alloc_fragment((128, 128), "float16")
        T.copy(A, a)
        T.copy(B, b)
        T.clear(c)
        T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C)

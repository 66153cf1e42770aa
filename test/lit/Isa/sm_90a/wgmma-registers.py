# A warp group multiplies what its registers hold. Three groups have 128 registers at entry: instructions of 128 columns,
# not 256 (ptxas: C7602). Four groups of 256 x 256 would hold 128 accumulators each of 112 registers: mma.sync.
# RUN: tilec %s --entry "gemm(192, 256, 384)" --target=sm_90a --emit=asm -o - | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --entry "gemm(256, 256, 512)" --target=sm_90a --emit=asm -o - | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --entry "gemm(128, 256, 256)" --target=sm_90a --emit=asm -o - | FileCheck %s --check-prefix=TWO
import tilelang.language as T

# THREE-NOT: m64n256k16
# THREE: wgmma.mma_async.sync.aligned.m64n128k16
# FOUR-NOT: wgmma.mma_async
# FOUR: mma.sync.aligned.m16n8k16
# TWO: wgmma.mma_async.sync.aligned.m64n256k16


def gemm(block_m, block_n, threads):
    @T.prim_func
    def main(
        A: T.Tensor((1024, 1024), "bfloat16"), B: T.Tensor((1024, 1024), "bfloat16"), C: T.Tensor((1024, 1024), "bfloat16")
    ):
        with T.Kernel(T.ceildiv(1024, block_n), T.ceildiv(1024, block_m), threads=threads) as (bx, by):
            a = T.alloc_shared((block_m, 64), "bfloat16")
            b = T.alloc_shared((block_n, 64), "bfloat16")
            c = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(c)
            for k in T.Pipelined(16, num_stages=2):
                T.copy(A[by * block_m, k * 64], a)
                T.copy(B[bx * block_n, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block_m, bx * block_n])

    return main

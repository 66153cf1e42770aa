# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --schedule=ping_pong --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --schedule=ping_pong --emit=schedule.svg | FileCheck %s --check-prefix=SVG
# RUN: not tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, threads=256)" --schedule=ping_pong --emit=asm 2>&1 | FileCheck %s --check-prefix=FOUR
# RUN: not tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --schedule=pingpong 2>&1 | FileCheck %s --check-prefix=NAME
#
# Eight phases in two K tiles; half the waves are a barrier behind. Every read is waited for two
# barriers ahead, so the copies in flight never come to an end.

# CHECK:      registers {{(1[0-9][0-9]|2[0-2][0-9]|23[0-2])}} vector, 0 accumulator
# CHECK-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions; accumulator moves 0
# CHECK:      (hot)
# CHECK-NEXT: 128 mfma, 48 shared read, 16 shared dma, {{[24]}} vector, {{1[89]}} scalar, 14 wait, 16 barrier, 16 priority
# CHECK:      longest MFMA run 16
# CHECK:      waits: 2 x vmcnt(6), 8 x lgkmcnt(0), 2 x vmcnt(10), 2 x vmcnt(8){{$}}
# CHECK-NEXT: LDS bank conflicts: 0 cycles

# SVG: <svg xmlns="http://www.w3.org/2000/svg"
# SVG: gemm{{.*}}: ping_pong, a round of 2 K tiles
# SVG: <title>dma A 2 +1</title>
# SVG: <title>barrier</title>
# SVG: </svg>

# FOUR: error: `ping_pong` does not fit: it needs 8 waves, the block has 4
# NAME: `pingpong` is no schedule; gfx950 has auto, interleave, ping_pong, single
import tilelang.language as T


def gemm(M, N, K, block_M=256, block_N=256, block_K=64, threads=512, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

# B of 64 x 64 x 32 with K as the slower dimension: halves that are turned in registers are read as words, so that
# reads stay where they are planned, in front of matrix instructions, and `interleave` is kept: its waits leave copies in
# flight.
# RUN: tilec %s --target=gfx942 --entry "gemm(1024, 1024, 1024)" --strict-schedule --schedule=interleave --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx942 --entry "gemm(1024, 1024, 1024)" --emit=llvm | FileCheck %s --check-prefix=LLVM
# RUN: tilec-run %s --target=gfx942 --entry "gemm(200, 136, 328)" --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "gemm(256, 128, 352, dtype='bfloat16')" --check --sim-interleave=1 | FileCheck %s --check-prefix=RIGHT
# CHECK:     spills 0 vector, 0 scalar
# CHECK:     waits: 2 x lgkmcnt(0), 2 x vmcnt(8) lgkmcnt(0), 2 x vmcnt(6){{$}}
# CHECK:     planned: copies and matrix instructions in the order of a schedule
# LLVM-NOT:  load volatile <2 x half>
# LLVM:      load volatile i32
# LLVM-NOT:  load volatile <2 x half>
# RIGHT:     PASS
import tilelang.language as T


def gemm(M, N, K, block_M=64, block_N=64, block_K=32, threads=128, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_K, block_N), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[k * block_K, bx * block_N], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block_M, bx * block_N])

    return main

# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'nn', 'bfloat16', 32)" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,NN16
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'tt', 'float16', 32)" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,TT16
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'tn', 'bfloat16', 32)" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,TN16
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'nn', 'float8_e4m3fnuz', 64)" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,NN8
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'tn', 'int8', 64, 'int32')" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,TN8
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'tn', 'bfloat16', 32)" --emit=asm | FileCheck %s --check-prefix=LOOP
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 'nt', 'bfloat16', 32)" --emit=asm | FileCheck %s --check-prefix=NT
#
# An operand of which memory has K as the slower dimension is copied as any other; a lane reads runs of rows for the k of its
# operands, as many rows as repetitions, and turns them in registers: with as many reads as rows of K take (twice where only 4
# bytes of rows stand together), in the shadow of matrix instructions. A named schedule is strict: its order is checked.

# CHECK:      registers {{(1[0-9][0-9]|2[0-4][0-9]|25[0-6])}} vector, 0 accumulator
# CHECK-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions; accumulator moves 0
# CHECK:      LDS DMAs: 64 and the {{[0-9]+}} reads of their data are kept apart by waits and barriers
# CHECK:      (hot)
# NN16-NEXT:  128 mfma, 48 shared read, 32 shared dma
# TT16-NEXT:  128 mfma, 48 shared read, 32 shared dma
# TN16-NEXT:  128 mfma, 48 shared read, 32 shared dma
# NN8-NEXT:   128 mfma, 64 shared read, 32 shared dma
# TN8-NEXT:   128 mfma, 64 shared read, 32 shared dma
# CHECK-NOT:  vmcnt(0)
# CHECK:      LDS bank conflicts: 0 cycles a round, addresses of [[ALL:[0-9]+]] of [[ALL]] accesses known

# LOOP:      [[LOOP:\.LBB0_[0-9]+]]:
# LOOP-NOT:  ds_read_u
# LOOP:      ds_read_b64
# LOOP-NOT:  ds_write
# LOOP:      v_perm_b32
# LOOP:      s_cbranch_scc{{[01]}} [[LOOP]]
# NT-NOT:    v_perm_b32
import tilelang.language as T


def gemm(M, N, K, form, dtype, block_K, accum="float32", block_M=256, block_N=256, threads=512):
    ta, tb = form[0] == "t", form[1] == "t"

    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype),
             C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_K, block_M) if ta else (block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K) if tb else (block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                if ta:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if tb:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=ta, transpose_B=tb)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 64, 'nn', 'bfloat16')" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,NN
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 64, 'tt', 'float16')" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,TT
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 64, 'tn', 'bfloat16')" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,TN
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 128, 'nn', 'int8', 'int32')" --schedule=interleave --emit=report | FileCheck %s --check-prefixes=CHECK,NN
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 64, 'nn', 'bfloat16')" --emit=asm | FileCheck %s --check-prefix=B16
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 128, 'tn', 'float8_e4m3fn')" --emit=asm | FileCheck %s --check-prefix=B8
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, 256, 256, 64, 'nt', 'bfloat16')" --emit=asm | FileCheck %s --check-prefix=NT
#
# An operand of which memory has K as the slower dimension is read transposed: an instruction for 8
# bytes a lane, no element by element. A named schedule is strict: its order is checked.

# CHECK:      registers {{(1[0-9][0-9]|2[0-4][0-9]|25[0-6])}} vector, 0 accumulator
# CHECK-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions; accumulator moves 0
# CHECK:      LDS DMAs: 32 and the {{[0-9]+}} reads of their data are kept apart by waits and barriers
# CHECK:      (hot)
# NN-NEXT:    128 mfma, 64 shared read, 16 shared dma
# TT-NEXT:    128 mfma, 80 shared read, 16 shared dma
# TN-NEXT:    128 mfma, 96 shared read, 16 shared dma
# CHECK:      between LDS DMAs: max {{[12]}},
# CHECK-NEXT: waits: {{.*}}2 x vmcnt(3)
# CHECK-NEXT: LDS bank conflicts: 0 cycles a round, addresses of [[ALL:[0-9]+]] of [[ALL]] accesses known

# B16:       [[LOOP:\.LBB0_[0-9]+]]:
# B16-NOT:   ds_read_u
# B16:       ds_read_b64_tr_b16
# B16-NOT:   ds_read_u
# B16:       s_cbranch_scc{{[01]}} [[LOOP]]
# B8:        ds_read_b64_tr_b8
# NT-NOT:    _tr_
import tilelang.language as T


def gemm(M, N, K, block_M, block_N, block_K, form, dtype, accum="float32", threads=512, k_pack=1):
    trans_A, trans_B = form[0] == "t", form[1] == "t"
    A_shape = (K, M) if trans_A else (M, K)
    B_shape = (N, K) if trans_B else (K, N)
    A_tile = (block_K, block_M) if trans_A else (block_M, block_K)
    B_tile = (block_N, block_K) if trans_B else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor(A_shape, dtype), B: T.Tensor(B_shape, dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared(A_tile, dtype)
            B_shared = T.alloc_shared(B_tile, dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                if trans_A:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if trans_B:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=trans_A, transpose_B=trans_B, k_pack=k_pack)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

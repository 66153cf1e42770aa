# RUN: tilec %s --target=gfx950 --entry "gemm(512, 512, 512)" --emit=asm | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(512, 512, 512)" --emit=llvm | FileCheck %s --check-prefix=LLVM
#
# The loop: 16-byte LDS DMAs start a later tile while ds_read_b128 and MFMA work on this one, woven
# into each other; a wait leaves DMAs in flight. No register copies, no waterfall, no scratch.

# LLVM: @[[LDS:.*]] = internal addrspace(3) global [65536 x i8]
# LLVM: call void @llvm.amdgcn.raw.ptr.buffer.load.lds
# LLVM: phi <4 x float>
# LLVM: call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf16

# CHECK-LABEL: {{^}}gemm:
# CHECK:       [[LOOP:\.LBB0_[0-9]+]]:
# CHECK-NOT:   {{scratch_|v_readfirstlane|v_accvgpr|vmcnt\(0\)}}
# CHECK:       v_mfma_f32_16x16x32_bf16
# CHECK-NOT:   {{scratch_|v_readfirstlane|v_accvgpr|vmcnt\(0\)}}
# CHECK:       ds_read_b128
# CHECK-NOT:   {{scratch_|v_readfirstlane|v_accvgpr|vmcnt\(0\)}}
# CHECK:       s_waitcnt vmcnt({{[1-9]+}})
# CHECK-NEXT:  s_barrier
# CHECK-NOT:   {{scratch_|v_readfirstlane|v_accvgpr|vmcnt\(0\)}}
# CHECK:       buffer_load_dwordx4 {{.*}} offen lds
# CHECK-NOT:   {{scratch_|v_readfirstlane|v_accvgpr|vmcnt\(0\)}}
# CHECK:       s_cbranch_scc{{[01]}} [[LOOP]]
# CHECK:       global_store_dwordx2
# CHECK:       .vgpr_spill_count: 0
import tilelang.language as T


def gemm(M, N, K, block_M=128, block_N=128, block_K=64, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
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

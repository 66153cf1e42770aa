# RUN: tilec %s --target=sm_90a --entry "gemm(512, 512, 512)" --emit=asm | FileCheck %s
#
# One warp copies with TMA into a ring guarded by mbarriers, two warpgroups multiply with wgmma;
# ptxas takes it without spills.
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "gemm(512, 512, 512)" --strict -o %t.cubin %}
# RUN: tilec %s --target=sm_90a --entry "gemm(512, 512, 512)" --emit=manifest | FileCheck %s --check-prefix=MANIFEST
#
# CHECK:       .visible .entry gemm(
# CHECK:       mbarrier.init.shared.b64
# CHECK:       setmaxnreg.dec
# CHECK:       mbarrier.arrive.expect_tx
# CHECK:       cp.async.bulk.tensor.2d
# CHECK:       setmaxnreg.inc
# CHECK:       mbarrier.try_wait.parity
# CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
# CHECK:       wgmma.wait_group.sync.aligned
# MANIFEST: "kind": "tensormap"
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

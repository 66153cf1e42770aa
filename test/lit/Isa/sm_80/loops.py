# RUN: tilec %s --target=sm_80 --entry "gemm(tb=True)" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefixes=CHECK,NT
# RUN: tilec %s --target=sm_80 --entry "gemm(tb=False)" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefixes=CHECK,NN
# RUN: tilec %s --target=sm_80 --entry "gemm(tb=False, BN=24)" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefix=ODD
#
# The loop of a product, 64 x 32 a warp in two K steps: the first step is multiplied before anything waits;
# the second is read in front of the barrier, the next round's first step behind it, four matrices an
# instruction in A and in B. Copies differ by constants; slots of a ring of three are counted (no quotients).
#
# CHECK:       bar.sync
# CHECK-COUNT-6: ldmatrix.sync.aligned.m8n8.x4
# CHECK:       [[LOOP:\$L__BB0_[0-9]+]]:
# CHECK-NOT:   wait_group
# CHECK-NOT:   mul.hi
# CHECK:       cp.async.cg.shared.global [[[TO:%r[0-9]+]]], [[[FROM:%rd[0-9]+]]], 16
# CHECK-NEXT:  cp.async.cg.shared.global [[[TO]]+2048], [[[FROM]]+65536], 16
# CHECK-NEXT:  cp.async.cg.shared.global [[[TO]]+4096], [[[FROM]]+131072], 16
# CHECK-NEXT:  cp.async.cg.shared.global [[[TO]]+6144], [[[FROM]]+196608], 16
# CHECK:       cp.async.commit_group
# CHECK-COUNT-16: mma.sync
# CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared
# NT-COUNT-2:  ldmatrix.sync.aligned.m8n8.x4.shared
# NN-COUNT-2:  ldmatrix.sync.aligned.m8n8.x4.trans.shared
# CHECK:       cp.async.wait_group 1
# CHECK-NEXT:  bar.sync
# CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared
# NT-COUNT-2:  ldmatrix.sync.aligned.m8n8.x4.shared
# NN-COUNT-2:  ldmatrix.sync.aligned.m8n8.x4.trans.shared
# CHECK-COUNT-16: mma.sync
# CHECK-NOT:   mma.sync
# CHECK-NOT:   ldmatrix
# CHECK:       bra [[LOOP]]
# The result: one barrier between narrow writes of shared memory and wide stores.
# CHECK:       cp.async.wait_group 0
# CHECK-NEXT:  bar.sync
# CHECK:       st.shared.b32
# CHECK:       bar.sync
# CHECK-NOT:   bar.sync
# CHECK-NOT:   st.global.b32
# CHECK-COUNT-8: st.global.v4.b32
#
# An odd number of matrices: two at once, and the last one alone.
# ODD: ldmatrix.sync.aligned.m8n8.x4.trans.shared
# ODD: ldmatrix.sync.aligned.m8n8.x2.trans.shared
import tilelang.language as T


def gemm(M=1024, N=960, K=1024, BM=128, BN=64, BK=32, tb=False, dtype="float16"):
    b_shape, b_tile = ((N, K), (BN, BK)) if tb else ((K, N), (BK, BN))

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(N // BN, M // BM, threads=128) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared(b_tile, dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            T.clear(C_local)
            for k in T.Pipelined(K // BK, num_stages=3):
                T.copy(A[by * BM, k * BK], A_shared)
                if tb:
                    T.copy(B[bx * BN, k * BK], B_shared)
                else:
                    T.copy(B[k * BK, bx * BN], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=tb)
            T.copy(C_local, C[by * BM, bx * BN])

    return main

# RUN: tilec %s --target=sm_80 --entry "gemm()" --emit=tile-pipelined | FileCheck %s --check-prefix=STAGED
# RUN: tilec %s --target=sm_80 --entry "gemm(out='float32')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_80 --entry "gemm(N=132)" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_80 --entry "gemm(at=4)" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_80 --entry "gemm(BK=16, stages=1)" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "gemm()" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=gfx950 --entry "gemm()" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
#
# A result of 16 bits goes through shared memory that the rings do not need any more, with what is computed
# on the way, and is copied from there. Not so f32, rows that 16 bytes do not divide, tiles that begin
# between 16 bytes, a tile that is larger than the operands; Hopper's goes through TMA, AMD's registers run
# along rows.
#
# STAGED:     tile.alloc "A_shared" {{.*}}shared_place = [[PLACE:[0-9]+]]
# STAGED:     tile.gemm
# STAGED:     tile.barrier
# STAGED:     %[[TILE:.*]] = tile.alloc "stored" {{.*}}phases{{.*}}shared_place = [[PLACE]]
# STAGED:     tile.parallel (%[[I:.*]], %[[J:.*]]) in
# STAGED:       arith.maxnumf
# STAGED:       tile.store %{{.*}}, %[[TILE]][%[[I]], %[[J]]]
# STAGED-NOT:   tile.store
# STAGED:     tile.barrier
# STAGED:     tile.move (%[[I2:.*]], %[[J2:.*]]) in
# STAGED:       tile.load %[[TILE]][%[[I2]], %[[J2]]]
# STAGED:       tile.store %{{.*}} !tile.buffer<[256, 256], f16, global>
# STAGED-NOT:   tile.store
# KEPT-NOT:   "stored"
import tilelang.language as T


def gemm(M=256, N=256, K=128, BM=64, BN=64, BK=64, stages=3, out="float16", at=0):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N - at, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), "float16")
            B_shared = T.alloc_shared((BK, BN), "float16")
            C_local = T.alloc_fragment((BM, BN), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[by * BM, k * BK], A_shared)
                T.copy(B[k * BK, bx * BN], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            for i, j in T.Parallel(BM, BN):
                C[by * BM + i, at + bx * BN + j] = T.max(C_local[i, j], 0)

    return main

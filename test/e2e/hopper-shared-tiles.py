# Tiles of shared memory that live behind a loop with a producer warp. Where a block does one tile, they share bytes with
# the rings, which are dead by then; where it goes on to another tile, whose copies are on their way, they have bytes of
# their own, and the rings fewer slots.
# RUN: tilec %s --entry "product(M=1000, N=256, K=512)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=SHARED --implicit-check-not="instead of 4 stages"
# SHARED:      tile.pipe stages(4)
# SHARED:      tile.alloc "C_shared" {{.*}} {shared_place = 0 : i64}
# SHARED:      tile.gemm_wait %C_local pending 0
# SHARED-NEXT: tile.pipe_drain
# SHARED-NEXT: tile.barrier
# SHARED:      tile.store {{.*}} %C_shared
# RUN: tilec %s --entry "product(M=32768, N=256, K=512)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=OWN
# OWN: remark: pipelined with 3 instead of 4 stages: shared memory holds no more
# OWN: tile.pipe stages(3)
# OWN: tile.alloc "C_shared" {{.*}} {shared_place = 98304 : i64}
# RUN: tilec-run %s --entry "product(M=330, N=256, K=712)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product(M=330, N=256, K=712)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "product(M=17000, N=256, K=72)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "product(M=330, N=256, K=200, stages=2)" --target=gfx950 --check | FileCheck %s
# Attention whose result is read once more: the rings of K, V and Q are over.
# RUN: tilec %S/attention-upstream.py --entry "attention(dim=256, top=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=ATTENTION
# ATTENTION: tile.alloc "O_shared" {{.*}} {shared_place = 0 : i64}
# RUN: tilec-run %S/attention-upstream.py --entry "attention(dim=256, heads=1, seq_q=256, seq_kv=192, top=True)" --target=sm_90a --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %S/attention-upstream.py --entry "attention(batch=9, heads=8, seq_q=256, seq_kv=128, dim=64, top=True)" --target=sm_90a --device=ptx --check --sim-interleave=5 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def product(M, N, K, BM=128, BN=256, BK=64, stages=4, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype), Sums: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=256) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_shared = T.alloc_shared((BM, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            sums = T.alloc_fragment((BM,), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[by * BM, k * BK], A_shared)
                T.copy(B[bx * BN, k * BK], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C_shared)
            T.copy(C_shared, C[by * BM, bx * BN])
            T.reduce_sum(C_shared, sums, dim=1)
            T.copy(sums, Sums[by * BM])

    return main

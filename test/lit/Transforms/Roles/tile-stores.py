# RUN: tilec %s --target=sm_90a --entry "product('guarded')" --emit=wave | FileCheck %s --check-prefix=GUARDED
# RUN: tilec %s --target=sm_90a --entry "product('guarded')" --emit=asm | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=sm_90a --entry "product('shared')" --emit=tile-pipelined | FileCheck %s --check-prefix=SHARED
# RUN: tilec %s --target=sm_90a --entry "product('shared sums')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "product('two')" --emit=wave | FileCheck %s --check-prefix=TWO
# RUN: tilec %s --target=sm_90a --entry "product('two')" --emit=tile-pipelined | FileCheck %s --check-prefix=BOXES
# RUN: tilec %s --target=sm_90a --entry "product('two')" --emit=manifest | FileCheck %s --check-prefix=MAPS
# RUN: tilec %s --target=sm_90a --entry "product('added')" --emit=asm | FileCheck %s --check-prefix=ADDED
# RUN: tilec %s --target=sm_90a --entry "product('repeated')" --emit=wave | FileCheck %s --check-prefix=REPEATED
# RUN: tilec %s --target=sm_90a --entry "product('summed')" --emit=wave | FileCheck %s --check-prefix=SUMMED
# RUN: tilec %s --target=sm_90a --entry "product('read later')" --emit=wave | FileCheck %s --check-prefix=DIRECT
# RUN: tilec %s --target=sm_90a --entry "product('transposed')" --emit=wave | FileCheck %s --check-prefix=DIRECT
# RUN: tilec %s --target=sm_90a --entry "product('guarded', N=1023)" --emit=wave | FileCheck %s --check-prefix=DIRECT
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "product('guarded', M=4096, N=4096, BN=256)" --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "product('two', M=4096, N=4096, BN=256)" --strict -o %t.cubin %}
#
# What is computed from an accumulator element by element goes through shared memory and TMA.

# The guard is the tensor's bounds, which TMA keeps anyway. What the next elements need is asked for ahead; the
# sigmoid takes the approximation, since the result is rounded to 16 bits.
# GUARDED:        wave.group_mma_wait 0
# GUARDED-COUNT-12: wave.global_read
# GUARDED:        wave.bulk_wait read 1
# GUARDED:        wave.named_barrier {{.*}} threads(128)
# GUARDED:        math.exp {{.*}} fastmath<afn>
# GUARDED:        wave.global_read
# GUARDED:        wave.stmatrix
# GUARDED:        wave.async_fence
# GUARDED:        wave.tma_store
# GUARDED-NOT:    wave.global_write
# PTX-NOT:        div.rn
# PTX:            ex2.approx.ftz

# SHARED-NOT:     "C_shared"
# SHARED:         tile.store_tile
# SHARED-NEXT:      tile.load %C_local
# SHARED:           tile.store {{.*}} : f32, !tile.buffer<[1000, 1024], bf16, global>
# SHARED-NOT:     tile.copy
# The tile is read by more than the copy.
# KEPT:           "C_shared"
# KEPT:           tile.copy %C_shared

# Per 64 columns: f32 in two transfers of 32, bf16 in one. Accumulators are read once.
# BOXES:          tile.store_tile {{.*}}buffers = 2 : i64, bytes = 8192 : i64, row_bytes = array<i64: 128, 128>, rows = array<i64: 0, 0>

# TWO:            wave.bulk_wait read 1
# TWO:            wave.shared_write {{.*}} vector<2xf32>
# TWO:            wave.tma_store
# TWO:            wave.shared_write {{.*}} vector<2xf32>
# TWO:            wave.tma_store
# TWO:            wave.stmatrix
# TWO:            wave.tma_store
# MAPS:           "name": "D_map2"
# MAPS-NEXT:      "kind": "tensormap"
# MAPS-NEXT:      "of": "D"
# MAPS:           "name": "C_map3"

# ADDED:          cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group

# A round of the author's loop waits for what the one before has written; its transfers have a buffer each, are written
# behind one barrier and started behind another.
# REPEATED:       scf.for
# REPEATED:         wave.bulk_wait 0
# REPEATED:         wave.named_barrier
# REPEATED-COUNT-32: wave.shared_write
# REPEATED:         wave.async_fence
# REPEATED-NEXT:    wave.named_barrier
# REPEATED-COUNT-4: wave.tma_store
# Sums are the same in any order: only what is in shared memory must have been read.
# SUMMED:         scf.for
# SUMMED:           wave.bulk_wait read 0
# SUMMED-NOT:       wave.bulk_wait
# SUMMED-COUNT-4:   wave.tma_store

# DIRECT-NOT:     wave.tma_store
# DIRECT:         wave.global_write
import tilelang.language as T


def product(form, M=1000, N=1024, K=256, BM=128, BN=128, BK=64, dtype="bfloat16", threads=256):

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), bias: T.Tensor((N,), "float32"),
             R: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype), D: T.Tensor((M, N), "float32"),
             X: T.Tensor((N, M), dtype), Sums: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            C_shared = T.alloc_shared((BM, BN), dtype)
            sums = T.alloc_fragment((BM,), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=3):
                T.copy(A[by * BM, k * BK], A_shared)
                T.copy(B[bx * BN, k * BK], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            if form == "guarded":
                for i, j in T.Parallel(BM, BN):
                    if by * BM + i < M and bx * BN + j < N:
                        x = C_local[i, j] + bias[bx * BN + j] + T.cast(R[by * BM + i, bx * BN + j], "float32")
                        C[by * BM + i, bx * BN + j] = x / (1.0 + T.exp(-x))
            elif form == "shared" or form == "shared sums":
                T.copy(C_local, C_shared)
                T.copy(C_shared, C[by * BM, bx * BN])
                if form == "shared sums":
                    T.reduce_sum(C_shared, sums, dim=1)
                    T.copy(sums, Sums[by * BM])
            elif form == "two":
                for i, j in T.Parallel(BM, BN):
                    D[by * BM + i, bx * BN + j] = C_local[i, j]
                    C[by * BM + i, bx * BN + j] = T.max(C_local[i, j], 0.0)
            elif form == "added":
                for i, j in T.Parallel(BM, BN):
                    T.atomic_add(D[by * BM + i, bx * BN + j], C_local[i, j])
            elif form == "repeated":
                for turn in T.serial(3):
                    for i, j in T.Parallel(BM, BN):
                        D[by * BM + i, bx * BN + j] = C_local[i, j] * turn
            elif form == "summed":
                for turn in T.serial(3):
                    for i, j in T.Parallel(BM, BN):
                        T.atomic_add(D[by * BM + i, bx * BN + j], C_local[i, j] * turn)
            elif form == "read later":
                T.copy(C_local, C[by * BM, bx * BN])
                for i, j in T.Parallel(BM, BN):
                    D[j, i] = C[by * BM + i, bx * BN + j]
            elif form == "transposed":
                for i, j in T.Parallel(BM, BN):
                    X[bx * BN + j, by * BM + i] = C_local[i, j]

    return main

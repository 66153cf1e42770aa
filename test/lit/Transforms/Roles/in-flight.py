# RUN: tilec %s --target=sm_90a --entry "rounds('chain')" --emit=tile-pipelined | FileCheck %s --check-prefix=CHAIN
# RUN: tilec %s --target=sm_90a --entry "rounds('shared')" --emit=tile-pipelined | FileCheck %s --check-prefix=SHARED
# RUN: tilec %s --target=sm_90a --entry "rounds('chain', again=True)" --emit=tile-pipelined | FileCheck %s --check-prefix=AGAIN
# RUN: tilec %s --target=sm_90a --entry "rounds('none')" --emit=tile-pipelined | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --target=sm_90a --entry "rounds('chain')" --schedule=producer_consumer --emit=tile-pipelined | FileCheck %s --check-prefix=ONCE
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "rounds('chain')" --strict -o %t.cubin %}
#
# Gemms of a loop with a producer run beside the statements behind them.

# S2 is started before anything needs S; each statement waits for the oldest gemms up to the one that it needs.
# CHAIN:       tile.gemm {{.*}} %S clear(%{{[a-z0-9]+}}) {in_flight
# CHAIN-NEXT:  tile.gemm {{.*}} %S2 clear(%{{[a-z0-9]+}}) {in_flight
# CHAIN:       tile.gemm_wait %S pending 1
# CHAIN:       tile.parallel
# CHAIN:       tile.gemm %P, {{.*}} %O {in_flight
# CHAIN:       tile.gemm_wait %S2 pending 1
# CHAIN:       tile.parallel
# CHAIN:       tile.gemm %P2, {{.*}} %O2 {in_flight
# CHAIN:       tile.gemm_wait %O, %P, %O2, %P2 pending 0
# CHAIN-NEXT:  tile.pipe_release

# What a gemm reads of shared memory that threads write is guarded by barriers, which are no waits for it.
# SHARED:      tile.gemm {{.*}} %S2 {{.*}}{in_flight
# SHARED:      tile.gemm %P_shared
# SHARED-NOT:  in_flight
# SHARED-SAME: %O
# SHARED:      tile.pipe_release

# So is what threads write behind the loop: a barrier of the last round would not wait for a gemm in flight.
# AGAIN-NOT:   %S {{.*}}in_flight
# AGAIN:       tile.gemm {{.*}} %S2
# AGAIN-NOT:   %S2 {{.*}}in_flight
# AGAIN:       tile.gemm %P, {{.*}} %O {in_flight

# Nothing runs beside it, or that is not wanted.
# ONCE-NOT:    in_flight
# ONCE-NOT:    tile.gemm_wait
import tilelang.language as T


def rounds(second, M=64, N=64, D=64, R=1024, threads=128, again=False, dtype="float16"):

    @T.prim_func
    def main(Q: T.Tensor((M, D), dtype), K: T.Tensor((R, D), dtype), V: T.Tensor((R, D), dtype),
             Out: T.Tensor((M, D), "float32"), Out2: T.Tensor((M, D), "float32")):
        with T.Kernel(1, threads=threads) as _:
            Q_shared = T.alloc_shared((M, D), dtype)
            K_shared = T.alloc_shared((N, D), dtype)
            V_shared = T.alloc_shared((N, D), dtype)
            P_shared = T.alloc_shared((M, N), dtype)
            S = T.alloc_fragment((M, N), "float32")
            S2 = T.alloc_fragment((M, N), "float32")
            P = T.alloc_fragment((M, N), dtype)
            P2 = T.alloc_fragment((M, N), dtype)
            O = T.alloc_fragment((M, D), "float32")
            O2 = T.alloc_fragment((M, D), "float32")
            T.copy(Q, Q_shared)
            T.clear(O)
            T.clear(O2)
            for k in T.Pipelined(R // N, num_stages=2):
                T.copy(K[k * N, 0], K_shared)
                T.copy(V[k * N, 0], V_shared)
                T.gemm(Q_shared, K_shared, S, transpose_B=True, clear_accum=True)
                if second != "none":
                    T.gemm(Q_shared, V_shared, S2, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(M, N):
                    P[i, j] = S[i, j] * 2
                if second == "chain":
                    T.gemm(P, V_shared, O)
                elif second == "shared":
                    T.copy(P, P_shared)
                    T.gemm(P_shared, V_shared, O)
                if second != "none":
                    for i, j in T.Parallel(M, N):
                        P2[i, j] = S2[i, j] + 1
                    T.gemm(P2, K_shared, O2)
            if second == "none":
                T.copy(P, P_shared)
                T.gemm(P_shared, V_shared, O)
            if again:
                T.copy(O2, Q_shared)
                T.copy(Q_shared, O2)
            T.copy(O, Out)
            T.copy(O2, Out2)

    return main

# The tiles of docs/numbers/performance-nvidia.md, with every schedule that fits them: no spills, no waits that
# ptxas puts in, no moved accumulators (--strict).
# REQUIRES: ptxas
# RUN: tilec %s --target=sm_90a --entry "gemm(64, 128, 8, 128)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 64, 8, 256)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 128, 5, 256)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(256, 128, 4, 256)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(256, 128, 4, 256)" --schedule=cluster_n --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 192, 5, 256)" --schedule=cluster_m --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 256, 4, 256)" --schedule=producer_consumer --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 256, 4, 256)" --schedule=cluster_m --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 256, 4, 256, True)" --schedule=cluster_m --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(256, 192, 3, 256)" --schedule=cluster_n --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(192, 128, 4, 384)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(64, 256, 4, 128)" --schedule=ping_pong --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 128, 5, 128)" --schedule=ping_pong --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 112, 6, 128)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 192, 4, 128)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 192, 4, 128, True)" --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 192, 4, 128)" --schedule=ping_pong_cluster_m --strict -o %t.cubin
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 128, 6, 128, True)" --schedule=ping_pong_cluster_n --strict -o %t.cubin
#
# A schedule that is named and does not fit says why; `auto` takes the one that suits.
# RUN: not tilec %s --target=sm_90a --entry "gemm(128, 256, 4, 256)" --schedule=ping_pong --emit=wave 2>&1 | FileCheck %s --check-prefix=WIDE
# RUN: not tilec %s --target=sm_90a --entry "gemm(128, 64, 2, 256, False, 128)" --schedule=cluster_m --emit=wave 2>&1 | FileCheck %s --check-prefix=ROW
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 256, 4, 256, False, 16384)" --emit=tile-pipelined | FileCheck %s --check-prefix=AUTO
# WIDE: tiles.py:[[#]]:{{.*}}`ping_pong` does not fit: two tiles do not fit into registers
# ROW: tiles.py:[[#]]:{{.*}}`cluster_m` does not fit: the grid has one row of tiles
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 192, 4, 128, False, 8192)" --emit=tile-pipelined | FileCheck %s --check-prefix=TEAMS
# RUN: tilec %s --target=sm_90a --entry "gemm(128, 192, 4, 128, False, 8192)" --schedule=ping_pong_cluster_m --emit=tile-pipelined | FileCheck %s --check-prefix=BOTH
# AUTO: planned = "cluster_m"
# TEAMS: planned = "ping_pong"
# BOTH: cluster = 2
# BOTH-SAME: teams = 2
import tilelang.language as T


def gemm(block_M, block_N, stages, threads, nn=False, size=4096, block_K=64, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((size, size), dtype), B: T.Tensor((size, size), dtype), C: T.Tensor((size, size), dtype)):
        with T.Kernel(T.ceildiv(size, block_N), T.ceildiv(size, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N) if nn else (block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(size, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                if nn:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                else:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=not nn)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

# A round's scales are products of what each row has and of what all rows share: both wait in registers, a round ahead.
# RUN: tilec-run %s --entry "product()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(stages=2, K=128)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=sm_80 --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "product(table=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(table=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(same=True)" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "product()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "product()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "product()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED
# PLANNED: planned:
# RUN: tilec %s --entry "product()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=HELD
# HELD: tile.for
# HELD: tile.parallel
# HELD: tile.load %SA_next
# HELD: tile.load %SB_next
# HELD: tile.store {{.*}}, %sa
# HELD: tile.move
# HELD: tile.store {{.*}}, %SA_next
# HELD: tile.move
# HELD: tile.store {{.*}}, %SB_next
import tilelang.language as T


def product(M=64, N=64, K=512, block_K=128, stages=3, table=False, same=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float8_e4m3"), B: T.Tensor((N, K), "float8_e4m3"), SA: T.Tensor((M, K // block_K), "float32"),
             SB: T.Tensor((K // block_K,), "float32"), Order: T.Tensor((K // block_K,), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, block_K), "float8_e4m3")
            b = T.alloc_shared((N, block_K), "float8_e4m3")
            sa = T.alloc_shared((M,), "float32")
            c = T.alloc_fragment((M, N), "float32")
            d = T.alloc_fragment((M, N), "float32")
            T.clear(d)
            for k in T.Pipelined(K // block_K, num_stages=stages):
                T.copy(A[0, k * block_K], a)
                T.copy(B[0, k * block_K], b)
                for i in T.Parallel(M):
                    if same:
                        sa[i] = SB[k] * 2
                    elif table:
                        sa[i] = SA[i, k] * SB[(Order[k] & 1) + 1]
                    else:
                        sa[i] = SA[i, k] * SB[k]
                T.gemm(a, b, c, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(M, N):
                    d[i, j] += c[i, j] * sa[i]
            T.copy(d, C)

    return main

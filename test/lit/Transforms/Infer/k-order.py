# RUN: tilec %s --target=gfx950 --entry "two('bfloat16')" --emit=tile-laid-out --remarks 2>&1 | FileCheck %s --check-prefix=HALF
# RUN: tilec %s --target=gfx942 --entry "two('bfloat16')" --emit=tile-laid-out --remarks 2>&1 | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --target=gfx950 --entry "two('float8_e4m3')" --emit=tile-laid-out --remarks 2>&1 | FileCheck %s --check-prefix=HALF
# RUN: tilec %s --target=gfx950 --entry "two('bfloat16', N=48)" --emit=tile-laid-out --remarks 2>&1 | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --target=gfx950 --entry "two('bfloat16', policy=T.GemmWarpPolicy.FullCol)" --emit=tile-laid-out --remarks 2>&1 | FileCheck %s --check-prefix=SHARED
#
# The accumulators of a product, made smaller, are an operand of the next one where they are: lanes hold k 4g to
# 4g + 3 and 16 + 4g to 16 + 4g + 3 then, and the other operand is read in that order. Where k of the
# instruction are those of the accumulators anyway nothing is said; where waves share a row the operand
# goes through shared memory, in its own type.

# HALF-NOT: goes through shared memory
# HALF:     tile.gemm {{.*}}transpose_b
# HALF:     tile.gemm {{.*}}order = [1, 2, 16, 4, 8]

# SAME-NOT: goes through shared memory
# SAME:     tile.gemm {{.*}}transpose_b
# SAME-NOT: order =

# SHARED:     remark: fragment `P` goes through shared memory
# SHARED-NOT: S_staged
# SHARED:     tile.alloc "P_whole" layout(#tile.shared<shape = [64, 64] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8>)
import tilelang.language as T


def two(dtype, N=64, policy=T.GemmWarpPolicy.FullRow, M=64, D=64):
    @T.prim_func
    def main(A: T.Tensor((M, D), dtype), B: T.Tensor((N, D), dtype), V: T.Tensor((N, D), dtype),
             C: T.Tensor((M, D), "float32")):
        with T.Kernel(1, threads=256) as _:
            A_shared = T.alloc_shared((M, D), dtype)
            B_shared = T.alloc_shared((N, D), dtype)
            V_shared = T.alloc_shared((N, D), dtype)
            S = T.alloc_fragment((M, N), "float32")
            P = T.alloc_fragment((M, N), dtype)
            O = T.alloc_fragment((M, D), "float32")
            T.copy(A, A_shared)
            T.copy(B, B_shared)
            T.copy(V, V_shared)
            T.clear(S)
            T.clear(O)
            T.gemm(A_shared, B_shared, S, transpose_B=True, policy=policy)
            for i, j in T.Parallel(M, N):
                P[i, j] = S[i, j] * 0.5
            T.gemm(P, V_shared, O, policy=policy)
            T.copy(O, C)

    return main

# RUN: tilec %s --target=gfx950 --remarks -o %t.hsaco 2>&1 | FileCheck %s
# RUN: tilec-report %t.hsaco | FileCheck %s --check-prefix=CODE
# RUN: tilec-run %s --target=gfx950 --entry "gemm(256, 256, 512)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: not tilec %s --target=gfx950 --schedule=ping_pong --no-strict-schedule --strict -o %t.bad.hsaco 2>&1 | FileCheck %s --check-prefix=NAMED
#
# `auto` looks at the machine code of the plan that it takes. Two sets of operands do not fit here, and the plan with one
# spills: k_pack = 2 reads operands of 64 bytes a lane. A plan that is named is taken as it is.

# CHECK: remark: schedule `ping_pong` is left for the next one: its machine code spills {{[0-9]+}} registers
# CHECK-NOT: warning:
# CODE:  spills 0 vector
# RIGHT: PASS
# NAMED: spills {{[0-9]+}} vector
import tilelang.language as T


def gemm(M=1024, N=1024, K=1024, block_M=256, block_N=256, block_K=128, dtype="float8_e4m3"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=512) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True, k_pack=2, policy=T.GemmWarpPolicy.FullRow)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

# RUN: tilec %s --target=gfx950 --entry "gemm(512, 512, 512)" -o %t.hsaco
# RUN: tilec-report %t.hsaco > %t.hsaco.txt
# RUN: tilec-sim %t.hsaco --grid 8,8 --block 256 --arg zeros:524288 --arg zeros:524288 --arg uninit:524288 --timing >> %t.hsaco.txt
# RUN: FileCheck %s < %t.hsaco.txt
# RUN: tilec %s --target=gfx942 --entry "gemm(512, 512, 512)" -o %t.942.hsaco
# RUN: tilec-report %t.942.hsaco > %t.942.hsaco.txt
# RUN: tilec-sim %t.942.hsaco --grid 8,8 --block 256 --arg zeros:524288 --arg zeros:524288 --arg uninit:524288 --timing >> %t.942.hsaco.txt
# RUN: FileCheck %s < %t.942.hsaco.txt
# RUN: tilec-run %s --target=gfx950 --entry "gemm(512, 512, 512)" --device=sim --check --table | FileCheck %s --check-prefix=TABLE
#
# A planned loop declares the registers that it uses: as many of its blocks run on a compute unit as
# registers and shared memory allow, and the report, the table and the clock count them alike. (LLVM pads
# the number to 257 where a most of waves is given, and one block ran.)

# CHECK:      registers [[USED:[0-9]+]] vector, 0 accumulator, {{[0-9]+}} scalar (named: [[USED]], 0, {{[0-9]+}}); {{[2-8]}} waves a SIMD, [[#%u,BLOCKS:]] blocks a compute unit (limit:
# CHECK:      work-groups: [[#BLOCKS]] at once on a CU
# TABLE:      occupancy {{ *}}{{[2-8]}} waves a SIMD, {{[2-8]}} blocks a compute unit (limit:
# TABLE:      PASS
import tilelang.language as T


def gemm(M, N, K, block_M=64, block_N=64, block_K=32, dtype="bfloat16"):
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

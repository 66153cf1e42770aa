# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 256, 256, 32, 'nt', 'bfloat16')" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 128, 128, 64, 'nt', 'float16', threads=256)" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 256, 256, 64, 'nt', 'float8_e4m3fnuz')" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 256, 256, 32, 'nt', 'bfloat16')" --emit=asm | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, 256, 256, 32, 'nt', 'bfloat16', k_pack=2)" --emit=asm | FileCheck %s --check-prefix=TWO
#
# 8 bytes a lane and read on CDNA3: the swizzle moves pieces of 8 bytes, and no read meets a bank
# twice. k_pack=2 fetches the operands of two matrix instructions with one read.

# CHECK: spills 0 vector, 0 scalar
# CHECK: (hot)
# CHECK: LDS bank conflicts: 0 cycles a round, addresses of [[ALL:[0-9]+]] of [[ALL]] accesses known

# ONE-NOT: ds_read_b128
# ONE:     ds_read_b64
# TWO-NOT: ds_read_b64
# TWO:     ds_read_b128
import tilelang.language as T


def gemm(M, N, K, block_M, block_N, block_K, form, dtype, accum="float32", threads=512, k_pack=1):
    trans_A, trans_B = form[0] == "t", form[1] == "t"
    A_shape = (K, M) if trans_A else (M, K)
    B_shape = (N, K) if trans_B else (K, N)
    A_tile = (block_K, block_M) if trans_A else (block_M, block_K)
    B_tile = (block_N, block_K) if trans_B else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor(A_shape, dtype), B: T.Tensor(B_shape, dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared(A_tile, dtype)
            B_shared = T.alloc_shared(B_tile, dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                if trans_A:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if trans_B:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=trans_A, transpose_B=trans_B, k_pack=k_pack)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main

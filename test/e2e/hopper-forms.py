# Products on Hopper in all forms: bytes NN, NT, TN and TT, ragged; rows that TMA cannot take; odd sizes. On the host,
# asynchrony at random.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(208, 176, 272, 'nn', 'int8', 'int32', 'int32')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(208, 176, 272, 'tn', 'int8', 'int32', 'int32', threads=128)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(208, 176, 272, 'tt', 'uint8', 'int32', 'int32', BK=128)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(208, 176, 272, 'tt', 'float8_e4m3', 'float32', 'bfloat16')" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(208, 336, 272, 'nn', 'float8_e5m2', 'float32', 'float16', BN=256)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(208, 176, 272, 'tn', 'float8_e4m3', 'float32', 'float8_e4m3')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(196, 172, 268, 'nt', 'int8', 'int32', 'int32')" --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(196, 172, 268, 'tn', 'int8', 'int32', 'int32')" --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(131, 137, 139, 'nn', 'float8_e4m3', 'float32', 'bfloat16')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(131, 137, 139, 'tt', 'int8', 'int32', 'int32')" | FileCheck %s
# Products of 16 bits whose rows TMA cannot take: cp.async where they are multiples of 4 bytes, else registers.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(196, 172, 140, 'nt', 'bfloat16', 'float32', 'bfloat16')" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(198, 174, 142, 'nn', 'bfloat16', 'float32', 'bfloat16', BN=256)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(196, 172, 140, 'tn', 'float16', 'float32', 'float16')" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(196, 172, 140, 'tt', 'float16', 'float32', 'float32')" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(131, 137, 139, 'nt', 'bfloat16', 'float32', 'bfloat16')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(131, 137, 139, 'nn', 'bfloat16', 'float32', 'bfloat16')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(131, 137, 139, 'tn', 'float16', 'float32', 'float16', threads=128)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(131, 137, 139, 'tt', 'float16', 'float32', 'float32')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(200, 137, 136, 'nt', 'float16', 'float32', 'float16')" | FileCheck %s
# Panels of a tile that is copied with cp.async: several stages, no remark that nothing runs ahead.
# RUN: tilec %s --target=sm_90a --entry "gemm(198, 174, 142, 'nn', 'bfloat16', 'float32', 'bfloat16')" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=ASYNC --implicit-check-not="instead of"
# CHECK: result {{ *}}PASS
# ASYNC: remark: no producer warp copies for this loop: TMA cannot bring `A` to `A_shared`: its rows are not known to be a multiple of 16 bytes
# ASYNC: wave.cp_async
# ASYNC: wave.group_mma
import tilelang.language as T


def gemm(M, N, K, form, dtype, accumulator, out, BM=128, BN=128, BK=64, stages=3, threads=256):
    ta, tb = form[0] == "t", form[1] == "t"

    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype),
             C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((BK, BM) if ta else (BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), accumulator)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                if ta:
                    T.copy(A[k * BK, by * BM], A_shared)
                else:
                    T.copy(A[by * BM, k * BK], A_shared)
                if tb:
                    T.copy(B[bx * BN, k * BK], B_shared)
                else:
                    T.copy(B[k * BK, bx * BN], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=ta, transpose_B=tb)
            T.copy(C_local, C[by * BM, bx * BN])

    return main

# wgmma operands whose rows are no multiple of 128 bytes: panels of 64 or 32 bytes; operands that are a part of a
# larger tile in shared memory.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(144, 192, 208, 'nt', BN=96, BK=48)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(144, 200, 192, 'nn', BN=96, BK=96)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(144, 160, 160, 'nn', BN=80, BK=80)" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(144, 224, 224, 'tn', BN=112, BK=112, threads=128, BM=64)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(128, 64, 128, 'nn', BN=32)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(64, 32, 64, 'nn', BM=64, BN=16, threads=128)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemm(64, 128, 128, 'tt', BM=64, BN=64, threads=128)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "parts(128, 128, 64, 192)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "parts(64, 64, 96, 160, threads=128)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "attention(80)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "attention(96, causal=True)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "attention(112)" --sim-interleave=4 | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "attention(80)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# RUN: tilec %s --target=sm_90a --entry "gemm(144, 160, 160, 'nn', BN=80, BK=80)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# RUN: tilec %s --target=sm_90a --entry "parts(128, 128, 64, 192)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# CHECK: result {{ *}}PASS
# WAVE: wave.group_mma
import tilelang.language as T


def gemm(M, N, K, form, BM=128, BN=128, BK=64, stages=3, threads=256, dtype="bfloat16"):
    ta, tb = form[0] == "t", form[1] == "t"

    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), dtype), B: T.Tensor((N, K) if tb else (K, N), dtype),
             C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((BK, BM) if ta else (BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK) if tb else (BK, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
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


def parts(M, N, D, K, threads=256):
    """Both operands of the first product are the first D columns of a tile, those of the second the others; the
    third takes the second half of the rows of B, with K as the slower dimension."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32"),
             E: T.Tensor((M, D), "float32")):
        with T.Kernel(1, threads=threads):
            A_shared = T.alloc_shared((M, K), "float16")
            B_shared = T.alloc_shared((N, K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            e = T.alloc_fragment((M, D), "float32")
            T.copy(A, A_shared)
            T.copy(B, B_shared)
            T.clear(c)
            T.clear(e)
            T.gemm(A_shared[:, :D], B_shared[:, :D], c, transpose_B=True)
            T.gemm(A_shared[:, D:], B_shared[:, D:], c, transpose_B=True)
            T.gemm(A_shared[:, :N // 2], B_shared[N // 2:, :D], e)
            T.copy(c, C)
            T.copy(e, E)

    return main


def attention(D, S=256, heads=2, BM=128, BN=64, stages=2, threads=256, causal=False, dtype="float16"):
    scale = (1.0 / D)**0.5 * 1.44269504
    shape = [1, S, heads, D]

    @T.prim_func
    def main(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype), Out: T.Tensor(shape, dtype)):
        with T.Kernel(T.ceildiv(S, BM), heads, threads=threads) as (bx, by):
            Q_shared = T.alloc_shared([BM, D], dtype)
            K_shared = T.alloc_shared([BN, D], dtype)
            V_shared = T.alloc_shared([BN, D], dtype)
            acc_s = T.alloc_fragment([BM, BN], "float32")
            acc_s_cast = T.alloc_fragment([BM, BN], dtype)
            acc_o = T.alloc_fragment([BM, D], "float32")
            m_i = T.alloc_fragment([BM], "float32")
            m_prev = T.alloc_fragment([BM], "float32")
            alpha = T.alloc_fragment([BM], "float32")
            row = T.alloc_fragment([BM], "float32")
            l_i = T.alloc_fragment([BM], "float32")
            T.copy(Q[0, bx * BM:(bx + 1) * BM, by, :], Q_shared)
            T.fill(acc_o, 0)
            T.fill(l_i, 0)
            T.fill(m_i, -T.infinity("float32"))
            for k in T.Pipelined(T.ceildiv((bx + 1) * BM, BN) if causal else T.ceildiv(S, BN), num_stages=stages):
                T.copy(K[0, k * BN:(k + 1) * BN, by, :], K_shared)
                if causal:
                    for i, j in T.Parallel(BM, BN):
                        acc_s[i, j] = T.if_then_else(bx * BM + i >= k * BN + j, 0, -T.infinity("float32"))
                else:
                    T.clear(acc_s)
                T.gemm(Q_shared, K_shared, acc_s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(m_i, m_prev)
                T.reduce_max(acc_s, m_i, dim=1, clear=False)
                for i in T.Parallel(BM):
                    alpha[i] = T.exp2(m_prev[i] * scale - m_i[i] * scale)
                for i, j in T.Parallel(BM, BN):
                    acc_s[i, j] = T.exp2(acc_s[i, j] * scale - m_i[i] * scale)
                T.reduce_sum(acc_s, row, dim=1)
                for i in T.Parallel(BM):
                    l_i[i] = l_i[i] * alpha[i] + row[i]
                T.copy(acc_s, acc_s_cast)
                for i, j in T.Parallel(BM, D):
                    acc_o[i, j] *= alpha[i]
                T.copy(V[0, k * BN:(k + 1) * BN, by, :], V_shared)
                T.gemm(acc_s_cast, V_shared, acc_o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(BM, D):
                acc_o[i, j] /= l_i[i]
            T.copy(acc_o, Out[0, bx * BM:(bx + 1) * BM, by, :])

    return main

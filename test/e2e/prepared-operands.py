# Operands that threads prepare themselves while TMA brings the others: rows that a tensor names, rows scaled in place.
# Where several blocks fit a multiprocessor those hide a round's meetings (no producer); else what is gathered runs a round
# ahead beside the producer, under a condition as well, in a ring of the loop's own.
# RUN: tilec-run %s --entry "attention()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(stages=4, threads=256, M=128)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "attention(taken=True, D=64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(taken=True, S=200)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention(taken=True)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(blocks=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "weights(K=192)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "weights(K=192, M=256, N=128)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "weights(K=192, M=256, N=128)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=gfx942 --check --sim-checks=none | FileCheck %s
# RUN: tilec-run %s --entry "scaled(blocks=1)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# CHECK: result {{ *}}PASS
#
# One block of 256 threads with a producer: its gathers are planned. 288 blocks have neighbours, 140 have some, 4 have
# none. Bytes that become weights are prepared as well: of 128 threads there would be one block with a producer, whose
# results take shared memory of their own; two where the tile is small.
# RUN: tilec %s --entry "attention(M=128, threads=256)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "attention(M=128, threads=256, taken=True)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "scaled()" --target=sm_90a --remarks -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BESIDE
# RUN: tilec %s --entry "scaled(blocks=35)" --target=sm_90a --remarks -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BESIDE
# RUN: tilec %s --entry "scaled(blocks=1)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "weights(M=2048, N=2048)" --target=sm_90a --remarks -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BESIDE
# RUN: tilec %s --entry "weights(M=2048, N=2048, block_K=32)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "weights()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=AHEAD
# AHEAD: planned: a producer fills
# BESIDE: no producer warp copies for this loop: its threads prepare operands themselves
import tilelang.language as T


def attention(S=192, D=32, M=64, N=64, threads=128, stages=2, taken=False):
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, D), "float16"),
             Index: T.Tensor((S,), "int32"), Taken: T.Tensor((T.ceildiv(S, N),), "int32"), Out: T.Tensor((S, D), "float16")):
        with T.Kernel(T.ceildiv(S, M), threads=threads) as bx:
            q = T.alloc_shared((M, D), "float16")
            k = T.alloc_shared((N, D), "float16")
            v = T.alloc_shared((N, D), "float16")
            s = T.alloc_fragment((M, N), "float32")
            p = T.alloc_fragment((M, N), "float16")
            o = T.alloc_fragment((M, D), "float32")
            total = T.alloc_fragment((M,), "float32")
            row = T.alloc_fragment((M,), "float32")
            T.copy(Q[bx * M, 0], q)
            T.clear(o)
            T.clear(total)
            for r in T.Pipelined(T.ceildiv(S, N), num_stages=stages):
                if not taken or Taken[r] != 0:
                    for i, j in T.Parallel(N, D):
                        k[i, j] = T.if_then_else(r * N + i < S, K[Index[T.min(r * N + i, S - 1)], j], 0)
                    T.copy(V[r * N, 0], v)
                    T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
                    for i, j in T.Parallel(M, N):
                        s[i, j] = T.if_then_else(r * N + j < S, T.exp2(T.min(s[i, j] * 0.125, 4)), 0)
                    T.reduce_sum(s, row, dim=1)
                    for i in T.Parallel(M):
                        total[i] = total[i] + row[i]
                    T.copy(s, p)
                    T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(M, D):
                o[i, j] = o[i, j] / T.max(total[i], 1e-6)
            T.copy(o, Out[bx * M, 0])

    return main


def scaled(blocks=72, K=96, M=64, N=64, block_K=32):
    @T.prim_func
    def main(A: T.Tensor((blocks * M, K), "float16"), B: T.Tensor((4 * N, K), "float16"), Scale: T.Tensor((blocks * M,), "float32"),
             C: T.Tensor((blocks * M, 4 * N), "float32")):
        with T.Kernel(4, blocks, threads=256) as (bx, by):
            As = T.alloc_shared((M, block_K), "float16")
            Bs = T.alloc_shared((N, block_K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for r in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[by * M, r * block_K], As)
                T.copy(B[bx * N, r * block_K], Bs)
                for i, j in T.Parallel(M, block_K):
                    As[i, j] = As[i, j] * Scale[by * M + i]
                T.gemm(As, Bs, c, transpose_B=True)
            T.copy(c, C[by * M, bx * N])

    return main


def weights(M=128, N=128, K=256, block_K=64, stages=3):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((N, K), "int8"), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(N // 128, M // 128, threads=128) as (bx, by):
            a = T.alloc_shared((128, block_K), "bfloat16")
            q = T.alloc_shared((128, block_K), "int8")
            b = T.alloc_shared((128, block_K), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(K // block_K, num_stages=stages):
                T.copy(A[by * 128, k * block_K], a)
                T.copy(B[bx * 128, k * block_K], q)
                for i, j in T.Parallel(128, block_K):
                    b[i, j] = T.cast(q[i, j], "bfloat16")
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 128, bx * 128])

    return main

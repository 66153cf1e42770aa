# Q is read to registers in front of branches, behind which a barrier stands, and then other tiles are copied to its place: LLVM's
# machine-sink moved the reads past the branches and the barrier, as nothing needs them before the loop (CodeGen/Barriers.h).
# RUN: tilec-run %s --entry "attention()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=gfx950 --check --sim-mode=eager | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "chain()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def attention(rows=384, keys=128, D=32, DV=64, block_M=128, block_N=32, threads=256):
    @T.prim_func
    def main(Q: T.Tensor((rows, D), "float16"), K: T.Tensor((keys, D), "float16"), V: T.Tensor((keys, DV), "float16"),
             Index: T.Tensor((keys,), "int32"), Out: T.Tensor((rows, DV), "float16")):
        with T.Kernel(T.ceildiv(rows, block_M), threads=threads) as bx:
            query = T.alloc_shared((block_M, D), "float16")
            key = T.alloc_shared((block_N, D), "float16")
            value = T.alloc_shared((block_N, DV), "float16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), "float16")
            out = T.alloc_fragment((block_M, DV), "float32")
            T.copy(Q[bx * block_M, 0], query)
            for i, j in T.Parallel(block_M, D):
                query[i, j] = query[i, j] * 0.5
            T.clear(out)
            for k in T.Pipelined(keys // block_N, num_stages=2):
                for i, j in T.Parallel(block_N, D):
                    key[i, j] = K[Index[k * block_N + i], j]
                T.copy(V[k * block_N, 0], value)
                T.clear(scores)
                T.gemm(query, key, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * 0.125)
                T.copy(scores, weights)
                T.gemm(weights, value, out, policy=T.GemmWarpPolicy.FullRow)
            T.copy(out, Out[bx * block_M, 0])

    return main


@T.macro
def step(own, threads):
    for i in T.Parallel(threads):
        own[i] = own[i] * own[i] * 0.25 - own[i] * 0.5


@T.macro
def steps(own, threads):
    step(own, threads)
    step(own, threads)
    step(own, threads)
    step(own, threads)
    step(own, threads)
    step(own, threads)


def chain(threads=256):
    """Of a read that is needed behind branches, through 36 steps with three uses each: there are 3**36 ways through them."""

    @T.prim_func
    def main(A: T.Tensor((threads,), "float32"), N: T.Tensor((1,), "int32"), C: T.Tensor((threads,), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            tile = T.alloc_shared((threads,), "float32")
            own = T.alloc_fragment((threads,), "float32")
            T.copy(A, tile)
            for i in T.Parallel(threads):
                own[i] = tile[threads - 1 - i]
            steps(own, threads)
            steps(own, threads)
            steps(own, threads)
            steps(own, threads)
            steps(own, threads)
            steps(own, threads)
            if N[0] > bx:
                for i in T.Parallel(threads):
                    tile[i] = tile[i] + 1
            if N[0] > 1:
                for i in T.Parallel(threads):
                    C[i] = own[i] + tile[threads - 1 - i]

    return main

# On AMD, copies from tensors of which only the run knows how many rows or matrices there are run ahead: each round's box
# has a descriptor of its own, and lanes beyond the tensor bring zeros. Rows of a batch and of sequences one behind the
# other, ragged ends, boxes that begin where a parameter says, a round whose rows are all beyond the end.
# RUN: tilec %s --target=gfx950 --entry "sequences()" --emit=report | FileCheck %s --check-prefix=PLAN
# RUN: tilec %s --target=gfx942 --entry "sequences()" --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --target=gfx950 --entry "plain()" --emit=report | FileCheck %s --check-prefix=ORDER
# RUN: tilec %s --target=gfx942 --entry "plain()" --emit=report | FileCheck %s --check-prefix=ORDER
# RUN: tilec %s --target=gfx950 --entry "product()" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec-run %s --device=cpu --entry "product()" --dim batch=2 --dim M=72 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "product()" --dim batch=2 --dim M=72 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "product(K=200, stages=3)" --dim batch=1 --dim M=130 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "product(K=136, block_K=32, stages=3)" --dim batch=3 --dim M=65 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "sequences()" --dim total=300 --arg gap=100 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "sequences()" --dim total=300 --arg gap=100 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "plain()" --dim batch=2 --dim M=72 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "plain(K=512, threads=256, stages=3)" --dim batch=1 --dim M=200 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "product()" --dim batch=2 --dim M=72 --check | FileCheck %s
# PLAN: planned: copies start
# HELD: planned: tiles are read 1 round ahead to registers
# ORDER: planned: copies and matrix instructions
# WAVE: scf.for
# WAVE: wave.wait memory({{[0-9]+}}) groups
# WAVE: wave.buffer_desc
# WAVE: wave.load_to_shared
# WAVE: wave.mma
# CHECK: PASS
import tilelang.language as T


def product(N=64, K=192, block=64, block_K=64, stages=2, threads=128):
    """A tensor of matrices with rows of a known length, added up in two precisions, so that no order is planned for it."""
    batch, M = T.dynamic("batch"), T.dynamic("M")

    @T.prim_func
    def main(A: T.Tensor((batch, M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((batch, M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), batch, threads=threads) as (bx, by, bz):
            a = T.alloc_shared((block, block_K), "float16")
            b = T.alloc_shared((block, block_K), "float16")
            part = T.alloc_fragment((block, block), "float32")
            sums = T.alloc_fragment((block, block), "float32")
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[bz, by * block, k * block_K], a)
                T.copy(B[bx * block, k * block_K], b)
                T.clear(part)
                T.gemm(a, b, part, transpose_B=True)
                for i, j in T.Parallel(block, block):
                    sums[i, j] += part[i, j] * 0.5
            T.copy(sums, C[bz, by * block, bx * block])

    return main


def sequences(count=3, D=64, longest=160, block=32, threads=128):
    """Sums of squares of scores: keys of sequences one behind the other; the last rounds reach into the next sequence."""
    total = T.dynamic("total")

    @T.prim_func
    def main(Q: T.Tensor((count, 64, D), "float16"), X: T.Tensor((total, D), "float16"), gap: T.int32, C: T.Tensor((count, 64), "float32")):
        with T.Kernel(count, threads=threads) as bx:
            q = T.alloc_shared((64, D), "float16")
            x = T.alloc_shared((block, D), "float16")
            scores = T.alloc_fragment((64, block), "float32")
            part = T.alloc_fragment((64,), "float32")
            sums = T.alloc_fragment((64,), "float32")
            T.copy(Q[bx, 0, 0], q)
            T.clear(sums)
            begin = bx * gap
            for k in T.Pipelined(T.ceildiv(longest, block), num_stages=2):
                T.copy(X[begin + k * block, 0], x)
                T.clear(scores)
                T.gemm(q, x, scores, transpose_B=True)
                for i, j in T.Parallel(64, block):
                    scores[i, j] = T.if_then_else(k * block + j < gap, scores[i, j] * scores[i, j], 0)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(64):
                    sums[i] += part[i]
            T.copy(sums, C[bx, 0])

    return main


def plain(N=128, K=256, block=64, block_K=64, stages=2, threads=128):
    """A product and nothing else: its order is planned, with one descriptor of the block's rows."""
    batch, M = T.dynamic("batch"), T.dynamic("M")

    @T.prim_func
    def main(A: T.Tensor((batch, M, K), "float16"), B: T.Tensor((batch, N, K), "float16"), C: T.Tensor((batch, M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), batch, threads=threads) as (bx, by, bz):
            a = T.alloc_shared((block, block_K), "float16")
            b = T.alloc_shared((block, block_K), "float16")
            sums = T.alloc_fragment((block, block), "float32")
            T.clear(sums)
            for k in T.Pipelined(K // block_K, num_stages=stages):
                T.copy(A[bz, by * block, k * block_K], a)
                T.copy(B[bz, bx * block, k * block_K], b)
                T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, C[bz, by * block, bx * block])

    return main

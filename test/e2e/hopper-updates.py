# An accumulator that is changed in place before it is copied: on Hopper one loop that stores through TMA does both, where
# nobody else sees what is between.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('activation', 300, 520, 200)" --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('two', 256, 512, 200, out='float32')" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('onto', 256, 512, 200)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('kept', 300, 520, 200)" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('column', 300, 520, 200)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('between', 256, 512, 200)" --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "updated('two', 128, 192, 72, 64, 64)" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "updated('onto', 128, 192, 72, 64, 64)" | FileCheck %s
# CHECK: result {{ *}}PASS
#
# RUN: tilec %s --target=sm_90a --entry "updated('activation', 300, 520, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --target=sm_90a --entry "updated('two', 256, 512, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --target=sm_90a --entry "updated('onto', 256, 512, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=ONE
# ONE: tile.pipe_drain
# ONE: tile.store_tile
# ONE: math.{{exp|tanh}}
# ONE-NOT: tile.parallel
# A scale is read once.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "updated('scale', 300, 520, 200)" --sim-interleave=7 | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "updated('scale', 300, 520, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=SCALE
# SCALE: tile.pipe_drain
# SCALE: tile.load {{.*}}global
# SCALE: tile.store_tile
# SCALE-NOT: tile.load {{.*}}global
# SCALE-NOT: tile.parallel
# Somebody reads the changed accumulator later, an element is read by others than its own, a tensor changes in between.
# RUN: tilec %s --target=sm_90a --entry "updated('kept', 300, 520, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=sm_90a --entry "updated('column', 300, 520, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=sm_90a --entry "updated('between', 256, 512, 200)" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# APART: tile.pipe_drain
# APART: tile.parallel
# APART: math.tanh
# APART: tile.store_tile
import tilelang.language as T


def updated(form, M, N, K, block_M=128, block_N=128, threads=256, out="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((N, K), "bfloat16"), Bias: T.Tensor((N,), "float32"),
             Rows: T.Tensor((T.ceildiv(N, block_N), M), "float32"), C: T.Tensor((M, N), out), D: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, 64), "bfloat16")
            b = T.alloc_shared((block_N, 64), "bfloat16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * block_M, k * 64], a)
                T.copy(B[bx * block_N, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            if form == "two":
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] += Bias[bx * block_N + j]
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] = c[i, j] * T.sigmoid(c[i, j])
            elif form == "onto":
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] = T.tanh(c[i, j] * 0.1) + T.cast(C[by * block_M + i, bx * block_N + j], "float32")
            elif form == "scale":
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] *= Rows[0, 1] * 0.5
            elif form == "column":
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] = T.tanh(c[i, j] * 0.1)
                first = T.alloc_fragment((block_M,), "float32")
                T.reduce_max(c, first, dim=1)
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] = c[i, j] - first[i]
            elif form == "between":
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] = T.tanh(c[i, j] * 0.1) + Rows[bx, by * block_M + i]
                for i in T.Parallel(block_M):
                    Rows[bx, by * block_M + i] = 1.0
            else:
                for i, j in T.Parallel(block_M, block_N):
                    c[i, j] = T.tanh(c[i, j] * 0.1)
            T.copy(c, C[by * block_M, bx * block_N])
            if form == "kept":
                T.copy(c, D[by * block_M, bx * block_N])

    return main

# Rounds whose author asks for no ring. A tile of which each iteration uses its own element alone, that is reduced or
# copied on, is a fragment; a recurrence of two products a round has two slots where the grid fills no unit.
# RUN: tilec-run %s --entry "scores()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scores()" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "scores()" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "scores(stages=2)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scores(stages=1, heads=3)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "states()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "states()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "states()" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "states(stages=0)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "scores()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --entry "states()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=RING
# RUN: tilec %s --entry "states()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=RING
# RUN: tilec %s --entry "states(blocks=600)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=FULL
# CHECK: result {{ *}}PASS
# OWN: sequential: it copies nothing to shared memory
# RING: planned
# FULL: sequential: its author asks for no stages

import tilelang.language as T


def scores(rows=5, heads=4, d=64, stages=0):
    @T.prim_func
    def main(Q: T.Tensor((heads, d), "bfloat16"), K: T.Tensor((1, rows, heads, d), "bfloat16"),
             G: T.Tensor((1, rows, heads, d), "float32"), S: T.Tensor((rows, heads), "float32"),
             P: T.Tensor((rows, heads, d), "float32")):
        with T.Kernel(1, threads=128) as b:
            q = T.alloc_fragment((heads, d), "bfloat16")
            k = T.alloc_shared((heads, d), "bfloat16")
            g = T.alloc_shared((heads, d), "float32")
            p = T.alloc_shared((heads, d), "float32")
            s = T.alloc_fragment((heads, ), "float32")
            T.copy(Q, q)
            for r in T.Pipelined(rows, num_stages=stages):
                T.copy(K[0, r, :, :], k)
                T.copy(G[0, r, :, :], g)
                for h, i in T.Parallel(heads, d):
                    p[h, i] = q[h, i] * k[h, i] * T.exp2(g[h, i])
                T.reduce_sum(p, s, dim=1)
                T.copy(p, P[r, :, :])
                T.copy(s, S[r, :])

    return main


def states(blocks=2, rounds=64, stages=1):
    @T.prim_func
    def main(W: T.Tensor((blocks, rounds * 32, 64), "float16"), K: T.Tensor((blocks, rounds * 32, 64), "float16"),
             H: T.Tensor((blocks, 64, 32), "float32")):
        with T.Kernel(blocks, threads=128) as b:
            w = T.alloc_shared((32, 64), "float16")
            k = T.alloc_shared((32, 64), "float16")
            h = T.alloc_fragment((64, 32), "float32")
            kept = T.alloc_shared((64, 32), "float16")
            v = T.alloc_fragment((32, 32), "float32")
            vs = T.alloc_shared((32, 32), "float16")
            for i, j in T.Parallel(64, 32):
                h[i, j] = T.if_then_else(i == j, 1.0, 0.0)
            for r in T.Pipelined(rounds, num_stages=stages):
                T.copy(h, kept)
                T.copy(W[b, r * 32, 0], w)
                T.gemm(w, kept, v, clear_accum=True)
                for i, j in T.Parallel(32, 32):
                    v[i, j] = v[i, j] * 0.01
                T.copy(v, vs)
                T.copy(K[b, r * 32, 0], k)
                for i, j in T.Parallel(64, 32):
                    h[i, j] = h[i, j] * 0.5
                T.gemm(k, vs, h, transpose_A=True)
            T.copy(h, H[b, :, :])

    return main

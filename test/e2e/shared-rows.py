# Rows of tensors that all rows of a round's scores take (keys' masks, segments, scales) are tiles of the round where copies
# are counted, and what a row has for all rounds waits in registers: no lane reads a tensor behind copies of later rounds.
# (Of 256 rows LLVM knows that there are four rounds at most, which the audit of LDS proves; it goes on to six.)
# RUN: tilec-run %s --entry "attention('bytes')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention('bytes')" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "attention('bytes')" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "attention('bytes')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention('segments')" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "attention('segments')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention('segments', S=512, causal=True)" --target=gfx950 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "attention('segments')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention('scales', S=200)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "attention('scales', S=200)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention('behind', S=255)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "attention('bias')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention('bias')" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "attention('bytes')" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ROW
# RUN: tilec %s --entry "attention('bytes')" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=ROW
# RUN: tilec %s --entry "attention('scales', S=200)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ROW
# RUN: tilec %s --entry "attention('segments')" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefixes=ROW,ROWS
# RUN: tilec %s --entry "attention('segments')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "attention('bytes')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "attention('bytes')" --target=sm_80 --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "attention('written')" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "attention('behind', S=255)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# ROWS:     tile.alloc "Segments_rows"
# ROW:      tile.alloc "{{Bytes|Segments|Scales}}_row"
# ROW:      tile.for
# ROW:      tile.async_copy
# NONE-NOT: _row"
# PLANNED:  : planned: copies start
#
# What each element of the scores has for itself waits in registers where all tiles of the round do.
# RUN: tilec %s --entry "attention('bias', D=128)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=BIAS
# BIAS: tile.alloc "Bias_next"
import tilelang.language as T


def attention(what, S=256, D=64, bm=64, bn=64, heads=2, causal=False):
    @T.prim_func
    def main(Q: T.Tensor((heads, S, D), "float16"), K: T.Tensor((heads, S, D), "float16"),
             V: T.Tensor((heads, S, D), "float16"), Bytes: T.Tensor((heads, S), "int8"),
             Segments: T.Tensor((heads, S), "int32"), Scales: T.Tensor((heads, S), "float32"),
             Bias: T.Tensor((heads, S, S), "float16"), O: T.Tensor((heads, S, D), "float32")):
        with T.Kernel(T.ceildiv(S, bm), heads, threads=128) as (bx, by):
            q = T.alloc_shared((bm, D), "float16")
            k = T.alloc_shared((bn, D), "float16")
            v = T.alloc_shared((bn, D), "float16")
            s = T.alloc_fragment((bm, bn), "float32")
            p = T.alloc_fragment((bm, bn), "float16")
            o = T.alloc_fragment((bm, D), "float32")
            T.copy(Q[by, bx * bm, 0], q)
            T.clear(o)
            for n in T.Pipelined(bx + 1 if causal else T.ceildiv(S, bn), num_stages=2):
                T.copy(K[by, n * bn, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(bm, bn):
                    if what == "bytes":
                        s[i, j] = T.if_then_else(Bytes[by, n * bn + j] > 0, s[i, j], 0)
                    elif what == "segments":
                        s[i, j] = T.if_then_else(Segments[by, bx * bm + i] < Segments[by, n * bn + j], s[i, j], 0)
                    elif what == "bias":
                        s[i, j] += Bias[by, bx * bm + i, n * bn + j]
                    elif what == "behind": # begins within a piece
                        s[i, j] += Bytes[by, n * bn + j + 1]
                    else:
                        s[i, j] *= Scales[by, n * bn + j]
                if what == "written":
                    for i in T.Parallel(bm):
                        Scales[by, bx * bm + i] = 0.5
                T.copy(V[by, n * bn, 0], v)
                T.copy(s, p)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, O[by, bx * bm, 0])

    return main

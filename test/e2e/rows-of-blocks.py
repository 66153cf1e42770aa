# Blocks of one row of the grid share a tensor's tiles, those of a column none (attention: rows of Q along x, heads along
# y): on AMD a row of blocks goes to one die, whose cache then has what they share. 27 of 33 blocks make whole deals.
# RUN: tilec %s --target=gfx950 --entry "heads(3, 11)" --emit=wave | FileCheck %s --check-prefix=ROWS
# RUN: tilec %s --target=gfx942 --entry "heads(3, 11, causal=True, stages=2)" --emit=wave | FileCheck %s --check-prefix=ROWS
# RUN: tilec %s --target=gfx950 --entry "heads(3, 11, panel=4)" --remarks --emit=wave 2>&1 | FileCheck %s --check-prefixes=ROWS,INSTEAD
# RUN: tilec %s --target=gfx950 --entry "heads(3, 11, waits=True)" --emit=wave | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %S/hopper-control-flow.py --target=gfx950 --entry "experts(200, 192, 152, 3)" --emit=wave | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --target=sm_90a --entry "heads(3, 11)" --emit=wave | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %S/many-blocks.py --target=gfx950 --entry "sums(2240, 2304, bm=128, bn=128)" --emit=wave | FileCheck %s --check-prefix=PLAIN
# RUN: tilec-run %s --target=gfx950 --entry "heads(3, 11)" --check --seed 1 --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "heads(3, 11, causal=True, stages=2)" --check --seed 2 --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "heads(3, 11, causal=True, panel=4)" --check --seed 3 --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "heads(2, 24, stages=2)" --check --seed 4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "heads(3, 11, causal=True, panel=4)" --check --seed 5 | FileCheck %s
# INSTEAD: rows of blocks go to one die, instead of panels of 4
# ROWS: block_order = "launch order, chunks of 3 blocks on each of 8 dies"
# PLAIN: wave.kernel
# PLAIN-NOT: block_order
# CHECK: result {{ *}}PASS
import tilelang.language as T


def heads(rows, count, causal=False, stages=1, panel=0, waits=False, N=128, D=32):
    """Rows of Q of each head, times K of the head."""

    @T.prim_func
    def main(Q: T.Tensor((count, rows * 32, D), "float16"), K: T.Tensor((count, N, D), "float16"),
             go: T.Tensor((1,), "int32"), O: T.Tensor((count, rows * 32, D), "float32")):
        with T.Kernel(rows, count, threads=128) as (bx, by):
            q = T.alloc_shared((32, D), "float16")
            k = T.alloc_shared((32, D), "float16")
            s = T.alloc_fragment((32, 32), "float32")
            o = T.alloc_fragment((32, D), "float32")
            p = T.alloc_fragment((32, 32), "float16")
            if panel > 0:
                T.use_swizzle(panel)
            if waits:
                turns = T.alloc_var("int32")
                turns = 0
                while turns < go[0]:
                    turns = turns + 1
            T.copy(Q[by, bx * 32, 0], q)
            T.clear(o)
            for n in T.Pipelined(bx + 1 if causal else N // 32, num_stages=stages):
                T.copy(K[by, n * 32, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)
                T.copy(s, p)
                T.gemm(p, k, o)
            T.copy(o, O[by, bx * 32, 0])

    return main

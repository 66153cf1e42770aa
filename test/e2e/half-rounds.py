# Loops that read one tile, then another, in grids of so many blocks that a unit has one more with one slot a tile: each is copied
# while the other is read. Rounds that all blocks have alike, that differ, none at all, and an odd number of them.
# RUN: tilec-run %s --entry "chain(520, 3)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chain(1300, 3, D=64, keys=32)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "chain(520, 1)" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "chain(200, 3)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "chain(200, 3)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "chain(3900, 1, skips=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "chain(520, 3)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=TURNS
# RUN: tilec %s --entry "chain(1300, 3, D=64, keys=32)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=TURNS
# RUN: tilec %s --entry "chain(3900, 1, skips=True)" --target=gfx950 --verify-stages --emit=report | FileCheck %s --check-prefix=TURNS
# RUN: tilec %s --entry "chain(200, 3)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=RING
# RUN: tilec %s --entry "chain(520, 3, beside=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=TURNS
# RUN: tilec-run %s --entry "chain(520, 3, beside=True)" --target=gfx950 --check | FileCheck %s
# Where shared memory holds one slot of each, they take turns in any grid; where one tile has the bytes of the other, they do not.
# RUN: tilec-run %s --entry "chain(2, 3, D=256, keys=96)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chain(2, 3, D=512, keys=32)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "chain(2, 3, D=256, keys=96)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=TURNS
# RUN: tilec %s --entry "chain(2, 3, D=512, keys=32)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=SHARED
# CHECK: PASS
# SHARED: loop of chain at {{.*}}: unplanned: no copy runs ahead
# TURNS: loop of chain at {{.*}}: planned: a tile is copied while another is read
# RING: loop of chain at {{.*}}: planned: copies start
import tilelang.language as T


def chain(blocks, rounds, skips=False, beside=False, D=128, keys=64, dtype="float16"):
    @T.prim_func
    def main(Q: T.Tensor((64, D), dtype), K: T.Tensor((rounds * keys, D), dtype), V: T.Tensor((rounds * keys, D), dtype),
             E: T.Tensor((rounds * keys,), "float32"), Out: T.Tensor((blocks, 64, D), dtype)):
        with T.Kernel(blocks, threads=128) as block:
            q = T.alloc_shared((64, D), dtype)
            k = T.alloc_shared((keys, D), dtype)
            v = T.alloc_shared((keys, D), dtype)
            s = T.alloc_fragment((64, keys), "float32")
            p = T.alloc_fragment((64, keys), dtype)
            o = T.alloc_fragment((64, D), "float32")
            T.copy(Q, q)
            T.clear(o)
            for i in T.Pipelined(block % (rounds + 1) if skips else rounds, num_stages=2):
                T.copy(K[i * keys, 0], k)
                T.copy(V[i * keys, 0], v)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)
                for a, b in T.Parallel(64, keys):
                    s[a, b] = s[a, b] * 0.03125 + T.cast(block, "float32") * 0.001
                if beside:
                    for a, b in T.Parallel(64, keys):
                        s[a, b] = s[a, b] + E[i * keys + b]
                T.copy(s, p)
                T.gemm(p, v, o)
            T.copy(o, Out[block, 0:64, 0:D])

    return main

# A fragment that a loop reads in other lanes than it is in, and leaves as it is, goes through shared memory once, in front of
# the loop; one that a round changes, or that the loop has for itself, in each round.
# RUN: tilec-run %s --entry "combine()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "combine()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "combine()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "combine()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "combine(changes=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "combine(changes=True)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "combine(splits=0)" --target=sm_80 --device=ptx --check | FileCheck %s
# A fragment that has no value where the loop has no rounds is not read there.
# RUN: tilec-run %s --entry "sometimes()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sometimes()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "combine()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "combine(changes=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=EACH
# CHECK: PASS
# ONCE: tile.store {{.*}}, %weights_staged
# ONCE: tile.for
# ONCE-NOT: tile.store {{.*}}, %weights_staged
# EACH: tile.for
# EACH: tile.store {{.*}}, %weights_staged
import tilelang.language as T


# Parts of a result, each row with its own weight.
def combine(splits=4, rows=64, dim=64, threads=128, changes=False):
    held = max(splits, 1)

    @T.prim_func
    def main(W: T.Tensor((held, rows), "float16"), Parts: T.Tensor((held, rows, dim), "float16"),
             O: T.Tensor((rows, dim), "float32")):
        with T.Kernel(1, threads=threads):
            weights = T.alloc_fragment((held, rows), "float16")
            part = T.alloc_fragment((rows, dim), "float16")
            row = T.alloc_fragment((rows,), "float32")
            sum = T.alloc_fragment((rows, dim), "float32")
            T.clear(sum)
            T.copy(W, weights)
            for k in T.Pipelined(splits, num_stages=2):
                T.copy(Parts[k, 0, 0], part)
                for i in T.Parallel(rows):
                    row[i] = weights[k, i]
                for i, j in T.Parallel(rows, dim):
                    sum[i, j] += part[i, j] * row[i]
                if changes:
                    for s, i in T.Parallel(held, rows):
                        weights[s, i] = weights[s, i] * T.float16(0.5)
            T.copy(sum, O)

    return main


def sometimes(blocks=4, splits=3, rows=64, dim=64):
    @T.prim_func
    def main(W: T.Tensor((splits, rows), "float16"), Parts: T.Tensor((splits, rows, dim), "float16"),
             O: T.Tensor((blocks, rows, dim), "float32")):
        with T.Kernel(blocks, threads=128) as bx:
            weights = T.alloc_fragment((splits, rows), "float16")
            row = T.alloc_fragment((rows,), "float32")
            sum = T.alloc_fragment((rows, dim), "float32")
            T.clear(sum)
            if bx % 2 == 0:
                T.copy(W, weights)
            for k in T.serial((1 - bx % 2) * splits):
                for i in T.Parallel(rows):
                    row[i] = weights[k, i]
                for i, j in T.Parallel(rows, dim):
                    sum[i, j] += Parts[k, i, j] * row[i]
            T.copy(sum, O[bx, 0, 0])

    return main

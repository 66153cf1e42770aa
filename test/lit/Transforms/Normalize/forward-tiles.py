# A shared tile that only brings converted elements of a tensor to a fragment is left out: the fragment reads the tensor.
# RUN: tilec %s --target=sm_90a --entry "rows()" --emit=tile-laid-out | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "rows(dtype='float16')" --emit=tile-laid-out | FileCheck %s
# Not where it is no conversion, rounds, is read twice, or something is stored in between, which may be the same tensor.
# RUN: tilec %s --target=sm_90a --entry "rows(dtype='float32')" --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows(dtype='float32', held='float16')" --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows(twice=True)" --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows(stores=True)" --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec-run %s --device=sim --target=gfx942 --entry "rows(columns=100)" --check
# RUN: tilec-run %s --device=sim --target=gfx950 --entry "rows(columns=100, twice=True)" --check
# RUN: tilec-run %s --device=ptx --target=sm_90a --entry "rows(columns=100)" --check
# RUN: tilec-run %s --device=ptx --target=sm_80 --entry "rows(dtype='float16')" --check
# CHECK-NOT: shared
# CHECK: tile.move
# CHECK: tile.load {{.*}}global
# CHECK: tile.store {{.*}}%x[
# KEPT: tile.copy {{.*}}%tile
import tilelang.language as T


def rows(count=5, columns=128, dtype="bfloat16", held="float32", twice=False, stores=False):
    @T.prim_func
    def main(X: T.Tensor((4 * count, columns), dtype), Y: T.Tensor((4, columns), "float32"), Z: T.Tensor((4, columns), "float32")):
        with T.Kernel(1, threads=64):
            total = T.alloc_fragment((4, columns), "float32")
            T.clear(total)
            for k in T.Pipelined(count, num_stages=2):
                tile = T.alloc_shared((4, columns), held)
                x = T.alloc_fragment((4, columns), "float32")
                T.copy(X[k * 4, 0], tile)
                if stores:
                    for i, j in T.Parallel(4, columns):
                        Z[i, j] = total[i, j]
                T.copy(tile, x)
                for i, j in T.Parallel(4, columns):
                    total[i, j] += x[i, j] * (tile[i, j] if twice else 1.0)
            T.copy(total, Y)

    return main

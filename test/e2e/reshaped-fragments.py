# A sum of products seen in another shape is worked on where the product leaves it: its rows by query and head, weighted
# by head and summed over heads, as indexers of sparse attention do; also where the view's new dimension has one element.
# RUN: tilec-run %s --entry "logits()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "logits()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "logits()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "logits()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "logits(heads=16, dtype='float8_e4m3fn')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "logits(heads=2)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "logits(heads=24, queries=4)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "logits(64, 1, 64, 128, 'float8_e4m3fn')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "logits(64, 1, 64)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "logits(64, 1, 64)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "whole()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "whole()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "logits()" --target=sm_90a --remarks --emit=tile-laid-out 2>&1 | FileCheck %s --check-prefix=PLACE
# RUN: tilec %s --entry "logits()" --target=gfx950 --remarks --emit=tile-laid-out 2>&1 | FileCheck %s --check-prefix=PLACE
# RUN: tilec %s --entry "logits(64, 1, 64)" --target=sm_90a --remarks --emit=tile-laid-out 2>&1 | FileCheck %s --check-prefix=PLACE
# RUN: tilec %s --entry "logits(64, 1, 64)" --target=gfx950 --remarks --emit=tile-laid-out 2>&1 | FileCheck %s --check-prefix=PLACE
# CHECK: result {{ *}}PASS
# PLACE-NOT: through shared memory
# PLACE: tile.kernel
import tilelang.language as T


def logits(heads=32, queries=4, keys=128, dim=64, dtype="float16"):
    @T.prim_func
    def main(Q: T.Tensor((queries * heads, dim), dtype), K: T.Tensor((keys, dim), dtype),
             W: T.Tensor((queries, heads), "float32"), S: T.Tensor((keys,), "float32"),
             L: T.Tensor((queries, keys), "float32")):
        with T.Kernel(1, threads=256):
            q = T.alloc_shared((queries * heads, dim), dtype)
            k = T.alloc_shared((keys, dim), dtype)
            s = T.alloc_fragment((keys, queries * heads), "float32")
            by_head = T.reshape(s, (keys, queries, heads))
            scale = T.alloc_fragment((keys,), "float32")
            weights = T.alloc_fragment((queries, heads), "float32")
            sums = T.alloc_fragment((keys, queries), "float32")
            T.copy(Q, q)
            T.copy(K, k)
            T.copy(W, weights)
            T.copy(S, scale)
            T.gemm(k, q, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullCol)
            for n, i, h in T.Parallel(keys, queries, heads):
                by_head[n, i, h] = T.max(by_head[n, i, h], 0) * weights[i, h] * scale[n]
            T.reduce_sum(by_head, sums, dim=-1, clear=True)
            for i, n in T.Parallel(queries, keys):
                L[i, n] = sums[n, i]

    return main


# Nothing but the loop over the view places the fragment, in rows that are two dimensions there.
def whole():
    @T.prim_func
    def main(A: T.Tensor((8, 16, 32), "float32"), B: T.Tensor((128, 32), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((128, 32), "float32")
            view = T.reshape(x, (8, 16, 32))
            for i, j, k in T.Parallel(8, 16, 32):
                view[i, j, k] = A[i, j, k] * 2.0
            for i, j in T.Parallel(128, 32):
                B[i, j] = x[i, j] + 1.0

    return main

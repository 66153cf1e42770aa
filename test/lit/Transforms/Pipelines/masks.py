# RUN: tilec %s --target=sm_80 --entry "scores()" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "scores()" --emit=tile-pipelined | FileCheck %s --check-prefix=AMD
# RUN: tilec-run %s --target=gfx950 --entry "scores()" --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "scores(N=192, D=32)" --check | FileCheck %s --check-prefix=RIGHT
#
# A causal mask in front of a gemm of mma.sync is put on in tiles that it cuts; the others start from zeros.
# What is behind the gemm, and keeps the scores inside, is skipped there.
#
# CHECK:       tile.for
# CHECK:         %[[WHOLE:.*]] = arith.cmpi sge
# CHECK:         scf.if %[[WHOLE]] {
# CHECK-NEXT:      tile.fill %{{.*}}, %C_local
# CHECK-NEXT:    } else {
# CHECK:           arith.select
# CHECK-NEXT:      tile.store %{{.*}}, %C_local
# CHECK:         tile.gemm
# CHECK-NOT:     clear
# CHECK:         scf.if
# CHECK-NEXT:      tile.parallel
# CHECK:             tile.load %C_local
# CHECK:             tile.store %{{.*}}, %C_local
# CHECK:         tile.reduce
#
# MFMA starts from a zero that costs no register, so there the mask is added behind the gemm, in the tiles that it cuts.
#
# AMD:       tile.for
# AMD:         tile.fill %{{.*}}, %C_local
# AMD:         tile.gemm
# AMD-NEXT:    arith.cmpi
# AMD-NEXT:    scf.if
# AMD-NEXT:      tile.parallel
# AMD:             %[[MASK:.*]] = arith.select
# AMD:             %[[OLD:.*]] = tile.load %C_local
# AMD:             arith.addf %[[OLD]], %[[MASK]]
# RIGHT:     PASS
import tilelang.language as T


def scores(N=256, D=64, block=64):
    @T.prim_func
    def main(Q: T.Tensor((N, D), "float16"), K: T.Tensor((N, D), "float16"), Out: T.Tensor((N,), "float32")):
        with T.Kernel(N // block, threads=128) as bx:
            Q_shared = T.alloc_shared((block, D), "float16")
            K_shared = T.alloc_shared((block, D), "float16")
            C_local = T.alloc_fragment((block, block), "float32")
            most = T.alloc_fragment((block,), "float32")
            T.copy(Q[bx * block, 0], Q_shared)
            T.fill(most, -T.infinity("float32"))
            for k in T.Pipelined(bx + 1, num_stages=2):
                T.copy(K[k * block, 0], K_shared)
                for i, j in T.Parallel(block, block):
                    C_local[i, j] = T.if_then_else(bx * block + i >= k * block + j, 0, -T.infinity("float32"))
                T.gemm(Q_shared, K_shared, C_local, transpose_B=True)
                for i, j in T.Parallel(block, block):
                    C_local[i, j] = T.if_then_else(k * block + j < N - 30, C_local[i, j], -T.infinity("float32"))
                T.reduce_max(C_local, most, dim=1, clear=False)
            T.copy(most, Out[bx * block])

    return main

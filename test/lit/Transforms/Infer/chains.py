# Products of which one takes what is made of another's result are marked, and use the atom of 32 x 32, if all of
# them can; else, and without such a chain, nothing changes.
# RUN: tilec %s --entry "chain()" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefixes=MARKED
# RUN: tilec %s --entry "chain()" --target=gfx942 --emit=tile-laid-out | FileCheck %s --check-prefixes=MARKED
# Sixteen rows a wave; more fragments than half of the registers hold; an operand that no product has made; a
# target without such atoms.
# RUN: tilec %s --entry "chain(rows=64)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "chain(columns=384)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "chain(made=False)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "chain()" --target=sm_80 --emit=tile-laid-out | FileCheck %s --check-prefix=PLAIN
#
# Scaling is skipped where no factor differs from 1, and the factor's exponent is exactly 0 then: no fma. A round begins with
# priority 2, and the second product has 1.
# RUN: tilec %s --entry "chain()" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=WAVE
# Where a wave has a scheduler for itself, by shared memory or by the grid, there is nothing to go before.
# RUN: tilec %s --entry "chain(rows=64, threads=128, keys=128)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=ALONE
# RUN: tilec %s --entry "chain(blocks=256)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=ALONE
# SPDX-License-Identifier: Apache-2.0
#
# MARKED-COUNT-2: tile.gemm {{.*}}chained
# PLAIN:          tile.gemm
# PLAIN-NOT:      chained
#
# WAVE:           wave.setprio 2
# WAVE:           scf.for
# WAVE-COUNT-8:   wave.mma "v_mfma_f32_32x32x16_bf16"
# WAVE-NOT:       wave.mma
# WAVE:           wave.setprio 0
# WAVE:           %[[D:.*]] = arith.subf %{{[0-9]+}}, %{{[0-9]+}} : f32
# WAVE:           %[[F:.*]] = math.exp2 %[[D]] fastmath<afn> : f32
# WAVE:           %[[C:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f32
# WAVE:           %[[V:.*]] = wave.vote %[[C]]
# WAVE:           scf.if %[[V]] {
# WAVE:           arith.mulf %{{.*}} : vector<2xf32>
# WAVE:           }
# WAVE:           wave.setprio 1
# WAVE-COUNT-8:   wave.mma "v_mfma_f32_32x32x16_bf16"
# WAVE:           wave.setprio 2
# WAVE:           }
# WAVE:           wave.setprio 0
#
# ALONE-NOT:      wave.setprio
# ALONE:          wave.vote
# ALONE-NOT:      wave.setprio
import tilelang.language as T


def chain(rows=128, keys=32, columns=128, threads=256, made=True, blocks=1024):
    n = 8 * keys

    @T.prim_func
    def main(Q: T.Tensor((rows, 128), "bfloat16"), K: T.Tensor((n, 128), "bfloat16"),
             V: T.Tensor((n, columns), "bfloat16"), Weights: T.Tensor((rows, keys), "bfloat16"),
             Out: T.Tensor((blocks * rows, columns), "float32")):
        with T.Kernel(blocks, threads=threads) as block:
            Q_shared = T.alloc_shared((rows, 128), "bfloat16")
            K_shared = T.alloc_shared((keys, 128), "bfloat16")
            V_shared = T.alloc_shared((keys, columns), "bfloat16")
            scores = T.alloc_fragment((rows, keys), "float32")
            weights = T.alloc_fragment((rows, keys), "bfloat16")
            sums = T.alloc_fragment((rows, columns), "float32")
            top = T.alloc_fragment((rows,), "float32")
            before = T.alloc_fragment((rows,), "float32")
            fade = T.alloc_fragment((rows,), "float32")
            T.copy(Q, Q_shared)
            T.clear(sums)
            T.fill(top, -T.infinity("float32"))
            for k in T.Pipelined(8, num_stages=2):
                T.copy(K[k * keys, 0], K_shared)
                T.copy(V[k * keys, 0], V_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(top, before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(rows):
                    fade[i] = T.exp2(before[i] * 0.125 - top[i] * 0.125)
                for i, j in T.Parallel(rows, columns):
                    sums[i, j] *= fade[i]
                if made:
                    for i, j in T.Parallel(rows, keys):
                        weights[i, j] = T.exp2(scores[i, j] * 0.125 - top[i] * 0.125)
                else:
                    T.copy(Weights, weights)
                T.gemm(weights, V_shared, sums, policy=T.GemmWarpPolicy.FullRow)
            T.copy(sums, Out[block * rows, 0])

    return main

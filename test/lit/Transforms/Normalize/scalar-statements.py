# A statement of the block that computes with fragments of one element is done by all lanes, which have copies: nothing goes through
# shared memory. What is overwritten in between, or is an element of more, does.
# RUN: tilec %s --target=sm_90a --entry "k()" --emit=tile-laid-out | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "k()" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "later()" --emit=tile-laid-out | FileCheck %s --check-prefix=LATER
# RUN: tilec-run %s --target=sm_90a --entry "k()" --device=ptx --check | FileCheck %s --check-prefix=RUNS
# RUN: tilec-run %s --target=sm_90a --entry "later()" --device=ptx --check | FileCheck %s --check-prefix=RUNS
# RUN: tilec-run %s --target=gfx950 --entry "k()" --device=sim --check | FileCheck %s --check-prefix=RUNS
# RUN: tilec-run %s --target=gfx950 --entry "later()" --device=sim --check | FileCheck %s --check-prefix=RUNS
#
# CHECK-NOT:  tile.alloc {{.*}} shared
# CHECK:      tile.reduce max
# CHECK:      tile.reduce sum
# CHECK:      tile.parallel
# CHECK-COUNT-3: tile.load {{.*}}<[1], f32, fragment>
# CHECK:      math.log
# CHECK:      tile.store {{.*}} %lse
# CHECK:      tile.move
# CHECK:      tile.load %lse
# CHECK:      tile.store {{.*}}global>
# One barrier a reduction.
# WAVE-COUNT-2: wave.barrier
# WAVE-NOT:   wave.barrier
# LATER:      tile.alloc "element" {{.*}} shared>
# LATER:      tile.alloc "element" {{.*}} shared>
# RUNS: PASS
import tilelang.language as T


def k():
    @T.prim_func
    def main(X: T.Tensor((4, 512), "float32"), Y: T.Tensor((4,), "float32")):
        with T.Kernel(4, threads=128) as bx:
            x = T.alloc_fragment((512,), "float32")
            lse = T.alloc_fragment((1,), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.fill(lse, 1)
            T.copy(X[bx, 0:512], x)
            T.reduce_max(x, top, dim=0)
            for j in T.Parallel(512):
                x[j] = T.exp(x[j] - top[0])
            T.reduce_sum(x, total, dim=0)
            lse[0] = lse[0] * top[0] + T.log(total[0])
            Y[bx] = lse[0]

    return main


def later():
    @T.prim_func
    def main(X: T.Tensor((4, 512), "float32"), Y: T.Tensor((4, 2), "float32")):
        with T.Kernel(4, threads=128) as bx:
            x = T.alloc_fragment((512,), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0:512], x)
            T.reduce_sum(x, s, dim=0)
            before = s[0]
            s[0] = 2.0
            Y[bx, 0] = before
            Y[bx, 1] = x[7] * s[0]

    return main

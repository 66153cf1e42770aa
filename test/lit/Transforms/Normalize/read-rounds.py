# Tiles that a loop brings to registers are read for all rounds at once where 128 bytes of a thread
# hold them. A short loop of threads that reads tensors is unrolled.
# RUN: tilec %s --entry "tiles(4)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --entry "tiles(4)" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --entry "tiles(4, sums=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=LOOP
# RUN: tilec %s --entry "tiles(8)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --entry "tiles(4, writes=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --entry "tiles(4, branches=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --entry "threads()" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=THREADS
# LOOP: tile.for {{.*}} step %c4
# LOOP-COUNT-4: tile.move
# LOOP-NOT: tile.move
# LOOP-COUNT-4: tile.reduce
# FOUR: tile.fill
# FOUR-COUNT-4: tile.move
# FOUR-NOT: tile.move
# FOUR-COUNT-4: tile.parallel
# ONE: tile.for {{.*}} step %c1
# ONE: tile.move
# ONE-NOT: tile.move
# ONE: tile.parallel
# THREADS-COUNT-4: ld.global.b32
# THREADS-NOT: bra
import tilelang.language as T


def tiles(N, writes=False, branches=False, sums=False):
    @T.prim_func
    def main(A: T.Tensor((64 * N, 64), "float16"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=256):
            a = T.alloc_fragment((64, 64), "float16")
            b = T.alloc_fragment((64, 64), "float32")
            c = T.alloc_fragment((64,), "float32")
            T.clear(b)
            T.clear(c)
            for k in T.serial(N):
                T.clear(a)
                T.copy(A[k * 64, 0], a)
                for i, j in T.Parallel(64, 64):
                    b[i, j] += a[i, j]
                    if writes:
                        A[k * 64 + i, j] = b[i, j]
                if sums:
                    T.reduce_sum(b, c, dim=0, clear=False)
                if branches:
                    if b[0, 0] > 1:
                        T.clear(b)
            for i, j in T.Parallel(64, 64):
                B[i, j] = b[i, j] * c[j]

    return main


def threads():
    @T.prim_func
    def main(A: T.Tensor((4, 128), "float32"), B: T.Tensor((4, 128), "float32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((4, 128), "float32")
            for i in T.serial(4):
                s[i, t] = A[i, t]
            for i in T.serial(4):
                B[i, t] = s[i, (t + 1) % 128]

    return main

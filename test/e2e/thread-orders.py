# Threads that other threads must be kept apart from where this is not plain to see: atomics of two kinds, reads
# that all threads do for those of a branch, barriers in branches that nobody takes. Right in any order of
# waves.
# RUN: tilec-run %s --entry "updates_in_order()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "updates_in_order()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "updates_in_order()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "updates_in_order()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "updates_in_order()" --target=gfx942 --device=sim --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "stored_and_loaded()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "stored_and_loaded()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "stored_and_loaded()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "stored_and_loaded()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "stored_and_loaded()" --target=gfx942 --device=sim --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx942 --device=sim --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx942 --device=sim --check --arg A=3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx950 --device=sim --check --arg A=3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_80 --device=ptx --check --arg A=3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_90a --device=ptx --check --arg A=3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_90a --device=ptx --check --arg A=3 --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx950 --device=sim --check --arg A=3 --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "sums_of_warps()" --target=gfx942 --device=sim --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "sums_of_warps()" --target=gfx950 --device=sim --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "sums_of_warps()" --target=sm_80 --device=ptx --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "sums_of_warps()" --target=sm_90a --device=ptx --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "tiles_in_branches()" --target=gfx942 --device=sim --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "tiles_in_branches()" --target=gfx950 --device=sim --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "tiles_in_branches()" --target=sm_80 --device=ptx --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "tiles_in_branches()" --target=sm_90a --device=ptx --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "tiles_in_branches()" --target=gfx950 --device=sim --check --arg A=-2 | FileCheck %s
# RUN: tilec-run %s --entry "tiles_in_branches()" --target=sm_90a --device=ptx --check --arg A=-2 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx942 --device=sim --check --arg A=1000000 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx950 --device=sim --check --arg A=1000000 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_80 --device=ptx --check --arg A=1000000 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_90a --device=ptx --check --arg A=1000000 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx942 --device=sim --check --arg A=-1000000 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_80 --device=ptx --check --arg A=-1000000 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx942 --device=sim --check --arg A=5 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_80 --device=ptx --check --arg A=5 | FileCheck %s
# RUN: tilec-run %s --entry "never()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "never()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "never()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "never()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "one_thread()" --target=gfx942 --device=sim --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "one_thread()" --target=gfx950 --device=sim --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "one_thread()" --target=sm_80 --device=ptx --check --arg A=2 | FileCheck %s
# RUN: tilec-run %s --entry "one_thread()" --target=sm_90a --device=ptx --check --arg A=2 | FileCheck %s
#
# CHECK: PASS
import tilelang
import tilelang.language as T


# Additions are in no order among each other, but all are before the minima.
@tilelang.jit
def updates_in_order():

    @T.prim_func
    def main(O: T.Tensor((2, 128), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((2,), "int32")
            if t < 2:
                s[t] = 0
            T.atomic_add(s[0], 1)
            T.atomic_min(s[0], t)
            O[0, t] = s[0]
            T.atomic_max(s[1], t)
            T.atomic_add(s[1], 1)
            O[1, t] = s[1]

    return main


@tilelang.jit
def stored_and_loaded():

    @T.prim_func
    def main(O: T.Tensor((3, 128), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((3,), "int32")
            if t < 3:
                s[t] = 0
            if t == 127:
                T.atomic_store(s[0], 7)
            O[0, t] = T.atomic_load(s[0])
            O[1, t] = T.atomic_load(s[1])
            T.atomic_add(s[1], 1)
            if t == 3:
                T.atomic_store(s[2], 40)
            T.atomic_add(s[2], 1)
            O[2, t] = s[2]

    return main


# What additions return is in no order, their sum is.
@tilelang.jit
def counted():

    @T.prim_func
    def main(O: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((1,), "int32")
            seen = T.alloc_shared((256,), "int32")
            seen[t] = 0
            seen[t + 128] = 0
            if t == 0:
                s[0] = 0
            for r in range(2):
                at = T.atomic_add(s[0], 1, return_prev=True)
                T.atomic_add(seen[at], 1)
            O[t] = seen[t] + 2 * seen[t + 128]

    return main


# The number of rounds is shared memory's; all threads go them, as threads meet in them.
@tilelang.jit
def rounds():

    @T.prim_func
    def main(A: T.Tensor((128,), "int32"), O: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((1,), "int32")
            v = T.alloc_var("int32", init=0)
            if t < 32:
                if t == 0:
                    s[0] = A[0]
                for r in range(s[0]):
                    v += T.syncthreads_count(t < 100)
                s[0] = t // 32
            O[t] = v + s[0]

    return main


@tilelang.jit
def sums_of_warps():

    @T.prim_func
    def main(A: T.Tensor((128,), "int32"), O: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((1,), "int32")
            v = T.alloc_var("int32", init=0)
            if t < 32:
                if t == 0:
                    s[0] = A[0]
                if s[0] > 1:
                    v = T.warp_reduce_sum(t)
            O[t] = v

    return main


@tilelang.jit
def tiles_in_branches():

    @T.prim_func
    def main(A: T.Tensor((128,), "int32"), O: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((128,), "int32")
            q = T.alloc_shared((128,), "int32")
            v = T.alloc_var("int32", init=0)
            s[t] = 0
            T.sync_threads()
            s[(t + 64) % 128] = A[t]
            if t >= 64:
                if s[19] > 0:
                    T.fill(q, 5)
                    v += q[t]
                for r in range(s[20]):
                    T.fill(q, r + s[21])
                    v += q[t]
            O[t] = v

    return main


# The element is there only where the branch is taken.
@tilelang.jit
def guarded():

    @T.prim_func
    def main(A: T.Tensor((1,), "int32"), O: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((8,), "int32")
            v = T.alloc_var("int32", init=0)
            k = A[0]
            if t < 8:
                s[t] = 3
            T.sync_threads()
            if t < 32 and k < 8 and k >= 0:
                for r in range(s[k]):
                    T.sync_threads()
                    v += 1
            O[t] = v

    return main


# A barrier that no thread comes to orders nothing.
@tilelang.jit
def never():

    @T.prim_func
    def main(O: T.Tensor((3, 128), "int32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((128,), "int32")
            v = T.alloc_var("int32", init=0)
            s[t] = t
            if t >= 128:
                T.sync_threads()
            O[0, t] = s[127 - t]
            s[t] = t + 1
            if t < t:
                v = T.syncthreads_count(t < 100)
            O[1, t] = s[127 - t] + v
            s[t] = t + 2
            if t < 0:
                T.sync_threads()
            O[2, t] = s[127 - t]

    return main


# Lanes that no thread has read what is the same for all, too.
@tilelang.jit
def one_thread():

    @T.prim_func
    def main(A: T.Tensor((1,), "int32"), O: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=1):
            t = T.get_thread_binding()
            s = T.alloc_shared((1,), "int32")
            v = T.alloc_var("int32", init=0)
            k = T.alloc_var("int32", init=0)
            s[t] = A[t]
            k = A[0] + t
            while k > 0:
                k -= 1
            for r in range(s[0]):
                v += r
            O[t] = v

    return main

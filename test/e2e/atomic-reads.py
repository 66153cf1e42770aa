# T.atomic_load is an atomic: it is done in each round of a loop, beside other atomics, and waits for other blocks. A call
# in the condition of a `while` is made in each round; one in which threads meet is refused there.
# RUN: tilec %s --target=gfx942 --entry "spins()" --emit=asm -o - | FileCheck %s --check-prefix=AMD
# RUN: tilec %s --target=sm_90a --entry "spins()" --emit=asm -o - | FileCheck %s --check-prefix=NV
# RUN: tilec-run %s --device=cpu --entry "spins()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "spins()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "spins()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "spins()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "spins()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "beside('float32')" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "beside('int32')" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "beside('float32')" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "shared('float16')" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "shared('int8')" --check | FileCheck %s
# RUN: not tilec %s --target=gfx942 --entry "while_any()" -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=MEETS
# RUN: not tilec-run %s --device=cpu --entry "never()" --arg=N=zeros 2>&1 | FileCheck %s --check-prefix=NEVER
# RUN: tilec-run %s --device=cpu --entry "queue(2, 25000)" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --device=cpu --entry "queue(5000, 100)" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "queue(2, 300)" --arg=N=zeros --check | FileCheck %s
# AMD: LBB
# AMD: global_load_dword {{.*}} sc1
# NV: BB0
# NV: atom
# MEETS: atomic-reads.py:{{[0-9]+}}:13: error: threads meet in this `while`
# NEVER: waits for what no other block writes
# CHECK: PASS
import tilelang.language as T


def spins(blocks=4):
    @T.prim_func
    def main(N: T.Tensor((1,), "int32"), C: T.Tensor((blocks,), "int32")):
        with T.Kernel(blocks, threads=64) as bx:
            tx = T.get_thread_binding()
            if tx == 0:
                T.atomic_add(N[0], 1)
                while T.atomic_load(N[0]) < blocks:
                    C[bx] = 0
                C[bx] = 1

    return main


def never():
    @T.prim_func
    def main(N: T.Tensor((1,), "int32"), C: T.Tensor((2,), "int32")):
        with T.Kernel(2, threads=64) as bx:
            tx = T.get_thread_binding()
            if tx == 0:
                while T.atomic_load(N[0]) < 1:
                    C[bx] = 0

    return main


def queue(blocks, items):
    """Blocks take items as long as there are any: what each is told is new, however often it asks; on cpu more blocks than
    can be under way at once come one after another."""

    @T.prim_func
    def main(N: T.Tensor((1,), "int32"), C: T.Tensor((items,), "int32")):
        with T.Kernel(blocks, threads=64):
            tx = T.get_thread_binding()
            if tx == 0:
                while T.atomic_load(N[0]) < items:
                    item = T.atomic_add(N[0], 1, return_prev=True)
                    if item < items:
                        C[item] = item
                    else: # two may have seen that one was left
                        T.atomic_add(N[0], -1)

    return main


def beside(dtype):
    """Reads beside additions of other blocks."""

    @T.prim_func
    def main(N: T.Tensor((1,), dtype), C: T.Tensor((4,), dtype)):
        with T.Kernel(4, threads=64) as bx:
            for i in T.Parallel(1):
                T.atomic_add(N[0], 1)
            for i in T.Parallel(1):
                C[bx] = T.min(T.atomic_load(N[0]), 0)

    return main


def shared(dtype):
    @T.prim_func
    def main(A: T.Tensor((64,), dtype), C: T.Tensor((64,), dtype)):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((64,), dtype)
            T.copy(A, s)
            for i in T.Parallel(64):
                C[i] = T.atomic_load(s[63 - i])

    return main


def while_any(N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            left = T.alloc_local((1,), "int32")
            rounds = T.alloc_local((1,), "int32")
            left[0] = tx % 7
            rounds[0] = 0
            while T.any_sync(0xFFFFFFFF, left[0] > 0):
                left[0] -= 1
                rounds[0] += 1
            C[tx] = rounds[0] + A[tx] * 0

    return main

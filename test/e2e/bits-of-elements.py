# Bits of 16-bit elements of shared memory, beside neighbours that others use: false alarms of the simulator once.
# RUN: tilec-run %s --entry "bits(128)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bits(128)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bits(128)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "odd(64)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "odd(64)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "most(96)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "most(96)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "most(96)" --target=sm_90a --device=ptx --check | FileCheck %s
#
# CHECK: PASS
import tilelang
import tilelang.language as T


@tilelang.jit
def bits(N):

    @T.prim_func
    def main(A: T.Tensor((N,), "int16"), O: T.Tensor((4,), "int16"), P: T.Tensor((4,), "int16")):
        with T.Kernel(1, threads=N):
            t = T.get_thread_binding()
            s = T.alloc_shared((4,), "int16")
            if t < 4:
                s[t] = A[t + 9]
            if t >= 64:
                T.atomic_or(s[0], A[t])
            if t == 0:
                P[0] = s[1]
                s[3] = A[5]
            if t < 4:
                O[t] = s[t]

    return main


@tilelang.jit
def odd(N):

    @T.prim_func
    def main(A: T.Tensor((N,), "int16"), O: T.Tensor((3,), "int16"), G: T.Tensor((3,), "int16")):
        with T.Kernel(1, threads=N):
            t = T.get_thread_binding()
            s = T.alloc_shared((3,), "int16")
            if t < 3:
                s[t] = T.cast(0, "int16")
            T.atomic_or(s[2], A[t])
            T.atomic_or(G[2], A[t])
            if t < 3:
                O[t] = s[t]

    return main


@tilelang.jit
def most(N):

    @T.prim_func
    def main(A: T.Tensor((N,), "int16"), S: T.Tensor((8,), "int16")):
        with T.Kernel(1, threads=N):
            t = T.get_thread_binding()
            s = T.alloc_shared((8,), "int16")
            if t < 8:
                s[t] = 0
            T.atomic_max(s[3], A[t])
            if t < 8:
                S[t] = s[t]

    return main

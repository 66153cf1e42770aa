# What stands on the right of `and` and `or`, and in a side of `a if c else b`, is called only where it is needed; what
# several iterations update under a condition is updated by all that the condition leaves.
# RUN: tilec-run %s --device=cpu --entry "counted()" --arg=N=zeros | FileCheck %s --check-prefix=RUNS
# RUN: tilec-run %s --target=gfx942 --entry "counted()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "counted()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "counted()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "counted()" --arg=N=zeros --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "bounded()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "bounded()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "grouped('shared')" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "grouped('fragment')" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "grouped('shared')" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "grouped('fragment')" --check | FileCheck %s
# RUNS: result
# CHECK: PASS
import tilelang.language as T


def counted():
    """Of 64 iterations ten add; the checks inside see what an unguarded call would have done."""

    @T.prim_func
    def main(N: T.Tensor((68,), "int32"), I: T.Tensor((64,), "float32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            never = I[0] > 100000.0
            if tx < 10 and T.atomic_add(N[tx], 1, return_prev=True) > 5:
                C[0] = 9
            if tx == 0:
                if never and T.atomic_add(N[64], 1, return_prev=True) >= 0:
                    C[0] = 1
                if I[0] < 100000.0 or T.atomic_add(N[65], 1, return_prev=True) >= 0:
                    C[0] = 2
                N[66] = T.atomic_add(N[67], 1, return_prev=True) if never else 3
            T.sync_threads()
            if tx == 0:
                T.device_assert(N[9] == 1)
                T.device_assert(N[10] == 0)
                T.device_assert(N[64] == 0)
                T.device_assert(N[65] == 0)
                T.device_assert(N[66] == 3)
                T.device_assert(N[67] == 0)

    return main


def bounded():
    """The rows that are asked are inside."""

    @T.prim_func
    def main(A: T.Tensor((4, 64), "float32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((4, 64), "int32")
            for i, j in T.Parallel(4, 64):
                s[i, j] = 1
            i = T.alloc_var("int32", init=0)
            while i < 4 and T.any_of(s[i, 0:64]):
                i += 1
            C[0] = i

    return main


def grouped(scope):
    alloc = {"shared": T.alloc_shared, "fragment": T.alloc_fragment}[scope]

    @T.prim_func
    def main(X: T.Tensor((4, 4), "int32"), C: T.Tensor((3, 2, 4), "int32")):
        with T.Kernel(1, threads=64):
            v = alloc((2, 4), "int32")
            T.clear(v)
            for i, j in T.Parallel(4, 4):
                if j <= i:
                    v[j // 2, i] += X[i, j]
            T.copy(v, C[0, 0:2, 0:4])
            T.clear(v)
            for i, j in T.Parallel(4, 4):
                if i == 2:
                    v[j // 2, i] += X[i, j]
            T.copy(v, C[1, 0:2, 0:4])
            T.clear(v)
            for i, j in T.Parallel(4, 4):
                if i % 3 > 0 and j > 0:
                    v[j // 2, i] -= X[i, j]
            T.copy(v, C[2, 0:2, 0:4])

    return main

# Atomic updates of several kinds of one tensor happen in the order of their statements: a barrier stands between those that
# may meet, also of one round and the next. Of one kind they need none.
# RUN: tilec-run %s --entry "kinds('or')" --target=gfx950 --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('or')" --target=sm_90a --device=ptx --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('min')" --target=gfx942 --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('min')" --target=sm_80 --device=ptx --check --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "kinds('store')" --target=gfx950 --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('store')" --target=sm_90a --device=ptx --check --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --entry "kinds('stores')" --target=sm_90a --device=ptx --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('stores')" --target=gfx942 --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('rounds')" --target=gfx942 --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "kinds('rounds')" --target=sm_90a --device=ptx --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "tiles()" --target=gfx950 --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "tiles()" --target=sm_90a --device=ptx --check --arg C=zeros --sim-interleave=3 | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "kinds('adds')" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --entry "kinds('or')" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=TWO
# ONE-NOT: bar.sync
# TWO: bar.sync
import tilelang.language as T


def kinds(how, n=512, threads=256):
    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), C: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=threads) as bx:
            if how == "or":
                for i in T.Parallel(n):
                    T.atomic_or(C[i], 255)
                for i in T.Parallel(n):
                    T.atomic_add(C[n - 1 - i], 1)
            elif how == "min":
                for i in T.Parallel(n):
                    T.atomic_add(C[i], A[i])
                for i in T.Parallel(n):
                    T.atomic_min(C[n - 1 - i], 0)
            elif how == "store":
                for i in T.Parallel(n):
                    T.atomic_store(C[i], 5)
                for i in T.Parallel(n):
                    T.atomic_add(C[n - 1 - i], A[i])
            elif how == "stores":
                for i in T.Parallel(n):
                    T.atomic_store(C[i], i)
                for i in T.Parallel(n):
                    T.atomic_store(C[n - 1 - i], A[i])
            elif how == "rounds":
                for r in T.serial(8):
                    for i in T.Parallel(n):
                        T.atomic_add(C[(i * 7 + r) % n], A[i])
                    for i in T.Parallel(n):
                        T.atomic_max(C[(i * 13 + r * 64) % n], r)
            else:
                for i in T.Parallel(n):
                    T.atomic_add(C[i], A[i])
                for i in T.Parallel(n):
                    T.atomic_add(C[n - 1 - i], 1)

    return main


def tiles(threads=128):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((64, 64), "float32")
            T.copy(A, a)
            for r in T.serial(4):
                T.atomic_add(C[r * 8 : r * 8 + 32, 16:48], a[16:48, r * 4 : r * 4 + 32], use_tma=True)
                T.atomic_max(C[40 + r, 0:64], a[r, 0:64])
                T.atomic_max(C[r, 0:64], a[r + 8, 0:64])

    return main

# A runtime index outside of a shared or local buffer stops the kernel on the simulator, as it does on
# the cpu device; one that is inside does not.
# RUN: not tilec-run %s --entry "shared(16)" --arg n=20 --target=gfx950 --device=sim 2>&1 | FileCheck %s
# RUN: not tilec-run %s --entry "shared(16)" --arg n=20 --target=gfx942 --device=sim 2>&1 | FileCheck %s
# RUN: not tilec-run %s --entry "local(4)" --arg n=5 --target=gfx950 --device=sim 2>&1 | FileCheck %s
# RUN: not tilec-run %s --entry "shared(16)" --arg n=20 --device=cpu 2>&1 | FileCheck %s --check-prefix=CPU
# RUN: tilec-run %s --entry "shared(16)" --arg n=15 --target=gfx950 --device=sim --check 2>&1 | FileCheck %s --check-prefix=INSIDE
# RUN: tilec-run %s --entry "local(4)" --arg n=3 --target=gfx942 --device=sim --check 2>&1 | FileCheck %s --check-prefix=INSIDE
# CHECK: trap
# CPU: is outside of its 16 elements
# INSIDE: result {{ *}}PASS
import tilelang.language as T


def shared(size):
    @T.prim_func
    def main(A: T.Tensor((size,), "float32"), C: T.Tensor((1,), "float32"), n: T.int32):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((size,), "float32")
            t = T.alloc_shared((size,), "float32")
            T.copy(A, s)
            T.copy(A, t)
            C[0] = s[n] + t[0]

    return main


def local(size):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                l = T.alloc_local((size,), "float32")
                for k in T.serial(size):
                    l[k] = A[i] * k
                C[i] = l[n]

    return main

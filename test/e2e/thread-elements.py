# Statements of a thread on neighbouring elements: all is read before anything is written, unless one may write what the
# next reads (Normalize/ReadsFirst.cpp).
# RUN: tilec-run %s --entry "sums()" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "chains()" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "chains()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chains()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "chains()" --target=sm_80 --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def sums(N=4096, threads=128, V=8):
    """Sums, rows picked by their numbers, and what two statements write."""

    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16"), I: T.Tensor((4,), "int32"),
             C: T.Tensor((N,), "float16"), D: T.Tensor((4, threads * V), "float16"), E: T.Tensor((N,), "float32")):
        with T.Kernel(N // (threads * V), threads=threads) as bx:
            tx = T.get_thread_binding(0)
            at = (bx * threads + tx) * V
            for v in T.vectorized(V):
                C[at + v] = A[at + v] + B[at + v]
            row = T.min(T.max(I[bx], 0), 3)
            for v in T.vectorized(V):
                D[bx, tx * V + v] = A[row * threads * V + tx * V + v]
            for v in T.serial(V // 2):
                E[at + 2 * v] = A[at + 2 * v] * 0.5 - B[at + 2 * v + 1]
                E[at + 2 * v + 1] = A[at + 2 * v + 1] * 0.5 + B[at + 2 * v]

    return main


def chains(N=2048, threads=64, V=8):
    """A round reads what the one before has written, also under another name."""

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32"), D: T.Tensor((N,), "float32"),
             E: T.Tensor((N,), "float32")):
        with T.Kernel(N // (threads * V), threads=threads) as bx:
            tx = T.get_thread_binding(0)
            at = (bx * threads + tx) * V
            s = T.alloc_shared((threads * V,), "float32")
            x = T.alloc_local((V + 1,), "float32")
            C[at] = A[at]
            for v in T.serial(V - 1):
                C[at + v + 1] = C[at + v] * 0.5 + A[at + v + 1]
            x[0] = 1.0
            for v in T.serial(V):
                x[v + 1] = x[v] * 0.5 + A[at + v]
                D[at + v] = x[v + 1]
            for v in T.serial(V):
                s[tx * V + v] = A[at + v]
                E[at + v] = s[tx * V + v] + s[tx * V + (v // 2) * 2]

    return main

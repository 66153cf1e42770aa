# Tiles of single threads, by what each has loaded, in blocks that are no whole waves; one thread that adds to an element of
# shared memory round by round, whose reads the others do not make.
# RUN: tilec-run %s --target=gfx942 --entry "filled(48)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "filled(200)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "filled(65)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "filled(48)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "moved(65, 16)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "moved(48, 16)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "summed(96, 16)" --check | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "summed(96, 16)" --verify-stages -o /dev/null
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "summed(200, 16)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "leader()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "leader(130, 7)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "leader()" --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def filled(N):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((N, 4), "float32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            T.fill(C[tx, 0:4], X[tx])

    return main


def moved(N, W):
    @T.prim_func
    def main(A: T.Tensor((N, W), "float32"), X: T.Tensor((N,), "float32"), C: T.Tensor((N, W), "float32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            T.copy(A[T.if_then_else(X[tx] > 0, tx, 0), 0:W], C[tx, 0:W])

    return main


def summed(N, W):
    @T.prim_func
    def main(A: T.Tensor((N, W), "float32"), X: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            T.reduce_sum(A[T.if_then_else(X[tx] > 0, tx, 0), 0:W], C[tx:tx + 1], dim=0)

    return main


def leader(N=128, R=4):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), S: T.Tensor((2,), "float32")):
        with T.Kernel(1, threads=N):
            total = T.alloc_shared((2,), "float32")
            tx = T.get_thread_binding()
            total[0] = 0.0
            total[1] = 1.0
            for r in T.serial(R):
                if tx == 0:
                    total[0] = total[0] + X[r]
                if tx == N - 1:
                    total[1] = total[1] * X[r]
            if tx == 0:
                S[0] = total[0]
                S[1] = total[1]

    return main

# Unary minus of what counts: loop variables, threads, blocks, and sums of them.
# RUN: tilec-run %s --target=gfx942 --entry "negated()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "negated()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "negated()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "by_threads()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "by_threads()" --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def negated(N=64):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((6, N), "float32"), D: T.Tensor((2, N), "int32")):
        with T.Kernel(2, threads=64) as bx:
            for i in T.Parallel(N):
                C[0, i] = -i
                C[1, i] = X[i] + (-i)
                C[2, i] = -(i * 2 + 1) * 0.5
                C[3, i] = X[-i + N - 1]
                C[4, i] = T.if_then_else(-i > -5, X[i], 0)
                C[5, i] = -(-i)
            for i in T.Parallel(N):
                D[bx, i] = -bx + -(i % 3) - (-i) // 2

    return main


def by_threads(N=64):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            if -tx > -40:
                C[-tx + N - 1] = X[tx] - -tx
            else:
                C[N - 1 - tx] = -tx % 5

    return main

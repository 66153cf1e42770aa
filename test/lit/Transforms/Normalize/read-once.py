# RUN: tilec %s --target=gfx950 --entry "turn()" --emit=tile-laid-out | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --target=gfx950 --entry "turn(overlap=True)" --emit=tile-laid-out | FileCheck %s --check-prefix=TWICE
# RUN: tilec %s --target=gfx950 --entry "written()" --emit=tile-laid-out | FileCheck %s --check-prefix=WRITTEN
# RUN: tilec %s --target=sm_80 --entry "ahead()" --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --target=sm_80 --entry "ahead(overlap=True)" --emit=report | FileCheck %s --check-prefix=NOT-AHEAD
# RUN: tilec-run %s --target=gfx950 --entry "turn()" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "turn(overlap=True)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "turn()" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "written()" --check | FileCheck %s --check-prefix=RIGHT
#
# Elements of a tensor that the kernel does not write are read once in an iteration, whatever other tensors are written
# between; not where tensors are said to overlap, and not where the tensor is written. What a loop writes of one tensor
# that may overlap is not run ahead of in another.

# ONCE-COUNT-2:  tile.load
# ONCE-NOT:      tile.load
# TWICE:         tile.tensor "X"{{.*}}may_overlap
# TWICE-COUNT-4: tile.load
# WRITTEN-COUNT-3: tile.load
# AHEAD:         : planned
# NOT-AHEAD:     : unplanned
# RIGHT:         result {{ *}}PASS
import tilelang.language as T


def turn(M=40, D=64, overlap=False):
    half = D // 2

    @T.prim_func
    def main(X: T.Tensor((M, D), "float32"), Y: T.Tensor((M, D), "float32")):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as block:
            if overlap:
                T.annotate_restrict_buffers(X, Y)
            for s, i in T.Parallel(16, half):
                if block * 16 + s < M:
                    Y[block * 16 + s, i] = X[block * 16 + s, i] - X[block * 16 + s, half + i]
                    Y[block * 16 + s, half + i] = X[block * 16 + s, half + i] + X[block * 16 + s, i]

    return main


def written(M=40):
    @T.prim_func
    def main(X: T.Tensor((M,), "float32"), Y: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(M):
                Y[i] = X[i] + 1.0
                X[i] = Y[i] * 2.0 + X[i]

    return main


def ahead(M=64, K=512, overlap=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, M), "float16"), C: T.Tensor((K, M), "float32")):
        with T.Kernel(1, threads=128):
            if overlap:
                T.annotate_restrict_buffers(A, B, C)
            a = T.alloc_shared((M, 32), "float16")
            b = T.alloc_shared((32, M), "float16")
            c = T.alloc_fragment((M, M), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=3):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
                for i in T.Parallel(32):
                    C[k * 32 + i, 0] = 1.0
            T.copy(c, C[0:M, 0:M])

    return main

# A statement that writes a part of a fragment leaves the rest, also where the part takes as many lanes as the whole.
# RUN: tilec-run %s --target=gfx942 --entry "prefix(64, 63)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "prefix(12, 9)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "prefix(129, 127)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "prefix(100, 99, threads=96)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "slices(64, 40)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "slices(64, 63)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "slices(64, 33)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "box(4, 12, 11)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "box(3, 12, 9, 'float16')" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "box(4, 12, 11, 'int32')" --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def prefix(N, K, threads=64):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=threads):
            f = T.alloc_fragment((N,), "float32")
            T.copy(X, f)
            for i in T.Parallel(K):
                f[i] = 5.0
            for i in T.Parallel(K - 1):
                f[i] += X[i]
            T.copy(f, C)

    return main


def slices(N, K):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((5, N), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((N,), "float32")
            s = T.alloc_shared((N,), "float32")
            T.copy(X, s)
            T.copy(X, f)
            T.fill(f[0:K], 1.0)
            T.copy(f, C[0, 0:N])
            T.copy(X, f)
            T.copy(s[1:K + 1], f[0:K])
            T.copy(f, C[1, 0:N])
            T.copy(X, f)
            T.cumsum(f[0:K], dim=0)
            T.copy(f, C[2, 0:N])
            T.copy(X, f)
            f[0:K] = 2.0
            T.copy(f, C[3, 0:N])
            T.copy(X, f)
            T.copy(X[1:K + 1], f[0:K])
            T.copy(f, C[4, 0:N])

    return main


def box(A, B, K, dtype="float32"):
    @T.prim_func
    def main(C: T.Tensor((A, B), dtype)):
        with T.Kernel(1, threads=128):
            c = T.alloc_fragment((A, B), dtype)
            T.fill(c, 3)
            T.fill(c[0:A, 0:K], 0)
            T.copy(c, C)

    return main

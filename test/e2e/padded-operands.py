# A fragment whose K is no multiple of the instruction's is zero behind its last column where it is multiplied, whatever
# was computed there: 1 / 0, or what a scan begins with.
# RUN: tilec-run %s --entry "scanned(20)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(20)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(20)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(20)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(52)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(52)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(52)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scanned(52)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(20)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(20)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(20)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(20)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(52)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(52)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(52)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "inverted(52)" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def scanned(K):

    @T.prim_func
    def main(A: T.Tensor((16, K), "float32"), B: T.Tensor((K, 64), "bfloat16"), C: T.Tensor((16, 64), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((16, K), "float32")
            h = T.alloc_fragment((16, K), "bfloat16")
            b = T.alloc_shared((K, 64), "bfloat16")
            c = T.alloc_fragment((16, 64), "float32")
            T.copy(A, f)
            T.cummax(f, dim=1, reverse=True)
            T.copy(f, h)
            T.copy(B, b)
            T.clear(c)
            T.gemm(h, b, c)
            T.copy(c, C)

    return main


def inverted(K):

    @T.prim_func
    def main(A: T.Tensor((16, K), "float32"), B: T.Tensor((K, 64), "bfloat16"), C: T.Tensor((16, 64), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((16, K), "float32")
            h = T.alloc_fragment((16, K), "bfloat16")
            b = T.alloc_shared((K, 64), "bfloat16")
            c = T.alloc_fragment((16, 64), "float32")
            T.copy(A, f)
            for i, j in T.Parallel(16, K):
                h[i, j] = 1.0 / f[i, j]
            T.copy(B, b)
            T.clear(c)
            T.gemm(h, b, c)
            T.copy(c, C)

    return main

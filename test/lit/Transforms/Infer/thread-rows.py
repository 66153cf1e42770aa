# Rows of a shared tile are permuted where threads, or a product's accumulators that nothing else
# stages, begin rows in one bank otherwise; not where a row is a wave's.
# RUN: tilec %s --entry "rows()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=TURNED
# RUN: tilec %s --entry "rows()" --target=gfx942 --emit=tile-laid-out | FileCheck %s --check-prefix=TURNED
# RUN: tilec %s --entry "rows(across=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=STAGED
# RUN: tilec %s --entry "product()" --target=sm_80 --emit=tile-laid-out | FileCheck %s --check-prefix=STAGED
# TURNED: %s = tile.alloc "s" layout(#tile.shared<shape = [128, 32] pitch = 32 vec = 4 rows_per_phase = 1 phases = 8>)
# PLAIN: %s = tile.alloc "s" layout(#tile.shared<shape = [128, 32] pitch = 32 vec = 1 rows_per_phase = 1 phases = 1>)
# STAGED: %c_shared = tile.alloc "c_shared" layout(#tile.shared<shape = [64, 64] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8>)
import tilelang.language as T


def rows(across=False):
    @T.prim_func
    def main(A: T.Tensor((128, 32), "float32"), B: T.Tensor((128, 32), "float32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((128, 32), "float32")
            a = T.alloc_local((32,), "float32")
            for j in T.serial(32):
                a[j] = A[t, j]
                if across:
                    s[t // 32 * 32 + j, t % 32] = a[j]
                else:
                    s[t, j] = a[j]
            T.copy(s, B)

    return main


def product():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            c_shared = T.alloc_shared((64, 64), "float16")
            T.copy(A, a)
            for i in T.serial(32):
                b[t // 64 + 2 * i, t % 64] = B[t // 64 + 2 * i, t % 64] * T.float16(2)
            T.gemm(a, b, c, clear_accum=True)
            T.copy(c, c_shared)
            T.copy(c_shared, C)

    return main

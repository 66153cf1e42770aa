# Fragments that 128 threads cannot hold get 256, unless the script reads the number, names threads or
# asks for it; what no number of threads can hold stays with the author's.
# RUN: tilec %s --entry "two(128, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "two(128, 128)" --target=sm_80 --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,REMARK
# RUN: tilec %s --entry "two(128, 128)" --target=gfx942 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(128, 256)" --target=gfx942 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "two(64, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(256, 256)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(128, 128, reads=True)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(128, 128, exact=True)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "turns(128, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# REMARK: threads= is 256 here, not 128: fragments take 256 registers of each of 128 threads, which have 255 on sm_80
# WIDER: threads(256)
# SAME: threads(128)
import tilelang.language as T
from tilec import schedule


def two(M, N, reads=False, exact=False):
    @T.prim_func
    def main(A: T.Tensor((4, M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            b = T.alloc_fragment((M, N), "float32")
            T.clear(b)
            if reads:
                T.copy(A[T.get_thread_extent(0) - 128, 0, 0], b)
            loop = T.serial(4)
            if exact:
                loop = schedule.exact(T.Pipelined(4, num_stages=2))
            for k in loop:
                T.copy(A[k, 0, 0], a)
                for i, j in T.Parallel(M, N):
                    b[i, j] = b[i, j] * a[i, j] + a[i, N - 1 - j]
            T.copy(b, B)

    return main


# One after the other: never both at once.
def turns(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            b = T.alloc_fragment((M, N), "float32")
            s = T.alloc_fragment((M,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, s, dim=1)
            T.copy(s, C)
            T.copy(B, b)
            T.reduce_max(b, s, dim=1)
            T.copy(s, C)

    return main

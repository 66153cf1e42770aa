# Elements of a tensor that one block writes more than once, by different threads: the last write stays.
# RUN: tilec-run %s --entry "twice()" --target=gfx942 --device=sim --arg=n=9 --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=gfx950 --device=sim --arg=n=9 --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=sm_80 --device=ptx --arg=n=9 --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=sm_90a --device=ptx --arg=n=9 --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "until()" --target=gfx942 --device=sim --arg=n=10 --check | FileCheck %s
# RUN: tilec-run %s --entry "until()" --target=gfx950 --device=sim --arg=n=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "until()" --target=sm_80 --device=ptx --arg=n=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "until()" --target=sm_90a --device=ptx --arg=n=10 --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=sm_90a --device=ptx --check | FileCheck %s
#
# Tiles at places that are apart need no barriers.
# RUN: tilec %s --entry "moving(16)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=APART
#
# CHECK: result PASS
# APART-NOT: tile.barrier
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


def twice():
    @T.prim_func
    def main(A: T.Tensor((128, 64), "float32"), C: T.Tensor((128, 64), "float32"), n: T.int32):
        with T.Kernel(1, threads=256):
            f = T.alloc_fragment((128, 64), "float32")
            T.copy(A, f)
            T.copy(A, C)
            for i, j in T.Parallel(16, 8):            # its threads are others than those of the copy
                C[n + i, j] = A[n + i, j + 9]
            C[n, 0] = 5.0
            T.copy(f[0:16, 0:64], C[n + 1:n + 17, 0:64])
            C[n + 2, 3] = A[0, 0]
    return main


# Each round writes over half of what the round before has written.
def moving(step=8):
    @T.prim_func
    def main(A: T.Tensor((128, 64), "float32"), C: T.Tensor((256, 64), "float32")):
        with T.Kernel(2, threads=256) as bx:
            for k in T.serial(8):
                for i, j in T.Parallel(16, 64):
                    C[bx * 128 + k * step + i, j] = A[k * 8 + i, j] + bx
    return main


def until():
    @T.prim_func
    def main(A: T.Tensor((128, 64), "float32"), C: T.Tensor((128, 64), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            k = T.alloc_var("int32", init=0)
            while k < n:
                for i, j in T.Parallel(32, 64):
                    C[k + i, j] = A[i, j] + k
                k = k + 3
            if n > 3:
                T.copy(A[0:32, 0:32], C[0:32, 7:39])
            else:
                C[0, 0] = 1.0
            C[1, 8] = 2.0
    return main


# A tile operation, statements of all threads, and a tile operation over some of what they wrote.
def beside_threads():
    @T.prim_func
    def main(A: T.Tensor((128, 64), "float32"), C: T.Tensor((128, 64), "float32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            T.copy(A, C)
            C[127 - t, 0] = 3.0
            for k in T.serial(3):
                C[t, 5 + k] = k
            T.copy(A[0:64, 0:32], C[32:96, 4:36])
    return main

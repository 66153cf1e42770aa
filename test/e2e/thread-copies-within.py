# What each thread copies from one part of a buffer to another one it holds alone, in an array of its own; before, it was a
# fragment, and the copy was refused for one that the script does not have (FragmentByThread).
# SPDX-License-Identifier: Apache-2.0

# RUN: tilec-run %s --entry "rows('shared', 8)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('shared', 8)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('global', 8)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('global', 8)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('local', 8)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('local', 8)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('shared', 1)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('shared', 1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('local', 1)" --target=gfx942 --device=sim --check | FileCheck %s
# CHECK: result {{ *}}PASS
# Some threads only.
# RUN: tilec-run %s --entry "branch()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "branch()" --target=sm_90a --device=ptx --check | FileCheck %s
#
# Threads read what others write: all is read before anything is written, as in any other copy.
# RUN: tilec-run %s --entry "shifted(64)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "shifted(192)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "shifted(192)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "shifted(192)" --target=sm_90a --device=ptx --check | FileCheck %s
import tilelang.language as T


def rows(scope, by):
    @T.prim_func
    def main(A: T.Tensor((64, 16), "float32"), B: T.Tensor((64, 16), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            if scope == "shared":
                S = T.alloc_shared((64, 16), "float32")
                T.copy(A, S)
                T.copy(S[tx, 0:8], S[tx, by:by + 8])
                T.copy(S, B)
            elif scope == "local":
                L = T.alloc_local((16,), "float32")
                T.copy(A[tx, 0:16], L)
                T.copy(L[0:8], L[by:by + 8])
                T.copy(L, B[tx, 0:16])
            else:
                T.copy(A[tx, 0:16], B[tx, 0:16])
                T.copy(B[tx, 0:8], B[tx, by:by + 8])

    return main


def branch():
    @T.prim_func
    def main(A: T.Tensor((64, 16), "float32"), B: T.Tensor((64, 16), "float32")):
        with T.Kernel(1, threads=64):
            S = T.alloc_shared((64, 16), "float32")
            tx = T.get_thread_binding()
            T.copy(A, S)
            if tx < 32:
                T.copy(S[tx, 0:8], S[tx, 8:16])
            T.copy(S, B)

    return main


def shifted(threads):
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=threads):
            S = T.alloc_shared((256,), "float32")
            tx = T.get_thread_binding()
            T.copy(A, S)
            T.copy(S[tx:tx + 16], S[tx + 1:tx + 17])
            T.copy(S, B)

    return main

# Updates in T.Parallel of elements that several iterations share, by indices that do not name an iteration.
# RUN: tilec-run %s --entry "bins('fragment', 'float32')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'float32')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'float32')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('shared', 'float16')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('shared', 'float16')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('shared', 'float16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('shared', 'float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'int32')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'int32')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'int32')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bins('fragment', 'int32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "diagonals()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "diagonals()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "diagonals()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "diagonals()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "largest()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "largest()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "largest()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "largest()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept_then_changed()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "kept_then_changed()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "kept_then_changed()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "kept_then_changed()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some('float32')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "some('float32')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "some('float32')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some('float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_threads()" --target=sm_90a --device=ptx --check | FileCheck %s
#
# CHECK: result PASS
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


def bins(scope, dtype):
    @T.prim_func
    def main(A: T.Tensor((32, 24), dtype), S: T.Tensor((8,), dtype)):
        with T.Kernel(1, threads=128):
            s = T.alloc_fragment((8,), dtype) if scope == "fragment" else T.alloc_shared((8,), dtype)
            T.clear(s)
            for j in T.Parallel(24):
                s[j // 4] += A[0, j]
            for i, j in T.Parallel(32, 24):
                s[T.min(2, j // 4)] += A[i, j]
            T.copy(s, S)
    return main


def diagonals():
    @T.prim_func
    def main(A: T.Tensor((32, 24), "float32"), S: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((8,), "float32")
            T.clear(s)
            for i, j in T.Parallel(32, 24):
                s[(i + j) % 8] += A[i, j]
            T.copy(s, S)
    return main


def largest():
    @T.prim_func
    def main(A: T.Tensor((32, 24), "float32"), S: T.Tensor((3, 8), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_fragment((3, 8), "float32")
            T.fill(s, -100.0)
            for i, j in T.Parallel(32, 24):
                s[i % 3, j % 8] = T.max(s[i % 3, j % 8], A[i, j])
            T.copy(s, S)
    return main


def kept_then_changed():
    """The sum has what the element was before its iteration changed it."""
    @T.prim_func
    def main(A: T.Tensor((32, 24), "float32"), W: T.Tensor((3,), "float32"), S: T.Tensor((3,), "float32"),
             G: T.Tensor((32, 24), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_reducer(3, "float32", replication="all")
            g = T.alloc_fragment((32, 24), "float32")
            T.clear(s)
            T.copy(A, g)
            for i, j in T.Parallel(32, 24):
                s[T.min(2, j // 4)] += g[i, j]
                g[i, j] *= W[T.min(2, j // 4)]
            T.finalize_reducer(s)
            T.copy(s, S)
            T.copy(g, G)
    return main


def some(dtype):
    """Under a condition; the second one leaves one iteration for each element."""
    @T.prim_func
    def main(A: T.Tensor((32, 24), dtype), S: T.Tensor((8,), dtype)):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((8,), dtype)
            T.clear(s)
            for i, j in T.Parallel(32, 24):
                if A[i, j] > 0:
                    s[(i + j) // 7] += A[i, j]
            for j in T.Parallel(24):
                if j % 3 == 0:
                    s[j // 3] += A[1, j]
            T.copy(s, S)
    return main


def beside_threads():
    """Once for the block in a kernel that mentions its threads."""
    @T.prim_func
    def main(A: T.Tensor((4, 24), "int32"), S: T.Tensor((8,), "int32"), N: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((8,), "int32")
            T.clear(s)
            for i, j in T.Parallel(4, 24):
                s[j // 4] += A[i, j]
            N[tx] = s[tx % 8]
            T.copy(s, S)
    return main

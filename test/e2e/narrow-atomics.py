# Atomics of 8- and 16-bit elements, which most targets make of compare-and-swaps of a word: what else lies
# in the word may be changed by others, or hold no value.
# RUN: tilec-run %s --entry "counts(64, \"float16\")" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(64, \"int8\")" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(64, \"bfloat16\")" --target=gfx942 --device=sim --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(3, \"int8\")" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(1, \"float16\")" --target=gfx950 --device=sim --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(5, \"bfloat16\")" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(3, \"int8\")" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(5, \"bfloat16\")" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "counts(3, \"int8\")" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_stores(\"float16\")" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_stores(\"bfloat16\")" --target=gfx950 --device=sim --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_blocks(\"float16\")" --target=gfx942 --device=sim --arg C=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_blocks(\"int8\")" --target=gfx950 --device=sim --arg C=zeros --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_blocks(\"bfloat16\")" --target=sm_80 --device=ptx --arg C=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "beside_blocks(\"int8\")" --target=sm_90a --device=ptx --arg C=zeros --check | FileCheck %s
#
# CHECK: result PASS
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


# Four waves count in a tile of a few elements.
def counts(bins, dtype):
    @T.prim_func
    def main(X: T.Tensor((256,), "int32"), H: T.Tensor((bins,), dtype)):
        with T.Kernel(1, threads=256):
            s = T.alloc_shared((bins,), dtype)
            for i in T.Parallel(bins):
                s[i] = 0
            for i in T.Parallel(256):
                T.atomic_add(s[(X[i] + 8) % bins], 1)
            T.copy(s, H)
    return main


# One wave adds to even elements, another stores odd ones.
def beside_stores(dtype):
    @T.prim_func
    def main(A: T.Tensor((256,), dtype), C: T.Tensor((256,), dtype)):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((256,), dtype)
            T.copy(A, s)
            tx = T.get_thread_binding()
            if tx < 64:
                T.atomic_add(s[2 * tx], A[tx])
            else:
                s[2 * tx - 127] = A[tx]
            T.sync_threads()
            C[tx] = s[tx]
            C[tx + 128] = s[tx + 128]
    return main


# The same of two blocks.
def beside_blocks(dtype):
    @T.prim_func
    def main(A: T.Tensor((64,), dtype), C: T.Tensor((64,), dtype)):
        with T.Kernel(2, threads=64) as bx:
            for i in T.Parallel(32):
                if bx == 0:
                    T.atomic_add(C[2 * i], A[i])
                else:
                    C[2 * i + 1] = A[i + 32]
    return main

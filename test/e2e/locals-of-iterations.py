# Local arrays of an iteration of T.Parallel, which loops fill and read element by element (Normalize/ForwardLocals.cpp): one
# loop over the elements is left, whose neighbours lie side by side.
# RUN: tilec-run %s --entry "sums()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('float16')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=gfx950 --check --arg B=zeros | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=sm_90a --device=ptx --check --arg B=zeros | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "sums('float16')" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WIDE
# WIDE-NOT: ld.global.b16
# WIDE: ld.global.v4.b32
# WIDE-NOT: st.global.b16
import tilelang.language as T


def sums(dtype="bfloat16", M=64, N=512):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(M // 8, threads=128) as bx:
            for i, j in T.Parallel(8, N // 8):
                x = T.alloc_local((8,), dtype)
                for v in T.vectorized(8):
                    x[v] = A[bx * 8 + i, j * 8 + v] + B[bx * 8 + i, j * 8 + v]
                for v in T.serial(8):
                    x[v] = x[v] * 3.0
                for v in T.vectorized(8):
                    C[bx * 8 + i, j * 8 + v] = x[v]

    return main


def unpacked(M=128, N=64, K=128, block_K=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), Q: T.Tensor((N, K // 2), "uint8"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((M, block_K), "float16")
            q = T.alloc_shared((N, block_K // 2), "uint8")
            w = T.alloc_shared((N, block_K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for k in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[0, k * block_K], a)
                T.copy(Q[0, k * block_K // 2], q)
                for i, j in T.Parallel(N, block_K // 8):
                    packed = T.alloc_local((4,), "uint8")
                    whole = T.alloc_local((8,), "float16")
                    for v in T.vectorized(4):
                        packed[v] = q[i, j * 4 + v]
                    for v in T.serial(8):
                        whole[v] = T.cast(T.cast((packed[v // 2] >> (v % 2 * 4)) & 15, "int8") - 8, "float16")
                    for v in T.vectorized(8):
                        w[i, j * 8 + v] = whole[v]
                T.gemm(a, w, c, transpose_B=True)
            T.copy(c, C)

    return main


def turned(M=64):
    """Elements of a row in the other direction, in place: the array keeps what was there."""

    @T.prim_func
    def main(A: T.Tensor((M, 8), "float32"), B: T.Tensor((M, 8), "float32")):
        with T.Kernel(1, threads=64) as bx:
            T.copy(A, B)
            for i in T.Parallel(M):
                x = T.alloc_local((8,), "float32")
                for v in T.serial(8):
                    x[v] = B[i, v]
                for v in T.serial(8):
                    B[i, v] = x[7 - v]

    return main

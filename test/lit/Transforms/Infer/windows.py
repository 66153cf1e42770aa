# A fragment that a serial loop goes over piece by piece: the rounds become code of their own, in which registers have
# numbers, and what they compute lies where the pieces lie. Pieces that other lanes hold go through shared memory.
# RUN: tilec %s --target=sm_90a --entry "pieces(4)" --emit=tile-laid-out | FileCheck %s
# RUN: tilec %s --target=gfx942 --entry "pieces(4, 'float16')" --emit=tile-laid-out | FileCheck %s --check-prefix=AMD
# RUN: tilec %s --target=sm_90a --entry "pieces(16)" --remarks --emit=tile-laid-out 2>&1 | FileCheck %s --check-prefix=STAGED
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "pieces(4)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "pieces(16)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "pieces(4, 'float16')" | FileCheck %s --check-prefix=RESULT
# CHECK: tile.alloc "squares" layout(#tile.fragment<shape = [32, 4] register = {{\[\[}}8, 0]] lane = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]
# CHECK-NOT: tile.for
# CHECK: tile.gemm
# AMD: tile.gemm
# STAGED: remark: fragment `f` goes through shared memory
# RESULT: result {{ *}}PASS
import tilelang.language as T


def pieces(width, dtype="tfloat32"):
    M, N, K = 32, 32, 64

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "float32"),
             S: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((M, K), dtype)
            b = T.alloc_shared((N, K), dtype)
            c = T.alloc_fragment((M, N), "float32")
            squares = T.alloc_fragment((M, width), "float32")
            sums = T.alloc_fragment((M,), "float32")
            T.clear(c)
            T.clear(squares)
            T.copy(A, f)
            T.copy(B, b)
            for n in T.serial(K // width):
                for i, j in T.Parallel(M, width):
                    squares[i, j] += f[i, n * width + j] * f[i, n * width + j]
            T.gemm(f, b, c, transpose_B=True)
            T.reduce_sum(squares, sums, dim=1)
            T.copy(sums, S)
            T.copy(c, C)

    return main

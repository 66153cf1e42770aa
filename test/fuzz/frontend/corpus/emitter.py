import tilelang.language as T
from tilelang.intrinsics import TensorCoreIntrinEmitter

def f():
    e = TensorCoreIntrinEmitter(a_dtype="float16", b_dtype="float16", accum_dtype="float32", b_transposed=True, block_row_warps=1, block_col_warps=1, warp_row_tiles=32, warp_col_tiles=32, chunk=32)
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=32) as bx:
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            al = T.alloc_local((16,), "float16")
            bl = T.alloc_local((16,), "float16")
            cl = T.alloc_local((32,), "float32")
            c = T.alloc_shared((2, 2, 16, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(cl)
            for ki in T.serial(2):
                e.ldmatrix_a(al, a, ki)
                e.ldmatrix_b(bl, b, ki)
                e.mma(al, bl, cl)
            e.stmatrix(cl, c)
            for i, j in T.Parallel(32, 32):
                C[i, j] = c[i // 16, j // 16, i % 16, j % 16]
    return main

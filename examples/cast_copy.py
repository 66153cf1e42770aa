# Copies a float32 matrix of any number of rows into bfloat16.
#
#   tilec-run examples/cast_copy.py --entry 'cast(300)' --dim M=1000 --device=sim --check
import tilelang
import tilelang.language as T


def cast(N, block_M=32, in_dtype="float32", out_dtype="bfloat16"):
    M = T.dynamic("M")

    @T.prim_func
    def main(A: T.Tensor((M, N), in_dtype), B: T.Tensor((M, N), out_dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=256) as bx:
            tile = T.alloc_shared((block_M, N), in_dtype)
            T.copy(A[bx * block_M, 0], tile)
            T.copy(tile, B[bx * block_M, 0])

    return main

# traits: gemm pipelined ragged
# run: --seed 3 --arg A=uniform --arg B=uniform
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((60, 80), "float16"), B: T.Tensor((32, 80), "float16"), C: T.Tensor((60, 32), "float32"),
         D: T.Tensor((60, 32), "float32")):
    with T.Kernel(1, T.ceildiv(60, 32), threads=128) as (bx, by):
        a = T.alloc_shared((32, 32), "float16")
        b = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        d = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(80, 32), num_stages=3):
            T.copy(A[by * 32, k * 32], a)
            T.copy(B[bx * 32, k * 32], b)
            T.gemm(a, b, c, transpose_B=True)
        for i, j in T.Parallel(32, 32):
            d[i, j] = c[i, j] * 0.5
        T.copy(c, C[by * 32, bx * 32])
        T.copy(d, D[by * 32, bx * 32])

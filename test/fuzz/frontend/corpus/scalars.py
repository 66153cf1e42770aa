# entry: scalars(1000)
import tilelang.language as T

def scalars(N, a: T.float32 = 2.0):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), s: T.float32, n: T.int32):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                if bx * 128 + i < n:
                    B[bx * 128 + i] = A[bx * 128 + i] * s
                else:
                    B[bx * 128 + i] = T.float32(-1.0)
    return main

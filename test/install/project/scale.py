# Y = a * X, with its size in the image and the factor at the launch.
import tilelang.language as T


def scale(n):
    @T.prim_func
    def main(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32"), a: T.float32, rows: T.int32):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            for i in T.Parallel(128):
                if i < rows:
                    Y[bx * 128 + i] = X[bx * 128 + i] * a

    return main

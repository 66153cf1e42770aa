# entry: f()
import tilelang.language as T


def f():
    @T.prim_func
    def main(A: T.Tensor((128,), "float32")):
        for i in range(2):
            with T.Kernel(2, threads=128) as bx:
                del bx
                A[bx] = 1.0

    return main

# entry: hist(1000, 16)
import tilelang.language as T

def hist(N, B):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), H: T.Tensor((B,), "int32")):
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            for i in T.Parallel(256):
                T.atomic_add(H[X[bx * 256 + i] + 8], 1)
    return main

# entry: cumsum(16, 40)
for i in range(19):
    a =[a, a, a, a]
import tilelang.language as T

def cumsum(M, N):
    @ T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        a, * b = f'v {N:.3f}'
        for i in range(19):
            a =[a, a, a, a]
        with T.Kernel(1, threads = 64) as bx:
            if({ } and T.gemm('float8_e4m3fn', 1024, 2147483647, - 2, False)):
                a = T.alloc_shared((M, N), "float32")
            T.copy(A, a)
            T.cumsum(a, dim = 1)
            T.copy(a, B)
            return main
    return main

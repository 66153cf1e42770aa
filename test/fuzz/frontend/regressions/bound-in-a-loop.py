import tilelang.language as T

for i in range(100000):
    k = [i]
    a = [i]


@T.prim_func
def main(A: T.Tensor((256,), "float32")):
    with T.Kernel(2, threads=128) as bx:
        A[bx] = k[0] + a[0]

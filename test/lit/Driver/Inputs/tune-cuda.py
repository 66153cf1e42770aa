# Kernels that the driver without a GPU knows by name: `twice` doubles, `fault` faults. `factor` says something else about
# what it should compute.
import tilelang.language as T


def twice(threads=128, factor=2):
    n = T.dynamic("n")

    @T.prim_func
    def twice(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=threads) as bx:
            for i in T.Parallel(256):
                y[bx * 256 + i] = x[bx * 256 + i] * factor

    return twice


def fault(threads=128):
    n = T.dynamic("n")

    @T.prim_func
    def fault(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=threads) as bx:
            for i in T.Parallel(256):
                y[bx * 256 + i] = x[bx * 256 + i]

    return fault

# c = a + b: as elements, as tiles and as threads, and of a length that only the launch knows.
import tilelang.language as T


def elements(n, block=2048):
    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

    return add


def tiles(n, block=2048):
    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            a = T.alloc_fragment((block,), "float32")
            b = T.alloc_fragment((block,), "float32")
            T.copy(A[bx * block], a)  # past the end: zeros
            T.copy(B[bx * block], b)
            for i in T.Parallel(block):
                a[i] += b[i]
            T.copy(a, C[bx * block])  # past the end: nothing

    return add


def threads(n, per_thread=8):
    block = 256 * per_thread

    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            tx = T.get_thread_binding()
            for step in T.serial(per_thread):
                at = bx * block + step * 256 + tx
                if at < n:
                    C[at] = A[at] + B[at]

    return add


def any_length(block=2048):
    n = T.dynamic("n")

    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

    return add

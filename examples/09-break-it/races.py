# Programs that would race on a GPU, and what becomes of them.
import tilelang.language as T


def dependent_iterations(n=64):
    """Iterations of T.Parallel have no order, so none may need another's result: refused."""

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((n,), "float32")
            T.copy(A, s)
            for i in T.Parallel(n - 1):
                s[i + 1] = s[i] * 0.5 + s[i + 1]
            T.copy(s, C)

    return main


def a_recurrence(n=64):
    """The same as a serial loop: it means what it says, on every target."""

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((n,), "float32")
            T.copy(A, s)
            for i in T.serial(n - 1):
                s[i + 1] = s[i] * 0.5 + s[i + 1]
            T.copy(s, C)

    return main


def everybody_adds(n=300):
    """All iterations update one place: a sum, not a race."""

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=128):
            total = T.alloc_fragment((1,), "float32")
            T.clear(total)
            for i in T.Parallel(n):
                total[0] += A[i]
            T.copy(total, C)

    return main


def no_barrier(threads=256):
    """Code of threads without a single T.sync_threads(): the compiler places the barriers."""

    @T.prim_func
    def main(A: T.Tensor((threads,), "float32"), C: T.Tensor((threads,), "float32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            s = T.alloc_shared((threads,), "float32")
            for step in T.serial(4):
                s[tx] = A[tx] * step
                C[tx] += s[threads - 1 - tx]

    return main


def impossible_barrier(threads=256):
    """A barrier would have to stand in a loop that threads leave at different times: refused, with the place."""

    @T.prim_func
    def main(Rounds: T.Tensor((threads,), "int32"), C: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            s = T.alloc_shared((threads,), "int32")
            n = T.alloc_var("int32", init=0)
            s[tx] = tx
            while n < Rounds[tx]:
                s[tx] = s[threads - 1 - tx] + 1
                n = n + 1
            C[tx] = s[tx]

    return main


def never_written(n=64):
    """A read of a buffer that no statement has written."""

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((n,), "float32")
            for i in T.Parallel(n):
                C[i] = A[i] + s[i]

    return main


def beyond_the_tile(n=64):
    """An index that leaves a tile."""

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((n,), "float32")
            T.copy(A, s)
            for i in T.Parallel(n):
                C[i] = s[i + 1]

    return main

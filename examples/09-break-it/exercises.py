# Bugs that were published as issues of tile-ai/tilelang, each as the smallest program that asks the same question. None
# of the texts is the issue's own. Say what each prints before you run it; `tilec-run --check` knows the answer.
import tilelang.language as T


def partial_warp(threads=64, active=48):
    """#2556: 48 threads, no multiple of a warp, write and read across. The barrier between the two was dropped."""

    @T.prim_func
    def main(C: T.Tensor((active,), "int32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            s = T.alloc_shared((active,), "int32")
            if tx < active:
                s[tx] = tx * tx
                C[tx] = s[active - 1 - tx]

    return main


def barrier_in_branch(threads=128):
    """#2612: threads that are no neighbours, a loop in their branch. The barrier was moved in front of the branch."""

    @T.prim_func
    def main(C: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            s = T.alloc_shared((threads,), "int32")
            s[tx] = tx
            total = T.alloc_var("int32", init=0)
            if tx % 4 == 0:
                for step in T.serial(3):
                    s[tx] = s[tx] + step
                    total = total + s[threads - 4 - tx]
            C[tx] = total

    return main


def barrier_in_else(threads=128):
    """#3042: the threads of the else branch exchange values. Their barrier was taken away with the other branch's."""

    @T.prim_func
    def main(C: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            s = T.alloc_shared((threads,), "int32")
            if tx == 0 or tx > 96:
                C[tx] = -1
            else:
                s[tx] = 10 * tx
                C[tx] = s[97 - tx]

    return main


def clear_then_fill(size=96):
    """#2703: a tile is cleared, partly filled and read by others. The clear was no write to the pass."""

    @T.prim_func
    def main(A: T.Tensor((size,), "float32"), C: T.Tensor((size, 4), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((size,), "float32")
            for n in T.serial(4):
                T.clear(s)
                for i in T.Parallel(size // 2):
                    s[2 * i] = A[2 * i] * n
                for i in T.Parallel(size):
                    C[i, n] = s[size - 1 - i]

    return main


def odd_reduction(columns=48):
    """#2542: the sum of 48 numbers by 48 threads. Lanes beyond the largest power of two were left out."""

    @T.prim_func
    def main(A: T.Tensor((columns,), "float32"), C: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=columns):
            a = T.alloc_fragment((columns,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, total)
            T.copy(total, C)

    return main


def reducer(block=96, threads=256):
    """#2408: a sum in T.Parallel whose width does not divide the threads. It came out twice as large."""

    @T.prim_func
    def main(A: T.Tensor((8, block), "float32"), x: T.Tensor((block,), "float32"), C: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=threads):
            y = T.alloc_reducer((8,), "float32", op="sum", replication="all")
            for i, j in T.Parallel(8, block):
                T.reducer_update(y[i], A[i, j] * x[j])
            T.finalize_reducer(y)
            T.copy(y, C)

    return main


def fragment_in_serial_loop(M=16, N=16):
    """#2396: a fragment written to memory by T.serial. Each thread wrote its own elements at every index."""

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            for i in T.serial(M):
                for j in T.serial(N):
                    C[i, j] = a[i, j]

    return main


def unequal_loops():
    """#2957: two loops of other lengths on one fragment. The longer one was cut to the shorter one's length."""

    @T.prim_func
    def main(C: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((256,), "float32")
            T.fill(f, 1)
            for i in T.Parallel(100):
                f[i] = 5
            for i in T.Parallel(256):
                C[i] = f[i] + 1

    return main


def maximum_in_vectorized(rows=32, columns=64):
    """#1105: a maximum folded in T.vectorized. The eight values overwrote each other."""

    @T.prim_func
    def main(A: T.Tensor((rows, columns), "int32"), C: T.Tensor((rows,), "int32")):
        with T.Kernel(1, threads=rows):
            tx = T.get_thread_binding()
            s = T.alloc_shared((rows,), "int32")
            s[tx] = -1000
            for i in T.serial(columns // 8):
                for j in T.vectorized(8):
                    s[tx] = T.max(s[tx], A[tx, i * 8 + j])
            C[tx] = s[tx]

    return main


def absolute_maximum(columns=576, threads=128):
    """#2305: the largest magnitude of 576 numbers by 128 threads. One was seen twice and one not at all."""

    @T.prim_func
    def main(A: T.Tensor((columns,), "float32"), C: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_fragment((columns,), "float32")
            largest = T.alloc_fragment((1,), "float32")
            T.copy(A, a)
            T.reduce_absmax(a, largest)
            T.copy(largest, C)

    return main

# One kernel for each kind of operation, for any number of threads. With `named` the kernel names a
# thread, which writes its number to E: what the block does must stay the same.
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T

def fragment(threads, named):
    @T.prim_func
    def main(A: T.Tensor((6, 40), "float32"), C: T.Tensor((40, 6), "float32"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            x = T.alloc_fragment((6, 40), "float32")
            s = T.alloc_shared((6, 40), "float32")
            T.copy(A, x)
            for r, c in T.Parallel(6, 40):
                x[r, c] = x[r, c] * 2.0 + c
            T.copy(x, s)
            for c, r in T.Parallel(40, 6):
                C[c, r] = s[r, c] + 1.0
            if named:
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                T.fill(E, 7)
    return main

def gemm(threads, named):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float16"), B: T.Tensor((48, 64), "float16"), C: T.Tensor((32, 48), "float32"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((48, 32), "float16")
            c = T.alloc_fragment((32, 48), "float32")
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[0, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)
            if named:
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                T.fill(E, 7)
    return main

def reduce(threads, named):
    @T.prim_func
    def main(A: T.Tensor((12, 72), "float32"), C: T.Tensor((12,), "float32"), D: T.Tensor((72,), "float32"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            x = T.alloc_fragment((12, 72), "float32")
            r = T.alloc_fragment((12,), "float32")
            q = T.alloc_fragment((72,), "float32")
            T.copy(A, x)
            T.reduce_sum(x, r, dim=1)
            T.reduce_max(x, q, dim=0)
            for k, j in T.Parallel(12, 72):
                x[k, j] = x[k, j] - r[k]
            T.reduce_min(x, q, dim=0, clear=False)
            T.copy(r, C)
            T.copy(q, D)
            if named:
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                T.fill(E, 7)
    return main

def whole(threads, named):
    @T.prim_func
    def main(A: T.Tensor((200,), "int32"), C: T.Tensor((2,), "int32"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            x = T.alloc_fragment((200,), "int32")
            r = T.alloc_fragment((1,), "int32")
            n = T.alloc_fragment((1,), "int32")
            T.copy(A, x)
            T.clear(n)
            T.reduce_sum(x, r, dim=0)
            for k in T.Parallel(200):
                n[0] += T.if_then_else(x[k] > r[0] // 64, 1, 0)
            C[0] = r[0]
            C[1] = n[0]
            if named:
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                T.fill(E, 7)
    return main

def scan(threads, named):
    @T.prim_func
    def main(A: T.Tensor((5, 60), "int32"), C: T.Tensor((5, 60), "int32"), D: T.Tensor((5, 60), "int32"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            s = T.alloc_shared((5, 60), "int32")
            x = T.alloc_fragment((5, 60), "int32")
            y = T.alloc_fragment((5, 60), "int32")
            T.copy(A, s)
            T.cumsum(s, dim=1)
            T.copy(s, C)
            T.copy(A, x)
            T.cumsum(x, y, dim=0, reverse=True)
            T.copy(y, D)
            if named:
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                T.fill(E, 7)
    return main

def softmax(threads, named):
    @T.prim_func
    def main(A: T.Tensor((10, 130), "float16"), C: T.Tensor((10, 130), "float16"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            x = T.alloc_fragment((10, 130), "float32")
            top = T.alloc_fragment((10,), "float32")
            sum = T.alloc_fragment((10,), "float32")
            T.copy(A, x)
            T.reduce_max(x, top, dim=1)
            for r, c in T.Parallel(10, 130):
                x[r, c] = T.exp(x[r, c] - top[r])
            T.reduce_sum(x, sum, dim=1)
            for r, c in T.Parallel(10, 130):
                x[r, c] = x[r, c] / sum[r]
            T.copy(x, C)
            if named:
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                T.fill(E, 7)
    return main

def atomics(threads, named):
    @T.prim_func
    def main(A: T.Tensor((300,), "int32"), C: T.Tensor((17,), "int32"), E: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads) as i:
            h = T.alloc_shared((16,), "int32")
            T.clear(h)
            for k in T.Parallel(300):
                T.atomic_add(h[A[k] + 8], 1)
            for k in T.Parallel(16):
                C[k] = h[k]
            if named:
                s = T.alloc_shared((1,), "int32")
                T.fill(s, 0)
                T.atomic_add(s[0], 2)
                C[16] = s[0]
                E[T.get_thread_binding()] = T.get_thread_binding()
            else:
                C[16] = 5
                T.fill(E, 7)
    return main

# What follows is code of threads.

def exchange(threads, named):
    """Each thread reads what another has written, in all distances."""
    @T.prim_func
    def main(A: T.Tensor((threads,), "int32"), C: T.Tensor((4, threads), "int32")):
        with T.Kernel(1, threads=threads):
            s = T.alloc_shared((threads,), "int32")
            tx = T.get_thread_binding()
            s[tx] = A[tx]
            C[0, tx] = s[threads - 1 - tx]
            s[tx] = s[(tx + 1) % threads] + 1
            C[1, tx] = s[tx]
            n = T.alloc_var("int32", init=threads // 2)
            while n > 0:
                if tx < n:
                    s[tx] += s[tx + n]
                n = n // 2
            C[2, tx] = s[0]
            if tx % 3 == 1:
                s[tx] = tx
                C[3, tx] = s[(tx // 3 * 7 + 1) % max((threads + 1) // 3, 1) * 3 + min(threads - 1, 1)]
            else:
                C[3, tx] = n
    return main

def ask(threads, named):
    """Warps and blocks are asked; those beyond the block say nothing."""
    @T.prim_func
    def main(A: T.Tensor((threads,), "int32"), C: T.Tensor((7, threads), "int32"), D: T.Tensor((threads,), "float32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            x = A[tx]
            C[0, tx] = T.warp_reduce_max(x)
            C[1, tx] = T.warp_reduce_bitand(x)
            C[2, tx] = T.syncthreads_count(x > 0)
            C[3, tx] = T.cast(T.popcount(T.ballot(x > 0)), "int32")
            C[4, tx] = T.if_then_else(T.all_sync(x > -8), 1, 0) + T.syncthreads_and(x > -9)
            C[5, tx] = T.cast(T.popcount(T.activemask()), "int32")
            D[tx] = T.warp_reduce_sum(T.cast(x, "float32"))
            C[6, tx] = T.get_lane_idx() + T.get_thread_extent(0)
    return main

def mixed(threads, named):
    """Tiles in branches of threads, variables that are the same for all, loops that some leave early."""
    @T.prim_func
    def main(A: T.Tensor((4, 32), "float32"), L: T.Tensor((1,), "int32"), C: T.Tensor((4, 32), "float32"), D: T.Tensor((threads,), "float32")):
        with T.Kernel(1, threads=threads):
            s = T.alloc_shared((32,), "float32")
            f = T.alloc_fragment((32,), "float32")
            tx = T.get_thread_binding()
            mine = T.alloc_local((4,), "float32")
            row = T.alloc_var("int32", init=0)
            sum = T.alloc_var("float32", init=0.0)
            while row < 4:
                if tx == 0:
                    T.copy(A[row, 0:32], s)
                T.copy(s, f)
                for k in T.Parallel(32):
                    f[k] = f[k] * 2.0 + row
                mine[row] = s[tx % 32]
                T.copy(f, C[row, 0:32])
                for k in T.serial(tx % 5):
                    sum += s[k]
                if L[0] + 10 < row:
                    break
                row = row + 1
            D[tx] = mine[tx % 4] + sum + f[3]
    return main

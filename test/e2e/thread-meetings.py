# Threads that meet in branches and loops which only some of them take, warps that are not full,
# operations that each thread does on its own. They agree with the cpu reference on both simulated
# chips and compile for NVIDIA.
# RUN: tilec-run %s --entry "final_warp(3, 700)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "votes(256)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "votes_narrow(300)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "thread_tiles(128, 16)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "branches(3, 256)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_epilogue(128, 64, 96)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tickets(512)" --target=gfx950 --check --seed 3 --arg N0=zeros --arg Seen=zeros --arg Twice=zeros | FileCheck %s
# RUN: tilec-run %s --entry "binding3(2)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "odd_loop(128)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "no_binding(1)" --target=gfx950 --check --seed 3 --arg X=zeros | FileCheck %s
# RUN: tilec-run %s --entry "thread_for(3)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "reduce_var(128)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "topk(256)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "uneven(3)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "final_warp(3, 700)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "votes(256)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "votes_narrow(300)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "thread_tiles(128, 16)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "branches(3, 256)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "gemm_epilogue(128, 64, 96)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tickets(512)" --target=gfx942 --check --seed 3 --arg N0=zeros --arg Seen=zeros --arg Twice=zeros | FileCheck %s
# RUN: tilec-run %s --entry "binding3(2)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "odd_loop(128)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "no_binding(1)" --target=gfx942 --check --seed 3 --arg X=zeros | FileCheck %s
# RUN: tilec-run %s --entry "thread_for(3)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "reduce_var(128)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "topk(256)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "uneven(3)" --target=gfx942 --check --seed 3 | FileCheck %s
# RUN: tilec %s --entry "final_warp(3, 700)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "votes(256)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "votes_narrow(300)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "thread_tiles(128, 16)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "branches(3, 256)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "gemm_epilogue(128, 64, 96)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "tickets(512)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "binding3(2)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "odd_loop(128)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "no_binding(1)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "thread_for(3)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "reduce_var(128)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "topk(256)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "uneven(3)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "final_warp(3, 700)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "votes(256)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "votes_narrow(300)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "thread_tiles(128, 16)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "branches(3, 256)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "gemm_epilogue(128, 64, 96)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "tickets(512)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "binding3(2)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "odd_loop(128)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "no_binding(1)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "thread_for(3)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "reduce_var(128)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "topk(256)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "uneven(3)" --target=sm_90a --emit=asm -o %t.ptx
# CHECK: result {{ *}}PASS
import tilelang.language as T

def final_warp(M, N, threads=256):
    """Tree in shared memory down to 32, then shuffles in a branch."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), S: T.Tensor((M,), "float32")):
        with T.Kernel(M, threads=threads) as bx:
            s = T.alloc_shared((threads,), "float32")
            tx = T.get_thread_binding()
            acc = T.alloc_var("float32", init=0.0)
            for i in T.serial(T.ceildiv(N, threads)):
                acc += X[bx, i * threads + tx]
            s[tx] = acc
            T.sync_threads()
            for half in [128, 64, 32]:
                if tx < half:
                    s[tx] += s[tx + half]
                T.sync_threads()
            if tx < 32:
                v = T.alloc_var("float32")
                v = s[tx]
                for d in [16, 8, 4, 2, 1]:
                    v += T.shfl_down(v, d, width=32)
                if tx == 0:
                    S[bx] = v
    return main

def votes(N, threads=128):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), R: T.Tensor((12, N), "int64")):
        with T.Kernel(N // threads, threads=threads) as bx:
            tx = T.get_thread_binding()
            at = bx * threads + tx
            x = X[at]
            if tx % 3 != 1:
                R[0, at] = T.cast(T.any_sync(x > 5), "int64")
                R[1, at] = T.cast(T.all_sync(x > -7), "int64")
                R[2, at] = T.cast(T.ballot(x > 0), "int64")
                R[3, at] = T.cast(T.activemask(), "int64")
                R[4, at] = T.cast(T.match_any_sync(x), "int64")
                if x > 0:
                    R[5, at] = T.cast(T.match_all_sync(tx // 200), "int64")
                R[6, at] = T.cast(T.warp_reduce_sum(x), "int64")
                R[7, at] = T.cast(T.warp_reduce_max(x), "int64")
                R[8, at] = T.cast(T.warp_reduce_bitor(x), "int64")
                R[9, at] = T.cast(T.syncthreads_and(x > -9), "int64")
                R[10, at] = T.cast(T.ballot_sync(x < 3, mask=0x5555), "int64")
            else:
                for k in T.serial(11):
                    R[k, at] = T.cast(k, "int64")
            if tx % 3 == 1:
                R[5, at] = 0
            R[11, at] = T.cast(T.syncthreads_or(x == 7), "int64") + T.cast(T.syncthreads_count(x > 2), "int64") * 2
    return main

def votes_narrow(N, threads=100, dt="float16"):
    @T.prim_func
    def main(X: T.Tensor((N,), dt), R: T.Tensor((6, N), "float32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            tx = T.get_thread_binding()
            at = bx * threads + tx
            x = X[at]
            R[0, at] = T.warp_reduce_max(x)
            R[1, at] = T.warp_reduce_min(x)
            R[2, at] = T.shfl_xor(x, 1, width=4)
            R[3, at] = T.warp_reduce_sum(T.cast(x, "float32"))
            R[4, at] = T.cast(T.syncthreads_count(x > 0), "float32")
            R[5, at] = T.shfl_sync(x, tx // 32, width=8)
    return main

def thread_tiles(M, N, threads=64):
    """Rows of threads: copies, fills, parallels and reductions of a thread's own."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float32"), Z: T.Tensor((M,), "float32")):
        with T.Kernel(M // threads, threads=threads) as bx:
            tx = T.get_thread_binding()
            row = bx * threads + tx
            mine = T.alloc_local((N,), "float16")
            sums = T.alloc_local((1,), "float32")
            big = T.alloc_local((N,), "float32")
            T.copy(X[row, 0:N], mine)
            T.clear(sums)
            for j in T.Parallel(N):
                big[j] = mine[j] * 2.0 + tx
            for j in T.serial(N):
                sums[0] += big[j]
            if tx % 2 == 0:
                T.copy(big, Y[row, 0:N])
            else:
                T.fill(Y[row, 0:N], 3.0)
            Z[row] = sums[0]
    return main

def branches(M, N, threads=128):
    """Barriers, tiles and exchanges in branches and loops that only some threads take."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), L: T.Tensor((M,), "int32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=threads) as bx:
            s = T.alloc_shared((N,), "float32")
            t = T.alloc_shared((N,), "float32")
            f = T.alloc_fragment((N,), "float32")
            tx = T.get_thread_binding()
            T.fill(t, 1.0)
            k = T.alloc_var("int32", init=5)
            if tx < 64:
                T.copy(X[bx, 0:N], s)
                y = s[tx] + 1.0
                if tx % 2 == 0:
                    k = k + 2
                    T.sync_threads()
                    t[tx] = y * k
                else:
                    z = T.shfl_xor(y, 2)
                    T.sync_threads()
                    t[tx] = z - y
                T.copy(t, f)
                for i in T.serial(3):
                    w = T.shfl_down(t[tx], 1, width=8)
                    T.sync_threads()
                    if (tx + i) % 3 == 0:
                        t[tx] += w
                    T.sync_threads()
            else:
                n = L[bx] + 8
                if n > 6:
                    T.copy(X[bx, 0:N], t)
                if tx == 64:
                    t[0] = -1.0
            T.sync_threads()
            for i in T.serial(N // threads):
                Y[bx, i * threads + tx] = t[i * threads + tx] + f[i * threads + tx] + k
    return main

def gemm_epilogue(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32"), R: T.Tensor((M // 64, N // 64, 128), "float32")):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            o = T.alloc_shared((64, 64), "float32")
            c = T.alloc_fragment((64, 64), "float32")
            tx = T.get_thread_binding()
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, o)
            acc = T.alloc_local((1,), "float32")
            acc[0] = 0
            for j in T.serial(32):
                acc[0] += o[tx // 2, (tx % 2) * 32 + j]
            R[by, bx, tx] = acc[0]
            if tx < 128:
                T.copy(o, C[by * 64, bx * 64])
    return main

def tickets(N, threads=128):
    """Each thread takes a ticket; every number is taken once."""
    @T.prim_func
    def main(N0: T.Tensor((1,), "int32"), Seen: T.Tensor((N,), "int32"), Twice: T.Tensor((1,), "int32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            n = T.atomic_add(N0[0], 1, return_prev=True)
            T.atomic_add(Seen[n], 1)
            T.atomic_max(Twice[0], n)
    return main

def binding3(N):
    @T.prim_func
    def main(X: T.Tensor((N, 4, 8, 4), "int32")):
        with T.Kernel(N, threads=(8, 4, 4)) as bx:
            for i in T.thread_binding(8, thread="threadIdx.x"):
                for j in T.thread_binding(3, thread="threadIdx.y"):
                    tz = T.get_thread_binding(2)
                    X[bx, j, i, tz] = i * 100 + j * 10 + tz
    return main

def odd_loop(N, threads=64):
    """Rounds differ between threads; nothing meets inside."""
    @T.prim_func
    def main(X: T.Tensor((N, 64), "int32"), Y: T.Tensor((N,), "int32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            tx = T.get_thread_binding()
            n = T.alloc_var("int32", init=0)
            for i in T.serial(tx, 64, 3):
                if X[bx * threads + tx, i] > 0:
                    n += X[bx * threads + tx, i]
            Y[bx * threads + tx] = n
    return main

def no_binding(N):
    """An atomic on one element makes the kernel lockstep: each thread adds."""
    @T.prim_func
    def main(X: T.Tensor((1,), "int32"), Y: T.Tensor((4,), "int32")):
        with T.Kernel(4, threads=96) as bx:
            T.atomic_add(X[0], 1)
            Y[bx] = 5
    return main

def thread_for(N):
    """Shuffles in a loop whose bound is loaded."""
    @T.prim_func
    def main(X: T.Tensor((N, 64), "float32"), L: T.Tensor((N,), "int32"), Y: T.Tensor((N, 64), "float32")):
        with T.Kernel(N, threads=64) as bx:
            tx = T.get_thread_binding()
            v = T.alloc_var("float32")
            v = X[bx, tx]
            for i in T.serial(L[bx] + 9):
                v = v + T.shfl_xor(v, 1 << (i % 5), width=32)
            Y[bx, tx] = v
    return main

def reduce_var(N):
    """A sum over a fragment into a variable of every thread."""
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N // 64, 64), "float32")):
        with T.Kernel(N // 64, threads=64) as bx:
            tx = T.get_thread_binding()
            f = T.alloc_fragment((64,), "float32")
            T.copy(X[bx * 64], f)
            s = T.alloc_var("float32", init=0.0)
            for i in T.Parallel(64):
                s += f[i]
            Y[bx, tx] = s + tx
    return main

def topk(N, k=4, threads=128):
    """Shared counters, summed up by one warp."""
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), R: T.Tensor((N // threads, 32), "int32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            h = T.alloc_shared((32,), "int32")
            tx = T.get_thread_binding()
            if tx < 32:
                h[tx] = 0
            T.sync_threads()
            T.atomic_add(h[X[bx * threads + tx] + 8], 1)
            T.sync_threads()
            if T.get_warp_idx(32) == 0:
                n = T.alloc_var("int32")
                n = h[tx]
                for d in T.unroll(5):
                    o = T.shfl_up(n, 1 << d, width=32)
                    if tx >= (1 << d):
                        n += o
                h[tx] = n
            T.sync_threads()
            if tx < 32:
                R[bx, tx] = h[tx]
    return main

def uneven(N, threads=128):
    """Rounds differ between threads that meet in them."""
    @T.prim_func
    def main(X: T.Tensor((N, 64), "float32"), L: T.Tensor((N,), "int32"), Y: T.Tensor((N, threads), "float32")):
        with T.Kernel(N, threads=threads) as bx:
            s = T.alloc_shared((64,), "float32")
            tx = T.get_thread_binding()
            v = T.alloc_var("float32", init=1.0)
            if tx % 5 != 4:
                for i in T.serial(tx % 3, L[bx] + 11 + tx % 7, 2):
                    v = v + T.warp_reduce_max(v) * 0.5
                    T.sync_threads()
                    if tx == 0:
                        T.copy(X[bx, 0:64], s)
                    v += s[(tx + i) % 64]
            for k in T.serial(20, 2 + tx % 4, -3):
                v += T.cast(T.syncthreads_count(k > 9), "float32")
            Y[bx, tx] = v
    return main

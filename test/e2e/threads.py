# Kernels written thread by thread: rows by shuffles, trees in shared memory, ballots, atomics, tiles
# moved by some of the threads, butterflies, bytes multiplied four at a time, single writers. They
# agree with the cpu reference on both simulated chips and compile for NVIDIA.
# RUN: tilec-run %s --entry "gemv(16, 512)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "block_sum(4, 1000)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "compact(512)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "histogram(3000, 16)" --target=gfx950 --check --seed 1 --arg H=zeros | FileCheck %s
# RUN: tilec-run %s --entry "subset_copy(64, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard(8, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard(8, 256)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "dot_i8(128, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "single_writer(512)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "gemv(16, 512)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "block_sum(4, 1000)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "compact(512)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "histogram(3000, 16)" --target=gfx942 --check --seed 1 --arg H=zeros | FileCheck %s
# RUN: tilec-run %s --entry "subset_copy(64, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard(8, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard(8, 256)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "dot_i8(128, 64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "single_writer(512)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec %s --entry "gemv(16, 512)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "block_sum(4, 1000)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "compact(512)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "histogram(3000, 16)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "subset_copy(64, 64)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "hadamard(8, 64)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "hadamard(8, 256)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "dot_i8(128, 64)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "single_writer(512)" --target=sm_80 --emit=asm -o %t.ptx
# RUN: tilec %s --entry "gemv(16, 512)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "block_sum(4, 1000)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "compact(512)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "histogram(3000, 16)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "subset_copy(64, 64)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "hadamard(8, 64)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "hadamard(8, 256)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "dot_i8(128, 64)" --target=sm_90a --emit=asm -o %t.ptx
# RUN: tilec %s --entry "single_writer(512)" --target=sm_90a --emit=asm -o %t.ptx
# CHECK: result {{ *}}PASS
import tilelang.language as T

def gemv(N, K, rows=4, lanes=32, dtype="float16"):
    """Each group of `lanes` threads multiplies a row, and adds up by shuffles."""
    per_thread = 8
    @T.prim_func
    def main(A: T.Tensor((N, K), dtype), x: T.Tensor((K,), dtype), y: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, rows), threads=(lanes, rows)) as bx:
            a = T.alloc_local((per_thread,), dtype)
            b = T.alloc_local((per_thread,), dtype)
            acc = T.alloc_local((1,), "float32")
            kr = T.get_thread_binding(0)
            ni = T.get_thread_binding(1)
            T.clear(acc)
            for ko in T.serial(T.ceildiv(K, lanes * per_thread)):
                for v in T.vectorized(per_thread):
                    a[v] = A[bx * rows + ni, ko * lanes * per_thread + kr * per_thread + v]
                    b[v] = x[ko * lanes * per_thread + kr * per_thread + v]
                for v in T.serial(per_thread):
                    acc[0] += a[v].astype("float32") * b[v].astype("float32")
            for step in [16, 8, 4, 2, 1]:
                acc[0] += T.shfl_xor(acc[0], step, width=lanes)
            if kr == 0:
                y[bx * rows + ni] = acc[0]
    return main

def block_sum(M, N, threads=256):
    """A tree in shared memory."""
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), S: T.Tensor((M,), "float32")):
        with T.Kernel(M, threads=threads) as bx:
            s = T.alloc_shared((threads,), "float32")
            acc = T.alloc_var("float32")
            tx = T.get_thread_binding()
            acc = 0.0
            for i in T.serial(T.ceildiv(N, threads)):
                acc += X[bx, i * threads + tx]
            s[tx] = acc
            T.sync_threads()
            for half in [128, 64, 32, 16, 8, 4, 2, 1]:
                if tx < half:
                    s[tx] += s[tx + half]
                T.sync_threads()
            if tx == 0:
                S[bx] = s[0]
    return main

def compact(N, threads=128):
    """Places of the positive numbers, in order: a ballot in each warp, sums over warps."""
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), P: T.Tensor((N,), "int32"), C: T.Tensor((N // threads,), "int32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            sums = T.alloc_shared((8,), "int32")
            tx = T.get_thread_binding()
            lane = T.get_lane_idx()
            warp = T.get_warp_idx()
            keep = X[bx * threads + tx] > 0
            votes = T.ballot(keep)
            below = T.popcount(votes & ((T.cast(1, votes.dtype) << lane) - 1))
            if lane == 0:
                sums[warp] = T.popcount(votes)
            T.sync_threads()
            before = T.alloc_var("int32")
            before = 0
            for w in T.serial(warp):
                before += sums[w]
            P[bx * threads + tx] = T.if_then_else(keep, before + T.cast(below, "int32"), -1)
            total = T.syncthreads_count(keep)
            if tx == 0:
                C[bx] = total
    return main

def histogram(N, B, threads=128):
    """Atomics in shared memory, then one addition a bin and block."""
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), H: T.Tensor((B,), "int32")):
        with T.Kernel(T.ceildiv(N, threads * 4), threads=threads) as bx:
            h = T.alloc_shared((B,), "int32")
            tx = T.get_thread_binding()
            T.clear(h)
            for i in T.serial(4):
                at = bx * threads * 4 + i * threads + tx
                if at < N:
                    T.atomic_add(h[X[at] + 8], 1)
            T.sync_threads()
            if tx < B:
                T.atomic_add(H[tx], h[tx])
    return main

def subset_copy(M, N, threads=256):
    """A tile moved by some of the threads, others fill another; then all of them add."""
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=threads) as bx:
            a = T.alloc_shared((32, N), "float16")
            b = T.alloc_shared((32, N), "float16")
            tx = T.get_thread_binding()
            if tx < 128:
                T.copy(A[bx * 32, 0], a)
            else:
                T.copy(B[bx * 32, 0], b)
            for i in T.serial(32 * N // threads):
                at = i * threads + tx
                C[bx * 32 + at // N, at % N] = a[at // N, at % N].astype("float32") + b[at // N, at % N].astype("float32")
    return main

def hadamard(M, N=64, dtype="float32"):
    """A butterfly: inside warps by shuffles, beyond through shared memory."""
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=N) as bx:
            s = T.alloc_shared((N,), dtype)
            v = T.alloc_local((1,), dtype)
            tx = T.get_thread_binding()
            v[0] = X[bx, tx]
            for step in [1, 2, 4, 8, 16]:
                other = T.shfl_xor(v[0], step)
                v[0] = T.if_then_else((tx & step) == 0, v[0] + other, other - v[0])
            for step in [32, 64, 128]:
                if step < N:
                    s[tx] = v[0]
                    T.sync_threads()
                    v[0] = T.if_then_else((tx & step) == 0, v[0] + s[tx ^ step], s[tx ^ step] - v[0])
                    T.sync_threads()
            Y[bx, tx] = v[0]
    return main

def dot_i8(N, K, threads=64):
    """Four products an instruction."""
    @T.prim_func
    def main(A: T.Tensor((N, K), "int8"), B: T.Tensor((K,), "int8"), C: T.Tensor((N,), "int32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            tx = T.get_thread_binding()
            a = T.alloc_local((4,), "int8")
            b = T.alloc_local((4,), "int8")
            c = T.alloc_local((1,), "int32")
            c[0] = 0
            for k in T.serial(K // 4):
                for v in T.vectorized(4):
                    a[v] = A[bx * threads + tx, k * 4 + v]
                    b[v] = B[k * 4 + v]
                T.dp4a(a, b, c)
            C[bx * threads + tx] = c[0]
    return main

def single_writer(N, threads=128):
    """One thread writes what all have agreed on."""
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), R: T.Tensor((N // threads, 4), "float32")):
        with T.Kernel(N // threads, threads=threads) as bx:
            x = T.alloc_fragment((threads,), "float32")
            top = T.alloc_fragment((1,), "float32")
            tx = T.get_thread_binding()
            T.copy(X[bx * threads : (bx + 1) * threads], x)
            T.reduce_max(x, top, dim=0)
            if tx == 0:
                R[bx, 0] = top[0]
            if tx == 5:
                R[bx, 1] = x[tx]
            x[tx] = X[bx * threads + tx] * 2.0
            T.reduce_max(x, top, dim=0)
            if tx == 1:
                R[bx, 2] = top[0]
                R[bx, 3] = x[3]
    return main

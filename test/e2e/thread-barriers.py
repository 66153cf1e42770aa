# Code of threads without a barrier of its author: sums by atomics, rounds that reuse a buffer, trees, scans,
# branches whose threads hand over to each other, rows that turn, loops that some leave early, tiles in between.
# The compiler keeps threads apart: the results are those of the cpu device on both simulated chips and as PTX,
# where a missing barrier is an error.
# RUN: tilec-run %s --entry "split()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "inside()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "shift()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tree()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "scan()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "uneven()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "counter()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "histogram()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "choose()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "waits()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tiles()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "leave()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard()" --target=gfx942 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "split()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "inside()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "shift()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tree()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "scan()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "uneven()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "counter()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "histogram()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "choose()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "waits()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tiles()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "leave()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "nested()" --target=gfx950 --device=sim --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "split()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "inside()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "shift()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tree()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "scan()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "uneven()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "counter()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "histogram()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "choose()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "waits()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tiles()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "leave()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "nested()" --target=sm_80 --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "split()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "inside()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "shift()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tree()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "scan()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "uneven()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "counter()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "histogram()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "choose()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "waits()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "tiles()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "leave()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "hadamard()" --target=sm_90a --device=ptx --check --seed 3 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T

def split(N=32, K=32):
    @T.prim_func
    def main(A: T.Tensor((K, N), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=(N, K)) as bx:
            tn = T.get_thread_binding(0)
            tk = T.get_thread_binding(1)
            s = T.alloc_shared((N,), "float32")
            if tk == 0:
                s[tn] = 0
            T.atomic_add(s[tn], A[tk, tn])
            C[tn] = s[tn]
    return main

def rounds(N=128, K=64, R=4):
    @T.prim_func
    def main(A: T.Tensor((K * R,), "float16"), B: T.Tensor((N, K * R), "float16"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N) as bx:
            tn = T.get_thread_binding(0)
            a = T.alloc_shared((K,), "float16")
            b = T.alloc_shared((N, K), "float16")
            acc = T.alloc_local((1,), "float32")
            T.clear(acc)
            for bk in T.serial(R):
                for tk in T.serial(K):
                    a[tk] = A[bk * K + tk]
                    b[tn, tk] = B[tn, bk * K + tk]
                for tk in T.serial(K):
                    acc[0] += a[tk].astype("float32") * b[tn, tk].astype("float32")
            C[tn] = acc[0]
    return main

def some(N=512):
    @T.prim_func
    def main(out: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N):
            A = T.alloc_shared((32,), "float32")
            tid = T.get_thread_binding()
            if tid < 32:
                A[tid] = tid
            out[tid] = A[tid % 32]
    return main

def inside(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding()
            if tx < N // 2:
                s[tx] = X[tx]
                y = s[N // 2 - 1 - tx] * 2.0
                s[tx] = y + s[(tx + 1) % (N // 2)]
            else:
                s[tx] = s[tx - N // 2] + 1.0
            C[tx] = s[N - 1 - tx]
    return main

def shift(N=256, R=5):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding()
            s[tx] = X[tx]
            for r in T.serial(R):
                s[tx] = s[(tx + 1) % N] + 1.0
            C[tx] = s[tx]
    return main

def tree(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding()
            s[tx] = X[tx]
            half = T.alloc_var("int32", init=N // 2)
            while half > 0:
                if tx < half:
                    s[tx] += s[tx + half]
                half = half // 2
            if tx == 0:
                C[0] = s[0]
    return main

def scan(N=256, logN=8):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "int32")
            tx = T.get_thread_binding()
            v = T.alloc_var("int32", init=0)
            s[tx] = X[tx]
            for i in T.serial(logN):
                v = 0
                if tx >= (1 << i):
                    v = s[tx - (1 << i)]
                s[tx] += v
            C[tx] = s[tx]
    return main

def uneven(N=192):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "int32")
            tx = T.get_thread_binding()
            s[tx] = X[tx]
            for i in T.serial(tx % 3):
                s[tx] = s[(tx + 64) % N] + i
            C[tx] = s[tx]
    return main

def counter(N=256):
    @T.prim_func
    def main(C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((2,), "int32")
            tx = T.get_thread_binding()
            s[0] = 3
            s[1] = 0
            for i in T.serial(7):
                s[0] = s[0] + i
                T.atomic_add(s[1], s[0])
            C[tx] = s[0] + s[1]
    return main

def histogram(N=1000, B=16, threads=192):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), H: T.Tensor((B,), "int32")):
        with T.Kernel(1, threads=threads) as bx:
            h = T.alloc_shared((B,), "int32")
            tx = T.get_thread_binding()
            if tx < B:
                h[tx] = 0
            for i in T.serial(tx, N, threads):
                T.atomic_add(h[X[i] + 8], 1)
            if tx < B:
                H[tx] = h[tx]
    return main

def choose(N=128):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding()
            s[tx] = X[tx]
            C[tx] = T.if_then_else(tx < 64, s[tx + 64], s[tx - 64] * 2.0)
    return main

def waits(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((1,), "int32")
            tx = T.get_thread_binding()
            n = T.alloc_var("int32", init=0)
            if tx == N - 1:
                s[0] = 0
            while s[0] < 5:
                n = n + s[0]
                if tx == n % N:
                    s[0] = s[0] + 1
            C[tx] = n + X[tx]
    return main

def tiles(N=128):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), C: T.Tensor((3, N), "float32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "float32")
            t = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding()
            T.fill(s, 1.0)
            s[tx] = s[N - 1 - tx] + X[tx]
            T.copy(s, C[0, 0:N])
            T.cumsum(s, t, dim=0)
            s[tx] = t[N - 1 - tx]
            for i in T.serial(3):
                T.copy(s, C[1, 0:N])
                s[(tx + i) % N] = t[tx] + i
            C[2, tx] = s[(tx + 5) % N]
    return main

def turned(M=16, N=16):
    @T.prim_func
    def main(X: T.Tensor((3, M, N), "float32"), C: T.Tensor((3, N, M), "float32")):
        with T.Kernel(1, threads=(N, M)):
            s = T.alloc_shared((M, N), "float32")
            x = T.get_thread_binding(0)
            y = T.get_thread_binding(1)
            for i in T.serial(3):
                s[y, x] = X[i, y, x]
                C[i, y, x] = s[x, y]
    return main

def leave(N=128):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), L: T.Tensor((1,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=N):
            s = T.alloc_shared((N,), "int32")
            tx = T.get_thread_binding()
            s[tx] = X[tx]
            for i in T.serial(12):
                if L[0] + 8 < i:
                    break
                s[tx] = s[(tx + 64) % N] + 1
            C[tx] = s[N - 1 - tx]
    return main

def hadamard(n=1024, threads=256, rounds=2, warp=32):
    """Chunks of threads by registers, of warps by shuffles, of the block through shared memory, a part at a time."""
    each = n // threads
    part = each // rounds
    warps = threads // warp
    @T.prim_func
    def main(X: T.Tensor((2, n), "float32"), Y: T.Tensor((2, n), "float32")):
        with T.Kernel(2, threads=threads) as bx:
            mine = T.alloc_local((each,), "float32")
            s = T.alloc_shared((threads, part), "float32")
            tx = T.get_thread_binding()
            for i in T.vectorized(each):
                mine[i] = X[bx, tx * each + i]
            for i in T.serial(2):
                for j in T.serial(each // 2 >> i):
                    for k in T.serial(1 << i):
                        low = mine[j * (2 << i) + k]
                        high = mine[j * (2 << i) + k + (1 << i)]
                        mine[j * (2 << i) + k] = low + high
                        mine[j * (2 << i) + k + (1 << i)] = low - high
            for step in [1, 2, 4, 8, 16]:
                for j in T.serial(each):
                    other = T.shfl_xor(mine[j], step, width=warp)
                    mine[j] = T.if_then_else((tx & step) == 0, mine[j] + other, other - mine[j])
            turned = tx % warps * warp + tx // warps
            for r in T.serial(rounds):
                for j in T.vectorized(part):
                    s[tx, j] = mine[r * part + j]
                for j in T.vectorized(part):
                    mine[r * part + j] = s[turned, j]
            for step in [1, 2, 4]:
                for j in T.serial(each):
                    other = T.shfl_xor(mine[j], step, width=warp)
                    mine[j] = T.if_then_else((tx & step) == 0, mine[j] + other, other - mine[j])
            for r in T.serial(rounds):
                for j in T.vectorized(part):
                    s[turned, j] = mine[r * part + j]
                for j in T.vectorized(part):
                    mine[r * part + j] = s[tx, j]
            for i in T.vectorized(each):
                Y[bx, tx * each + i] = mine[i]
    return main

def nested(N=160):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), C: T.Tensor((N,), "int32")):
        with T.Kernel(2, threads=N) as bx:
            s = T.alloc_shared((N,), "int32")
            t = T.alloc_shared((4, N), "int32")
            tx = T.get_thread_binding()
            for i in T.serial(3):
                s[tx] = X[tx] + i
                for j in T.serial(4):
                    t[j, (tx + j) % N] = s[(tx * 3 + j) % N]
                    if j % 2 == 1:
                        s[tx] += t[j - 1, N - 1 - tx]
                if i == 1:
                    for j in T.serial(4):
                        t[j, tx] = t[j, tx] + t[(j + 1) % 4, (tx + 17) % N]
            C[tx] = s[tx] + t[2, N - 1 - tx] + t[3, 0]
    return main

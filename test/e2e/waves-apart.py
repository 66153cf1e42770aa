# Branches of whole waves that touch nothing of each other's run side by side: each has barriers, reductions and copies
# of its own waves. Where one reads what the other writes they do not; on AMD, where they would need barriers, neither.
# RUN: tilec %s --target=sm_90a --entry "mixed()" --emit=asm -o - | FileCheck %s --check-prefix=MIXED
# RUN: tilec %s --target=sm_90a --entry "three()" --emit=asm -o - | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --target=gfx950 --entry "halves()" --emit=tile-laid-out -o - | FileCheck %s --check-prefix=ALONE
# RUN: tilec %s --target=gfx950 --entry "halves(256)" --emit=tile-laid-out -o - | FileCheck %s --check-prefix=TOGETHER
# RUN: tilec %s --target=sm_90a --entry "chained()" --emit=tile-laid-out -o - | FileCheck %s --check-prefix=TOGETHER
# RUN: tilec-run %s --device=cpu --entry "mixed()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "mixed()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "mixed(threads=192)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "mixed()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "mixed()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "mixed(threads=160, hidden=320)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "mixed(repeat=1, dtype='float32')" --check | FileCheck %s
# RUN: tilec-run %s --device=cpu --entry "three()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "three(64)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "three()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "three()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "three(64)" --check | FileCheck %s
# RUN: tilec-run %s --device=cpu --entry "halves()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "halves()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "halves()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "halves(256)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "halves()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "chained()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "chained()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "rings(1, 1, 64)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "rings(2, 2)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "rings(1, 3)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "rings(3, dtype='float32')" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "of_threads(1, 1, 64)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "of_threads(1, 3)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "of_threads(2, 2)" --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T

# The small branch is one warp's: no barrier at all. Those of the large one are of 64 threads, and it reads its weights
# behind the first one.
# MIXED: bar.sync 0
# MIXED-NOT: bar.sync 0
# MIXED: shfl.sync
# MIXED-NOT: bar.sync
# MIXED: {{bar.*sync.* 1, 64}}


def mixed(tokens=5, hidden=256, repeat=3, threads=96, dtype="bfloat16"):
    """A small matrix is normalised by the first threads while the others add rows with weights."""

    @T.prim_func
    def main(
        M: T.Tensor((tokens, 20), "float32"),
        X: T.Tensor((tokens, 4, hidden), dtype),
        N: T.Tensor((tokens, 16), "float32"),
        Y: T.Tensor((tokens, hidden), dtype),
    ):
        with T.Kernel(tokens, threads=threads) as i:
            mixes = T.alloc_shared(20, "float32")
            T.copy(M[i, 0:20], mixes)
            if T.get_thread_binding() < threads // 3 // 32 * 32:
                cm = T.alloc_fragment((4, 4), "float32")
                rows = T.alloc_fragment(4, "float32")
                cols = T.alloc_fragment(4, "float32")
                for j, k in T.Parallel(4, 4):
                    cm[j, k] = T.exp(mixes[j * 4 + k + 4])
                for _ in T.serial(repeat):
                    T.reduce_sum(cm, rows, dim=1)
                    for j, k in T.Parallel(4, 4):
                        cm[j, k] = cm[j, k] / (rows[j] + 1.0)
                    T.reduce_sum(cm, cols, dim=0)
                    for j, k in T.Parallel(4, 4):
                        cm[j, k] = cm[j, k] / (cols[k] + 1.0)
                for j, k in T.Parallel(4, 4):
                    N[i, j * 4 + k] = cm[j, k]
            else:
                weights = T.alloc_shared(4, "float32")
                for j in T.Parallel(4):
                    weights[j] = T.sigmoid(mixes[j])
                for h in T.Pipelined(hidden // 64, num_stages=2):
                    xs = T.alloc_shared((4, 64), dtype)
                    xl = T.alloc_fragment((4, 64), "float32")
                    sums = T.alloc_fragment(64, "float32")
                    T.copy(X[i, 0, h * 64], xs)
                    T.copy(xs, xl)
                    T.clear(sums)
                    for c in T.serial(4):
                        w = weights[c]
                        for k in T.Parallel(64):
                            sums[k] += w * xl[c, k]
                    T.copy(sums, Y[i, h * 64])

    return main


# Two branches of two warps, whose waves tell each other what they have reduced: in places of their own, with barriers
# of their own.
# THREE-DAG: {{bar.*sync.* 1, 64}}
# THREE-DAG: {{bar.*sync.* 2, 64}}


def three(wave=32, rounds=3):
    """Three branches in each round, and what they leave is read by all threads."""

    @T.prim_func
    def main(A: T.Tensor((rounds, 3, 512), "float32"), C: T.Tensor((rounds, wave * 5), "float32")):
        with T.Kernel(1, threads=wave * 5):
            tx = T.get_thread_binding()
            s = T.alloc_shared(1, "float32")
            t = T.alloc_shared(1, "float32")
            u = T.alloc_shared(512, "float32")
            for r in T.serial(rounds):
                if tx < wave:
                    T.copy(A[r, 0, :], u)
                elif tx < wave * 3:
                    a = T.alloc_fragment(512, "float32")
                    m = T.alloc_fragment(1, "float32")
                    T.copy(A[r, 1, :], a)
                    T.reduce_max(a, m)
                    T.copy(m, s)
                else:
                    b = T.alloc_fragment(512, "float32")
                    n = T.alloc_fragment(1, "float32")
                    T.copy(A[r, 2, :], b)
                    for k in T.Parallel(512):
                        b[k] = b[k] * b[k]
                    T.reduce_sum(b, n)
                    T.copy(n, t)
                C[r, tx] = s[0] + t[0] + u[tx]

    return main


# ALONE: tile.on_waves 0 count 1
# ALONE: tile.on_waves 1 count 1
# TOGETHER-NOT: tile.on_waves


def halves(threads=128):
    """A wave each on AMD with 128 threads; statements of threads stay where they are."""

    @T.prim_func
    def main(
        A: T.Tensor((2, 256), "float32"),
        C: T.Tensor((2, 256), "float32"),
        D: T.Tensor((threads // 2,), "float32"),
        E: T.Tensor((threads // 2,), "float32"),
    ):
        with T.Kernel(2, threads=threads) as bx:
            tx = T.get_thread_binding()
            if tx < threads // 2:
                a = T.alloc_shared(256, "float32")
                T.copy(A[bx, :], a)
                for k in T.Parallel(256):
                    C[bx, k] = a[255 - k]
                if bx == 0:
                    D[tx] = a[tx] + 1.0
            else:
                b = T.alloc_shared(256, "float32")
                total = T.alloc_fragment(1, "float32")
                f = T.alloc_fragment(256, "float32")
                T.copy(A[bx, :], b)
                T.copy(b, f)
                T.reduce_sum(f, total)
                T.copy(total, b[0:1])
                if bx == 0:
                    E[tx - threads // 2] = b[tx - threads // 2]

    return main


def chained():
    """The second branch reads what the first one writes."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared(64, "float32")
            if T.get_thread_binding() < 32:
                for k in T.Parallel(64):
                    s[k] = A[k] + 1.0
            else:
                for k in T.Parallel(64):
                    C[k] = s[63 - k]

    return main


def rings(p=1, q=3, w=32, n=1024, rounds=3, dtype="float16"):
    """Copies that run ahead on one side, reductions of its waves on the other, tiles of the whole block behind."""

    @T.prim_func
    def main(
        A: T.Tensor((4, rounds * 64, 64), dtype),
        B: T.Tensor((4, rounds, n), "float32"),
        C: T.Tensor((4, 64), "float32"),
        D: T.Tensor((4, rounds, n), "float32"),
        H: T.Tensor((16,), "int32"),
        G: T.Tensor((16,), "int32"),
        O: T.Tensor((4, rounds, 64), "float32"),
    ):
        with T.Kernel(4, threads=w * (p + q)) as bx:
            tx = T.get_thread_binding()
            s = T.alloc_shared(64, "float32")
            t = T.alloc_shared(n, "float32")
            whole = T.alloc_fragment(64, "float32")
            for r in T.serial(rounds):
                if tx < w * p:
                    acc = T.alloc_fragment(64, "float32")
                    T.clear(acc)
                    for k in T.Pipelined(4, num_stages=3):
                        tile = T.alloc_shared((16, 64), dtype)
                        T.copy(A[bx, r * 64 + k * 16, 0], tile)
                        part = T.alloc_fragment((16, 64), "float32")
                        for i, j in T.Parallel(16, 64):
                            part[i, j] = tile[15 - i, j]
                        T.reduce_sum(part, acc, dim=0, clear=False)
                    T.copy(acc, s)
                    if bx < 2:
                        T.copy(acc, C[bx, 0:64])
                    T.atomic_add(H[bx * 2], 1)
                else:
                    f = T.alloc_fragment(n, "float32")
                    top = T.alloc_fragment(1, "float32")
                    low = T.alloc_fragment(1, "float32")
                    row = T.alloc_shared(n, "float32")
                    for k in T.serial(2):
                        T.copy(B[bx, r, :], row)
                        for i in T.Parallel(n):
                            f[i] = row[n - 1 - i] * (k + 1)
                        T.reduce_max(f, top)
                        T.reduce_min(f, low)
                        for i in T.Parallel(n):
                            f[i] = f[i] - top[0] + low[0]
                        T.copy(f, t)
                    T.copy(f, D[bx, r, :])
                    if tx == w * p + 5:
                        G[bx * 2 + 1] = r + tx
                for i in T.Parallel(64):
                    whole[i] = s[63 - i] + t[i * 2]
                T.copy(whole, O[bx, r, :])
                for i in T.Parallel(64):
                    s[i] = 0

    return main


def of_threads(p=2, q=2, w=32):
    """Statements of threads and the author's barriers on both sides."""

    @T.prim_func
    def main(
        A: T.Tensor((256,), "float32"),
        C: T.Tensor((256,), "float32"),
        D: T.Tensor((w * (p + q),), "float32"),
        E: T.Tensor((256,), "float32"),
    ):
        with T.Kernel(1, threads=w * (p + q)):
            tx = T.get_thread_binding()
            u = T.alloc_shared(256, "float32")
            x = T.alloc_shared(256, "float32")
            T.clear(u)
            if tx >= w * p:
                T.copy(A, u)
                T.sync_threads()
                D[tx] = u[255 - tx]
                u[tx - w * p] = 3.0
                D[tx] = D[tx] + u[w * (p + q) - 1 - tx]
            else:
                for i in T.Parallel(256):
                    x[i] = A[i] * 2
                T.sync_threads()
                for i in T.Parallel(256):
                    C[i] = x[255 - i]
                D2 = x[tx]
                x[w * p - 1 - tx] = D2 + 1
            for i in T.Parallel(256):
                E[i] = x[i] + u[i]

    return main

# Loops that an author writes around whole operations: the parts of N or M of a product one after the other, rows of a
# result or of a tile, each by all threads. They are one operation, where no iteration touches what another one writes.
# RUN: tilec-run %s --entry "parts()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(by='m')" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "parts(how='unroll')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(by='m', how='unroll', M=100, N=90, K=72)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(rows=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(rows=True, M=100, N=90)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "chain()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chain()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "shapes()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "shapes()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "fragments()" --target=gfx950 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "fragments(rows=32, threads=256)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "folds()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "folds(rows=16, columns=1000)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "folds(rows=160, columns=512, dtype='int32')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "folds()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "folds()" --target=gfx950 --device=cpu --check | FileCheck %s
# RUN: tilec %s --entry "parts()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "parts(by='m', how='unroll')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED

# CHECK: PASS
# PLANNED: : planned
import tilelang.language as T


def parts(M=128, N=128, K=128, bm=64, bn=64, bk=32, threads=128, by="n", how="serial", rows=False):
    loop = T.serial if how == "serial" else T.unroll
    half = (bn if by == "n" else bm) // 2

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by_):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                T.copy(A[by_ * bm, k * bk], a)
                T.copy(B[bx * bn, k * bk], b)
                for p in loop(2):
                    if by == "n":
                        T.gemm(a, b[p * half:(p + 1) * half, :], c[:, p * half:(p + 1) * half], transpose_B=True)
                    else:
                        T.gemm(a[p * half:(p + 1) * half, :], b, c[p * half:(p + 1) * half, :], transpose_B=True)
            if rows:
                for i in T.serial(bm):
                    for j in T.Parallel(bn):
                        if by_ * bm + i < M and bx * bn + j < N:
                            C[by_ * bm + i, bx * bn + j] = c[i, j]
            else:
                T.copy(c, C[by_ * bm, bx * bn])

    return main


# What an iteration hands on to the next one, and what it does not.
def chain(rows=16, columns=128, threads=128):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32"),
             Z: T.Tensor((columns,), "float32"), W: T.Tensor((rows, columns), "float32")):
        with T.Kernel(1, threads=threads):
            t = T.alloc_shared((rows, columns), "float32")
            last = T.alloc_fragment((columns,), "float32")
            T.clear(last)
            for r in T.serial(rows):
                for i in T.Parallel(columns):
                    last[i] = last[i] * 0.5 + X[r, i]
                for i in T.Parallel(columns):
                    Y[r, i] = last[i]
            for r in T.serial(rows):
                for i in T.Parallel(columns):
                    t[r, i] = X[r, columns - 1 - i]
                for i in T.Parallel(columns):
                    W[r, i] = t[r, (i + 1) % columns] + t[r, i]
            for r in T.serial(1, rows):
                for i in T.Parallel(columns):
                    t[r, i] = t[r, i] + t[r - 1, i]
            for i in T.Parallel(columns):
                Z[i] = last[i] + t[rows - 1, i]

    return main


# A tile that rounds read in another shape than they write it in: what one writes, the next one reads.
def shapes(rows=8, columns=64, threads=64):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32"),
             Z: T.Tensor((rows, columns), "float32")):
        with T.Kernel(1, threads=threads):
            s = T.alloc_shared((rows, columns), "float32")
            flat = T.reshape(s, (rows * columns,))
            T.clear(s)
            for r in T.serial(rows):
                for i in T.Parallel(columns):
                    s[r, i] = X[r, i] + flat[T.max(r - 1, 0) * columns + i]
            T.copy(s, Y)
            for r in T.serial(rows):
                for i in T.serial(columns):
                    s[r, i] = Y[r, i] + flat[T.max(r - 1, 0) * columns + i]
            T.copy(s, Y)
            for r in T.serial(rows):
                for i in T.Parallel(columns):
                    s[r, i] = X[r, i] * 2
                for i in T.Parallel(columns):
                    Z[r, i] = flat[(r + 1) % rows * columns + i]

    return main


def fragments(rows=64, columns=64, threads=128):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32"),
             Z: T.Tensor((columns, rows), "float32")):
        with T.Kernel(1, threads=threads):
            f = T.alloc_fragment((rows, columns), "float32")
            T.copy(X, f)
            for r in T.serial(rows):
                for i in T.Parallel(columns):
                    f[r, i] = f[r, i] * T.cast(r, "float32") + 1
            for r in T.serial(rows):
                for i in T.Parallel(columns):
                    if i > r:
                        Z[i, r] = f[r, i]
                    else:
                        Z[i, r] = 0
            for r in T.serial(rows // 2):
                for i in T.Parallel(columns):
                    Y[2 * r, i] = f[r, i]
                    Y[2 * r + 1, i] = f[r + rows // 2, i]

    return main


# Rows that an iteration folds by a serial loop: all threads help. Not where a round reads what another one has folded.
def folds(rows=64, columns=1024, threads=128, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float16" if dtype == "float32" else dtype),
             W: T.Tensor((columns,), dtype), Y: T.Tensor((5, rows), dtype), Z: T.Tensor((rows, columns), dtype)):
        with T.Kernel(1, threads=threads):
            x = T.alloc_shared((rows, columns // 4), "float16" if dtype == "float32" else dtype)
            total = T.alloc_fragment((rows,), dtype)
            largest = T.alloc_shared((rows,), dtype)
            T.clear(total)
            T.clear(largest)
            for c in T.serial(4):
                T.copy(X[0, c * (columns // 4)], x)
                for i in T.Parallel(rows):
                    for k in T.serial(columns // 4):
                        total[i] += x[i, k]
                        largest[i] = T.max(largest[i], T.abs(x[i, k]))
            T.copy(total, Y[0, :])
            T.copy(largest, Y[1, :])
            for i in T.Parallel(rows):
                dot = T.alloc_var(dtype, 0)
                for k in T.serial(columns):
                    dot += X[i, k] * W[k]
                Y[2, i] = dot
            for i in T.Parallel(rows):
                last = T.alloc_var(dtype, 0)
                low = T.alloc_var(dtype, 1)
                for k in T.serial(columns // 8):
                    for v in T.vectorized(8):
                        if k * 8 + v != i:
                            low = T.min(low, X[i, k * 8 + v])
                for k in T.serial(8):
                    last += X[i, k]
                    low = T.min(low, last)
                Y[3, i] = last
                Y[4, i] = low
            for i in T.Parallel(rows):
                before = T.alloc_var(dtype, 0)
                for k in T.serial(columns):
                    Z[i, k] = X[i, k] - before
                    before += X[i, k]

    return main

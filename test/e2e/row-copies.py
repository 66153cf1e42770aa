# Rows and pages that a loop over them copies: each by number, to its place of a tile. They are brought by all threads at
# a time, a round or more ahead, as rows by number are.
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "rows(stages=3)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='parallel')" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='parallel')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pages()" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "pages(how='unroll', page=32, D=128)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "pages(page=8, stages=3)" --target=sm_80 --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "pages(how='unroll')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "parts(page=32, threads=256)" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "parts(stages=1)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "softmax()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "softmax(dtype='int8')" --target=gfx950 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "softmax(rows=2, page=2)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "stored()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "stored()" --target=sm_80 --device=ptx --check --sim-interleave=7 | FileCheck %s
# RUN: tilec %s --entry "rows()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "rows(how='parallel')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "pages()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "pages(how='unroll')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "pages()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=COPIES

# CHECK: PASS
# HELD: planned: tiles are read 1 round ahead to registers
# COPIES: planned: {{copies start|a producer fills}}
import tilelang.language as T


def rows(M=128, N=128, K=256, bm=64, bn=64, bk=32, threads=128, stages=2, how="serial"):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), Ids: T.Tensor((M,), "int32"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // bn, M // bm, threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(K // bk, num_stages=stages):
                if how == "serial":
                    for i in T.serial(bm):
                        T.copy(A[Ids[by * bm + i], k * bk:(k + 1) * bk], a[i, :])
                else:
                    for i in T.Parallel(bm):
                        T.copy(A[Ids[by * bm + i], k * bk:(k + 1) * bk], a[i, :])
                T.copy(B[bx * bn, k * bk], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])

    return main


# K's pages lie behind each other, V's in a dimension of their own.
def pages(S=512, D=64, bn=64, page=16, threads=128, stages=2, how="serial", blocks=1):
    @T.prim_func
    def main(Q: T.Tensor((blocks * 64, D), "float16"), K: T.Tensor((64 * page, D), "float16"),
             V: T.Tensor((64, page, D), "float16"), Table: T.Tensor((S // page,), "int32"),
             O: T.Tensor((blocks * 64, D), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((bn, D), "float16")
            v = T.alloc_shared((bn, D), "float16")
            s = T.alloc_fragment((64, bn), "float32")
            p = T.alloc_fragment((64, bn), "float16")
            o = T.alloc_fragment((64, D), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(o)
            for n in T.Pipelined(S // bn, num_stages=stages):
                if how == "serial":
                    for i in T.serial(bn // page):
                        T.copy(K[Table[n * (bn // page) + i] * page, 0], k[i * page:(i + 1) * page, :])
                        T.copy(V[Table[n * (bn // page) + i], 0:page, 0:D], v[i * page:(i + 1) * page, :])
                else:
                    for i in T.unroll(bn // page):
                        T.copy(K[Table[n * (bn // page) + i] * page, 0], k[i * page:(i + 1) * page, :])
                        T.copy(V[Table[n * (bn // page) + i], 0:page, 0:D], v[i * page:(i + 1) * page, :])
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(64, bn):
                    s[i, j] = T.exp2(T.min(s[i, j], 4))
                T.copy(s, p)
                T.gemm(p, v, o)
            T.copy(o, O[bx * 64, 0])

    return main


# Halves of a tile of three dimensions; pages that the tensor ends in; rows to registers.
def parts(S=300, D=64, bn=64, page=16, threads=128, stages=2):
    @T.prim_func
    def main(K: T.Tensor((40 * page, D), "float16"), Table: T.Tensor((S // page + 8,), "int32"),
             O: T.Tensor((S // bn + 1, 2, bn, D), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            k = T.alloc_shared((2, bn, D), "float16")
            f = T.alloc_fragment((bn, D), "float16")
            for n in T.Pipelined(T.ceildiv(S, bn), num_stages=stages):
                for i in T.serial(bn // page):
                    T.copy(K[Table[n * (bn // page) + i] * page, 0], k[0, i * page:(i + 1) * page, :])
                for i in T.serial(bn // page):
                    T.copy(K[(Table[n * (bn // page) + i] + 1) * page - 3, 0], k[1, i * page:(i + 1) * page, :])
                for i in T.serial(bn):
                    T.copy(K[i, :], f[i, :])
                for i, j in T.Parallel(bn, D):
                    O[n, 0, i, j] = k[0, i, j] + f[i, j]
                for i, j in T.Parallel(bn, D):
                    O[n, 1, i, j] = k[1, i, j]

    return main


# Not all rows of the tile, and rows that other ones lie over.
def some(D=64, threads=128):
    @T.prim_func
    def main(K: T.Tensor((256, D), "float16"), Table: T.Tensor((16,), "int32"), O: T.Tensor((64, D), "float32")):
        with T.Kernel(1, threads=threads):
            k = T.alloc_shared((64, D), "float16")
            T.clear(k)
            for i in T.serial(3):
                T.copy(K[Table[i], 0], k[i * 16:i * 16 + 16, :])
            for i in T.serial(5):
                T.copy(K[Table[i], 0:D], k[i + 50, :])
            for i in T.serial(2):
                T.copy(K[Table[i + 8], 0], k[i * 8:i * 8 + 16, :])
            T.copy(k, O)

    return main


def softmax(M=64, N=256, rows=4, page=1, threads=128, dtype="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(M // (rows * page), threads=threads) as bx:
            x = T.alloc_fragment((rows * page, N), "float32")
            y = T.alloc_shared((rows * page, N), "float16")
            most = T.alloc_fragment((rows * page,), "float32")
            total = T.alloc_fragment((rows * page,), "float32")
            for r in T.serial(rows):
                T.copy(X[(bx * rows + r) * page, 0], x[r * page:(r + 1) * page, :])
            T.reduce_max(x, most, dim=1)
            for i, j in T.Parallel(rows * page, N):
                x[i, j] = T.exp((x[i, j] - most[i]) * 0.125)
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(rows * page, N):
                x[i, j] = x[i, j] / total[i]
            for r in T.serial(rows):
                T.copy(x[r * page:(r + 1) * page, :], y[r * page:(r + 1) * page, :])
            for r in T.serial(rows):
                T.copy(y[r * page:(r + 1) * page, :], Y[(bx * rows + r) * page, 0])

    return main


# Rows that stay in order: two of them may go to one place, or read what the one before has written; every other row.
def stored(M=32, N=64, threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Ids: T.Tensor((M,), "int32"), Y: T.Tensor((M, N), "float32"),
             Z: T.Tensor((M + 1, N), "float32"), W: T.Tensor((2 * M, N), "float32")):
        with T.Kernel(1, threads=threads):
            x = T.alloc_shared((M, N), "float32")
            y = T.alloc_shared((1, N), "float32")
            T.copy(X, x)
            for r in T.serial(M):
                T.copy(x[r, :], Y[Ids[r] // 4 * 4, 0:N])
            T.copy(x[0, :], Z[0, 0:N])
            for r in T.serial(M):
                T.copy(Z[r, 0:N], y[0, :])
                T.copy(y[0, :], Z[r + 1, 0:N])
            for r in T.serial(M):
                T.copy(x[r, :], W[2 * r + 1, 0:N])

    return main

# What random programs (docs/contribute/differential-testing.md) have found and no other test shows: a pipelined
# loop without a product (sm_80), a shared tile of bytes that is read transposed and through a view
# (sm_90a), coordinates of lanes behind a product's loop,
# wait states where a branch behind an MFMA passes by what would have been them (gfx942), copies of
# whole tensors in a pipelined loop.
# RUN: tilec-run %s --entry "copies()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "copies()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "copies()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "passed_by()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "parted()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "parted()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "never_equal()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "never_equal()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bytes()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bytes()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "behind()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "behind()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "behind()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reversed_in_place()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "reversed_in_place()" --target=gfx950 --device=sim --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "asked_behind_a_producer()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "outside()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "outside()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "outside()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "neutral()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "neutral()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "neutral()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "row_behind()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "row_behind()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "row_behind()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows_of_a_view()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows_of_a_view()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows_of_a_view()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "folded_access()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "folded_access()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "folded_access()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "low_bytes()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def copies():
    @T.prim_func
    def main(A: T.Tensor((64, 19), "int32"), O: T.Tensor((64, 8), "int32")):
        with T.Kernel(1, threads=256):
            tile = T.alloc_shared((64, 8), "int32")
            acc = T.alloc_fragment((64, 8), "int32")
            T.fill(acc, 0)
            for k in T.Pipelined(3, num_stages=4):
                T.copy(A[0, k * 8], tile)
                for i, j in T.Parallel(64, 8):
                    acc[i, j] = acc[i, j] * 3 + tile[i, j]
            T.copy(acc, O)

    return main


def bytes():
    @T.prim_func
    def main(A: T.Tensor((16, 64), "int8"), B: T.Tensor((64, 16), "int8"), C: T.Tensor((64, 16), "int8")):
        with T.Kernel(1, threads=128):
            tile = T.alloc_shared((16, 64), "int8")
            T.copy(A, tile)
            turned = T.alloc_shared((64, 16), "int8")
            T.transpose(tile, turned)
            kept = T.alloc_fragment((64, 16), "int8")
            T.copy(T.reshape(tile, (64, 16)), kept)
            T.copy(kept, B)
            T.copy(turned, C)

    return main


def behind():
    @T.prim_func
    def main(
        A: T.Tensor((6, 9), "uint4"),
        B: T.Tensor((9, 1), "uint4"),
        D: T.Tensor((8, 6), "float32"),
        C: T.Tensor((6, 1), "int32"),
        O: T.Tensor((6, 5), "float32"),
    ):
        with T.Kernel(1, threads=128) as by:
            a = T.alloc_shared((6, 9), "uint4")
            b = T.alloc_shared((9, 1), "uint4")
            acc = T.alloc_fragment((6, 1), "int32")
            T.fill(acc, 0)
            for k in T.serial(2):
                T.copy(A, a)
                T.copy(B, b)
                T.gemm(a, b, acc)
            row = T.alloc_shared((1, 5), "float32")
            T.fill(row, D[by + 1, 3])
            T.copy(acc, C)
            T.copy(row, O[2, 0])
            T.copy(row, O[0, 0])
            T.copy(row, O[1, 0])
            T.copy(row, O[3, 0])
            T.copy(row, O[4, 0])
            T.copy(row, O[5, 0])

    return main


def passed_by():
    @T.prim_func
    def main(
        A: T.Tensor((32, 16), "float32"),
        B: T.Tensor((16, 16), "float32"),
        H: T.Tensor((32, 16), "float16"),
        O: T.Tensor((32, 16), "float32"),
    ):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((32, 16), "float32")
            b = T.alloc_shared((16, 16), "float32")
            h = T.alloc_shared((32, 16), "float16")
            acc = T.alloc_fragment((32, 16), "float32")
            T.fill(acc, 0)
            for k in T.Pipelined(1, num_stages=2):
                T.copy(A, a)
                T.copy(B, b)
                T.gemm(a, b, acc)
            for i, j in T.Parallel(32, 16, coalesced_width=4):
                if T.min(i, 64) % 3 >= 3:
                    h[i, j] = acc[i, j]
                else:
                    h[i, j] = -1.0
            for _, r in T.grid(1, 3):
                for i, j in T.Parallel(32, 16):
                    acc[i, j] = T.max(acc[i, j], -11.0)
                if r == 2:
                    break
            T.copy(acc, O)
            T.copy(h, H)

    return main


# A read in front of a barrier whose value only a block behind it uses stays in front of it.
def reversed_in_place():

    @T.prim_func
    def main(O1: T.Tensor((27, 27), "float32"), O2: T.Tensor((27, 27), "float32")):
        with T.Kernel(3, threads=192) as worker:
            for by, bx in T.Persistent([2, 1], 3, worker):
                rows = T.alloc_fragment((16, 32), "float32")
                for i, j in T.Parallel(16, 32):
                    rows[i, j] = T.float32(i) * 0.25
                T.clear(rows[8:10, 0:32])
                upside_down = T.alloc_fragment((16, 32), "float32")
                for i, j in T.Parallel(16, 32):
                    upside_down[i, j] = rows[15 - i, j]
                T.copy(rows, O1[by * 16, bx * 32])
                for i, j in T.Parallel(16, 32):
                    O2[by * 16 + i, bx * 32 + j] = upside_down[i, j]

    return main


# What waves exchange begins at a multiple of 16 bytes, also behind mbarriers.
def asked_behind_a_producer(M=128, N=32, K=192):

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32"),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((16, 64), "float16")
            c = T.alloc_fragment((64, 16), "float32")
            flags = T.alloc_fragment((64, 16), "bool")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 16, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(64, 16):
                flags[i, j] = c[i, j] > T.cast(i, "float32")
            found = T.any_of(flags)
            if found:
                for i, j in T.Parallel(64, 16):
                    D[by * 64 + i, bx * 16 + j] = T.max(c[i, j], 0.5)
            T.copy(c, C[by * 64, bx * 16])

    return main


# Zero bits of float8_e8m0fnu are 2^-127.
def outside():
    @T.prim_func
    def main(A: T.Tensor((33, 16), "float8_e8m0fnu"), O: T.Tensor((2, 20), "float32"), P: T.Tensor((2, 20), "float32")):
        with T.Kernel(2, threads=64) as by:
            least = T.alloc_reducer((20,), "float32", op="min", replication="all")
            T.reducer_init(least)
            for i, j in T.Parallel(20, 16):
                T.reducer_update(least[i], T.cast(A[by * 20 + i, j], "float32"))
            out = T.alloc_fragment((20,), "float32")
            T.finalize_reducer(least)
            T.copy(least, out)
            T.copy(out, O[by, 0:20])
            tile = T.alloc_shared((20, 16), "float8_e8m0fnu")
            T.copy(A[by * 20, 0], tile)
            wide = T.alloc_fragment((20, 16), "float32")
            T.copy(tile, wide)
            T.reduce_max(wide, out, dim=1)
            T.copy(out, P[by, 0:20])

    return main


# When layouts are chosen a product takes the fragment `wide`; later it takes it from shared memory.
def beside():
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float8_e5m2"), B: T.Tensor((64, 32), "float8_e5m2"), D: T.Tensor((32, 32), "bfloat16"),
             E: T.Tensor((32, 24), "float32"), O: T.Tensor((32, 32), "float32"), P: T.Tensor((32, 24), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((32, 64), "float8_e5m2")
            b = T.alloc_shared((64, 32), "float8_e5m2")
            acc = T.alloc_fragment((32, 32), "float32")
            T.fill(acc, 0)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, acc)
            narrow = T.alloc_fragment((32, 32), "bfloat16")
            for i, j in T.Parallel(32, 32):
                narrow[i, j] = D[i, j]
            for i, j in T.Parallel(32, 32):
                acc[i, j] = acc[i, j] + T.cast(narrow[i, j], "float32")
            wide = T.alloc_fragment((32, 32), "float32")
            T.copy(narrow, wide)
            e = T.alloc_shared((32, 24), "float32")
            out = T.alloc_fragment((32, 24), "float32")
            T.copy(E, e)
            T.clear(out)
            T.gemm(wide, e, out)
            T.copy(acc, O)
            T.copy(out, P)

    return main


def squares():
    @T.prim_func
    def main(A: T.Tensor((16, 32), "float16"), O: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((16, 32), "float16")
            T.copy(A, a)
            sums = T.alloc_reducer((16,), "float32", op="sum")
            T.reducer_init(sums)
            for i, j in T.Parallel(16, 32):
                turned = T.cast(a[i, (j + 2) % 32], "float32")
                T.reducer_update(sums[i], turned * turned)
            out = T.alloc_fragment((16,), "float32")
            T.finalize_reducer(sums, out)
            T.copy(out, O)

    return main


# Updates by a neutral element fold away: what stays puts back what is there.
def neutral(M=64, N=32):

    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), B: T.Tensor((M,), "int32"), C: T.Tensor((M,), "int32")):
        with T.Kernel(1, threads=128):
            sums = T.alloc_reducer((M,), "int32", op="sum")
            T.reducer_init(sums)
            for i, j in T.Parallel(M, N):
                T.reducer_update(sums[i], A[i, j])
            for i, j in T.Parallel(M, N):
                T.reducer_update(sums[i], T.floormod(T.int32(3), 3))
            T.finalize_reducer(sums)
            T.copy(sums, B)
            bits = T.alloc_reducer((M,), "int32", op="bitand")
            T.reducer_init(bits)
            for i, j in T.Parallel(M, N):
                T.reducer_update(bits[i], T.min(T.int32(-1), T.int32(7)))
            # One by an absorbing element is a store of it.
            for i, j in T.Parallel(M, N):
                T.reducer_update(bits[i], T.truncdiv(T.int32(0), 5))
            T.finalize_reducer(bits)
            T.copy(bits, C)

    return main


# The row before is read first, so that the offset of a row is that one's and 42 bytes, in another basic block: it must not
# become an immediate, as what is left may be negative (AMD).
def row_behind(M=2, N=21):
    @T.prim_func
    def main(F: T.Tensor((8, 16), "float32"), A: T.Tensor((M, N), "float16"), O: T.Tensor((M, N), "float16")):
        with T.Kernel(1, threads=128) as by:
            f = T.alloc_fragment((8, 16), "float32")
            T.copy(F, f)
            s = T.alloc_shared((8, 16), "float16")
            for i, j in T.Parallel(8, 16):
                s[i, j] = A[by * 8 + i - 1, j]
            b = T.alloc_fragment((8,), "bool")
            b[0] = f[0, 0]
            for i, j in T.Parallel(8, 16):
                if by * 8 + i < M:
                    O[by * 8 + i, j] = s[i, j]

    return main


# Elements of a thread lie at multiples of 8 bytes in the first rows of the view that it reads, and not in the next ones.
def rows_of_a_view(M=32, N=9):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), O: T.Tensor((24, 40), "int32")):
        with T.Kernel(threads=1) as worker:
            for by, bx in T.Persistent([2, 2], 1, worker):
                a = T.alloc_shared((32, 24), "int8")
                b = T.alloc_shared((40, 32), "int8")
                c = T.alloc_fragment((24, 40), "int32")
                T.clear(a)
                T.clear(b)
                T.clear(c)
                T.gemm(a, b, c, transpose_A=True, transpose_B=True)
                view = T.reshape(A, (M * N,))
                f = T.alloc_fragment((24, 40), "int32")
                for i, j in T.Parallel(24, 40):
                    f[i, j] = view[by * 24 + i * N + bx * 40 + j]
                for i, j in T.Parallel(24, 40):
                    f[i, j] = f[i, j] - c[i, j]
                T.copy(f, O[by * 24, bx * 40])

    return main


# What is never so is folded behind the choice of layouts, and with it goes the access to `sums` that says which lane has
# which iteration: the loop keeps what was chosen, or the lanes of `rows` would be others.
def folded_access(M=33, N=12):
    @T.prim_func
    def main(
        A: T.Tensor((64, M), "float16"),
        B: T.Tensor((N, 64), "float16"),
        C: T.Tensor((M, N), "float32"),
        O: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, M), "float16")
            b = T.alloc_shared((N, 64), "float16")
            T.copy(A, a)
            T.copy(B, b)
            sums = T.alloc_fragment((M, N), "float32")
            T.gemm(a, b, sums, transpose_A=True, transpose_B=True, clear_accum=True)
            rows = T.alloc_fragment((M,), "float32")
            T.reduce_sum(sums, rows, dim=1)
            s = T.alloc_shared((M, N), "float32")
            for i, j in T.Parallel(M, N):
                if T.cast(i, "float32") == T.float32(-0.25):
                    s[i, j] = sums[i, j]
                else:
                    s[i, j] = C[i, j] - rows[i]
            T.copy(s, O)

    return main


# Two ways lead from a product to its uses, and part in a block behind that of the product (226173).
def parted(M=48, N=16, K=29):
    @T.prim_func
    def main(A: T.Tensor((K, M), "uint4"), B: T.Tensor((N, K), "uint4"), C: T.Tensor((M, N), "int32")):
        with T.Kernel(3, threads=64) as by:
            a = T.alloc_shared((8, 16), "uint4")
            b = T.alloc_shared((16, 8), "uint4")
            c = T.alloc_fragment((16, 16), "int32")
            T.fill(c, 0)
            for k in T.Pipelined(T.ceildiv(K, 8), num_stages=1):
                T.copy(A[k * 8, by * 16], a)
                T.copy(B[0, k * 8], b)
                T.gemm(a, b, c, transpose_A=True, transpose_B=True)
            if by == 0:
                for i, j in T.Parallel(16, 16):
                    c[i, j] = c[i, j] ^ (i << 1)
            elif by == 1:
                for i, j in T.Parallel(16, 16):
                    c[i, j] = c[i, j] ^ T.pow_of_int(j, 3)
            T.copy(c, C[by * 16, 0])

    return main


# An integer is never a fraction: what compares them has nothing left to read (221321).
def never_equal(M=64, N=8):
    @T.prim_func
    def main(A: T.Tensor((M, N), "int32"), O: T.Tensor((M, N), "bool")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, N), "int32")
            o = T.alloc_shared((M, N), "bool")
            T.copy(A, a)
            for i, j in T.Parallel(M, N):
                o[i, j] = T.cast(a[i, j], "float32") == -1.375
            T.copy(o, O)

    return main


# A load of which two bytes count, and a product of whose result the low bits do.
def low_bytes():
    @T.prim_func
    def main(A: T.Tensor((8, 32), "uint8"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((16, 32), "float16"),
             O: T.Tensor((8, 32), "float32"), P: T.Tensor((8, 32), "float32")):
        with T.Kernel(1, threads=64):
            a = T.alloc_fragment((8, 32), "uint8")
            b = T.alloc_shared((8, 16), "float16")
            c = T.alloc_shared((16, 32), "float16")
            f = T.alloc_fragment((8, 32), "float32")
            g = T.alloc_fragment((8, 32), "float32")
            d = T.alloc_shared((8, 32), "int4")
            for i, j in T.Parallel(8, 32):
                a[i, j] = A[i, j]
            T.clear(f)
            T.copy(B, b)
            T.copy(C, c)
            T.gemm(b, c, f)
            for i, j in T.Parallel(8, 32):
                g[i, j] = f[i, j] * T.cast(a[i, j], "float32")
            T.copy(g, P)
            for i, k in T.Parallel(8, 8):
                for v in T.vectorized(4):
                    j = k * 4 + v
                    d[i, j] = T.cast(i, "int4") * T.cast(a[i, j], "int4")
            for i, j in T.Parallel(8, 32):
                O[i, j] = T.cast(d[i, j], "float32")

    return main

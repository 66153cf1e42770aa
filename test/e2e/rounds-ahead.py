# Loops whose reads start before their round, and tiles whose rows are permuted: the program that is
# written is what comes out.
# RUN: tilec-run %s --entry "rows(7, 512)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(7, 512)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(7, 512)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(7, 512)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(5, 512, in_place=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(5, 512, in_place=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "twice(keeps=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "tiles(4)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "tiles(4)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "tiles(4)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "tiles(4)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "tiles(3, in_place=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "tiles(3, in_place=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns('int32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns('int32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "squares()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "turned('float32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "turned('float16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "turned('float16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "turned('float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


# A row a round, brought to shared memory; with in_place the next round reads what this one wrote.
def rows(N, D, in_place=False):
    @T.prim_func
    def main(X: T.Tensor((2 * N, D), "float16"), Y: T.Tensor((2 * N, D), "float16"),
             S: T.Tensor((2 * N,), "float32"), Z: T.Tensor((2 * N, D), "float16")):
        with T.Kernel(2, threads=128) as bx:
            x = T.alloc_shared((1, D), "float16")
            y = T.alloc_shared((1, D), "float16")
            f = T.alloc_fragment((1, D), "float32")
            total = T.alloc_fragment((1,), "float32")
            for k in T.serial(N):
                row = bx * N + k
                T.copy(X[row, 0], x)
                T.copy(Y[row, 0], y)
                for i, j in T.Parallel(1, D):
                    f[i, j] = T.cast(x[i, j], "float32") * T.cast(y[i, j], "float32") / 8
                T.reduce_sum(f, total, dim=1)
                S[row] = total[0]
                for i, j in T.Parallel(1, D):
                    Z[row, j] = f[i, j] - T.cast(x[i, D - 1 - j], "float32")
                    if in_place:
                        if k + 1 < N:
                            X[row + 1, j] = T.cast(f[i, j], "float16")

    return main


# How many rounds there are is in a tensor: some blocks have none.
def counted(D=256):
    @T.prim_func
    def main(Count: T.Tensor((4,), "int32"), X: T.Tensor((16, D), "float32"), Y: T.Tensor((4, D), "float32")):
        with T.Kernel(4, threads=128) as bx:
            x = T.alloc_shared((1, D), "float32")
            sums = T.alloc_fragment((1, D), "float32")
            T.clear(sums)
            for k in T.serial(T.max(Count[bx], 0) % 4):
                T.copy(X[bx * 4 + k, 0], x)
                for i, j in T.Parallel(1, D):
                    sums[i, j] += x[i, j] * x[i, D - 1 - j]
            T.copy(sums, Y[bx, 0])

    return main


# Two loops that fill one tile; with keeps, what the last round left is read once more.
def twice(keeps=False, D=256):
    @T.prim_func
    def main(X: T.Tensor((16, D), "float32"), Y: T.Tensor((17, D), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_shared((1, D), "float32")
            sums = T.alloc_fragment((1, D), "float32")
            T.clear(sums)
            for k in T.serial(16):
                T.copy(X[k, 0], x)
                for i, j in T.Parallel(1, D):
                    sums[i, j] += x[i, D - 1 - j]
            for k in T.serial(16):
                T.copy(X[15 - k, 0], x)
                for i, j in T.Parallel(1, D):
                    Y[k, j] = x[i, D - 1 - j] * sums[i, j]
            if keeps:
                T.copy(x, Y[16, 0])

    return main


# Tiles that go to registers, of which a fill before says nothing.
def tiles(N, in_place=False):
    @T.prim_func
    def main(A: T.Tensor((64 * N + 64, 64), "float16"), B: T.Tensor((64 * N, 64), "float16"),
             C: T.Tensor((64, 64), "float32"), M: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=256):
            a = T.alloc_fragment((64, 64), "float16")
            b = T.alloc_fragment((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            m = T.alloc_fragment((64,), "float32")
            T.clear(c)
            T.fill(m, -T.infinity("float32"))
            for k in T.serial(N):
                T.clear(a)
                T.copy(A[k * 64, 0], a)
                T.copy(B[k * 64, 0], b)
                for i, j in T.Parallel(64, 64):
                    c[i, j] += a[i, j] * b[i, j]
                T.reduce_max(b, m, dim=0, clear=False)
                if in_place:
                    for i, j in T.Parallel(64, 64):
                        A[(k + 1) * 64 + i, j] = b[i, j]
            T.copy(c, C)
            T.copy(m, M)

    return main


# Sums of columns, of which each wave has a part and a lane many.
def columns(dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((3, 64, 128), dtype), B: T.Tensor((3, 128), dtype), C: T.Tensor((3, 64, 128), dtype)):
        with T.Kernel(3, threads=256) as bx:
            a = T.alloc_fragment((64, 128), dtype)
            sums = T.alloc_fragment((128,), dtype)
            most = T.alloc_fragment((128,), dtype)
            T.copy(A[bx, 0, 0], a)
            for n in T.serial(2):
                T.reduce_sum(a, sums, dim=0)
                T.reduce_max(a, most, dim=0)
                for i, j in T.Parallel(64, 128):
                    a[i, j] = a[i, j] + sums[j] - most[j]
            T.copy(sums, B[bx, 0])
            T.copy(a, C[bx, 0, 0])

    return main


# Squares that statements add up.
def squares():
    @T.prim_func
    def main(A: T.Tensor((32, 256), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((32, 256), "float32")
            part = T.alloc_fragment((32, 4), "float32")
            sums = T.alloc_fragment((32,), "float32")
            T.copy(A, a)
            T.clear(part)
            for k in T.serial(64):
                for i, j in T.Parallel(32, 4):
                    part[i, j] += a[i, k * 4 + j] * a[i, k * 4 + j]
            T.reduce_sum(part, sums, dim=1)
            T.copy(sums, B)

    return main


# Each thread has a row of a tile, and reads another one.
def turned(dtype):
    @T.prim_func
    def main(A: T.Tensor((128, 32), dtype), B: T.Tensor((128, 32), dtype)):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((128, 32), dtype)
            a = T.alloc_local((32,), dtype)
            for j in T.vectorized(32):
                a[j] = A[t, j]
            for j in T.vectorized(32):
                s[t, j] = a[j]
            for j in T.vectorized(32):
                a[j] = s[(t % 4) * 32 + t // 4, j]
            for j in T.serial(32):
                B[t, j] = a[j] + s[t, (j + t) % 32]

    return main


# Threads read a scale for each of few rounds.
def unpacked():
    @T.prim_func
    def main(A: T.Tensor((1024,), "uint8"), Scale: T.Tensor((128,), "float32"), B: T.Tensor((1024,), "float32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((1024,), "float32")
            for i in T.serial(8):
                at = i * 128 + t
                s[at] = T.cast(A[at], "float32") * Scale[at // 8]
            for i in T.serial(8):
                B[i * 128 + t] = s[(i * 128 + t + 1) % 1024]

    return main

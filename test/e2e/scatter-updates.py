# Updates in T.Parallel of elements that memory names: each of them counts, also where several iterations
# share an element.
# RUN: tilec-run %s --entry "histogram('shared')" --target=gfx942 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('shared')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('shared')" --target=sm_80 --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('shared')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('global')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('global')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('global')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "histogram('global')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some_bits()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "some_bits()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "some_bits()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some_bits()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=gfx942 --device=sim --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=gfx950 --device=sim --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=sm_80 --device=ptx --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "moving()" --target=sm_90a --device=ptx --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'shared')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'shared')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'shared')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'shared')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float64', 'global')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float64', 'global')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float64', 'global')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float64', 'global')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'fragment')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'fragment')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'fragment')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products('float32', 'fragment')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float16', 'shared')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float16', 'shared')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float16', 'shared')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float16', 'shared')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float32', 'fragment')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float32', 'fragment')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float32', 'fragment')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "limits('float32', 'fragment')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('bfloat16', 'fragment')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('bfloat16', 'fragment')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('bfloat16', 'fragment')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('bfloat16', 'fragment')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('int8', 'shared')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('int8', 'shared')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('int8', 'shared')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('int8', 'shared')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('float8_e4m3fn', 'shared')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('float8_e4m3fn', 'shared')" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('float8_e4m3fn', 'shared')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums('float8_e4m3fn', 'shared')" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "several()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "several()" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "several()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "several()" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "in_rounds()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "in_rounds()" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "in_rounds()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_rounds()" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "of_threads()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "of_threads()" --target=gfx950 --device=sim --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "of_threads()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "of_threads()" --target=sm_90a --device=ptx --arg=I=3 --check | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx942 --device=sim --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx950 --device=sim --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_80 --device=ptx --dim=n=77 --check | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_90a --device=ptx --dim=n=77 --check | FileCheck %s
#
# CHECK: result PASS
# SPDX-License-Identifier: Apache-2.0
import tilelang.language as T


def histogram(where):
    @T.prim_func
    def main(I: T.Tensor((300,), "int32"), H: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=128):
            h = T.alloc_shared((16,), "int32") if where == "shared" else H
            T.clear(h)
            for i in T.Parallel(300):
                h[I[i] + 8] += 1 + i % 3
            if where == "shared":
                T.copy(h, H)
    return main


# One element for all j of a row, and a sum that is taken away.
def rows():
    @T.prim_func
    def main(I: T.Tensor((24,), "int32"), A: T.Tensor((24, 20), "float32"), S: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((16,), "float32")
            T.fill(s, 1.0)
            for i, j in T.Parallel(24, 20):
                s[I[i] + 8] += A[i, j]
            for i in T.Parallel(24):
                s[I[i] + 8] -= A[i, 3]
            T.copy(s, S)
    return main


def some_bits():
    @T.prim_func
    def main(I: T.Tensor((200,), "int32"), M: T.Tensor((16,), "int32"), B: T.Tensor((16,), "uint32")):
        with T.Kernel(1, threads=128):
            T.fill(M, -100)
            T.clear(B)
            for i in T.Parallel(200):
                M[I[i] + 8] = T.max(M[I[i] + 8], i - I[i])
                if i % 2 == 0:
                    B[I[i] + 8] |= T.cast(1 << (i % 32), "uint32")
    return main


def moving():
    n = T.dynamic("n")

    @T.prim_func
    def main(I: T.Tensor((n,), "int32"), S: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=128):
            T.clear(S)
            for i in T.Parallel(n):
                S[I[i] + 8] += 0.5
    return main


# No atomics: iterations take turns.
def products(dtype, where, n=200):
    @T.prim_func
    def main(I: T.Tensor((n,), "int32"), X: T.Tensor((n,), "float32"), H: T.Tensor((16,), dtype)):
        with T.Kernel(1, threads=128):
            h = H
            if where == "shared":
                h = T.alloc_shared((16,), dtype)
            elif where == "fragment":
                h = T.alloc_fragment((16,), dtype)
            T.fill(h, 1)
            for i in T.Parallel(n):
                h[I[i] + 8] *= 1 + X[i] / 16
            if where != "global":
                T.copy(h, H)
    return main


def limits(dtype, where, n=200):
    @T.prim_func
    def main(I: T.Tensor((n,), "int32"), X: T.Tensor((n,), "float32"), H: T.Tensor((16,), dtype)):
        with T.Kernel(1, threads=128):
            h = T.alloc_shared((16,), dtype) if where == "shared" else T.alloc_fragment((16,), dtype)
            T.fill(h, 1)
            for i in T.Parallel(n):
                h[I[i] + 8] = T.max(h[I[i] + 8], X[i])
            for i in T.Parallel(n):
                h[15 - I[i] - 8] = T.min(X[i] * 2, h[15 - I[i] - 8])
            T.copy(h, H)
    return main


# Rounded once, however many iterations share an element; integers of 8 bits wrap.
def sums(dtype, where, n=400):
    integers = dtype == "int8"

    @T.prim_func
    def main(I: T.Tensor((n,), "int32"), X: T.Tensor((n,), "float32"), H: T.Tensor((16,), dtype)):
        with T.Kernel(1, threads=96):
            h = T.alloc_shared((16,), dtype) if where == "shared" else T.alloc_fragment((16,), dtype)
            T.fill(h, 1)
            for i in T.Parallel(n):
                h[I[i] + 8] += T.cast(i, "int8") if integers else X[i]
            T.copy(h, H)
    return main


# Rows in turn, their columns together; two updates in one loop, of which one is atomic.
def several():
    @T.prim_func
    def main(I: T.Tensor((24,), "int32"), A: T.Tensor((24, 40), "float32"), S: T.Tensor((16, 40), "bfloat16"),
             P: T.Tensor((16, 40), "float32"), M: T.Tensor((16, 40), "float32")):
        with T.Kernel(1, threads=96):
            s = T.alloc_fragment((16, 40), "bfloat16")
            T.fill(s, 1.0)
            T.fill(P, 1.0)
            T.fill(M, -5)
            for i in T.Parallel(24):
                for j in T.Parallel(40):
                    s[I[i] + 8, j] += A[i, j]
            for i, j in T.Parallel(24, 40):
                if A[i, j] > 0:
                    P[I[i] + 8, j] *= 1 + A[i, j] / 8
            for j, i in T.Parallel(40, 24):
                v = A[i, j] * 2
                M[I[i] + 8, j] = T.max(v, M[I[i] + 8, j])
                s[I[i] + 8, j] -= v
            T.copy(s, S)
    return main


def guarded():
    n = T.dynamic("n")

    @T.prim_func
    def main(I: T.Tensor((n,), "int32"), X: T.Tensor((n,), "float32"), S: T.Tensor((4,), "float32"), Q: T.Tensor((4,), "int8")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((4,), "float32")
            q = T.alloc_fragment((4,), "int8")
            T.fill(s, 1.0)
            T.clear(q)
            for i in T.Parallel(n):
                if I[i] >= 0 and I[i] < 4:
                    s[I[i]] = T.min(s[I[i]], X[i])
            for i in T.Parallel(n):
                if I[i] >= 0 and I[i] < 4:
                    q[I[i]] ^= T.cast(i, "int8")
            T.copy(s, S)
            T.copy(q, Q)
    return main


def in_rounds():
    @T.prim_func
    def main(I: T.Tensor((4, 64), "int32"), X: T.Tensor((4, 64), "float32"), S: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=128):
            f = T.alloc_fragment((16,), "float32")
            T.clear(f)
            for k in T.serial(4):
                for i in T.Parallel(64):
                    f[I[k, i] + 8] += X[k, i]
                for i in T.Parallel(16):
                    f[i] = f[i] * 0.5
            T.copy(f, S)
    return main


def of_threads():
    @T.prim_func
    def main(I: T.Tensor((128,), "int32"), X: T.Tensor((128,), "float32"), S: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            s = T.alloc_shared((16,), "float32")
            x = T.alloc_shared((128,), "float32")
            x[127 - t] = X[t]
            T.fill(s, 2.0)
            for i in T.Parallel(128):
                s[I[i] + 8] = T.max(s[I[i] + 8], x[i])
            if t < 16:
                S[t] = s[15 - t]
    return main

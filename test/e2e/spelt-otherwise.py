# Loops inside of a T.Parallel: T.vectorized, T.unroll and T.serial over elements that lie side by side, under a condition, with
# what is read beside them, in dequantisation; one whose rounds hang on each other stays a loop. And groups of elements that update
# one (m[i, j // g]), values that are chosen of two shared places, and the halves of a packed weight's tile.
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='guarded')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='guarded')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='guarded')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='sums')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='sums')" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "rows(how='sums')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "unpacked()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "groups()" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "groups()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "groups()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "groups(scope='shared')" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "groups(scope='shared')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "groups(scope='shared')" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "rotated()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rotated()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rotated()" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "rotated(how='pairs')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rotated(how='pairs')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rotated(how='pairs')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "packed()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "packed()" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "packed()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "packed(parts=4)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "packed(parts=4)" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "packed(parts=4)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "packed(apart=True)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "packed(apart=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "packed(apart=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rotated(how='unwritten')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rotated(how='unwritten')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "shifted()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "shifted(op='max')" --target=gfx942 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "shifted()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: not tilec %s --entry "shifted(how='two')" --target=gfx950 -o %t 2>&1 | FileCheck %s --check-prefix=RACE
# RUN: not tilec %s --entry "shifted(how='beside')" --target=sm_80 -o %t 2>&1 | FileCheck %s --check-prefix=RACE
# RUN: tilec %s --entry "rows()" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=WIDE
# RUN: tilec %s --entry "groups()" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=GROUPS
# RUN: tilec %s --entry "packed()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "packed()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "packed()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "packed()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED
# CHECK: result         PASS
# WIDE: global_load_dwordx4
# WIDE: global_store_dwordx4
# GROUPS: tile.reduce max
# PLANNED: : planned: 
# RACE: error: iterations of T.Parallel depend on each other
import tilelang.language as T


def rows(M=64, N=256, how="vectorized", F="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), F), Y: T.Tensor((M, N), F)):
        with T.Kernel(M // 8, threads=128) as b:
            if how == "vectorized":
                for i, j in T.Parallel(8, N // 8):
                    for v in T.vectorized(8):
                        Y[b * 8 + i, j * 8 + v] = T.max(X[b * 8 + i, j * 8 + v], 0)
            elif how == "guarded":
                for i, j in T.Parallel(8, N // 8):
                    if j < 21:
                        for v in T.serial(8):
                            Y[b * 8 + i, j * 8 + v] = X[b * 8 + i, j * 8 + v] * X[b * 8 + i, j]
            else:  # sums: rounds that hang on each other
                for i, j in T.Parallel(8, N // 8):
                    Y[b * 8 + i, j] = 0
                    for v in T.serial(8):
                        Y[b * 8 + i, j] = Y[b * 8 + i, j] + X[b * 8 + i, j * 8 + v]

    return main


def unpacked(M=128, N=128, K=256, bk=64, F="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), F), B: T.Tensor((N, K // 8), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            a = T.alloc_shared((64, bk), F)
            q = T.alloc_shared((64, bk // 8), "int32")
            b = T.alloc_shared((64, bk), F)
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(K // bk, num_stages=2):
                T.copy(A[by * 64, k * bk], a)
                T.copy(B[bx * 64, k * bk // 8], q)
                for i, j in T.Parallel(64, bk // 8):
                    for t in T.unroll(8):
                        b[i, j * 8 + t] = T.cast((q[i, j] >> (t * 4)) & 15, F)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])

    return main


def shifted(n=256, k=8, op="add", how="one"):
    @T.prim_func
    def main(A: T.Tensor((n, k), "float32"), B: T.Tensor((n + k,), "float32")):
        with T.Kernel(1, threads=256) as bx:
            s = T.alloc_shared((n + k,), "float32")
            T.clear(s)
            for i in T.Parallel(n):
                if how == "two":  # of which one passes the other
                    s[i] = s[i] + A[i, 0]
                    s[i + 1] = s[i + 1] + A[i, 1]
                else:
                    if how == "beside":  # so that the loop stays a loop of the iteration
                        B[i] = 0
                    for v in T.serial(k):
                        s[i + v] = s[i + v] + A[i, v] if op == "add" else T.max(s[i + v], A[i, v])
            T.copy(s, B)

    return main


def groups(M=16, N=512, g=64, bm=8, scope="fragment"):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), S: T.Tensor((M, N // g), "float32"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(M // bm, threads=128) as b:
            x = T.alloc_fragment((bm, N), "float32")
            am = T.alloc_fragment((bm, N // g), "float32") if scope == "fragment" else T.alloc_shared((bm, N // g), "float32")
            T.copy(X[b * bm, 0], x)
            T.clear(am)
            for i, j in T.Parallel(bm, N):
                am[i, j // g] = T.max(am[i, j // g], T.abs(x[i, j]))
            for i, j in T.Parallel(bm, N):
                Y[b * bm + i, j] = x[i, j] / (am[i, j // g] + 1)
            T.copy(am, S[b * bm, 0])

    return main


def rotated(S=128, D=64, how="half", F="float16"):
    @T.prim_func
    def main(X: T.Tensor((S, D), F), O: T.Tensor((S, D), F)):
        with T.Kernel(S // 64, threads=128) as b:
            x = T.alloc_shared((64, D), F)
            if how == "unwritten":  # what is not chosen has no value
                T.copy(X[b * 64, 0], x[:, 0:D // 2])
            else:
                T.copy(X[b * 64, 0], x)
            for i, j in T.Parallel(64, D):
                if how == "unwritten":
                    O[b * 64 + i, j] = T.if_then_else(j < D // 2, x[i, j], 0)
                elif how == "half":
                    O[b * 64 + i, j] = T.if_then_else(j < D // 2, -x[i, (j + D // 2) % D], x[i, (j + D // 2) % D])
                else:  # each side's place lies outside where the other one is chosen
                    O[b * 64 + i, j] = T.if_then_else(j % 2 == 0, x[i, j + 1 - j % 2 * 2] - 1, x[i, j - 1] * 2)

    return main


def packed(M=128, N=128, K=256, bm=64, bn=32, bk=32, parts=2, apart=False, F="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), F), W: T.Tensor((parts * N, K), F), V: T.Tensor((parts * N, K), F), C: T.Tensor((M, N), F)):
        with T.Kernel(N // bn, M // bm, threads=128) as (bx, by):
            a = T.alloc_shared((bm, bk), F)
            w = T.alloc_shared((parts * bn, bk), F)
            c = T.alloc_fragment((bm, parts * bn), "float32")
            T.clear(c)
            for k in T.Pipelined(K // bk, num_stages=2):
                T.copy(A[by * bm, k * bk], a)
                T.copy(W[bx * bn, k * bk], w[0:bn, :])
                if parts == 4:
                    T.copy(W[N + bx * bn, k * bk], w[bn:2 * bn, :])
                    T.copy(W[2 * N + bx * bn, k * bk], w[2 * bn:3 * bn, :])
                if apart:
                    T.copy(V[bx * bn, k * bk], w[(parts - 1) * bn:parts * bn, :])
                else:
                    T.copy(W[(parts - 1) * N + bx * bn, k * bk], w[(parts - 1) * bn:parts * bn, :])
                T.gemm(a, w, c, transpose_B=True)
            for i, j in T.Parallel(bm, bn):
                C[by * bm + i, bx * bn + j] = c[i, j] * T.sigmoid(c[i, j]) * c[i, (parts - 1) * bn + j]

    return main

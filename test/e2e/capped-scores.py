# Scores that a hyperbolic tangent caps (softcap), in one loop with the scale, under a mask, in loops of their own: where only
# the softmax sees them, it is 1 - 2 / (1 + e^2x). Where the kernel gives the logarithm of the sums as f32, where the cap is large,
# or scores grow from round to round, it stays as accurate as ever. And tangents that are rounded to 16 bits.
# RUN: tilec-run %s --entry "attention(form=0, dtype='float16')" --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(form=1, dtype='bfloat16')" --target=gfx950 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(form=2, dtype='float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(form=0, dtype='bfloat16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(form=2, dtype='bfloat16')" --target=gfx950 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(form=1, dtype='float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(lse=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "attention(form=1, lse=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(cap=1000.0)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "grows()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('bfloat16')" --target=gfx950 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('bfloat16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "attention()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --entry "attention(form=1)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --entry "attention(form=2)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --entry "attention(lse=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "attention(cap=1000.0)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "grows()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "rows()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ROUNDED
# CHECK: result         PASS
# SHORT-NOT: math.tanh
# SHORT: math.exp2 {{.*}} fastmath<afn>
# SHORT-NOT: math.tanh
# EXACT: math.tanh {{[^<]*}} : f32
# ROUNDED: math.tanh {{.*}} fastmath<afn>
import tilelang.language as T


def attention(B=1, H=1, S=256, D=64, bm=128, bn=32, stages=2, threads=256, dtype="float16", cap=30.0, form=0, lse=False):
    shape = [B, S, H, D]
    scale = (1.0 / D) ** 0.5

    @T.prim_func
    def main(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype), Out: T.Tensor(shape, dtype), LSE: T.Tensor((B, H, S), "float32")):
        with T.Kernel(T.ceildiv(S, bm), H, B, threads=threads) as (bx, by, bz):
            Q_s = T.alloc_shared([bm, D], dtype)
            K_s = T.alloc_shared([bn, D], dtype)
            V_s = T.alloc_shared([bn, D], dtype)
            s = T.alloc_fragment([bm, bn], "float32")
            p = T.alloc_fragment([bm, bn], dtype)
            o = T.alloc_fragment([bm, D], "float32")
            m = T.alloc_fragment([bm], "float32")
            mp = T.alloc_fragment([bm], "float32")
            alpha = T.alloc_fragment([bm], "float32")
            row = T.alloc_fragment([bm], "float32")
            l = T.alloc_fragment([bm], "float32")
            T.copy(Q[bz, bx * bm:(bx + 1) * bm, by, :], Q_s)
            T.fill(o, 0)
            T.fill(l, 0)
            T.fill(m, -T.infinity("float32"))
            for k in T.Pipelined(T.ceildiv((bx + 1) * bm, bn) if form == 2 else T.ceildiv(S, bn), num_stages=stages):
                T.copy(K[bz, k * bn:(k + 1) * bn, by, :], K_s)
                T.clear(s)
                T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                if form == 0:
                    for i, j in T.Parallel(bm, bn):
                        s[i, j] = cap * T.tanh(s[i, j] * scale / cap)
                elif form == 1:
                    for i, j in T.Parallel(bm, bn):
                        s[i, j] = T.if_then_else(k * bn + j < S - 5, T.tanh(s[i, j] * scale / cap) * cap, -T.infinity("float32"))
                else:
                    for i, j in T.Parallel(bm, bn):
                        s[i, j] = s[i, j] * (scale / cap)
                    for i, j in T.Parallel(bm, bn):
                        s[i, j] = T.tanh(s[i, j])
                    for i, j in T.Parallel(bm, bn):
                        s[i, j] = T.if_then_else(bx * bm + i >= k * bn + j, s[i, j] * cap, -T.infinity("float32"))
                T.copy(m, mp)
                T.fill(m, -T.infinity("float32"))
                T.reduce_max(s, m, dim=1, clear=False)
                for i in T.Parallel(bm):
                    m[i] = T.max(m[i], mp[i])
                for i in T.Parallel(bm):
                    alpha[i] = T.exp(mp[i] - m[i])
                for i, j in T.Parallel(bm, bn):
                    s[i, j] = T.exp(s[i, j] - m[i])
                T.reduce_sum(s, row, dim=1)
                for i in T.Parallel(bm):
                    l[i] = l[i] * alpha[i] + row[i]
                T.copy(s, p)
                for i, j in T.Parallel(bm, D):
                    o[i, j] *= alpha[i]
                T.copy(V[bz, k * bn:(k + 1) * bn, by, :], V_s)
                T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(bm, D):
                o[i, j] /= l[i]
            T.copy(o, Out[bz, bx * bm:(bx + 1) * bm, by, :])
            if lse:
                for i in T.Parallel(bm):
                    LSE[bz, by, bx * bm + i] = m[i] + T.log(l[i])

    return main


def grows(M=128, N=64, rounds=6):
    @T.prim_func
    def main(X: T.Tensor((rounds, M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(1, threads=128) as bx:
            x = T.alloc_fragment((M, N), "float32")
            y = T.alloc_fragment((M, N), "float32")
            for i, j in T.Parallel(M, N):
                x[i, j] = T.tanh(X[0, i, j])
            for k in T.serial(rounds):
                for i, j in T.Parallel(M, N):
                    y[i, j] = T.exp(x[i, j] - 3)
                for i, j in T.Parallel(M, N):
                    x[i, j] = x[i, j] * 1.5
            T.copy(y, Y)

    return main


def rows(dtype="float16", M=64, N=512, rows=4):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M // rows, threads=128) as by:
            x = T.alloc_fragment((rows, N), dtype)
            T.copy(X[by * rows, 0], x)
            for i, j in T.Parallel(rows, N):
                x[i, j] = T.tanh(x[i, j] * 2) * 3
            T.copy(x, Y[by * rows, 0])

    return main

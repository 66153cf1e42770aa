#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels as authors write them, none of which was tuned: one TileLang file each, in sizes for timing.

usage: natural.py DIR

Attention with softcap, ALiBi, bias, masks, segments and windows, products with what stands in front of and behind them
(epilogues, 8- and 4-bit weights in several packings, experts, LoRA), rows (norms, softmax in two passes, quantisation,
RoPE, cross entropy) and a few others; those of natural_attention.py, natural_products.py, natural_rows.py
and natural_others.py, too.
corpus.py run --files DIR times them beside TileLang.
"""
import functools
import pathlib
import sys
import textwrap

import natural_files
from natural_files import f8, ri, rn

kernel = functools.partial(natural_files.kernel, prefix="nat_")


def att(name, score="", extra=(), B=2, H=16, S=2048, SK=None, D=128, bm=128, bn=128, st=2, th=256, dt="bfloat16", causal=False, pre="", lse=False, GQA=1, post="", rng=None):
    SK = SK or S
    rng = rng or (f"T.ceildiv((bx + 1) * {bm}, {bn})" if causal else f"{SK // bn}")
    sc = (1 / D) ** 0.5
    body = f'''
with T.Kernel({S // bm}, {H}, {B}, threads={th}) as (bx, by, bz):
    Q_s = T.alloc_shared(({bm}, {D}), "{dt}")
    K_s = T.alloc_shared(({bn}, {D}), "{dt}")
    V_s = T.alloc_shared(({bn}, {D}), "{dt}")
    s = T.alloc_fragment(({bm}, {bn}), "float32")
    p = T.alloc_fragment(({bm}, {bn}), "{dt}")
    o = T.alloc_fragment(({bm}, {D}), "float32")
    m = T.alloc_fragment(({bm},), "float32")
    mp = T.alloc_fragment(({bm},), "float32")
    alpha = T.alloc_fragment(({bm},), "float32")
    row = T.alloc_fragment(({bm},), "float32")
    l = T.alloc_fragment(({bm},), "float32")
{textwrap.indent(textwrap.dedent(pre).strip(), "    ")}
    T.copy(Q[bz, by, bx * {bm}:(bx + 1) * {bm}, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined({rng}, num_stages={st}):
        T.copy(K[bz, by // {GQA}, k * {bn}:(k + 1) * {bn}, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
{textwrap.indent(textwrap.dedent(score).strip(), "        ")}
        T.copy(m, mp)
        T.fill(m, -T.infinity("float32"))
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel({bm}):
            m[i] = T.max(m[i], mp[i])
        for i in T.Parallel({bm}):
            alpha[i] = T.exp2(mp[i] * {sc * 1.44269504} - m[i] * {sc * 1.44269504})
        for i, j in T.Parallel({bm}, {bn}):
            s[i, j] = T.exp2(s[i, j] * {sc * 1.44269504} - m[i] * {sc * 1.44269504})
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel({bm}):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel({bm}, {D}):
            o[i, j] *= alpha[i]
        T.copy(V[bz, by // {GQA}, k * {bn}:(k + 1) * {bn}, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel({bm}, {D}):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, by, bx * {bm}:(bx + 1) * {bm}, :])
{textwrap.indent(textwrap.dedent(post).strip(), "    ")}
'''
    a = [rn("Q", (B, H, S, D), dt), rn("K", (B, H // GQA, SK, D), dt), rn("V", (B, H // GQA, SK, D), dt)] + list(extra) + [rn("Out", (B, H, S, D), dt)]
    kernel("att_" + name, body, a)

sc = 128 ** -0.5
att("softcap", f'''
for i, j in T.Parallel(128, 128):
    s[i, j] = T.tanh(s[i, j] * {sc / 30}) * {30 / sc}''')
att("softcap_causal", f'''
for i, j in T.Parallel(128, 128):
    s[i, j] = T.if_then_else(bx * 128 + i >= k * 128 + j, T.tanh(s[i, j] * {sc / 50}) * {50 / sc}, -T.infinity("float32"))''', causal=True)
att("alibi", f'''
for i, j in T.Parallel(128, 128):
    s[i, j] = s[i, j] + slope[0] * (k * 128 + j - bx * 128 - i)''', [rn("Slopes", (16,), "float32")], pre='''
slope = T.alloc_fragment((1,), "float32")
slope[0] = Slopes[by]''')
att("bias_elem", '''
for i, j in T.Parallel(128, 128):
    s[i, j] = s[i, j] + Bias[by, bx * 128 + i, k * 128 + j]''', [rn("Bias", (16, 2048, 2048), "bfloat16")])
att("bias_tile", '''
T.copy(Bias[by, bx * 128:(bx + 1) * 128, k * 128:(k + 1) * 128], b_s)
for i, j in T.Parallel(128, 128):
    s[i, j] = s[i, j] + b_s[i, j]''', [rn("Bias", (16, 2048, 2048), "bfloat16")], pre='''
b_s = T.alloc_shared((128, 128), "bfloat16")''')
att("keymask", '''
for i, j in T.Parallel(128, 128):
    s[i, j] = T.if_then_else(Mask[bz, k * 128 + j] != 0, s[i, j], -1e30)''', [ri("Mask", (2, 2048), "int32", 0, 2)])
att("keymask8", '''
for i, j in T.Parallel(128, 128):
    s[i, j] = T.if_then_else(Mask[bz, k * 128 + j] != 0, s[i, j], -1e30)''', [ri("Mask", (2, 2048), "int8", 0, 2)])
att("segments", '''
for i, j in T.Parallel(128, 128):
    s[i, j] = T.if_then_else(Seg[bz, bx * 128 + i] == Seg[bz, k * 128 + j], s[i, j], -1e30)''', [ri("Seg", (2, 2048), "int32", 0, 2)])
att("window", '''
for i, j in T.Parallel(128, 128):
    s[i, j] = T.if_then_else(T.And(bx * 128 + i >= k * 128 + j, bx * 128 + i - (k * 128 + j) < 512), s[i, j], -T.infinity("float32"))''', causal=True)
att("gqa_lse", "", [rn("LSE", (2, 16, 2048), "float32")], GQA=4, causal=False, post=f'''
for i in T.Parallel(128):
    LSE[bz, by, bx * 128 + i] = T.log2(l[i]) + m[i] * {sc * 1.44269504}''')
att("causal64", '''
for i, j in T.Parallel(64, 64):
    s[i, j] = T.if_then_else(bx * 64 + i >= k * 64 + j, s[i, j], -T.infinity("float32"))''', bm=64, bn=64, th=128, causal=True)
att("d64_f16", "", D=64, dt="float16")
att("st1_64", "", bm=64, bn=64, th=128, st=1)
att("d256", "", D=256, bn=64, bm=64, th=128)
att("sigmoid_gate", '''
for i, j in T.Parallel(128, 128):
    s[i, j] = s[i, j] * T.sigmoid(G[bz, by, bx * 128 + i])''', [rn("G", (2, 16, 2048), "float32")])

def gemm(name, M, N, K, A, B, pre="", load="", gemm="", post="", bm=128, bn=128, bk=64, st=3, th=128, extra=(), outs=None, rng=None, grid=None, acc="float32"):
    body = f'''
with T.Kernel({grid or f"{N // bn}, {M // bm}"}, threads={th}) as (bx, by):
    c = T.alloc_fragment(({bm}, {bn}), "{acc}")
{textwrap.indent(textwrap.dedent(pre).strip(), "    ")}
    T.clear(c)
    for k in T.Pipelined({rng or K // bk}, num_stages={st}):
{textwrap.indent(textwrap.dedent(load).strip(), "        ")}
{textwrap.indent(textwrap.dedent(gemm).strip(), "        ")}
{textwrap.indent(textwrap.dedent(post).strip(), "    ")}
'''
    kernel(name, body, [A, B] + list(extra) + (outs or [rn("C", (M, N), "bfloat16")]))
M = N = K = 2048
A, B = rn("A", (M, K), "bfloat16"), rn("B", (N, K), "bfloat16")
ab = '''
a = T.alloc_shared((128, 64), "bfloat16")
b = T.alloc_shared((128, 64), "bfloat16")'''
lab = '''
T.copy(A[by * 128, k * 64], a)
T.copy(B[bx * 128, k * 64], b)'''
gab = "T.gemm(a, b, c, transpose_B=True)"
gemm("gelu_tanh", M, N, K, A, B, ab, lab, gab, '''
for i, j in T.Parallel(128, 128):
    c[i, j] = 0.5 * c[i, j] * (1 + T.tanh(0.7978845608 * (c[i, j] + 0.044715 * c[i, j] * c[i, j] * c[i, j])))
T.copy(c, C[by * 128, bx * 128])''')
gemm("bias_res", M, N, K, A, B, ab, lab, gab, '''
for i, j in T.Parallel(128, 128):
    c[i, j] = c[i, j] + Bias[bx * 128 + j] + R[by * 128 + i, bx * 128 + j]
T.copy(c, C[by * 128, bx * 128])''', extra=[rn("Bias", (N,), "bfloat16"), rn("R", (M, N), "bfloat16")])
gemm("swiglu", M, N, K, A, B, ab + '''
g = T.alloc_shared((128, 64), "bfloat16")
d = T.alloc_fragment((128, 128), "float32")
T.clear(d)''', lab + '''
T.copy(G[bx * 128, k * 64], g)''', gab + '''
T.gemm(a, g, d, transpose_B=True)''', '''
for i, j in T.Parallel(128, 128):
    c[i, j] = c[i, j] * T.sigmoid(c[i, j]) * d[i, j]
T.copy(c, C[by * 128, bx * 128])''', th=256, extra=[rn("G", (N, K), "bfloat16")])
gemm("abs_scale_int8", M, N, K, ri("A", (M, K), "int8", -8, 8), ri("B", (N, K), "int8", -8, 8), '''
a = T.alloc_shared((128, 128), "int8")
b = T.alloc_shared((128, 128), "int8")
f = T.alloc_fragment((128, 128), "float32")''', '''
T.copy(A[by * 128, k * 128], a)
T.copy(B[bx * 128, k * 128], b)''', gab, '''
for i, j in T.Parallel(128, 128):
    f[i, j] = c[i, j] * Sa[by * 128 + i] * Sb[bx * 128 + j]
T.copy(f, C[by * 128, bx * 128])''', bk=128, acc="int32", extra=[rn("Sa", (M,), "float32"), rn("Sb", (N,), "float32")])
gemm("w8a16", M, N, K, A, ri("B", (N, K), "int8", -8, 8), '''
a = T.alloc_shared((128, 64), "bfloat16")
q = T.alloc_shared((128, 64), "int8")
b = T.alloc_fragment((128, 64), "bfloat16")
bs = T.alloc_shared((128, 64), "bfloat16")''', '''
T.copy(A[by * 128, k * 64], a)
T.copy(B[bx * 128, k * 64], q)
for i, j in T.Parallel(128, 64):
    bs[i, j] = T.cast(q[i, j], "bfloat16")''', "T.gemm(a, bs, c, transpose_B=True)", '''
for i, j in T.Parallel(128, 128):
    c[i, j] = c[i, j] * S[bx * 128 + j]
T.copy(c, C[by * 128, bx * 128])''', extra=[rn("S", (N,), "float32")])
gemm("w4a16_direct", M, N, K, A, ri("B", (N, K // 2), "uint8", 0, 255), '''
a = T.alloc_shared((128, 64), "bfloat16")
bs = T.alloc_shared((128, 64), "bfloat16")''', '''
T.copy(A[by * 128, k * 64], a)
for i, j in T.Parallel(128, 64):
    bs[i, j] = T.cast((B[bx * 128 + i, (k * 64 + j) // 2] >> ((j % 2) * 4)) & 15, "bfloat16") - 8''', "T.gemm(a, bs, c, transpose_B=True)", "T.copy(c, C[by * 128, bx * 128])")
gemm("w4a16_groups", M, N, K, A, ri("B", (N, K // 2), "uint8", 0, 255), '''
a = T.alloc_shared((128, 64), "bfloat16")
q = T.alloc_shared((128, 32), "uint8")
bs = T.alloc_shared((128, 64), "bfloat16")''', '''
T.copy(A[by * 128, k * 64], a)
T.copy(B[bx * 128, k * 32], q)
for i, j in T.Parallel(128, 64):
    bs[i, j] = (T.cast((q[i, j // 2] >> ((j % 2) * 4)) & 15, "float32") - 8) * S[bx * 128 + i, k // 2]''', "T.gemm(a, bs, c, transpose_B=True)", "T.copy(c, C[by * 128, bx * 128])", extra=[rn("S", (N, K // 128), "bfloat16")])
gemm("w4a16_zeros", M, N, K, A, ri("B", (N, K // 2), "uint8", 0, 255), '''
a = T.alloc_shared((128, 64), "bfloat16")
q = T.alloc_shared((128, 32), "uint8")
bs = T.alloc_shared((128, 64), "bfloat16")''', '''
T.copy(A[by * 128, k * 64], a)
T.copy(B[bx * 128, k * 32], q)
for i, j in T.Parallel(128, 64):
    bs[i, j] = (T.cast((q[i, j // 2] >> ((j % 2) * 4)) & 15, "bfloat16") - Z[k // 2, bx * 128 + i]) * S[k // 2, bx * 128 + i]''', "T.gemm(a, bs, c, transpose_B=True)", "T.copy(c, C[by * 128, bx * 128])", extra=[rn("S", (K // 128, N), "bfloat16"), rn("Z", (K // 128, N), "bfloat16")])
gemm("fp8_block", M, N, K, f8("A", (M, K)), f8("B", (N, K)), '''
a = T.alloc_shared((128, 128), "float8_e4m3fn")
b = T.alloc_shared((128, 128), "float8_e4m3fn")
d = T.alloc_fragment((128, 128), "float32")
T.clear(d)''', '''
T.copy(A[by * 128, k * 128], a)
T.copy(B[bx * 128, k * 128], b)''', gab + '''
for i, j in T.Parallel(128, 128):
    d[i, j] += c[i, j] * Sa[by * 128 + i, k] * Sb[bx, k]
T.clear(c)''', "T.copy(d, C[by * 128, bx * 128])", bk=128, extra=[rn("Sa", (M, K // 128), "float32"), rn("Sb", (N // 128, K // 128), "float32")])
gemm("lora", M, N, K, A, B, ab + '''
la = T.alloc_shared((64, 16), "bfloat16")
t = T.alloc_fragment((128, 16), "float32")
ts = T.alloc_shared((128, 16), "bfloat16")
lb = T.alloc_shared((16, 128), "bfloat16")
T.clear(t)''', lab + '''
T.copy(LA[k * 64, 0], la)''', gab + '''
T.gemm(a, la, t)''', '''
T.copy(t, ts)
T.copy(LB[0, bx * 128], lb)
T.gemm(ts, lb, c)
T.copy(c, C[by * 128, bx * 128])''', extra=[rn("LA", (K, 16), "bfloat16"), rn("LB", (16, N), "bfloat16")])
gemm("moe_rows", M, N, K, A, rn("B", (8, N, K), "bfloat16"), ab + '''
e = T.alloc_var("int32")
e = Expert[by]''', '''
for i, j in T.Parallel(128, 64):
    a[i, j] = A[Ids[by * 128 + i], k * 64 + j]
T.copy(B[e, bx * 128:(bx + 1) * 128, k * 64:(k + 1) * 64], b)''', gab, '''
for i, j in T.Parallel(128, 128):
    c[i, j] = c[i, j] * W[by * 128 + i]
T.copy(c, C[by * 128, bx * 128])''', extra=[ri("Ids", (M,), "int32", 0, M), ri("Expert", (M // 128,), "int32", 0, 8), rn("W", (M,), "float32")])
gemm("scatter_add", M, N, K, A, B, ab, lab, gab, '''
for i, j in T.Parallel(128, 128):
    T.atomic_add(C[Ids[by * 128 + i], bx * 128 + j], c[i, j])''', extra=[ri("Ids", (M,), "int32", 0, M)], outs=[rn("C", (M, N), "float32")])
gemm("norm_in_loop", M, N, K, A, B, ab + '''
sq = T.alloc_fragment((128, 64), "float32")
ss = T.alloc_fragment((128,), "float32")
T.clear(ss)''', lab, gab + '''
for i, j in T.Parallel(128, 64):
    sq[i, j] = T.cast(a[i, j], "float32") * a[i, j]
T.reduce_sum(sq, ss, dim=1, clear=False)''', '''
for i, j in T.Parallel(128, 128):
    c[i, j] = c[i, j] * T.rsqrt(ss[i] / 2048 + 1e-6)
T.copy(c, C[by * 128, bx * 128])''')
gemm("rowmax", M, N, K, A, B, ab + '''
mx = T.alloc_fragment((128,), "float32")''', lab, gab, '''
T.reduce_max(c, mx, dim=1)
for i, j in T.Parallel(128, 128):
    c[i, j] = T.exp(c[i, j] - mx[i])
T.copy(c, C[by * 128, bx * 128])
T.copy(mx, Mx[bx, by * 128])''', extra=[rn("Mx", (N // 128, M), "float32")])
gemm("syrk", M, M, K, A, B, ab, '''
T.copy(A[by * 128, k * 64], a)
T.copy(A[bx * 128, k * 64], b)''', gab, '''
if by >= bx:
    T.copy(c, C[by * 128, bx * 128])''')
gemm("prescale_a", M, N, K, A, B, ab + '''
af = T.alloc_fragment((128, 64), "bfloat16")''', lab + '''
for i, j in T.Parallel(128, 64):
    af[i, j] = a[i, j] * S[by * 128 + i] ''', "T.gemm(af, b, c, transpose_B=True)", "T.copy(c, C[by * 128, bx * 128])", extra=[rn("S", (M,), "float32")])
gemm("silu_a", M, N, K, A, B, ab + '''
af = T.alloc_fragment((128, 64), "float32")
ac = T.alloc_fragment((128, 64), "bfloat16")''', lab + '''
T.copy(a, af)
for i, j in T.Parallel(128, 64):
    af[i, j] = af[i, j] / (1 + T.exp(-af[i, j]))
T.copy(af, ac)''', "T.gemm(ac, b, c, transpose_B=True)", "T.copy(c, C[by * 128, bx * 128])")

def rows(name, body, extra):
    kernel("row_" + name, body, extra)
rows("rope", '''
with T.Kernel(4096, threads=128) as bx:
    for h, i in T.Parallel(32, 64):
        Y[bx, h, i] = X[bx, h, i] * Cos[bx, i] - X[bx, h, i + 64] * Sin[bx, i]
        Y[bx, h, i + 64] = X[bx, h, i + 64] * Cos[bx, i] + X[bx, h, i] * Sin[bx, i]
''', [rn("X", (4096, 32, 128)), rn("Cos", (4096, 64), "float32"), rn("Sin", (4096, 64), "float32"), rn("Y", (4096, 32, 128))])
rows("rmsnorm_res", '''
with T.Kernel(8192, threads=256) as bx:
    x = T.alloc_fragment((4096,), "float32")
    sq = T.alloc_fragment((4096,), "float32")
    ss = T.alloc_fragment((1,), "float32")
    for i in T.Parallel(4096):
        x[i] = X[bx, i] + R[bx, i]
    for i in T.Parallel(4096):
        R[bx, i] = x[i]
    for i in T.Parallel(4096):
        sq[i] = x[i] * x[i]
    T.reduce_sum(sq, ss, dim=0)
    for i in T.Parallel(4096):
        Y[bx, i] = x[i] * T.rsqrt(ss[0] / 4096 + 1e-6) * W[i]
''', [rn("X", (8192, 4096), "bfloat16"), rn("R", (8192, 4096), "bfloat16"), rn("W", (4096,), "bfloat16"), rn("Y", (8192, 4096), "bfloat16")])
rows("token_quant", '''
with T.Kernel(8192, threads=256) as bx:
    x = T.alloc_fragment((4096,), "float32")
    mx = T.alloc_fragment((1,), "float32")
    T.copy(X[bx, :], x)
    T.reduce_absmax(x, mx, dim=0)
    S[bx] = T.max(mx[0], 1e-4) / 448.0
    for i in T.Parallel(4096):
        Y[bx, i] = T.clamp(x[i] / (T.max(mx[0], 1e-4) / 448.0), -448.0, 448.0)
''', [rn("X", (8192, 4096), "bfloat16"), f8("Y", (8192, 4096)), rn("S", (8192,), "float32")])


def online(blocks, width, rounds):
    """The largest element of a row that comes in pieces, and the sum of exponentials below it."""
    return f'''
with T.Kernel({blocks}, threads=256) as bx:
    x = T.alloc_fragment(({width},), "float32")
    m = T.alloc_fragment((1,), "float32")
    mp = T.alloc_fragment((1,), "float32")
    s = T.alloc_fragment((1,), "float32")
    l = T.alloc_fragment((1,), "float32")
    T.fill(m, -T.infinity("float32"))
    T.clear(l)
    for k in {rounds}:
        T.copy(X[bx, k * {width}], x)
        T.copy(m, mp)
        T.reduce_max(x, m, dim=0, clear=False)
        for i in T.Parallel({width}):
            x[i] = T.exp(x[i] - m[0])
        T.reduce_sum(x, s, dim=0)
        l[0] = l[0] * T.exp(mp[0] - m[0]) + s[0]
'''


rows("softmax2pass", online(4096, 1024, "T.serial(16)") + '''
    for k in T.serial(16):
        T.copy(X[bx, k * 1024], x)
        for i in T.Parallel(1024):
            x[i] = T.exp(x[i] - m[0]) / l[0]
        T.copy(x, Y[bx, k * 1024])
'''.lstrip("\n"), [rn("X", (4096, 16384), "bfloat16"), rn("Y", (4096, 16384), "bfloat16")])
rows("cross_entropy", online(2048, 2048, "T.Pipelined(16, num_stages=2)") + '''
    Y[bx] = m[0] + T.log(l[0]) - X[bx, Label[bx]]
'''.lstrip("\n"), [rn("X", (2048, 32768), "bfloat16"), ri("Label", (2048,), "int32", 0, 32768), rn("Y", (2048,), "float32")])
rows("ln_bwd", '''
with T.Kernel(4096, threads=128) as bx:
    x = T.alloc_fragment((2048,), "float32")
    dy = T.alloc_fragment((2048,), "float32")
    t = T.alloc_fragment((2048,), "float32")
    a = T.alloc_fragment((1,), "float32")
    b = T.alloc_fragment((1,), "float32")
    for i in T.Parallel(2048):
        x[i] = (X[bx, i] - Mean[bx]) * Rstd[bx]
    for i in T.Parallel(2048):
        dy[i] = DY[bx, i] * W[i]
    for i in T.Parallel(2048):
        t[i] = dy[i] * x[i]
    T.reduce_sum(t, a, dim=0)
    T.reduce_sum(dy, b, dim=0)
    for i in T.Parallel(2048):
        DX[bx, i] = (dy[i] - b[0] / 2048 - x[i] * (a[0] / 2048)) * Rstd[bx]
''', [rn("X", (4096, 2048), "bfloat16"), rn("DY", (4096, 2048), "bfloat16"), rn("W", (2048,), "float32"), rn("Mean", (4096,), "float32"), rn("Rstd", (4096,), "float32"), rn("DX", (4096, 2048), "bfloat16")])
rows("tanh_f16", '''
with T.Kernel(2048, threads=128) as bx:
    x = T.alloc_fragment((4, 4096), "float16")
    T.copy(X[bx * 4, 0], x)
    for i, j in T.Parallel(4, 4096):
        x[i, j] = T.tanh(x[i, j])
    T.copy(x, Y[bx * 4, 0])
''', [rn("X", (8192, 4096)), rn("Y", (8192, 4096))])
rows("swiglu", '''
with T.Kernel(8192, threads=256) as bx:
    for i in T.Parallel(4096):
        Y[bx, i] = X[bx, i] / (1 + T.exp(-T.cast(X[bx, i], "float32"))) * X[bx, i + 4096]
''', [rn("X", (8192, 8192), "bfloat16"), rn("Y", (8192, 4096), "bfloat16")])
rows("transpose32", '''
with T.Kernel(128, 128, threads=128) as (bx, by):
    t = T.alloc_shared((64, 64), "float32")
    T.copy(X[by * 64, bx * 64], t)
    for i, j in T.Parallel(64, 64):
        Y[bx * 64 + i, by * 64 + j] = t[j, i]
''', [rn("X", (8192, 8192), "float32"), rn("Y", (8192, 8192), "float32")])
rows("depthwise", '''
with T.Kernel(32, 64, 4, threads=256) as (bx, by, bz):
    for i, j in T.Parallel(64, 64):
        Y[bz, bx * 64 + i, by * 64 + j] = X[bz, bx * 64 + i, by * 64 + j] * W[0, by * 64 + j] + X[bz, bx * 64 + i + 1, by * 64 + j] * W[1, by * 64 + j] + X[bz, bx * 64 + i + 2, by * 64 + j] * W[2, by * 64 + j] + X[bz, bx * 64 + i + 3, by * 64 + j] * W[3, by * 64 + j]
''', [rn("X", (4, 2051, 4096), "bfloat16"), rn("W", (4, 4096), "bfloat16"), rn("Y", (4, 2048, 4096), "bfloat16")])
rows("colsum", '''
with T.Kernel(64, 16, threads=128) as (bx, by):
    x = T.alloc_fragment((64, 64), "float32")
    s = T.alloc_fragment((64,), "float32")
    acc = T.alloc_fragment((64,), "float32")
    T.clear(acc)
    for k in T.Pipelined(8, num_stages=2):
        T.copy(X[by * 512 + k * 64, bx * 64], x)
        T.reduce_sum(x, s, dim=0)
        for j in T.Parallel(64):
            acc[j] += s[j]
    for j in T.Parallel(64):
        T.atomic_add(Y[bx * 64 + j], acc[j])
''', [rn("X", (8192, 4096), "bfloat16"), rn("Y", (4096,), "float32")])
rows("groupnorm", '''
with T.Kernel(32, 16, threads=256) as (bx, by):
    x = T.alloc_fragment((16, 1024), "float32")
    r = T.alloc_fragment((16,), "float32")
    s = T.alloc_fragment((1,), "float32")
    q = T.alloc_fragment((1,), "float32")
    T.copy(X[by, bx * 16:(bx + 1) * 16, 0:1024], x)
    T.reduce_sum(x, r, dim=1)
    T.reduce_sum(r, s, dim=0)
    for i, j in T.Parallel(16, 1024):
        x[i, j] = x[i, j] - s[0] / 16384
    y = T.alloc_fragment((16, 1024), "float32")
    for i, j in T.Parallel(16, 1024):
        y[i, j] = x[i, j] * x[i, j]
    T.reduce_sum(y, r, dim=1)
    T.reduce_sum(r, q, dim=0)
    for i, j in T.Parallel(16, 1024):
        Y[by, bx * 16 + i, j] = x[i, j] * T.rsqrt(q[0] / 16384 + 1e-5) * W[bx * 16 + i] + Bb[bx * 16 + i]
''', [rn("X", (16, 512, 1024), "bfloat16"), rn("W", (512,), "float32"), rn("Bb", (512,), "float32"), rn("Y", (16, 512, 1024), "bfloat16")])
rows("embed_grad", '''
with T.Kernel(8192, threads=128) as bx:
    for i in T.Parallel(1024):
        T.atomic_add(G[Ids[bx], i], T.cast(DY[bx, i], "float32"))
''', [ri("Ids", (8192,), "int32", 0, 32000), rn("DY", (8192, 1024), "bfloat16"), rn("G", (32000, 1024), "float32")])
# chunked linear attention
kernel("lin_chunk", '''
with T.Kernel(32, threads=128) as bx:
    q = T.alloc_shared((64, 64), "bfloat16")
    kk = T.alloc_shared((64, 64), "bfloat16")
    v = T.alloc_shared((64, 64), "bfloat16")
    h = T.alloc_fragment((64, 64), "float32")
    hs = T.alloc_shared((64, 64), "bfloat16")
    s = T.alloc_fragment((64, 64), "float32")
    ss = T.alloc_shared((64, 64), "bfloat16")
    o = T.alloc_fragment((64, 64), "float32")
    T.clear(h)
    for c in T.Pipelined(64, num_stages=2):
        T.copy(Q[bx, c * 64, 0], q)
        T.copy(Kx[bx, c * 64, 0], kk)
        T.copy(V[bx, c * 64, 0], v)
        T.copy(h, hs)
        T.clear(s)
        T.gemm(q, kk, s, transpose_B=True)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.if_then_else(i >= j, s[i, j], 0)
        T.copy(s, ss)
        T.clear(o)
        T.gemm(ss, v, o)
        T.gemm(q, hs, o)
        T.gemm(kk, v, h, transpose_A=True)
        T.copy(o, O[bx, c * 64, 0])
''', [rn("Q", (32, 4096, 64), "bfloat16", 0.1), rn("Kx", (32, 4096, 64), "bfloat16", 0.1), rn("V", (32, 4096, 64), "bfloat16", 0.1), rn("O", (32, 4096, 64), "bfloat16")])
kernel("paged_decode", '''
with T.Kernel(64, 8, threads=128) as (bz, by):
    q = T.alloc_shared((64, 128), "bfloat16")
    ks = T.alloc_shared((64, 128), "bfloat16")
    vs = T.alloc_shared((64, 128), "bfloat16")
    s = T.alloc_fragment((64, 64), "float32")
    p = T.alloc_fragment((64, 64), "bfloat16")
    o = T.alloc_fragment((64, 128), "float32")
    m = T.alloc_fragment((64,), "float32")
    mp = T.alloc_fragment((64,), "float32")
    al = T.alloc_fragment((64,), "float32")
    r = T.alloc_fragment((64,), "float32")
    l = T.alloc_fragment((64,), "float32")
    for i, j in T.Parallel(64, 128):
        q[i, j] = T.if_then_else(i < 8, Q[bz, by * 8 + i % 8, j], 0)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(T.ceildiv(Lens[bz], 64), num_stages=2):
        T.copy(Kc[Table[bz, k], 0:64, by, 0:128], ks)
        T.clear(s)
        T.gemm(q, ks, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.if_then_else(k * 64 + j < Lens[bz], s[i, j], -T.infinity("float32"))
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(64):
            al[i] = T.exp2((mp[i] - m[i]) * 0.1275)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.1275)
        T.reduce_sum(s, r, dim=1)
        for i in T.Parallel(64):
            l[i] = l[i] * al[i] + r[i]
        for i, j in T.Parallel(64, 128):
            o[i, j] *= al[i]
        T.copy(s, p)
        T.copy(Vc[Table[bz, k], 0:64, by, 0:128], vs)
        T.gemm(p, vs, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(64, 128):
        if i < 8:
            Out[bz, by * 8 + i, j] = o[i, j] / l[i]
''', [rn("Q", (64, 64, 128), "bfloat16"), rn("Kc", (2048, 64, 8, 128), "bfloat16"), rn("Vc", (2048, 64, 8, 128), "bfloat16"), ri("Table", (64, 32), "int32", 0, 2048), ri("Lens", (64,), "int32", 1500, 2048), rn("Out", (64, 64, 128), "bfloat16")])
kernel("gemv_w", '''
with T.Kernel(2048, threads=(32, 4)) as bn:
    tk = T.get_thread_binding(0)
    tn = T.get_thread_binding(1)
    acc = T.alloc_local((1,), "float32")
    T.clear(acc)
    for k in T.serial(32):
        for v in T.serial(8):
            acc[0] += T.cast(A[k * 256 + tk * 8 + v], "float32") * T.cast(W[bn * 4 + tn, k * 256 + tk * 8 + v], "float32")
    red = T.alloc_local((1,), "float32")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.cast(0, "float32")]), "reduce_scope", T.reinterpret(T.uint64(0), dtype="handle")):
        T.evaluate(T.tvm_thread_allreduce(T.uint32(1), acc[0], True, red[0], tk, dtype="handle"))
    if tk == 0:
        C[bn * 4 + tn] = red[0]
''', [rn("A", (8192,)), rn("W", (8192, 8192)), rn("C", (8192,))])
kernel("bmm_small", '''
with T.Kernel(4096, threads=128) as bx:
    a = T.alloc_shared((64, 64), "float16")
    b = T.alloc_shared((64, 64), "float16")
    c = T.alloc_fragment((64, 64), "float32")
    T.copy(A[bx, 0, 0], a)
    T.copy(B[bx, 0, 0], b)
    T.clear(c)
    T.gemm(a, b, c)
    T.copy(c, C[bx, 0, 0])
''', [rn("A", (4096, 64, 64)), rn("B", (4096, 64, 64)), rn("C", (4096, 64, 64))])

import natural_attention  # noqa: E402,F401
import natural_others  # noqa: E402,F401
import natural_products  # noqa: E402,F401
import natural_rows  # noqa: E402,F401
import natural_staged  # noqa: E402,F401

folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)
for file, text in natural_files.FILES.items():
    (folder / file).write_text(text)

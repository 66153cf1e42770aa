# SPDX-License-Identifier: Apache-2.0
"""Attention: masks of several kinds, sequences of several lengths, decoding, MLA, the backward pass, linear attention.
natural.py writes their files."""
from natural_files import f8, kernel, out, ri, rn

kernel("att_alibi_causal", """
with T.Kernel(32, 16, 2, threads=128) as (bx, by, bz):
    Q_s = T.alloc_shared((64, 128), "bfloat16")
    K_s = T.alloc_shared((64, 128), "bfloat16")
    V_s = T.alloc_shared((64, 128), "bfloat16")
    s = T.alloc_fragment((64, 64), "float32")
    p = T.alloc_fragment((64, 64), "bfloat16")
    o = T.alloc_fragment((64, 128), "float32")
    m = T.alloc_fragment((64,), "float32")
    mp = T.alloc_fragment((64,), "float32")
    alpha = T.alloc_fragment((64,), "float32")
    row = T.alloc_fragment((64,), "float32")
    l = T.alloc_fragment((64,), "float32")
    T.copy(Q[bz, bx * 64:(bx + 1) * 64, by, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(bx + 1, num_stages=2):
        T.copy(K[bz, k * 64:(k + 1) * 64, by // 1, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.if_then_else(bx * 64 + i >= k * 64 + j, s[i, j] - Slopes[by] * (bx * 64 + i - k * 64 - j), -T.infinity("float32"))
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(64):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(64):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(64, 128):
            o[i, j] *= alpha[i]
        T.copy(V[bz, k * 64:(k + 1) * 64, by // 1, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(64, 128):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, bx * 64:(bx + 1) * 64, by, :])
""",
       [rn("Q", (2, 2048, 16, 128), "bfloat16"), rn("K", (2, 2048, 16, 128), "bfloat16"),
        rn("V", (2, 2048, 16, 128), "bfloat16"),
        ("Slopes", (16,), "float32", 'torch.rand((16,), device="cuda", dtype=torch.float32)'),
        out("Out", (2, 2048, 16, 128), "bfloat16")])

kernel("att_blocksparse", """
with T.Kernel(32, 16, 2, threads=256) as (bx, by, bz):
    Q_s = T.alloc_shared((128, 128), "float16")
    K_s = T.alloc_shared((128, 128), "float16")
    V_s = T.alloc_shared((128, 128), "float16")
    s = T.alloc_fragment((128, 128), "float32")
    p = T.alloc_fragment((128, 128), "float16")
    o = T.alloc_fragment((128, 128), "float32")
    m = T.alloc_fragment((128,), "float32")
    mp = T.alloc_fragment((128,), "float32")
    alpha = T.alloc_fragment((128,), "float32")
    row = T.alloc_fragment((128,), "float32")
    l = T.alloc_fragment((128,), "float32")
    T.copy(Q[bz, by, bx * 128:(bx + 1) * 128, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(Cnt[bz, by, bx], num_stages=2):
        T.copy(K[bz, by, Idx[bz, by, bx, k] * 128:(Idx[bz, by, bx, k] + 1) * 128, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(128):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(128, 128):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(128):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(128, 128):
            o[i, j] *= alpha[i]
        T.copy(V[bz, by, Idx[bz, by, bx, k] * 128:(Idx[bz, by, bx, k] + 1) * 128, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(128, 128):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, by, bx * 128:(bx + 1) * 128, :])
""",
       [rn("Q", (2, 16, 4096, 128), "float16"), rn("K", (2, 16, 4096, 128), "float16"),
        rn("V", (2, 16, 4096, 128), "float16"), ri("Idx", (2, 16, 32, 16), "int32", 0, 32),
        ri("Cnt", (2, 16, 32), "int32", 1, 16), out("Out", (2, 16, 4096, 128), "float16")])

kernel("att_docmask", """
with T.Kernel(32, 16, 2, threads=128) as (bx, by, bz):
    Q_s = T.alloc_shared((64, 128), "bfloat16")
    K_s = T.alloc_shared((128, 128), "bfloat16")
    V_s = T.alloc_shared((128, 128), "bfloat16")
    s = T.alloc_fragment((64, 128), "float32")
    p = T.alloc_fragment((64, 128), "bfloat16")
    o = T.alloc_fragment((64, 128), "float32")
    m = T.alloc_fragment((64,), "float32")
    mp = T.alloc_fragment((64,), "float32")
    alpha = T.alloc_fragment((64,), "float32")
    row = T.alloc_fragment((64,), "float32")
    l = T.alloc_fragment((64,), "float32")
    sq = T.alloc_shared((64,), "int32")
    sk = T.alloc_shared((128,), "int32")
    T.copy(Seg[bz, bx * 64:(bx + 1) * 64], sq)
    T.copy(Q[bz, bx * 64:(bx + 1) * 64, by, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(T.ceildiv((bx + 1) * 64, 128), num_stages=2):
        T.copy(K[bz, k * 128:(k + 1) * 128, by // 1, :], K_s)
        T.copy(Seg[bz, k * 128:(k + 1) * 128], sk)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 128):
            s[i, j] = T.if_then_else(T.And(bx * 64 + i >= k * 128 + j, sq[i] == sk[j]), s[i, j], -1e9)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(64):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(64, 128):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(64):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(64, 128):
            o[i, j] *= alpha[i]
        T.copy(V[bz, k * 128:(k + 1) * 128, by // 1, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(64, 128):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, bx * 64:(bx + 1) * 64, by, :])
""",
       [rn("Q", (2, 2048, 16, 128), "bfloat16"), rn("K", (2, 2048, 16, 128), "bfloat16"),
        rn("V", (2, 2048, 16, 128), "bfloat16"), ri("Seg", (2, 2048), "int32", 0, 3),
        out("Out", (2, 2048, 16, 128), "bfloat16")])

kernel("att_fp8", """
with T.Kernel(32, 16, 2, threads=256) as (bx, by, bz):
    Q_s = T.alloc_shared((128, 128), "float8_e4m3fn")
    K_s = T.alloc_shared((128, 128), "float8_e4m3fn")
    V_s = T.alloc_shared((128, 128), "float8_e4m3fn")
    s = T.alloc_fragment((128, 128), "float32")
    p = T.alloc_fragment((128, 128), "float8_e4m3fn")
    o = T.alloc_fragment((128, 128), "float32")
    m = T.alloc_fragment((128,), "float32")
    mp = T.alloc_fragment((128,), "float32")
    alpha = T.alloc_fragment((128,), "float32")
    row = T.alloc_fragment((128,), "float32")
    l = T.alloc_fragment((128,), "float32")
    P_s = T.alloc_shared((128, 128), "float8_e4m3fn")
    T.copy(Q[bz, by, bx * 128:(bx + 1) * 128, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(32, num_stages=2):
        T.copy(K[bz, by, k * 128:(k + 1) * 128, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(128):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(128, 128):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(128):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(128, 128):
            o[i, j] *= alpha[i]
        T.copy(Vt[bz, by, :, k * 128:(k + 1) * 128], V_s)
        T.copy(p, P_s)
        T.gemm(P_s, V_s, o, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(128, 128):
        o[i, j] = o[i, j] / l[i] * Sv[by]
    T.copy(o, Out[bz, by, bx * 128:(bx + 1) * 128, :])
""",
       [f8("Q", (2, 16, 4096, 128)), f8("K", (2, 16, 4096, 128)), f8("Vt", (2, 16, 128, 4096)),
        ("Sv", (16,), "float32", 'torch.rand((16,), device="cuda", dtype=torch.float32)'),
        out("Out", (2, 16, 4096, 128), "bfloat16")])

kernel("att_prefixlm", """
with T.Kernel(16, 16, 2, threads=256) as (bx, by, bz):
    Q_s = T.alloc_shared((128, 128), "float16")
    K_s = T.alloc_shared((128, 128), "float16")
    V_s = T.alloc_shared((128, 128), "float16")
    s = T.alloc_fragment((128, 128), "float32")
    p = T.alloc_fragment((128, 128), "float16")
    o = T.alloc_fragment((128, 128), "float32")
    m = T.alloc_fragment((128,), "float32")
    mp = T.alloc_fragment((128,), "float32")
    alpha = T.alloc_fragment((128,), "float32")
    row = T.alloc_fragment((128,), "float32")
    l = T.alloc_fragment((128,), "float32")
    T.copy(Q[bz, by, bx * 128:(bx + 1) * 128, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(T.ceildiv(T.max((bx + 1) * 128, Pref[bz]), 128), num_stages=2):
        T.copy(K[bz, by, k * 128:(k + 1) * 128, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(128, 128):
            s[i, j] = T.if_then_else(T.Or(k * 128 + j <= bx * 128 + i, k * 128 + j < Pref[bz]), s[i, j], -T.infinity("float32"))
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(128):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(128, 128):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(128):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(128, 128):
            o[i, j] *= alpha[i]
        T.copy(V[bz, by, k * 128:(k + 1) * 128, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(128, 128):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, by, bx * 128:(bx + 1) * 128, :])
""",
       [rn("Q", (2, 16, 2048, 128), "float16"), rn("K", (2, 16, 2048, 128), "float16"),
        rn("V", (2, 16, 2048, 128), "float16"), ri("Pref", (2,), "int32", 256, 1024),
        out("Out", (2, 16, 2048, 128), "float16")])

kernel("att_sliding", """
with T.Kernel(32, 16, 2, threads=256) as (bx, by, bz):
    Q_s = T.alloc_shared((128, 128), "bfloat16")
    K_s = T.alloc_shared((128, 128), "bfloat16")
    V_s = T.alloc_shared((128, 128), "bfloat16")
    s = T.alloc_fragment((128, 128), "float32")
    p = T.alloc_fragment((128, 128), "bfloat16")
    o = T.alloc_fragment((128, 128), "float32")
    m = T.alloc_fragment((128,), "float32")
    mp = T.alloc_fragment((128,), "float32")
    alpha = T.alloc_fragment((128,), "float32")
    row = T.alloc_fragment((128,), "float32")
    l = T.alloc_fragment((128,), "float32")
    T.copy(Q[bz, bx * 128:(bx + 1) * 128, by, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(T.max(0, (bx * 128 - 1023) // 128), bx + 1, num_stages=2):
        T.copy(K[bz, k * 128:(k + 1) * 128, by // 1, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(128, 128):
            s[i, j] = T.if_then_else(T.And(bx * 128 + i >= k * 128 + j, bx * 128 + i < k * 128 + j + 1024), s[i, j], -1e9)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(128):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(128, 128):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(128):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(128, 128):
            o[i, j] *= alpha[i]
        T.copy(V[bz, k * 128:(k + 1) * 128, by // 1, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(128, 128):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, bx * 128:(bx + 1) * 128, by, :])
""",
       [rn("Q", (2, 4096, 16, 128), "bfloat16"), rn("K", (2, 4096, 16, 128), "bfloat16"),
        rn("V", (2, 4096, 16, 128), "bfloat16"), out("Out", (2, 4096, 16, 128), "bfloat16")])

kernel("att_softcap_gqa", """
with T.Kernel(32, 16, 2, threads=256) as (bx, by, bz):
    Q_s = T.alloc_shared((128, 128), "bfloat16")
    K_s = T.alloc_shared((64, 128), "bfloat16")
    V_s = T.alloc_shared((64, 128), "bfloat16")
    s = T.alloc_fragment((128, 64), "float32")
    p = T.alloc_fragment((128, 64), "bfloat16")
    o = T.alloc_fragment((128, 128), "float32")
    m = T.alloc_fragment((128,), "float32")
    mp = T.alloc_fragment((128,), "float32")
    alpha = T.alloc_fragment((128,), "float32")
    row = T.alloc_fragment((128,), "float32")
    l = T.alloc_fragment((128,), "float32")
    T.copy(Q[bz, bx * 128:(bx + 1) * 128, by, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(T.ceildiv((bx + 1) * 128, 64), num_stages=2):
        T.copy(K[bz, k * 64:(k + 1) * 64, by // 4, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(128, 64):
            s[i, j] = T.tanh(s[i, j] * 0.0029462782549439484) * 339.41125496954277
        for i, j in T.Parallel(128, 64):
            s[i, j] = T.if_then_else(bx * 128 + i >= k * 64 + j, s[i, j], -T.infinity("float32"))
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(128):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(128, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(128):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(128, 128):
            o[i, j] *= alpha[i]
        T.copy(V[bz, k * 64:(k + 1) * 64, by // 4, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(128, 128):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, bx * 128:(bx + 1) * 128, by, :])
""",
       [rn("Q", (2, 4096, 16, 128), "bfloat16"), rn("K", (2, 4096, 4, 128), "bfloat16"),
        rn("V", (2, 4096, 4, 128), "bfloat16"), out("Out", (2, 4096, 16, 128), "bfloat16")])

kernel("att_varlen_cross", """
with T.Kernel(10, 16, 4, threads=128) as (bx, by, bz):
    Q_s = T.alloc_shared((64, 128), "float16")
    K_s = T.alloc_shared((64, 128), "float16")
    V_s = T.alloc_shared((64, 128), "float16")
    s = T.alloc_fragment((64, 64), "float32")
    p = T.alloc_fragment((64, 64), "float16")
    o = T.alloc_fragment((64, 128), "float32")
    m = T.alloc_fragment((64,), "float32")
    mp = T.alloc_fragment((64,), "float32")
    alpha = T.alloc_fragment((64,), "float32")
    row = T.alloc_fragment((64,), "float32")
    l = T.alloc_fragment((64,), "float32")
    q0 = CuQ[bz]
    k0 = CuK[bz]
    ql = CuQ[bz + 1] - q0
    kl = CuK[bz + 1] - k0
    T.copy(Q[q0 + bx * 64:q0 + (bx + 1) * 64, by, :], Q_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(T.ceildiv(kl, 64), num_stages=2):
        T.copy(K[k0 + k * 64:k0 + (k + 1) * 64, by, :], K_s)
        T.clear(s)
        T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.if_then_else(k * 64 + j < kl, s[i, j], -T.infinity("float32"))
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(64):
            alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
        T.reduce_sum(s, row, dim=1)
        for i in T.Parallel(64):
            l[i] = l[i] * alpha[i] + row[i]
        T.copy(s, p)
        for i, j in T.Parallel(64, 128):
            o[i, j] *= alpha[i]
        T.copy(V[k0 + k * 64:k0 + (k + 1) * 64, by, :], V_s)
        T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel(64, 128):
        o[i, j] /= l[i]
    for i, j in T.Parallel(64, 128):
        if bx * 64 + i < ql:
            Out[q0 + bx * 64 + i, by, j] = o[i, j]
""",
       [rn("Q", (2048, 16, 128), "float16"), rn("K", (8192, 16, 128), "float16"), rn("V", (8192, 16, 128), "float16"),
        ("CuQ", (5,), "int32", 'torch.tensor([0, 456, 924, 1529, 2048], device="cuda", dtype=torch.int32)'),
        ("CuK", (5,), "int32", 'torch.tensor([0, 1024, 2078, 6083, 8192], device="cuda", dtype=torch.int32)'),
        out("Out", (2048, 16, 128), "float16")])

# attention backward, dK and dV of a key block (causal), 128x64, 2 stages, 256 threads
kernel("bwd_dkdv", """
with T.Kernel(16, 16, 1, threads=256) as (bx, by, bz):
    K_s = T.alloc_shared((128, 128), "bfloat16")
    V_s = T.alloc_shared((128, 128), "bfloat16")
    q = T.alloc_shared((64, 128), "bfloat16")
    do = T.alloc_shared((64, 128), "bfloat16")
    lse = T.alloc_shared((64,), "float32")
    delta = T.alloc_shared((64,), "float32")
    st = T.alloc_fragment((128, 64), "float32")
    dpt = T.alloc_fragment((128, 64), "float32")
    pt = T.alloc_fragment((128, 64), "bfloat16")
    dst = T.alloc_fragment((128, 64), "bfloat16")
    dk = T.alloc_fragment((128, 128), "float32")
    dv = T.alloc_fragment((128, 128), "float32")
    T.copy(K[bz, by, bx * 128:(bx + 1) * 128, :], K_s)
    T.copy(V[bz, by, bx * 128:(bx + 1) * 128, :], V_s)
    T.clear(dk)
    T.clear(dv)
    for k in T.Pipelined(bx * 2, 32, num_stages=2):
        T.copy(Q[bz, by, k * 64:(k + 1) * 64, :], q)
        T.clear(st)
        T.gemm(K_s, q, st, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        T.copy(Lse[bz, by, k * 64:(k + 1) * 64], lse)
        for i, j in T.Parallel(128, 64):
            st[i, j] = T.if_then_else(bx * 128 + i <= k * 64 + j, T.exp2(st[i, j] * 0.12751743 - lse[j]), 0)
        T.copy(DO[bz, by, k * 64:(k + 1) * 64, :], do)
        T.clear(dpt)
        T.gemm(V_s, do, dpt, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        T.copy(st, pt)
        T.gemm(pt, do, dv, policy=T.GemmWarpPolicy.FullRow)
        T.copy(Delta[bz, by, k * 64:(k + 1) * 64], delta)
        for i, j in T.Parallel(128, 64):
            dst[i, j] = st[i, j] * (dpt[i, j] - delta[j]) * 0.088388348
        T.gemm(dst, q, dk, policy=T.GemmWarpPolicy.FullRow)
    T.copy(dk, DK[bz, by, bx * 128:(bx + 1) * 128, :])
    T.copy(dv, DV[bz, by, bx * 128:(bx + 1) * 128, :])
""",
       [rn("Q", (1, 16, 2048, 128), "bfloat16"), rn("K", (1, 16, 2048, 128), "bfloat16"),
        rn("V", (1, 16, 2048, 128), "bfloat16"), rn("DO", (1, 16, 2048, 128), "bfloat16"),
        ("Lse", (1, 16, 2048), "float32", 'torch.rand((1, 16, 2048), device="cuda", dtype=torch.float32)'),
        rn("Delta", (1, 16, 2048), "float32"), out("DK", (1, 16, 2048, 128), "bfloat16"),
        out("DV", (1, 16, 2048, 128), "bfloat16")])

# attention backward preprocess: delta = sum(O * dO)
kernel("bwd_pre", """
with T.Kernel(64, 16, 4, threads=128) as (bx, by, bz):
    o = T.alloc_fragment((64, 128), "float32")
    do = T.alloc_fragment((64, 128), "float32")
    d = T.alloc_fragment((64,), "float32")
    T.copy(O[bz, bx * 64:(bx + 1) * 64, by, :], o)
    T.copy(DO[bz, bx * 64:(bx + 1) * 64, by, :], do)
    for i, j in T.Parallel(64, 128):
        o[i, j] = o[i, j] * do[i, j]
    T.reduce_sum(o, d, dim=1)
    T.copy(d, Delta[bz, by, bx * 64:(bx + 1) * 64])
""",
       [rn("O", (4, 4096, 16, 128), "bfloat16"), rn("DO", (4, 4096, 16, 128), "bfloat16"),
        out("Delta", (4, 16, 4096), "float32")])

# combine of split-KV decode
kernel("gqa_combine", """
with T.Kernel(64, 64, threads=128) as (bh, bb):
    o = T.alloc_fragment((128,), "float32")
    lse = T.alloc_fragment((16,), "float32")
    w = T.alloc_shared((16,), "float32")
    m = T.alloc_fragment((1,), "float32")
    z = T.alloc_fragment((1,), "float32")
    T.copy(Lse[bb, bh, :], lse)
    T.reduce_max(lse, m, dim=0)
    for i in T.Parallel(16):
        lse[i] = T.exp2(lse[i] - m[0])
    T.reduce_sum(lse, z, dim=0)
    for i in T.Parallel(16):
        w[i] = lse[i] / z[0]
    T.clear(o)
    for k in T.serial(16):
        for j in T.Parallel(128):
            o[j] += Part[bb, bh, k, j] * w[k]
    T.copy(o, Out[bb, bh, :])
""",
       [rn("Part", (64, 64, 16, 128), "float32"), rn("Lse", (64, 64, 16), "float32"),
        out("Out", (64, 64, 128), "bfloat16")])

# GQA decode, split KV: partial outputs and lse; 16 heads a KV head
kernel("gqa_decode_split", """
with T.Kernel(8, 4, 8, threads=128) as (bb, bh, bs):
    q = T.alloc_shared((16, 128), "bfloat16")
    ks = T.alloc_shared((64, 128), "bfloat16")
    vs = T.alloc_shared((64, 128), "bfloat16")
    s = T.alloc_fragment((16, 64), "float32")
    ps = T.alloc_shared((16, 64), "bfloat16")
    o = T.alloc_fragment((16, 128), "float32")
    m = T.alloc_fragment((16,), "float32")
    mp = T.alloc_fragment((16,), "float32")
    al = T.alloc_fragment((16,), "float32")
    r = T.alloc_fragment((16,), "float32")
    l = T.alloc_fragment((16,), "float32")
    T.copy(Q[bb, bh * 16:(bh + 1) * 16, :], q)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(16, num_stages=2):
        T.copy(K[bb, bs * 1024 + k * 64:bs * 1024 + (k + 1) * 64, bh, :], ks)
        T.clear(s)
        T.gemm(q, ks, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(16):
            al[i] = T.exp2((mp[i] - m[i]) * 0.1275)
        for i, j in T.Parallel(16, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.1275)
        T.reduce_sum(s, r, dim=1)
        for i in T.Parallel(16):
            l[i] = l[i] * al[i] + r[i]
        for i, j in T.Parallel(16, 128):
            o[i, j] *= al[i]
        T.copy(s, ps)
        T.copy(V[bb, bs * 1024 + k * 64:bs * 1024 + (k + 1) * 64, bh, :], vs)
        T.gemm(ps, vs, o, policy=T.GemmWarpPolicy.FullCol)
    for i, j in T.Parallel(16, 128):
        o[i, j] /= l[i]
    for i in T.Parallel(16):
        l[i] = T.log2(l[i]) + m[i] * 0.1275
    T.copy(o, Part[bb, bh * 16:(bh + 1) * 16, bs, :])
    T.copy(l, Lse[bb, bh * 16:(bh + 1) * 16, bs])
""",
       [rn("Q", (8, 64, 128), "bfloat16"), rn("K", (8, 8192, 4, 128), "bfloat16"),
        rn("V", (8, 8192, 4, 128), "bfloat16"), out("Part", (8, 64, 8, 128), "float32"),
        out("Lse", (8, 64, 8), "float32")])

# linear attention forward by chunks of 64, elu+1 features, normaliser, dv split in 2
kernel("linatt_elu", """
with T.Kernel(2, 64, threads=128) as (bv, bh):
    q = T.alloc_shared((64, 128), "bfloat16")
    kk = T.alloc_shared((64, 128), "bfloat16")
    v = T.alloc_shared((64, 64), "bfloat16")
    qf = T.alloc_fragment((64, 128), "float32")
    kf = T.alloc_fragment((64, 128), "float32")
    qs = T.alloc_shared((64, 128), "bfloat16")
    ks = T.alloc_shared((64, 128), "bfloat16")
    h = T.alloc_fragment((128, 64), "float32")
    hs = T.alloc_shared((128, 64), "bfloat16")
    z = T.alloc_fragment((128,), "float32")
    zs = T.alloc_shared((128,), "float32")
    zc = T.alloc_fragment((128,), "float32")
    s = T.alloc_fragment((64, 64), "float32")
    p = T.alloc_fragment((64, 64), "bfloat16")
    den = T.alloc_fragment((64,), "float32")
    dq = T.alloc_fragment((64,), "float32")
    o = T.alloc_fragment((64, 64), "float32")
    T.clear(h)
    T.clear(z)
    for c in T.Pipelined(32, num_stages=2):
        T.copy(Q[bh, c * 64:(c + 1) * 64, :], q)
        T.copy(Kx[bh, c * 64:(c + 1) * 64, :], kk)
        T.copy(V[bh, c * 64:(c + 1) * 64, bv * 64:(bv + 1) * 64], v)
        for i, j in T.Parallel(64, 128):
            kf[i, j] = T.if_then_else(kk[i, j] > 0, T.cast(kk[i, j], "float32") + 1.0, T.exp(T.cast(kk[i, j], "float32")))
        T.copy(kf, ks)
        T.copy(z, zs)
        for i, j in T.Parallel(64, 128):
            qf[i, j] = T.if_then_else(q[i, j] > 0, T.cast(q[i, j], "float32") + 1.0, T.exp(T.cast(q[i, j], "float32")))
        T.copy(qf, qs)
        for i, j in T.Parallel(64, 128):
            qf[i, j] = qf[i, j] * zs[j]
        T.reduce_sum(qf, dq, dim=1)
        T.copy(h, hs)
        T.clear(s)
        T.gemm(qs, ks, s, transpose_B=True)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.if_then_else(i >= j, s[i, j], 0)
        T.reduce_sum(s, den, dim=1)
        T.copy(s, p)
        T.clear(o)
        T.gemm(p, v, o)
        T.gemm(qs, hs, o)
        for i, j in T.Parallel(64, 64):
            o[i, j] = o[i, j] / (den[i] + dq[i] + 1e-6)
        T.copy(o, O[bh, c * 64:(c + 1) * 64, bv * 64:(bv + 1) * 64])
        T.gemm(ks, v, h, transpose_A=True)
        T.reduce_sum(kf, zc, dim=0)
        for j in T.Parallel(128):
            z[j] += zc[j]
""",
       [rn("Q", (64, 2048, 128), "bfloat16"), rn("Kx", (64, 2048, 128), "bfloat16"),
        rn("V", (64, 2048, 128), "bfloat16"), out("O", (64, 2048, 128), "bfloat16")])

# MLA decode, 64 of 128 heads a block, 512 + 64, 2 stages, 256 threads
kernel("mla_decode", """
with T.Kernel(2, 66, threads=256) as (by, bz):
    Q_s = T.alloc_shared((64, 512), "bfloat16")
    Qr_s = T.alloc_shared((64, 64), "bfloat16")
    KV_s = T.alloc_shared((64, 512), "bfloat16")
    Kr_s = T.alloc_shared((64, 64), "bfloat16")
    S_s = T.alloc_shared((64, 64), "bfloat16")
    s = T.alloc_fragment((64, 64), "float32")
    o = T.alloc_fragment((64, 512), "float32")
    m = T.alloc_fragment((64,), "float32")
    mp = T.alloc_fragment((64,), "float32")
    al = T.alloc_fragment((64,), "float32")
    r = T.alloc_fragment((64,), "float32")
    l = T.alloc_fragment((64,), "float32")
    T.copy(Q[bz, by * 64:(by + 1) * 64, :], Q_s)
    T.copy(Qr[bz, by * 64:(by + 1) * 64, :], Qr_s)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(32, num_stages=2):
        T.copy(KV[bz, k * 64:(k + 1) * 64, :], KV_s)
        T.copy(Kr[bz, k * 64:(k + 1) * 64, :], Kr_s)
        T.clear(s)
        T.gemm(Q_s, KV_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
        T.gemm(Qr_s, Kr_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(64):
            al[i] = T.exp2((mp[i] - m[i]) * 0.0601)
        for i, j in T.Parallel(64, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.0601)
        T.reduce_sum(s, r, dim=1)
        T.copy(s, S_s)
        for i in T.Parallel(64):
            l[i] = l[i] * al[i] + r[i]
        for i, j in T.Parallel(64, 512):
            o[i, j] *= al[i]
        T.gemm(S_s, KV_s, o, policy=T.GemmWarpPolicy.FullCol)
    for i, j in T.Parallel(64, 512):
        o[i, j] /= l[i]
    T.copy(o, Out[bz, by * 64:(by + 1) * 64, :])
""",
       [rn("Q", (66, 128, 512), "bfloat16"), rn("Qr", (66, 128, 64), "bfloat16"),
        rn("KV", (66, 2048, 512), "bfloat16"), rn("Kr", (66, 2048, 64), "bfloat16"),
        out("Out", (66, 128, 512), "bfloat16")])

# paged decode, pages of 64 [page, kv head, 64, 128], ragged lengths, split over pages
kernel("paged64_split", """
with T.Kernel(16, 4, 4, threads=128) as (bb, bh, bs):
    q = T.alloc_shared((16, 128), "bfloat16")
    ks = T.alloc_shared((64, 128), "bfloat16")
    vs = T.alloc_shared((64, 128), "bfloat16")
    s = T.alloc_fragment((16, 64), "float32")
    ps = T.alloc_shared((16, 64), "bfloat16")
    o = T.alloc_fragment((16, 128), "float32")
    m = T.alloc_fragment((16,), "float32")
    mp = T.alloc_fragment((16,), "float32")
    al = T.alloc_fragment((16,), "float32")
    r = T.alloc_fragment((16,), "float32")
    l = T.alloc_fragment((16,), "float32")
    n = T.max(1, T.min(16, T.ceildiv(Lens[bb] - bs * 1024, 64)))
    T.copy(Q[bb, bh * 16:(bh + 1) * 16, :], q)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for k in T.Pipelined(n, num_stages=2):
        T.copy(Kc[Table[bb, bs * 16 + k], bh, :, :], ks)
        T.clear(s)
        T.gemm(q, ks, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
        for i, j in T.Parallel(16, 64):
            s[i, j] = T.if_then_else(bs * 1024 + k * 64 + j < Lens[bb], s[i, j], -1e30)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel(16):
            al[i] = T.exp2((mp[i] - m[i]) * 0.1275)
        for i, j in T.Parallel(16, 64):
            s[i, j] = T.exp2((s[i, j] - m[i]) * 0.1275)
        T.reduce_sum(s, r, dim=1)
        for i in T.Parallel(16):
            l[i] = l[i] * al[i] + r[i]
        for i, j in T.Parallel(16, 128):
            o[i, j] *= al[i]
        T.copy(s, ps)
        T.copy(Vc[Table[bb, bs * 16 + k], bh, :, :], vs)
        T.gemm(ps, vs, o, policy=T.GemmWarpPolicy.FullCol)
    for i, j in T.Parallel(16, 128):
        o[i, j] /= l[i]
    for i in T.Parallel(16):
        l[i] = T.log2(l[i]) + m[i] * 0.1275
    T.copy(o, Part[bb, bh * 16:(bh + 1) * 16, bs, :])
    T.copy(l, Lse[bb, bh * 16:(bh + 1) * 16, bs])
""",
       [rn("Q", (16, 64, 128), "bfloat16"), rn("Kc", (2048, 4, 64, 128), "bfloat16"),
        rn("Vc", (2048, 4, 64, 128), "bfloat16"), ri("Table", (16, 64), "int32", 0, 2048),
        ri("Lens", (16,), "int32", 3496, 4096), out("Part", (16, 64, 4, 128), "float32"),
        out("Lse", (16, 64, 4), "float32")])

# retention forward by chunks of 64 with the head's decay
kernel("retention", """
with T.Kernel(16, 8, threads=128) as (bh, bb):
    q = T.alloc_shared((64, 64), "bfloat16")
    kk = T.alloc_shared((64, 64), "bfloat16")
    kd = T.alloc_shared((64, 64), "bfloat16")
    v = T.alloc_shared((64, 128), "bfloat16")
    h = T.alloc_fragment((64, 128), "float32")
    hs = T.alloc_shared((64, 128), "bfloat16")
    s = T.alloc_fragment((64, 64), "float32")
    p = T.alloc_fragment((64, 64), "bfloat16")
    o = T.alloc_fragment((64, 128), "float32")
    lg = T.alloc_var("float32")
    lg = -Lg[bh] * 0.1
    T.clear(h)
    for c in T.Pipelined(32, num_stages=2):
        T.copy(Q[bb, c * 64:(c + 1) * 64, bh, :], q)
        T.copy(Kx[bb, c * 64:(c + 1) * 64, bh, :], kk)
        T.copy(V[bb, c * 64:(c + 1) * 64, bh, :], v)
        T.copy(h, hs)
        T.clear(o)
        T.gemm(q, hs, o)
        for i, j in T.Parallel(64, 128):
            o[i, j] *= T.exp2(lg * (i + 1))
        T.clear(s)
        T.gemm(q, kk, s, transpose_B=True)
        for i, j in T.Parallel(64, 64):
            p[i, j] = T.if_then_else(i >= j, s[i, j] * T.exp2(lg * (i - j)), 0)
        T.gemm(p, v, o)
        T.copy(o, O[bb, c * 64:(c + 1) * 64, bh, :])
        for i, j in T.Parallel(64, 64):
            kd[i, j] = kk[i, j] * T.exp2(lg * (63 - i))
        for i, j in T.Parallel(64, 128):
            h[i, j] *= T.exp2(lg * 64)
        T.gemm(kd, v, h, transpose_A=True)
""",
       [rn("Q", (8, 2048, 16, 64), "bfloat16"), rn("Kx", (8, 2048, 16, 64), "bfloat16"),
        rn("V", (8, 2048, 16, 128), "bfloat16"),
        ("Lg", (16,), "float32", 'torch.rand((16,), device="cuda", dtype=torch.float32)'),
        out("O", (8, 2048, 16, 128), "bfloat16")])

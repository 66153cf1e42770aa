# SPDX-License-Identifier: Apache-2.0
"""Rows and elements: norms, softmax, quantisation, pooling, optimiser, gathers, GEMV. natural.py writes their files."""
from natural_files import f8, kernel, out, ri, rn

# AdamW update, f32 master weights, bf16 gradient and copy
kernel("adamw", """
with T.Kernel(8192, threads=256) as bx:
    for i in T.Parallel(2048):
        Mo[bx * 2048 + i] = 0.9 * Mo[bx * 2048 + i] + 0.1 * T.cast(G[bx * 2048 + i], "float32")
        Vo[bx * 2048 + i] = 0.95 * Vo[bx * 2048 + i] + 0.05 * T.cast(G[bx * 2048 + i], "float32") * T.cast(G[bx * 2048 + i], "float32")
        P[bx * 2048 + i] = P[bx * 2048 + i] * (1.0 - 3e-4 * 0.1) - 3e-4 * (Mo[bx * 2048 + i] / 0.271) / (T.sqrt(Vo[bx * 2048 + i] / 0.142625) + 1e-8)
        Pb[bx * 2048 + i] = P[bx * 2048 + i]
""",
       [rn("P", (16777216,), "float32"), rn("G", (16777216,), "bfloat16"), rn("Mo", (16777216,), "float32"),
        ("Vo", (16777216,), "float32", 'torch.rand((16777216,), device="cuda", dtype=torch.float32)'),
        out("Pb", (16777216,), "bfloat16")])

# argmax of rows of 8192 (smallest index)
kernel("argmax", """
with T.Kernel(8192, threads=256) as bx:
    x = T.alloc_fragment((8192,), "float32")
    p = T.alloc_fragment((8192,), "int32")
    m = T.alloc_fragment((1,), "float32")
    a = T.alloc_fragment((1,), "int32")
    T.copy(X[bx, :], x)
    T.reduce_max(x, m, dim=0)
    for i in T.Parallel(8192):
        p[i] = T.if_then_else(x[i] == m[0], i, 8192)
    T.reduce_min(p, a, dim=0)
    Y[bx] = a[0]
    V[bx] = m[0]
""",
       [rn("X", (8192, 8192), "bfloat16"),
        ("Y", (8192,), "int32", 'torch.zeros((8192,), device="cuda", dtype=torch.int32)'),
        out("V", (8192,), "float32")])

# broadcast: x * (1 + scale[b]) + shift[b]
kernel("bcast_mod", """
with T.Kernel(512, 8, threads=256) as (bx, by):
    for i, j in T.Parallel(8, 1152):
        Y[by, bx * 8 + i, j] = X[by, bx * 8 + i, j] * (1 + Scale[by, j]) + Shift[by, j]
""",
       [rn("X", (8, 4096, 1152), "bfloat16"), rn("Scale", (8, 1152), "bfloat16"), rn("Shift", (8, 1152), "bfloat16"),
        out("Y", (8, 4096, 1152), "bfloat16")])

# batched small GEMV (a head's 512x128 matrix times a vector, 128 heads x 4)
kernel("bgemv", """
with T.Kernel(8, 128, 16, threads=128) as (bx, by, bz):
    p = T.alloc_fragment((64, 128), "float32")
    y = T.alloc_fragment((64,), "float32")
    for i, j in T.Parallel(64, 128):
        p[i, j] = T.cast(W[by, bx * 64 + i, j], "float32") * T.cast(X[bz, by, j], "float32")
    T.reduce_sum(p, y, dim=1)
    T.copy(y, Y[bz, by, bx * 64:(bx + 1) * 64])
""",
       [rn("W", (128, 512, 128), "bfloat16"), rn("X", (16, 128, 128), "bfloat16"),
        out("Y", (16, 128, 512), "bfloat16")])

# batched transpose bf16, 64x64 tiles through shared memory
kernel("btranspose", """
with T.Kernel(16, 32, 16, threads=128) as (bx, by, bz):
    t = T.alloc_shared((64, 64), "bfloat16")
    T.copy(X[bz, by * 64:(by + 1) * 64, bx * 64:(bx + 1) * 64], t)
    for i, j in T.Parallel(64, 64):
        Y[bz, bx * 64 + i, by * 64 + j] = t[j, i]
""",
       [rn("X", (16, 2048, 1024), "bfloat16"), out("Y", (16, 1024, 2048), "bfloat16")])

# cross-entropy backward
kernel("ce_bwd", """
with T.Kernel(8, 4096, threads=256) as (bx, by):
    for i in T.Parallel(4096):
        DX[by, bx * 4096 + i] = (T.exp(T.cast(X[by, bx * 4096 + i], "float32") - Lse[by]) - T.if_then_else(bx * 4096 + i == Label[by], 1.0, 0.0)) * G[by]
""",
       [rn("X", (4096, 32768), "bfloat16"), rn("Lse", (4096,), "float32"), ri("Label", (4096,), "int32", 0, 32768),
        rn("G", (4096,), "float32"), out("DX", (4096, 32768), "bfloat16")])

# column sums (bias gradient), a block per 32 columns over all rows
kernel("colsum", """
with T.Kernel(256, threads=256) as bx:
    x = T.alloc_shared((256, 32), "bfloat16")
    acc = T.alloc_fragment((256, 32), "float32")
    y = T.alloc_fragment((32,), "float32")
    T.clear(acc)
    for k in T.Pipelined(32, num_stages=3):
        T.copy(X[k * 256, bx * 32], x)
        for i, j in T.Parallel(256, 32):
            acc[i, j] += x[i, j]
    T.reduce_sum(acc, y, dim=0)
    T.copy(y, Y[bx * 32:(bx + 1) * 32])
""",
       [rn("X", (8192, 8192), "bfloat16"), out("Y", (8192,), "float32")])

# causal conv1d k=4 with bias and silu
kernel("conv1d_silu", """
with T.Kernel(32, 32, 8, threads=128) as (bx, by, bz):
    acc = T.alloc_fragment((64, 128), "float32")
    for i, j in T.Parallel(64, 128):
        acc[i, j] = Bias[bx * 128 + j]
    for w in T.serial(4):
        for i, j in T.Parallel(64, 128):
            acc[i, j] += T.if_then_else(by * 64 + i + w >= 3, T.cast(X[bz, by * 64 + i + w - 3, bx * 128 + j], "float32"), 0.0) * W[w, bx * 128 + j]
    for i, j in T.Parallel(64, 128):
        Y[bz, by * 64 + i, bx * 128 + j] = acc[i, j] / (1.0 + T.exp(-acc[i, j]))
""",
       [rn("X", (8, 2048, 4096), "bfloat16"), rn("W", (4, 4096), "float32"), rn("Bias", (4096,), "float32"),
        out("Y", (8, 2048, 4096), "bfloat16")])

# fp8 weights with scales of 128x128 blocks to bf16
kernel("dequant_fp8", """
with T.Kernel(56, 56, threads=256) as (bx, by):
    for i, j in T.Parallel(128, 128):
        Y[by * 128 + i, bx * 128 + j] = T.cast(X[by * 128 + i, bx * 128 + j], "float32") * S[by, bx]
""",
       [f8("X", (7168, 7168)), rn("S", (56, 56), "float32"), out("Y", (7168, 7168), "bfloat16")])

# dropout + residual, mask from a hash of the index
kernel("dropout_hash", """
with T.Kernel(4, 2048, threads=128) as (bx, by):
    for i, j in T.Parallel(4, 1024):
        h0 = T.cast((by * 4 + i) * 4096 + bx * 1024 + j, "uint32") * T.uint32(2654435769) + Seed[0]
        h1 = (h0 ^ (h0 >> T.uint32(16))) * T.uint32(2246822507)
        h2 = (h1 ^ (h1 >> T.uint32(13))) * T.uint32(3266489909)
        h3 = h2 ^ (h2 >> T.uint32(16))
        Y[by * 4 + i, bx * 1024 + j] = T.if_then_else(h3 > T.uint32(429496729), T.cast(X[by * 4 + i, bx * 1024 + j], "float32") * 1.1111111, 0.0) + T.cast(R[by * 4 + i, bx * 1024 + j], "float32")
""",
       [rn("X", (8192, 4096), "bfloat16"), rn("R", (8192, 4096), "bfloat16"),
        ("Seed", (1,), "uint32", 'torch.zeros((1,), device="cuda", dtype=torch.uint32)'),
        out("Y", (8192, 4096), "bfloat16")])

# embedding gather, scaled, + position
kernel("embed_gather", """
with T.Kernel(16384, threads=128) as bx:
    for i in T.Parallel(2048):
        Y[bx, i] = T.cast(E[Ids[bx], i], "float32") * 45.25 + T.cast(Pos[bx % 4096, i], "float32")
""",
       [ri("Ids", (16384,), "int32", 0, 32000), rn("E", (32000, 2048), "bfloat16"),
        rn("Pos", (4096, 2048), "bfloat16"), out("Y", (16384, 2048), "bfloat16")])

# GEMV bf16: 16 rows a block, chunks of 512 along K into a fragment, one reduction
kernel("gemv_frag", """
with T.Kernel(512, threads=128) as bx:
    acc = T.alloc_fragment((16, 512), "float32")
    y = T.alloc_fragment((16,), "float32")
    T.clear(acc)
    for k in T.serial(16):
        for i, j in T.Parallel(16, 512):
            acc[i, j] += T.cast(W[bx * 16 + i, k * 512 + j], "float32") * T.cast(X[k * 512 + j], "float32")
    T.reduce_sum(acc, y, dim=1)
    for i in T.Parallel(16):
        Y[bx * 16 + i] = y[i]
""",
       [rn("W", (8192, 8192), "bfloat16"), rn("X", (8192,), "bfloat16"), out("Y", (8192,), "bfloat16")])

# GEMV bf16: 4 rows x 32 threads along K, 8 elements a thread, shared atomics
kernel("gemv_threads", """
with T.Kernel(2048, threads=(32, 4)) as bx:
    tk = T.get_thread_binding(0)
    tn = T.get_thread_binding(1)
    w = T.alloc_local((8,), "bfloat16")
    x = T.alloc_local((8,), "bfloat16")
    acc = T.alloc_local((1,), "float32")
    y = T.alloc_shared((4,), "float32")
    if tk == 0:
        y[tn] = 0
    T.clear(acc)
    for k in T.serial(32):
        for v in T.vectorized(8):
            w[v] = W[bx * 4 + tn, k * 256 + tk * 8 + v]
            x[v] = X[k * 256 + tk * 8 + v]
        for v in T.serial(8):
            acc[0] += T.cast(w[v], "float32") * T.cast(x[v], "float32")
    T.sync_threads()
    T.atomic_add(y[tn], acc[0])
    T.sync_threads()
    if tk == 0:
        Y[bx * 4 + tn] = y[tn]
""",
       [rn("W", (8192, 8192), "bfloat16"), rn("X", (8192,), "bfloat16"), out("Y", (8192,), "bfloat16")])

# group norm backward (NHWC, 32 groups), two passes over a group
kernel("gn_bwd", """
with T.Kernel(32, 16, threads=256) as (bg, bb):
    xh = T.alloc_fragment((256, 16), "float32")
    dy = T.alloc_fragment((256, 16), "float32")
    s1 = T.alloc_fragment((256, 16), "float32")
    s2 = T.alloc_fragment((256, 16), "float32")
    r1 = T.alloc_fragment((256,), "float32")
    r2 = T.alloc_fragment((256,), "float32")
    a = T.alloc_fragment((1,), "float32")
    b = T.alloc_fragment((1,), "float32")
    T.clear(s1)
    T.clear(s2)
    for k in T.serial(16):
        for i, j in T.Parallel(256, 16):
            xh[i, j] = (T.cast(X[bb, k * 256 + i, bg * 16 + j], "float32") - Mean[bb, bg]) * Rstd[bb, bg]
            dy[i, j] = T.cast(DY[bb, k * 256 + i, bg * 16 + j], "float32") * W[bg * 16 + j]
        for i, j in T.Parallel(256, 16):
            s1[i, j] += dy[i, j]
            s2[i, j] += dy[i, j] * xh[i, j]
    T.reduce_sum(s1, r1, dim=1)
    T.reduce_sum(s2, r2, dim=1)
    T.reduce_sum(r1, a, dim=0)
    T.reduce_sum(r2, b, dim=0)
    for k in T.serial(16):
        for i, j in T.Parallel(256, 16):
            xh[i, j] = (T.cast(X[bb, k * 256 + i, bg * 16 + j], "float32") - Mean[bb, bg]) * Rstd[bb, bg]
            DX[bb, k * 256 + i, bg * 16 + j] = (T.cast(DY[bb, k * 256 + i, bg * 16 + j], "float32") * W[bg * 16 + j] - a[0] / 65536 - xh[i, j] * (b[0] / 65536)) * Rstd[bb, bg]
""",
       [rn("X", (16, 4096, 512), "bfloat16"), rn("DY", (16, 4096, 512), "bfloat16"), rn("W", (512,), "float32"),
        rn("Mean", (16, 32), "float32"),
        ("Rstd", (16, 32), "float32", 'torch.rand((16, 32), device="cuda", dtype=torch.float32)'),
        out("DX", (16, 4096, 512), "bfloat16")])

# Hadamard transform of 128 columns of each row, butterflies in shared memory, 32 rows a block
kernel("hadamard128", """
with T.Kernel(4096, threads=128) as bx:
    s = T.alloc_shared((32, 128), "float32")
    f = T.alloc_fragment((32, 128), "float32")
    T.copy(X[bx * 32, 0], s)
    for b in T.serial(7):
        h = 1 << b
        for i, j in T.Parallel(32, 128):
            f[i, j] = T.if_then_else((j & h) == 0, s[i, j] + s[i, j ^ h], s[i, j ^ h] - s[i, j])
        T.copy(f, s)
    for i, j in T.Parallel(32, 128):
        Y[bx * 32 + i, j] = s[i, j] * 0.08838834764831845
""",
       [rn("X", (131072, 128), "bfloat16"), out("Y", (131072, 128), "bfloat16")])

# layernorm with residual, rows of 3072
kernel("ln_res_3072", """
with T.Kernel(8192, threads=128) as bx:
    x = T.alloc_fragment((3072,), "float32")
    d = T.alloc_fragment((3072,), "float32")
    s = T.alloc_fragment((1,), "float32")
    v = T.alloc_fragment((1,), "float32")
    for i in T.Parallel(3072):
        x[i] = T.cast(X[bx, i], "float32") + T.cast(R[bx, i], "float32")
    T.copy(x, Ro[bx, :])
    T.reduce_sum(x, s, dim=0)
    for i in T.Parallel(3072):
        x[i] = x[i] - s[0] / 3072
    for i in T.Parallel(3072):
        d[i] = x[i] * x[i]
    T.reduce_sum(d, v, dim=0)
    for i in T.Parallel(3072):
        Y[bx, i] = x[i] * T.rsqrt(v[0] / 3072 + 1e-5) * W[i] + B[i]
""",
       [rn("X", (8192, 3072), "bfloat16"), rn("R", (8192, 3072), "bfloat16"), rn("W", (3072,), "float32"),
        rn("B", (3072,), "float32"), out("Y", (8192, 3072), "bfloat16"), out("Ro", (8192, 3072), "bfloat16")])

# max pooling 3x3 stride 2 pad 1, NHWC
kernel("maxpool", """
with T.Kernel(56, 64, threads=256) as (bh, bb):
    acc = T.alloc_fragment((56, 64), "float32")
    T.fill(acc, -T.infinity("float32"))
    for r in T.serial(3):
        for q in T.serial(3):
            for i, j in T.Parallel(56, 64):
                acc[i, j] = T.max(acc[i, j], T.if_then_else(T.And(bh * 2 + r >= 1, i * 2 + q >= 1), T.cast(X[bb, bh * 2 + r - 1, i * 2 + q - 1, j], "float32"), -T.infinity("float32")))
    T.copy(acc, Y[bb, bh, :, :])
""",
       [rn("X", (64, 112, 112, 64), "bfloat16"), out("Y", (64, 56, 56, 64), "bfloat16")])

# rmsnorm backward, 32 rows a block, dW by atomics over columns
kernel("rms_bwd_dw", """
with T.Kernel(256, threads=256) as bx:
    x = T.alloc_fragment((2048,), "float32")
    dy = T.alloc_fragment((2048,), "float32")
    w = T.alloc_fragment((2048,), "float32")
    t = T.alloc_fragment((2048,), "float32")
    dw = T.alloc_fragment((2048,), "float32")
    s = T.alloc_fragment((1,), "float32")
    T.copy(W, w)
    T.clear(dw)
    for r in T.serial(32):
        T.copy(X[bx * 32 + r, :], x)
        T.copy(DY[bx * 32 + r, :], dy)
        for i in T.Parallel(2048):
            x[i] = x[i] * Rstd[bx * 32 + r]
        for i in T.Parallel(2048):
            dw[i] += dy[i] * x[i]
        for i in T.Parallel(2048):
            dy[i] = dy[i] * w[i]
        for i in T.Parallel(2048):
            t[i] = dy[i] * x[i]
        T.reduce_sum(t, s, dim=0)
        for i in T.Parallel(2048):
            DX[bx * 32 + r, i] = (dy[i] - x[i] * (s[0] / 2048)) * Rstd[bx * 32 + r]
    for i in T.Parallel(2048):
        T.atomic_add(DW[i], dw[i])
""",
       [rn("X", (8192, 2048), "bfloat16"), rn("DY", (8192, 2048), "bfloat16"), rn("W", (2048,), "float32"),
        rn("Rstd", (8192,), "float32"), out("DX", (8192, 2048), "bfloat16"),
        ("DW", (2048,), "float32", 'torch.zeros((2048,), device="cuda", dtype=torch.float32)')])

# rope on q and k in one kernel (half rotation), positions gathered
kernel("rope_qk", """
with T.Kernel(8192, threads=256) as bx:
    for h, d in T.Parallel(32, 64):
        Qo[bx, h, d] = Q[bx, h, d] * Cos[Pos[bx], d] - Q[bx, h, d + 64] * Sin[Pos[bx], d]
        Qo[bx, h, d + 64] = Q[bx, h, d + 64] * Cos[Pos[bx], d] + Q[bx, h, d] * Sin[Pos[bx], d]
    for h, d in T.Parallel(8, 64):
        Ko[bx, h, d] = K[bx, h, d] * Cos[Pos[bx], d] - K[bx, h, d + 64] * Sin[Pos[bx], d]
        Ko[bx, h, d + 64] = K[bx, h, d + 64] * Cos[Pos[bx], d] + K[bx, h, d] * Sin[Pos[bx], d]
""",
       [rn("Q", (8192, 32, 128), "bfloat16"), rn("K", (8192, 8, 128), "bfloat16"),
        ri("Pos", (8192,), "int32", 0, 8192), rn("Cos", (8192, 64), "float32"), rn("Sin", (8192, 64), "float32"),
        out("Qo", (8192, 32, 128), "bfloat16"), out("Ko", (8192, 8, 128), "bfloat16")])

# cumulative sums of rows of 1024, 8 rows a block
kernel("row_cumsum", """
with T.Kernel(4096, threads=256) as bx:
    x = T.alloc_shared((8, 1024), "float32")
    T.copy(X[bx * 8, 0], x)
    T.cumsum(x, dim=1)
    T.copy(x, Y[bx * 8, 0])
""",
       [rn("X", (32768, 1024), "float32"), out("Y", (32768, 1024), "float32")])

# mean of the tokens of each segment (cu_seqlens)
kernel("segpool", """
with T.Kernel(32, 32, threads=128) as (bx, by):
    x = T.alloc_shared((64, 128), "bfloat16")
    acc = T.alloc_fragment((64, 128), "float32")
    y = T.alloc_fragment((128,), "float32")
    t0 = Cu[by]
    n = Cu[by + 1] - t0
    T.clear(acc)
    for k in T.Pipelined(T.ceildiv(n, 64), num_stages=2):
        T.copy(X[t0 + k * 64:t0 + (k + 1) * 64, bx * 128:(bx + 1) * 128], x)
        for i, j in T.Parallel(64, 128):
            acc[i, j] += T.if_then_else(k * 64 + i < n, T.cast(x[i, j], "float32"), 0.0)
    T.reduce_sum(acc, y, dim=0)
    for j in T.Parallel(128):
        Y[by, bx * 128 + j] = y[j] / T.cast(n, "float32")
""",
       [rn("X", (16384, 4096), "bfloat16"),
        ("Cu", (33,), "int32", 'torch.tensor([0, 529, 1035, 1541, 2070, 2576, 3082, 3588, 4117, 4623, 5129, 5635, 6164, 6670, 7176, 7682, 8211, 8717, 9223, 9729, 10258, 10764, 11270, 11776, 12305, 12811, 13317, 13846, 14352, 14858, 15364, 15893, 16384], device="cuda", dtype=torch.int32)'),
        out("Y", (32, 4096), "float32")])

# softmax with an additive mask, rows of 8192, online in chunks of 2048
kernel("softmax_mask_8192", """
with T.Kernel(8192, threads=256) as bx:
    x = T.alloc_fragment((2048,), "float32")
    m = T.alloc_fragment((1,), "float32")
    mp = T.alloc_fragment((1,), "float32")
    s = T.alloc_fragment((1,), "float32")
    l = T.alloc_fragment((1,), "float32")
    T.fill(m, -T.infinity("float32"))
    T.fill(l, 0)
    for k in T.serial(4):
        for i in T.Parallel(2048):
            x[i] = T.cast(X[bx, k * 2048 + i], "float32") * 0.125 + T.cast(Mask[bx // 512, k * 2048 + i], "float32")
        T.copy(m, mp)
        T.reduce_max(x, m, dim=0, clear=False)
        for i in T.Parallel(2048):
            x[i] = T.exp(x[i] - m[0])
        T.reduce_sum(x, s, dim=0)
        l[0] = l[0] * T.exp(mp[0] - m[0]) + s[0]
    for k in T.serial(4):
        for i in T.Parallel(2048):
            Y[bx, k * 2048 + i] = T.exp(T.cast(X[bx, k * 2048 + i], "float32") * 0.125 + T.cast(Mask[bx // 512, k * 2048 + i], "float32") - m[0]) / l[0]
""",
       [rn("X", (8192, 8192), "float16"), rn("Mask", (16, 8192), "float16"), out("Y", (8192, 8192), "float16")])

# swiglu, then fp8 by blocks of 128 with scales
kernel("swiglu_fp8", """
with T.Kernel(56, 128, threads=128) as (bx, by):
    g = T.alloc_fragment((32, 128), "float32")
    u = T.alloc_fragment((32, 128), "float32")
    mx = T.alloc_fragment((32,), "float32")
    T.copy(X[by * 32, bx * 128], g)
    T.copy(X[by * 32, bx * 128 + 7168], u)
    for i, j in T.Parallel(32, 128):
        g[i, j] = g[i, j] / (1.0 + T.exp(-g[i, j])) * u[i, j]
    T.reduce_absmax(g, mx, dim=1)
    for i in T.Parallel(32):
        mx[i] = T.max(mx[i], 1e-4) / 448.0
        S[by * 32 + i, bx] = mx[i]
    for i, j in T.Parallel(32, 128):
        Y[by * 32 + i, bx * 128 + j] = T.clamp(g[i, j] / mx[i], -448.0, 448.0)
""",
       [rn("X", (4096, 14336), "bfloat16"), out("Y", (4096, 7168), "float8_e4m3fn"), out("S", (4096, 56), "float32")])

# router: top 8 of 256 experts and softmax of them, 32 rows a block
kernel("topk_router", """
with T.Kernel(512, threads=128) as bx:
    x = T.alloc_fragment((32, 256), "float32")
    pos = T.alloc_fragment((32, 256), "int32")
    mx = T.alloc_fragment((32,), "float32")
    at = T.alloc_fragment((32,), "int32")
    g = T.alloc_shared((32, 8), "float32")
    gf = T.alloc_fragment((32, 8), "float32")
    first = T.alloc_fragment((32,), "float32")
    tot = T.alloc_fragment((32,), "float32")
    T.copy(X[bx * 32, 0], x)
    for k in T.serial(8):
        T.reduce_max(x, mx, dim=1, clear=True)
        for i, j in T.Parallel(32, 256):
            pos[i, j] = T.if_then_else(x[i, j] == mx[i], j, 256)
        T.reduce_min(pos, at, dim=1, clear=True)
        for i, j in T.Parallel(32, 256):
            x[i, j] = T.if_then_else(j == at[i], -T.infinity("float32"), x[i, j])
        for i in T.Parallel(32):
            g[i, k] = mx[i]
            Id[bx * 32 + i, k] = at[i]
    T.copy(g, gf)
    T.reduce_max(gf, first, dim=1)
    for i, j in T.Parallel(32, 8):
        gf[i, j] = T.exp(gf[i, j] - first[i])
    T.reduce_sum(gf, tot, dim=1)
    for i, j in T.Parallel(32, 8):
        Gate[bx * 32 + i, j] = gf[i, j] / tot[i]
""",
       [rn("X", (16384, 256), "float32"), out("Gate", (16384, 8), "float32"),
        ("Id", (16384, 8), "int32", 'torch.zeros((16384, 8), device="cuda", dtype=torch.int32)')])

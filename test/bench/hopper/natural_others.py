# SPDX-License-Identifier: Apache-2.0
"""Kernels of a third draw (2026-11-30): shapes that no tile divides, backward passes of elements and rows, caches and
layouts, scans, small and skewed products, attention with odd lengths. natural.py writes their files."""
from natural_files import f8, kernel, out, ri, rn

# --- rows and elements

# layer norm of 1000 columns in f32, four rows a block
kernel("ln_1000", """
with T.Kernel(4096, threads=128) as bx:
    x = T.alloc_fragment((4, 1000), "float32")
    d = T.alloc_fragment((4, 1000), "float32")
    mean = T.alloc_fragment((4,), "float32")
    var = T.alloc_fragment((4,), "float32")
    T.copy(X[bx * 4:bx * 4 + 4, :], x)
    T.reduce_sum(x, mean, dim=1)
    for i, j in T.Parallel(4, 1000):
        d[i, j] = (x[i, j] - mean[i] / 1000) * (x[i, j] - mean[i] / 1000)
    T.reduce_sum(d, var, dim=1)
    for i, j in T.Parallel(4, 1000):
        Y[bx * 4 + i, j] = (x[i, j] - mean[i] / 1000) * T.rsqrt(var[i] / 1000 + 1e-5) * G[j] + B[j]
""", [rn("X", (16384, 1000), "float32"), rn("G", (1000,), "float32"), rn("B", (1000,), "float32"),
      out("Y", (16384, 1000), "float32")])

# RMS norm of each head's 128 numbers, in place
kernel("qk_norm", """
with T.Kernel(4096, threads=256) as bx:
    x = T.alloc_fragment((32, 128), "float32")
    s = T.alloc_fragment((32, 128), "float32")
    r = T.alloc_fragment((32,), "float32")
    for i, j in T.Parallel(32, 128):
        x[i, j] = Q[bx, i, j]
    for i, j in T.Parallel(32, 128):
        s[i, j] = x[i, j] * x[i, j]
    T.reduce_sum(s, r, dim=1)
    for i, j in T.Parallel(32, 128):
        Q[bx, i, j] = x[i, j] * T.rsqrt(r[i] / 128 + 1e-6) * W[j]
""", [rn("Q", (4096, 32, 128), "bfloat16"), rn("W", (128,), "bfloat16")])

# log-sum-exp of a vocabulary that no tile divides, in a loop over tiles
kernel("lse_50257", """
with T.Kernel(2048, threads=256) as bx:
    x = T.alloc_fragment((4096,), "float32")
    m = T.alloc_fragment((1,), "float32")
    mp = T.alloc_fragment((1,), "float32")
    s = T.alloc_fragment((1,), "float32")
    l = T.alloc_fragment((1,), "float32")
    T.fill(m, -T.infinity("float32"))
    T.fill(l, 0)
    for k in T.serial(T.ceildiv(50257, 4096)):
        for j in T.Parallel(4096):
            x[j] = T.if_then_else(k * 4096 + j < 50257, T.cast(X[bx, k * 4096 + j], "float32"), -T.infinity("float32"))
        mp[0] = m[0]
        T.reduce_max(x, m, dim=0, clear=False)
        for j in T.Parallel(4096):
            x[j] = T.exp(x[j] - m[0])
        T.reduce_sum(x, s, dim=0)
        l[0] = l[0] * T.exp(mp[0] - m[0]) + s[0]
    Y[bx] = T.log(l[0]) + m[0]
""", [rn("X", (2048, 50257), "bfloat16"), out("Y", (2048,), "float32")])

# RoPE of neighbouring pairs
kernel("rope_pairs", """
with T.Kernel(4096, threads=256) as bx:
    for h, j in T.Parallel(32, 64):
        Y[bx, h, 2 * j] = X[bx, h, 2 * j] * C[bx, j] - X[bx, h, 2 * j + 1] * S[bx, j]
        Y[bx, h, 2 * j + 1] = X[bx, h, 2 * j] * S[bx, j] + X[bx, h, 2 * j + 1] * C[bx, j]
""", [rn("X", (4096, 32, 128), "bfloat16"), rn("C", (4096, 64), "float32"), rn("S", (4096, 64), "float32"),
      out("Y", (4096, 32, 128), "bfloat16")])

# backward of silu(gate) * up
kernel("swiglu_bwd", """
with T.Kernel(8, 4096, threads=128) as (bx, by):
    for j in T.Parallel(1024):
        g = T.cast(G[by, bx * 1024 + j], "float32")
        u = T.cast(U[by, bx * 1024 + j], "float32")
        d = T.cast(D[by, bx * 1024 + j], "float32")
        sg = 1.0 / (1.0 + T.exp(-g))
        DU[by, bx * 1024 + j] = d * g * sg
        DG[by, bx * 1024 + j] = d * u * sg * (1.0 + g * (1.0 - sg))
""", [rn("G", (4096, 8192), "bfloat16"), rn("U", (4096, 8192), "bfloat16"), rn("D", (4096, 8192), "bfloat16"),
      out("DU", (4096, 8192), "bfloat16"), out("DG", (4096, 8192), "bfloat16")])

# new keys and values to the places of a paged cache
kernel("kv_write", """
with T.Kernel(8192, threads=128) as bx:
    for h, j in T.Parallel(8, 128):
        KC[Slot[bx] // 64, h, Slot[bx] % 64, j] = K[bx, h, j]
        VC[Slot[bx] // 64, h, Slot[bx] % 64, j] = V[bx, h, j]
""", [rn("K", (8192, 8, 128), "bfloat16"), rn("V", (8192, 8, 128), "bfloat16"),
      ("Slot", (8192,), "int32", 'torch.randperm(16384, device="cuda", dtype=torch.int32)[:8192].contiguous()'),
      out("KC", (256, 8, 64, 128), "bfloat16"), out("VC", (256, 8, 64, 128), "bfloat16")])

# images from channels first to channels last, through shared memory
kernel("nchw_nhwc", """
with T.Kernel(49, 4, 32, threads=128) as (bx, by, bz):
    t = T.alloc_shared((64, 64), "float16")
    T.copy(X[bz, by * 64:by * 64 + 64, bx * 64:bx * 64 + 64], t)
    for p, c in T.Parallel(64, 64):
        Y[bz, bx * 64 + p, by * 64 + c] = t[c, p]
""", [rn("X", (32, 256, 3136), "float16"), out("Y", (32, 3136, 256), "float16")])

# 4-bit numbers of both signs from f32, two in a byte, by a maximum of each 64
kernel("pack_int4", """
with T.Kernel(4096, threads=128) as bx:
    x = T.alloc_fragment((64, 64), "float32")
    m = T.alloc_fragment((64,), "float32")
    q = T.alloc_shared((64, 64), "int8")
    for i, j in T.Parallel(64, 64):
        x[i, j] = X[bx, i * 64 + j]
    T.reduce_absmax(x, m, dim=1)
    for i, j in T.Parallel(64, 64):
        q[i, j] = T.cast(T.max(T.min(T.round(x[i, j] * 7 / m[i]), 7.0), -8.0), "int8")
    for i, j in T.Parallel(64, 32):
        Y[bx, i * 32 + j] = (q[i, 2 * j] & T.cast(15, "int8")) | (q[i, 2 * j + 1] << T.cast(4, "int8"))
    for i in T.Parallel(64):
        S[bx, i] = m[i] / 7
""", [rn("X", (4096, 4096), "bfloat16"), out("Y", (4096, 2048), "int8"), out("S", (4096, 64), "float32")])

# group maxima of 128 to scales, numbers to e4m3
kernel("quant_e4m3_group", """
with T.Kernel(32, 512, threads=128) as (bx, by):
    x = T.alloc_fragment((16, 128), "float32")
    m = T.alloc_fragment((16,), "float32")
    T.copy(X[by * 16:by * 16 + 16, bx * 128:bx * 128 + 128], x)
    T.reduce_absmax(x, m, dim=1)
    for i in T.Parallel(16):
        m[i] = T.max(m[i], 1e-4) / 448.0
        S[bx, by * 16 + i] = m[i]
    for i, j in T.Parallel(16, 128):
        Y[by * 16 + i, bx * 128 + j] = x[i, j] / m[i]
""", [rn("X", (8192, 4096), "bfloat16"), f8("Y", (8192, 4096)), out("S", (32, 8192), "float32")])

# mean and variance of each channel of a batch, images channels last
kernel("bn_stats", """
with T.Kernel(4, 98, threads=256) as (bx, by):
    x = T.alloc_fragment((1024, 64), "float32")
    y = T.alloc_fragment((1024, 64), "float32")
    s = T.alloc_fragment((64,), "float32")
    q = T.alloc_fragment((64,), "float32")
    T.copy(X[by * 1024, bx * 64], x)
    for i, j in T.Parallel(1024, 64):
        y[i, j] = x[i, j] * x[i, j]
    T.reduce_sum(x, s, dim=0)
    T.reduce_sum(y, q, dim=0)
    for j in T.Parallel(64):
        T.atomic_add(S[bx * 64 + j], s[j])
        T.atomic_add(Q[bx * 64 + j], q[j])
""", [rn("X", (100352, 256), "float16"), out("S", (256,), "float32"), out("Q", (256,), "float32")])

# upper triangle of scores to minus infinity, in place
kernel("mask_triu", """
with T.Kernel(16, 32, 32, threads=256) as (bx, by, bz):
    for i, j in T.Parallel(64, 128):
        if bx * 128 + j > by * 64 + i:
            X[bz, by * 64 + i, bx * 128 + j] = -T.infinity("float16")
""", [rn("X", (32, 2048, 2048), "float16")])

# 2 x 2 average pooling, channels last
kernel("avgpool2", """
with T.Kernel(56, 32, threads=256) as (by, bz):
    for x, c in T.Parallel(56, 128):
        Y[bz, by, x, c] = (T.cast(X[bz, 2 * by, 2 * x, c], "float32") + T.cast(X[bz, 2 * by, 2 * x + 1, c], "float32")
                           + T.cast(X[bz, 2 * by + 1, 2 * x, c], "float32")
                           + T.cast(X[bz, 2 * by + 1, 2 * x + 1, c], "float32")) * 0.25
""", [rn("X", (32, 112, 112, 128), "float16"), out("Y", (32, 56, 56, 128), "float16")])

# depthwise 3 x 3, channels last
kernel("depthwise_3x3", """
with T.Kernel(54, 32, threads=256) as (by, bz):
    acc = T.alloc_fragment((54, 128), "float32")
    T.clear(acc)
    for r in T.serial(3):
        for s in T.serial(3):
            for x, c in T.Parallel(54, 128):
                acc[x, c] += T.cast(X[bz, by + r, x + s, c], "float32") * T.cast(W[r, s, c], "float32")
    for x, c in T.Parallel(54, 128):
        Y[bz, by, x, c] = T.max(acc[x, c], 0.0)
""", [rn("X", (32, 56, 56, 128), "float16"), rn("W", (3, 3, 128), "float16"), out("Y", (32, 54, 54, 128), "float16")])

# numbers of each of 256 bins
kernel("histogram", """
with T.Kernel(1024, threads=256) as bx:
    h = T.alloc_shared((256,), "int32")
    T.clear(h)
    for i in T.Parallel(16384):
        T.atomic_add(h[T.cast(X[bx * 16384 + i], "int32")], 1)
    for i in T.Parallel(256):
        T.atomic_add(H[i], h[i])
""", [ri("X", (16777216,), "uint8", 0, 256), ("H", (256,), "int32", 'torch.zeros((256,), device="cuda", dtype=torch.int32)')])

# linear recurrence along time, one thread a channel
kernel("recurrence", """
with T.Kernel(64, threads=128) as bx:
    h = T.alloc_fragment((128,), "float32")
    T.clear(h)
    for t in T.serial(1024):
        for c in T.Parallel(128):
            h[c] = h[c] * T.cast(A[t, bx * 128 + c], "float32") + T.cast(X[t, bx * 128 + c], "float32")
        for c in T.Parallel(128):
            Y[t, bx * 128 + c] = h[c]
""", [("A", (1024, 8192), "bfloat16", 'torch.rand((1024, 8192), device="cuda").to(torch.bfloat16)'),
      rn("X", (1024, 8192), "bfloat16"), out("Y", (1024, 8192), "bfloat16")])

# the sum of weighted rows of an embedding bag
kernel("embedding_bag", """
with T.Kernel(4096, threads=128) as bx:
    acc = T.alloc_fragment((512,), "float32")
    T.clear(acc)
    for k in T.serial(32):
        for j in T.Parallel(512):
            acc[j] += T.cast(E[I[bx, k], j], "float32") * W[bx, k]
    for j in T.Parallel(512):
        Y[bx, j] = acc[j]
""", [rn("E", (100000, 512), "float16"), ri("I", (4096, 32), "int32", 0, 100000), rn("W", (4096, 32), "float32"),
      out("Y", (4096, 512), "float16")])

# --- products

# eight rows of A, long K, K divided among blocks
kernel("skinny_splitk", """
with T.Kernel(64, 8, threads=128) as (bx, bz):
    a = T.alloc_shared((16, 128), "bfloat16")
    b = T.alloc_shared((64, 128), "bfloat16")
    c = T.alloc_fragment((16, 64), "float32")
    T.clear(c)
    for k in T.Pipelined(8, num_stages=3):
        T.copy(A[0, bz * 1024 + k * 128], a)
        T.copy(B[bx * 64, bz * 1024 + k * 128], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(16, 64):
        if i < 8:
            T.atomic_add(C[i, bx * 64 + j], c[i, j])
""", [rn("A", (8, 8192), "bfloat16"), rn("B", (4096, 8192), "bfloat16"), out("C", (8, 4096), "float32")])

# M, N and K that no tile divides
kernel("gemm_odd", """
with T.Kernel(T.ceildiv(3003, 128), T.ceildiv(2050, 128), threads=128) as (bx, by):
    a = T.alloc_shared((128, 32), "float16")
    b = T.alloc_shared((32, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(T.ceildiv(1111, 32), num_stages=3):
        T.copy(A[by * 128, k * 32], a)
        T.copy(B[k * 32, bx * 128], b)
        T.gemm(a, b, c)
    T.copy(c, C[by * 128, bx * 128])
""", [rn("A", (2050, 1111), "float16"), rn("B", (1111, 3003), "float16"), out("C", (2050, 3003), "float16")])

# sums in f16
kernel("gemm_f16_acc", """
with T.Kernel(32, 32, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "float16")
    b = T.alloc_shared((64, 128), "float16")
    c = T.alloc_fragment((128, 128), "float16")
    T.use_swizzle(10)
    T.clear(c)
    for k in T.Pipelined(32, num_stages=3):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[k * 64, bx * 128], b)
        T.gemm(a, b, c)
    T.copy(c, C[by * 128, bx * 128])
""", [rn("A", (4096, 2048), "float16"), rn("B", (2048, 4096), "float16"), out("C", (4096, 4096), "float16")])

# both factors transposed
kernel("gemm_tt", """
with T.Kernel(32, 16, threads=256) as (bx, by):
    a = T.alloc_shared((64, 128), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=2):
        T.copy(A[k * 64, by * 128], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_A=True, transpose_B=True)
    T.copy(c, C[by * 128, bx * 128])
""", [rn("A", (4096, 2048), "bfloat16"), rn("B", (4096, 4096), "bfloat16"), out("C", (2048, 4096), "bfloat16")])

# a product and e4m3 with a scale of each row and 128 columns behind it
kernel("gemm_quant_out", """
with T.Kernel(32, 32, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    m = T.alloc_fragment((128,), "float32")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=3):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    T.reduce_absmax(c, m, dim=1)
    for i in T.Parallel(128):
        m[i] = T.max(m[i], 1e-6) / 448.0
    for i, j in T.Parallel(128, 128):
        C[by * 128 + i, bx * 128 + j] = c[i, j] / m[i]
    for i in T.Parallel(128):
        S[by * 128 + i, bx] = m[i]
""", [rn("A", (4096, 2048), "bfloat16"), rn("B", (4096, 2048), "bfloat16"), f8("C", (4096, 4096)),
      out("S", (4096, 32), "float32")])

# two products one behind the other: relu(A W1) W2 with the hidden tile in shared memory
kernel("mlp_fused", """
with T.Kernel(256, threads=256) as bx:
    x = T.alloc_shared((64, 256), "bfloat16")
    w1 = T.alloc_shared((256, 64), "bfloat16")
    w2 = T.alloc_shared((64, 256), "bfloat16")
    hs = T.alloc_shared((64, 64), "bfloat16")
    h = T.alloc_fragment((64, 64), "float32")
    y = T.alloc_fragment((64, 256), "float32")
    T.copy(X[bx * 64, 0], x)
    T.clear(y)
    for k in T.Pipelined(16, num_stages=2):
        T.copy(W1[0, k * 64], w1)
        T.copy(W2[k * 64, 0], w2)
        T.clear(h)
        T.gemm(x, w1, h)
        for i, j in T.Parallel(64, 64):
            h[i, j] = T.max(h[i, j], 0.0)
        T.copy(h, hs)
        T.gemm(hs, w2, y)
    T.copy(y, Y[bx * 64, 0])
""", [rn("X", (16384, 256), "bfloat16"), rn("W1", (256, 1024), "bfloat16"), rn("W2", (1024, 256), "bfloat16"),
      out("Y", (16384, 256), "bfloat16")])

# nearest of 1024 entries of a codebook (squares of distances, a running minimum)
kernel("codebook", """
with T.Kernel(256, threads=128) as bx:
    x = T.alloc_shared((128, 64), "float16")
    e = T.alloc_shared((128, 64), "float16")
    d = T.alloc_fragment((128, 128), "float32")
    n = T.alloc_fragment((128, 128), "int32")
    best = T.alloc_fragment((128,), "float32")
    near = T.alloc_fragment((128,), "int32")
    low = T.alloc_fragment((128,), "float32")
    at = T.alloc_fragment((128,), "int32")
    T.copy(X[bx * 128, 0], x)
    T.fill(best, T.infinity("float32"))
    T.fill(near, 0)
    for k in T.Pipelined(8, num_stages=2):
        T.copy(E[k * 128, 0], e)
        T.clear(d)
        T.gemm(x, e, d, transpose_B=True)
        for i, j in T.Parallel(128, 128):
            d[i, j] = N[k * 128 + j] - 2.0 * d[i, j]
        T.reduce_min(d, low, dim=1)
        for i, j in T.Parallel(128, 128):
            n[i, j] = T.if_then_else(d[i, j] == low[i], k * 128 + j, 1 << 30)
        T.reduce_min(n, at, dim=1)
        for i in T.Parallel(128):
            near[i] = T.if_then_else(low[i] < best[i], at[i], near[i])
            best[i] = T.min(low[i], best[i])
    T.copy(near, Y[bx * 128])
""", [rn("X", (32768, 64), "float16"), rn("E", (1024, 64), "float16"), rn("N", (1024,), "float32"), out("Y", (32768,), "int32")])

# 8-bit factors, i32 sums, scales of rows and columns and a bias behind them
kernel("gemm_i8_bias", """
with T.Kernel(64, 16, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "int8")
    b = T.alloc_shared((64, 64), "int8")
    c = T.alloc_fragment((128, 64), "int32")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=4):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 64, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(128, 64):
        C[by * 128 + i, bx * 64 + j] = c[i, j] * SA[by * 128 + i] * SB[bx * 64 + j] + Bias[bx * 64 + j]
""", [ri("A", (2048, 4096), "int8", -127, 127), ri("B", (4096, 4096), "int8", -127, 127), rn("SA", (2048,), "float32"),
      rn("SB", (4096,), "float32"), rn("Bias", (4096,), "float16"), out("C", (2048, 4096), "float16")])

# weights of the block's expert, tokens by number
kernel("moe_gather_gemm", """
with T.Kernel(16, 128, threads=256) as (bx, by):
    a = T.alloc_shared((64, 64), "bfloat16")
    w = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((64, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=2):
        for i, j in T.Parallel(64, 64):
            a[i, j] = X[Tok[by * 64 + i], k * 64 + j]
        T.copy(W[Ex[by], bx * 128:bx * 128 + 128, k * 64:k * 64 + 64], w)
        T.gemm(a, w, c, transpose_B=True)
    for i, j in T.Parallel(64, 128):
        Y[by * 64 + i, bx * 128 + j] = c[i, j] * G[by * 64 + i]
""", [rn("X", (4096, 2048), "bfloat16"), rn("W", (16, 2048, 2048), "bfloat16"), ri("Tok", (8192,), "int32", 0, 4096),
      ("Ex", (128,), "int32", '(torch.arange(128, device="cuda", dtype=torch.int32) // 8).contiguous()'),
      rn("G", (8192,), "float32"), out("Y", (8192, 2048), "bfloat16")])

# 1 x 1 convolution of stride 2, channels last
kernel("conv1x1_s2", """
with T.Kernel(4, 196, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "float16")
    w = T.alloc_shared((64, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(4, num_stages=2):
        for i, j in T.Parallel(128, 64):
            p = by * 128 + i
            a[i, j] = X[p // 784, p % 784 // 28 * 2, p % 28 * 2, k * 64 + j]
        T.copy(W[k * 64, bx * 128], w)
        T.gemm(a, w, c)
    T.copy(c, Y[by * 128, bx * 128])
""", [rn("X", (32, 56, 56, 256), "float16"), rn("W", (256, 512), "float16"), out("Y", (25088, 512), "float16")])


# --- attention

def attention(name, heads, grid, tiles, dims, load, score="", rounds="", dtype="bfloat16", threads=128, stages=2, args=(), out_="", lse=""):
    """dims: of Q and K, of V."""
    (bm, bn), (dk, dv) = tiles, dims
    scale = dk ** -0.5 * 1.4426950408889634
    q, k, v = load
    kernel(name, f"""
with T.Kernel({grid}, {heads}, threads={threads}) as (bx, by):
    q = T.alloc_shared(({bm}, {dk}), "{dtype}")
    kt = T.alloc_shared(({bn}, {dk}), "{dtype}")
    vt = T.alloc_shared(({bn}, {dv}), "{dtype}")
    s = T.alloc_fragment(({bm}, {bn}), "float32")
    p = T.alloc_fragment(({bm}, {bn}), "{dtype}")
    o = T.alloc_fragment(({bm}, {dv}), "float32")
    m = T.alloc_fragment(({bm},), "float32")
    before = T.alloc_fragment(({bm},), "float32")
    f = T.alloc_fragment(({bm},), "float32")
    r = T.alloc_fragment(({bm},), "float32")
    l = T.alloc_fragment(({bm},), "float32")
    T.copy({q}, q)
    T.clear(o)
    T.clear(l)
    T.fill(m, -1e30)
    for n in T.Pipelined({rounds}, num_stages={stages}):
        T.copy({k}, kt)
        T.clear(s)
        T.gemm(q, kt, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
        {score}
        T.copy(m, before)
        T.reduce_max(s, m, dim=1, clear=False)
        for i in T.Parallel({bm}):
            f[i] = T.exp2((before[i] - m[i]) * {scale})
        for i, j in T.Parallel({bm}, {bn}):
            s[i, j] = T.exp2(s[i, j] * {scale} - m[i] * {scale})
        T.reduce_sum(s, r, dim=1)
        for i in T.Parallel({bm}):
            l[i] = l[i] * f[i] + r[i]
        T.copy(s, p)
        for i, j in T.Parallel({bm}, {dv}):
            o[i, j] *= f[i]
        T.copy({v}, vt)
        T.gemm(p, vt, o, policy=T.GemmWarpPolicy.FullRow)
    for i, j in T.Parallel({bm}, {dv}):
        o[i, j] /= l[i]
    T.copy(o, {out_})
    {lse}
""", list(args))


# 2000 keys and queries: the last tile is cut
attention("att_2000", 32, 16, (128, 128), (128, 128), ("Q[by, bx * 128, 0]", "K[by, n * 128, 0]", "V[by, n * 128, 0]"),
          """for i, j in T.Parallel(128, 128):
            s[i, j] = T.if_then_else(n * 128 + j < 2000, s[i, j], -1e30)""", "T.ceildiv(2000, 128)", threads=256,
          args=[rn("Q", (32, 2000, 128), "bfloat16"), rn("K", (32, 2000, 128), "bfloat16"), rn("V", (32, 2000, 128), "bfloat16"),
                out("O", (32, 2000, 128), "bfloat16")], out_="O[by, bx * 128, 0]")

# 192 numbers of Q and K, 128 of V, causal, tiles of 128 x 64
attention("att_192x128", 32, 16, (128, 64), (192, 128), ("Q[bx * 128:bx * 128 + 128, by, :]", "K[n * 64:n * 64 + 64, by, :]",
                                                        "V[n * 64:n * 64 + 64, by, :]"),
          """for i, j in T.Parallel(128, 64):
            s[i, j] = T.if_then_else(bx * 128 + i >= n * 64 + j, s[i, j], -1e30)""", "(bx + 1) * 2", threads=256,
          args=[rn("Q", (2048, 32, 192), "bfloat16"), rn("K", (2048, 32, 192), "bfloat16"), rn("V", (2048, 32, 128), "bfloat16"),
                out("O", (2048, 32, 128), "bfloat16")], out_="O[bx * 128:bx * 128 + 128, by, :]")

# D 64, four warps of 16 rows, small keys' tiles, no ring
attention("att_d64_plain", 64, 32, (64, 32), (64, 64), ("Q[by, bx * 64, 0]", "K[by, n * 32, 0]", "V[by, n * 32, 0]"),
          "", "64", dtype="float16", stages=0,
          args=[rn("Q", (64, 2048, 64), "float16"), rn("K", (64, 2048, 64), "float16"), rn("V", (64, 2048, 64), "float16"),
                out("O", (64, 2048, 64), "float16")], out_="O[by, bx * 64, 0]")

# one query a sequence, 16 heads over one head of keys, 8192 keys, lse
attention("mqa_decode", 1, 128, (16, 128), (128, 128), ("Q[bx, 0, 0]", "K[bx, n * 128, 0]", "V[bx, n * 128, 0]"),
          "", "64", stages=2,
          args=[rn("Q", (128, 16, 128), "bfloat16"), rn("K", (128, 8192, 128), "bfloat16"), rn("V", (128, 8192, 128), "bfloat16"),
                out("O", (128, 16, 128), "bfloat16"), out("L", (128, 16), "float32")], out_="O[bx, 0, 0]",
          lse="""for i in T.Parallel(16):
        L[bx, i] = T.log2(l[i]) + m[i] * 0.12751742""")

# causal from the end: 512 queries behind 4096 keys
attention("att_chunked_prefill", 32, 4, (128, 128), (128, 128), ("Q[by, bx * 128, 0]", "K[by // 4, n * 128, 0]", "V[by // 4, n * 128, 0]"),
          """for i, j in T.Parallel(128, 128):
            s[i, j] = T.if_then_else(3584 + bx * 128 + i >= n * 128 + j, s[i, j], -1e30)""", "29 + bx", threads=256,
          args=[rn("Q", (32, 512, 128), "bfloat16"), rn("K", (8, 4096, 128), "bfloat16"), rn("V", (8, 4096, 128), "bfloat16"),
                out("O", (32, 512, 128), "bfloat16")], out_="O[by, bx * 128, 0]")

# scores from a table of relative positions
attention("att_relpos", 16, 16, (64, 64), (64, 64), ("Q[by, bx * 64, 0]", "K[by, n * 64, 0]", "V[by, n * 64, 0]"),
          """for i, j in T.Parallel(64, 64):
            s[i, j] += R[by, bx * 64 + i - n * 64 - j + 1024]""", "16",
          args=[rn("Q", (16, 1024, 64), "bfloat16"), rn("K", (16, 1024, 64), "bfloat16"), rn("V", (16, 1024, 64), "bfloat16"),
                rn("R", (16, 2048), "float32"), out("O", (16, 1024, 64), "bfloat16")], out_="O[by, bx * 64, 0]")

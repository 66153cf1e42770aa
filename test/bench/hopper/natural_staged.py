# SPDX-License-Identifier: Apache-2.0
"""Elements and rows by way of tiles in shared memory, as most first kernels are written. natural.py writes their files."""
from natural_files import f8, kernel, out, ri, rn

BF, F16, F32 = "bfloat16", "float16", "float32"


def tiles(name, M, N, bm, bn, th, ins, outs, body, extra="", more=()):
    """Tiles of bm x bn of (M, N) tensors: each input in shared memory, a body, each output by shared memory."""
    lines = [f"with T.Kernel({N // bn}, {M // bm}, threads={th}) as (bx, by):"]
    for tensor, dtype in ins:
        lines.append(f'    {tensor.lower()} = T.alloc_shared(({bm}, {bn}), "{dtype}")')
    for tensor, dtype in outs:
        lines.append(f'    {tensor.lower()}_r = T.alloc_fragment(({bm}, {bn}), "float32")')
        lines.append(f'    {tensor.lower()}_s = T.alloc_shared(({bm}, {bn}), "{dtype}")')
    for tensor, _ in ins:
        lines.append(f"    T.copy({tensor}[by * {bm}, bx * {bn}], {tensor.lower()})")
    lines += ["    " + line for line in (extra + body).strip().splitlines()]
    for tensor, _ in outs:
        lines.append(f"    T.copy({tensor.lower()}_r, {tensor.lower()}_s)")
        lines.append(f"    T.copy({tensor.lower()}_s, {tensor}[by * {bm}, bx * {bn}])")
    kernel(name, "\n" + "\n".join(lines) + "\n",
           [rn(t, (M, N), d) for t, d in ins] + list(more) + [out(t, (M, N), d) for t, d in outs])


tiles("staged_add_f16", 8192, 8192, 64, 128, 256, [("A", F16), ("B", F16)], [("C", F16)], """
for i, j in T.Parallel(64, 128):
    c_r[i, j] = a[i, j] + b[i, j]
""")
tiles("staged_axpby", 4096, 8192, 32, 64, 128, [("A", F32), ("B", F32)], [("C", F32)], """
for i, j in T.Parallel(32, 64):
    c_r[i, j] = 0.75 * a[i, j] - 1.5 * b[i, j]
""")
tiles("staged_swiglu", 8192, 8192, 32, 128, 128, [("G", BF), ("U", BF)], [("C", BF)], """
for i, j in T.Parallel(32, 128):
    c_r[i, j] = T.cast(g[i, j], "float32") * T.sigmoid(T.cast(g[i, j], "float32")) * T.cast(u[i, j], "float32")
""")
tiles("staged_relu_bwd", 8192, 8192, 64, 64, 128, [("X", BF), ("D", BF)], [("C", BF)], """
for i, j in T.Parallel(64, 64):
    c_r[i, j] = T.if_then_else(T.cast(x[i, j], "float32") > 0.0, T.cast(d[i, j], "float32"), 0.0)
""")
tiles("staged_bias_gelu", 8192, 4096, 64, 128, 256, [("X", BF)], [("C", BF)], """
T.copy(Bias[bx * 128], bias)
for i, j in T.Parallel(64, 128):
    c_r[i, j] = T.cast(x[i, j], "float32") + T.cast(bias[j], "float32")
for i, j in T.Parallel(64, 128):
    c_r[i, j] = 0.5 * c_r[i, j] * (1.0 + T.erf(c_r[i, j] * 0.7071067811865476))
""", 'bias = T.alloc_shared((128,), "bfloat16")\n', [rn("Bias", (4096,), BF)])

# In place: SGD with momentum, f32
kernel("staged_momentum", """
with T.Kernel(8192, threads=128) as bx:
    p = T.alloc_shared((1024,), "float32")
    g = T.alloc_shared((1024,), "float32")
    v = T.alloc_shared((1024,), "float32")
    T.copy(P[bx * 1024:(bx + 1) * 1024], p)
    T.copy(G[bx * 1024:(bx + 1) * 1024], g)
    T.copy(V[bx * 1024:(bx + 1) * 1024], v)
    for i in T.Parallel(1024):
        v[i] = 0.9 * v[i] + g[i]
        p[i] = p[i] - 0.01 * v[i]
    T.copy(p, P[bx * 1024:(bx + 1) * 1024])
    T.copy(v, V[bx * 1024:(bx + 1) * 1024])
""",
       [rn("P", (8388608,), F32), rn("G", (8388608,), F32), rn("V", (8388608,), F32)])

# RMS norm of rows that lie in shared memory
kernel("staged_rmsnorm", """
with T.Kernel(8192, threads=128) as bx:
    x = T.alloc_shared((4096,), "bfloat16")
    f = T.alloc_fragment((4096,), "float32")
    q = T.alloc_fragment((4096,), "float32")
    s = T.alloc_fragment((1,), "float32")
    T.copy(X[bx, :], x)
    for j in T.Parallel(4096):
        f[j] = T.cast(x[j], "float32")
        q[j] = f[j] * f[j]
    T.reduce_sum(q, s, dim=0)
    for j in T.Parallel(4096):
        Y[bx, j] = f[j] * T.rsqrt(s[0] / 4096 + 1e-6) * T.cast(W[j], "float32")
""",
       [rn("X", (8192, 4096), BF), rn("W", (4096,), BF), out("Y", (8192, 4096), BF)])

# Softmax of eight rows of 1024 in a tile
kernel("staged_softmax", """
with T.Kernel(4096, threads=256) as bx:
    x = T.alloc_shared((8, 1024), "float32")
    f = T.alloc_fragment((8, 1024), "float32")
    m = T.alloc_fragment((8,), "float32")
    s = T.alloc_fragment((8,), "float32")
    T.copy(X[bx * 8:(bx + 1) * 8, :], x)
    T.copy(x, f)
    T.reduce_max(f, m, dim=1)
    for i, j in T.Parallel(8, 1024):
        f[i, j] = T.exp(f[i, j] - m[i])
    T.reduce_sum(f, s, dim=1)
    for i, j in T.Parallel(8, 1024):
        f[i, j] = f[i, j] / s[i]
    T.copy(f, x)
    T.copy(x, Y[bx * 8:(bx + 1) * 8, :])
""",
       [rn("X", (32768, 1024), F32), out("Y", (32768, 1024), F32)])

# Cosine similarity of rows
kernel("cosine_rows", """
with T.Kernel(4096, threads=128) as bx:
    a = T.alloc_fragment((4, 1024), "float32")
    b = T.alloc_fragment((4, 1024), "float32")
    ab = T.alloc_fragment((4, 1024), "float32")
    sab = T.alloc_fragment((4,), "float32")
    saa = T.alloc_fragment((4,), "float32")
    sbb = T.alloc_fragment((4,), "float32")
    T.copy(A[bx * 4:(bx + 1) * 4, :], a)
    T.copy(B[bx * 4:(bx + 1) * 4, :], b)
    for i, j in T.Parallel(4, 1024):
        ab[i, j] = a[i, j] * b[i, j]
        a[i, j] = a[i, j] * a[i, j]
        b[i, j] = b[i, j] * b[i, j]
    T.reduce_sum(ab, sab, dim=1)
    T.reduce_sum(a, saa, dim=1)
    T.reduce_sum(b, sbb, dim=1)
    for i in T.Parallel(4):
        Y[bx * 4 + i] = sab[i] * T.rsqrt(saa[i] * sbb[i] + 1e-12)
""",
       [rn("A", (16384, 1024), BF), rn("B", (16384, 1024), BF), out("Y", (16384,), F32)])

# KL divergence of two rows of logits, both softmaxed
kernel("kl_rows", """
with T.Kernel(4096, threads=256) as bx:
    p = T.alloc_fragment((4096,), "float32")
    q = T.alloc_fragment((4096,), "float32")
    t = T.alloc_fragment((4096,), "float32")
    mp = T.alloc_fragment((1,), "float32")
    mq = T.alloc_fragment((1,), "float32")
    sp = T.alloc_fragment((1,), "float32")
    sq = T.alloc_fragment((1,), "float32")
    st = T.alloc_fragment((1,), "float32")
    T.copy(P[bx, :], p)
    T.copy(Q[bx, :], q)
    T.reduce_max(p, mp, dim=0)
    T.reduce_max(q, mq, dim=0)
    for i in T.Parallel(4096):
        t[i] = T.exp(p[i] - mp[0])
    T.reduce_sum(t, sp, dim=0)
    for i in T.Parallel(4096):
        t[i] = T.exp(q[i] - mq[0])
    T.reduce_sum(t, sq, dim=0)
    for i in T.Parallel(4096):
        t[i] = T.exp(p[i] - mp[0]) / sp[0] * ((p[i] - mp[0] - T.log(sp[0])) - (q[i] - mq[0] - T.log(sq[0])))
    T.reduce_sum(t, st, dim=0)
    Y[bx] = st[0]
""",
       [rn("P", (4096, 4096), BF), rn("Q", (4096, 4096), BF), out("Y", (4096,), F32)])

# Step of a selective state space model: h = exp(dt A) h + dt B x, y = h C
kernel("ssm_step", """
with T.Kernel(64, 64, threads=128) as (bx, by):
    h = T.alloc_fragment((64, 16), "float32")
    t = T.alloc_fragment((64, 16), "float32")
    y = T.alloc_fragment((64,), "float32")
    for i, n in T.Parallel(64, 16):
        h[i, n] = H[by, bx * 64 + i, n] * T.exp(Dt[by, bx * 64 + i] * A[bx * 64 + i, n]) + Dt[by, bx * 64 + i] * Bv[by, n] * T.cast(X[by, bx * 64 + i], "float32")
    for i, n in T.Parallel(64, 16):
        t[i, n] = h[i, n] * Cv[by, n]
    T.reduce_sum(t, y, dim=1)
    T.copy(h, H[by, bx * 64:(bx + 1) * 64, :])
    T.copy(y, Y[by, bx * 64:(bx + 1) * 64])
""",
       [rn("X", (64, 4096), BF), ("Dt", (64, 4096), F32, 'torch.rand((64, 4096), device="cuda", dtype=torch.float32)'),
        ("A", (4096, 16), F32, '-torch.rand((4096, 16), device="cuda", dtype=torch.float32)'),
        rn("Bv", (64, 16), F32), rn("Cv", (64, 16), F32), rn("H", (64, 4096, 16), F32), out("Y", (64, 4096), BF)])

# Squared distances: |a|^2 + |b|^2 - 2 a b
kernel("cdist", """
with T.Kernel(32, 32, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "float16")
    b = T.alloc_shared((128, 64), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(4, num_stages=2):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(128, 128):
        c[i, j] = T.max(Na[by * 128 + i] + Nb[bx * 128 + j] - 2.0 * c[i, j], 0.0)
    T.copy(c, D[by * 128, bx * 128])
""",
       [rn("A", (4096, 256), F16), rn("B", (4096, 256), F16),
        ("Na", (4096,), F32, 'torch.rand((4096,), device="cuda", dtype=torch.float32) * 256'),
        ("Nb", (4096,), F32, 'torch.rand((4096,), device="cuda", dtype=torch.float32) * 256'), out("D", (4096, 4096), F32)])

# Five-point stencil of a padded image, a tile with its halo in shared memory
kernel("stencil5", """
with T.Kernel(64, 128, threads=128) as (bx, by):
    t = T.alloc_shared((34, 66), "float32")
    for i, j in T.Parallel(34, 66):
        t[i, j] = X[by * 32 + i, bx * 64 + j]
    for i, j in T.Parallel(32, 64):
        Y[by * 32 + i, bx * 64 + j] = 0.25 * (t[i, j + 1] + t[i + 2, j + 1] + t[i + 1, j] + t[i + 1, j + 2]) - t[i + 1, j + 1]
""",
       [rn("X", (4098, 4098), F32), out("Y", (4096, 4096), F32)])

# Complex product of interleaved pairs
kernel("complex_mul", """
with T.Kernel(16384, threads=128) as bx:
    for i in T.Parallel(1024):
        C[bx, i, 0] = A[bx, i, 0] * B[bx, i, 0] - A[bx, i, 1] * B[bx, i, 1]
        C[bx, i, 1] = A[bx, i, 0] * B[bx, i, 1] + A[bx, i, 1] * B[bx, i, 0]
""",
       [rn("A", (16384, 1024, 2), F32), rn("B", (16384, 1024, 2), F32), out("C", (16384, 1024, 2), F32)])

# Mean over four neighbours of a sequence
kernel("seq_pool4", """
with T.Kernel(512, 8, threads=256) as (bx, by):
    x = T.alloc_shared((16, 1024), "bfloat16")
    T.copy(X[by, bx * 16:(bx + 1) * 16, :], x)
    for i, j in T.Parallel(4, 1024):
        Y[by, bx * 4 + i, j] = (T.cast(x[4 * i, j], "float32") + T.cast(x[4 * i + 1, j], "float32") + T.cast(x[4 * i + 2, j], "float32") + T.cast(x[4 * i + 3, j], "float32")) * 0.25
""",
       [rn("X", (8, 8192, 1024), BF), out("Y", (8, 2048, 1024), BF)])

# Rank-one update of a matrix, in place
kernel("rank1", """
with T.Kernel(32, 128, threads=256) as (bx, by):
    c = T.alloc_fragment((32, 128), "float32")
    x = T.alloc_shared((32,), "float32")
    y = T.alloc_shared((128,), "float32")
    T.copy(X[by * 32:(by + 1) * 32], x)
    T.copy(Y[bx * 128:(bx + 1) * 128], y)
    T.copy(C[by * 32, bx * 128], c)
    for i, j in T.Parallel(32, 128):
        c[i, j] += x[i] * y[j]
    T.copy(c, C[by * 32, bx * 128])
""",
       [rn("X", (4096,), F32), rn("Y", (4096,), F32), rn("C", (4096, 4096), F32)])

# Gumbel-max sampling: the place of the largest logit + noise
kernel("gumbel_argmax", """
with T.Kernel(1024, threads=256) as bx:
    x = T.alloc_fragment((8192,), "float32")
    p = T.alloc_fragment((8192,), "int32")
    m = T.alloc_fragment((1,), "float32")
    a = T.alloc_fragment((1,), "int32")
    for i in T.Parallel(8192):
        x[i] = T.cast(X[bx, i], "float32") * 1.25 - T.log(-T.log(U[bx, i]))
    T.reduce_max(x, m, dim=0)
    for i in T.Parallel(8192):
        p[i] = T.if_then_else(x[i] == m[0], i, 8192)
    T.reduce_min(p, a, dim=0)
    Y[bx] = a[0]
""",
       [rn("X", (1024, 8192), BF),
        ("U", (1024, 8192), F32, 'torch.rand((1024, 8192), device="cuda", dtype=torch.float32) * 0.999 + 0.0005'),
        ("Y", (1024,), "int32", 'torch.zeros((1024,), device="cuda", dtype=torch.int32)')])

# Bilinear upsampling by two, channels last
kernel("upsample2", """
with T.Kernel(64, 16, threads=256) as (by, bz):
    for x, c in T.Parallel(64, 64):
        Y[bz, 2 * by, 2 * x, c] = X[bz, by, x, c]
        Y[bz, 2 * by, 2 * x + 1, c] = 0.5 * (X[bz, by, x, c] + X[bz, by, x + 1, c])
        Y[bz, 2 * by + 1, 2 * x, c] = 0.5 * (X[bz, by, x, c] + X[bz, by + 1, x, c])
        Y[bz, 2 * by + 1, 2 * x + 1, c] = 0.25 * (X[bz, by, x, c] + X[bz, by, x + 1, c] + X[bz, by + 1, x, c] + X[bz, by + 1, x + 1, c])
""",
       [rn("X", (16, 65, 65, 64), F32), out("Y", (16, 128, 128, 64), F32)])

# Quantised transposed copy: 64 x 64 tiles to int8 with a scale a column
kernel("quant_transpose", """
with T.Kernel(64, 64, threads=128) as (bx, by):
    t = T.alloc_shared((64, 64), "bfloat16")
    q = T.alloc_shared((64, 64), "int8")
    T.copy(X[by * 64, bx * 64], t)
    for i, j in T.Parallel(64, 64):
        q[i, j] = T.cast(T.round(T.clamp(T.cast(t[j, i], "float32") * S[bx * 64 + i], -127.0, 127.0)), "int8")
    T.copy(q, Y[bx * 64, by * 64])
""",
       [rn("X", (4096, 4096), BF), ("S", (4096,), F32, 'torch.rand((4096,), device="cuda", dtype=torch.float32) * 30'),
        ("Y", (4096, 4096), "int8", 'torch.zeros((4096, 4096), device="cuda", dtype=torch.int8)')])

# Decoding with one query a head and no split: a block a head
kernel("decode_whole", """
with T.Kernel(32, 16, threads=128) as (bx, by):
    q = T.alloc_fragment((128,), "float32")
    k = T.alloc_shared((64, 128), "float16")
    v = T.alloc_shared((64, 128), "float16")
    s = T.alloc_fragment((64,), "float32")
    t = T.alloc_fragment((64, 128), "float32")
    u = T.alloc_fragment((64, 128), "float32")
    part = T.alloc_fragment((128,), "float32")
    o = T.alloc_fragment((128,), "float32")
    m = T.alloc_fragment((1,), "float32")
    mp = T.alloc_fragment((1,), "float32")
    l = T.alloc_fragment((1,), "float32")
    r = T.alloc_fragment((1,), "float32")
    T.copy(Q[by, bx, :], q)
    T.fill(o, 0)
    T.fill(l, 0)
    T.fill(m, -T.infinity("float32"))
    for kk in T.Pipelined(32, num_stages=2):
        T.copy(K[by, bx, kk * 64:(kk + 1) * 64, :], k)
        T.copy(V[by, bx, kk * 64:(kk + 1) * 64, :], v)
        for i, d in T.Parallel(64, 128):
            t[i, d] = T.cast(k[i, d], "float32") * q[d]
        T.reduce_sum(t, s, dim=1)
        T.copy(m, mp)
        T.reduce_max(s, m, dim=0, clear=False)
        for i in T.Parallel(64):
            s[i] = T.exp(s[i] - m[0])
        T.reduce_sum(s, r, dim=0)
        l[0] = l[0] * T.exp(mp[0] - m[0]) + r[0]
        for i, d in T.Parallel(64, 128):
            u[i, d] = s[i] * T.cast(v[i, d], "float32")
        T.reduce_sum(u, part, dim=0)
        for d in T.Parallel(128):
            o[d] = o[d] * T.exp(mp[0] - m[0]) + part[d]
    for d in T.Parallel(128):
        O[by, bx, d] = o[d] / l[0]
""",
       [("Q", (16, 32, 128), F16, 'torch.randn((16, 32, 128), device="cuda", dtype=torch.float16) * 0.09'),
        rn("K", (16, 32, 2048, 128), F16), rn("V", (16, 32, 2048, 128), F16), out("O", (16, 32, 128), F16)])

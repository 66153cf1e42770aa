# SPDX-License-Identifier: Apache-2.0
"""Products: tiles that nobody chose for the shape, epilogues, experts, groups, weights of 8 and 4 bits, a convolution.
natural.py writes their files."""
from natural_files import f8, kernel, out, ri, rn

# batched gemm NN fp16, 128x128x32, 3 stages, 256 threads
kernel("bmm_nn", """
with T.Kernel(8, 8, 16, threads=256) as (bx, by, bz):
    a = T.alloc_shared((128, 32), "float16")
    w = T.alloc_shared((32, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(16, num_stages=3):
        T.copy(A[bz, by * 128:(by + 1) * 128, k * 32:(k + 1) * 32], a)
        T.copy(W[bz, k * 32:(k + 1) * 32, bx * 128:(bx + 1) * 128], w)
        T.gemm(a, w, c)
    T.copy(c, C[bz, by * 128:(by + 1) * 128, bx * 128:(bx + 1) * 128])
""",
       [rn("A", (16, 1024, 512), "float16"), rn("W", (16, 512, 1024), "float16"),
        out("C", (16, 1024, 1024), "float16")])

# conv2d 3x3 pad 1 as implicit gemm (T.im2col), 128x128x64, 3 stages, 256 threads
kernel("conv2d_3x3", """
with T.Kernel(1, 784, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "float16")
    w = T.alloc_shared((64, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(18, num_stages=3):
        T.im2col(X, a, by, k, 3, 1, 1, 1)
        T.copy(W[k * 64, bx * 128], w)
        T.gemm(a, w, c)
    T.copy(c, Y[by * 128, bx * 128])
""",
       [rn("X", (32, 56, 56, 128), "float16"), rn("W", (1152, 128), "float16"), out("Y", (100352, 128), "float16")])

kernel("gemm_bias_gelu_erf", """
with T.Kernel(32, 32, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(16, num_stages=2):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(128, 128):
        c[i, j] = c[i, j] + Bias[bx * 128 + j]
    for i, j in T.Parallel(128, 128):
        c[i, j] = 0.5 * c[i, j] * (1.0 + T.erf(c[i, j] * 0.7071067811865476))
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (4096, 1024), "bfloat16"), rn("B", (4096, 1024), "bfloat16"), rn("Bias", (4096,), "bfloat16"),
        out("C", (4096, 4096), "bfloat16")])

kernel("gemm_fp8_rowcol", """
with T.Kernel(32, 32, threads=256) as (bx, by):
    a = T.alloc_shared((128, 128), "float8_e4m3fn")
    b = T.alloc_shared((128, 128), "float8_e4m3fn")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=3):
        T.copy(A[by * 128, k * 128], a)
        T.copy(B[bx * 128, k * 128], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(128, 128):
        c[i, j] = c[i, j] * Sa[by * 128 + i] * Sb[bx * 128 + j]
    T.copy(c, C[by * 128, bx * 128])
""",
       [f8("A", (4096, 4096)), f8("B", (4096, 4096)), rn("Sa", (4096,), "float32"), rn("Sb", (4096,), "float32"),
        out("C", (4096, 4096), "bfloat16")])

kernel("gemm_i8_dequant", """
with T.Kernel(32, 32, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "int8")
    b = T.alloc_shared((128, 64), "int8")
    c = T.alloc_fragment((128, 128), "int32")
    o = T.alloc_shared((128, 128), "float16")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=3):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(128, 128):
        o[i, j] = T.cast(c[i, j], "float32") * Sa[by * 128 + i] * Sb[bx * 128 + j] + Bias[bx * 128 + j]
    T.copy(o, C[by * 128, bx * 128])
""",
       [ri("A", (4096, 2048), "int8", -8, 8), ri("B", (4096, 2048), "int8", -8, 8), rn("Sa", (4096,), "float32"),
        rn("Sb", (4096,), "float32"), rn("Bias", (4096,), "float16"), out("C", (4096, 4096), "float16")])

kernel("gemm_nn_f16", """
with T.Kernel(16, 16, threads=128) as (bx, by):
    a = T.alloc_shared((128, 32), "float16")
    b = T.alloc_shared((32, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(128, num_stages=3):
        T.copy(A[by * 128, k * 32], a)
        T.copy(B[k * 32, bx * 128], b)
        T.gemm(a, b, c)
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (2048, 4096), "float16"), rn("B", (4096, 2048), "float16"), out("C", (2048, 2048), "float16")])

kernel("gemm_res_rms", """
with T.Kernel(32, 16, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    r = T.alloc_shared((128, 128), "bfloat16")
    sq = T.alloc_fragment((128, 128), "float32")
    ss = T.alloc_fragment((128,), "float32")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=3):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    T.copy(Res[by * 128, bx * 128], r)
    for i, j in T.Parallel(128, 128):
        c[i, j] += r[i, j]
    for i, j in T.Parallel(128, 128):
        sq[i, j] = c[i, j] * c[i, j]
    T.reduce_sum(sq, ss, dim=1)
    for i in T.Parallel(128):
        P[by * 128 + i, bx] = ss[i]
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (2048, 2048), "bfloat16"), rn("B", (4096, 2048), "bfloat16"), rn("Res", (2048, 4096), "bfloat16"),
        out("C", (2048, 4096), "bfloat16"), out("P", (2048, 32), "float32")])

kernel("gemm_s0", """
with T.Kernel(32, 32, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "float16")
    b = T.alloc_shared((64, 64), "float16")
    c = T.alloc_fragment((128, 64), "float32")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=0):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 64, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    T.copy(c, C[by * 128, bx * 64])
""",
       [rn("A", (4096, 2048), "float16"), rn("B", (2048, 2048), "float16"), out("C", (4096, 2048), "float16")])

kernel("gemm_t256", """
with T.Kernel(32, 16, threads=256) as (bx, by):
    a = T.alloc_shared((256, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((256, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=3):
        T.copy(A[by * 256, k * 64], a)
        T.copy(B[bx * 128, k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    T.copy(c, C[by * 256, bx * 128])
""",
       [rn("A", (4096, 4096), "bfloat16"), rn("B", (4096, 4096), "bfloat16"), out("C", (4096, 4096), "bfloat16")])

kernel("gemm_t64", """
with T.Kernel(32, 32, threads=128) as (bx, by):
    a = T.alloc_shared((64, 32), "bfloat16")
    b = T.alloc_shared((64, 32), "bfloat16")
    c = T.alloc_fragment((64, 64), "float32")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=2):
        T.copy(A[by * 64, k * 32], a)
        T.copy(B[bx * 64, k * 32], b)
        T.gemm(a, b, c, transpose_B=True)
    T.copy(c, C[by * 64, bx * 64])
""",
       [rn("A", (2048, 2048), "bfloat16"), rn("B", (2048, 2048), "bfloat16"), out("C", (2048, 2048), "bfloat16")])

kernel("gemm_tf32", """
with T.Kernel(16, 16, threads=256) as (bx, by):
    a = T.alloc_shared((128, 32), "float32")
    b = T.alloc_shared((128, 32), "float32")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=3):
        T.copy(A[by * 128, k * 32], a)
        T.copy(B[bx * 128, k * 32], b)
        T.gemm(a, b, c, transpose_B=True)
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (2048, 2048), "float32"), rn("B", (2048, 2048), "float32"), out("C", (2048, 2048), "float32")])

kernel("gemm_wgrad", """
with T.Kernel(16, 16, threads=256) as (bx, by):
    a = T.alloc_shared((64, 128), "bfloat16")
    b = T.alloc_shared((64, 128), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(128, num_stages=2):
        T.copy(A[k * 64, by * 128], a)
        T.copy(B[k * 64, bx * 128], b)
        T.gemm(a, b, c, transpose_A=True)
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (8192, 2048), "bfloat16"), rn("B", (8192, 2048), "bfloat16"), out("C", (2048, 2048), "float32")])

# grouped gemm, groups by prefix sums of sizes, tile's group searched in the kernel; 128x128x64, 3 stages, 256 threads
kernel("grouped_prefix", """
with T.Kernel(16, 40, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    e = T.alloc_var("int32")
    row = T.alloc_var("int32")
    first = T.alloc_var("int32")
    e = 0
    row = 0
    first = 0
    for g in T.serial(8):
        if by >= first:
            e = g
            row = Offs[g] + (by - first) * 128
        first = first + T.ceildiv(Offs[g + 1] - Offs[g], 128)
    if by < first:
        T.clear(c)
        for k in T.Pipelined(32, num_stages=3):
            T.copy(A[row:row + 128, k * 64:(k + 1) * 64], a)
            T.copy(W[e, bx * 128:(bx + 1) * 128, k * 64:(k + 1) * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        for i, j in T.Parallel(128, 128):
            if row + i < Offs[e + 1]:
                C[row + i, bx * 128 + j] = c[i, j]
""",
       [rn("A", (4096, 2048), "bfloat16"), rn("W", (8, 2048, 2048), "bfloat16"),
        ("Offs", (9,), "int32", 'torch.tensor([0, 805, 1354, 1792, 2341, 2890, 3328, 3877, 4096], device="cuda", dtype=torch.int32)'),
        out("C", (4096, 2048), "bfloat16")])

# gate/up fused MoE: gathered A rows by sorted token ids, expert of each block; 128x64x64, 2 stages, 256 threads
kernel("moe_gateup", """
with T.Kernel(22, 64, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "bfloat16")
    wg = T.alloc_shared((64, 64), "bfloat16")
    wu = T.alloc_shared((64, 64), "bfloat16")
    g = T.alloc_fragment((128, 64), "float32")
    u = T.alloc_fragment((128, 64), "float32")
    e = Expert[by]
    T.clear(g)
    T.clear(u)
    for k in T.Pipelined(32, num_stages=2):
        for i, j in T.Parallel(128, 64):
            a[i, j] = A[Ids[by * 128 + i], k * 64 + j]
        T.copy(Wg[e, bx * 64:(bx + 1) * 64, k * 64:(k + 1) * 64], wg)
        T.copy(Wu[e, bx * 64:(bx + 1) * 64, k * 64:(k + 1) * 64], wu)
        T.gemm(a, wg, g, transpose_B=True)
        T.gemm(a, wu, u, transpose_B=True)
    for i, j in T.Parallel(128, 64):
        g[i, j] = g[i, j] / (1.0 + T.exp(-g[i, j])) * u[i, j]
    T.copy(g, H[by * 128, bx * 64])
""",
       [rn("A", (2048, 2048), "bfloat16"), rn("Wg", (16, 1408, 2048), "bfloat16"),
        rn("Wu", (16, 1408, 2048), "bfloat16"), ri("Ids", (8192,), "int32", 0, 2048),
        ri("Expert", (64,), "int32", 0, 16), out("H", (8192, 1408), "bfloat16")])

# split-K 8 with f32 atomics; 128x128x64, 3 stages, 128 threads
kernel("splitk_atomic", """
with T.Kernel(8, 8, 8, threads=128) as (bx, by, bz):
    a = T.alloc_shared((128, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    T.clear(c)
    for k in T.Pipelined(16, num_stages=3):
        T.copy(A[by * 128, bz * 1024 + k * 64], a)
        T.copy(B[bx * 128, bz * 1024 + k * 64], b)
        T.gemm(a, b, c, transpose_B=True)
    for i, j in T.Parallel(128, 128):
        T.atomic_add(C[by * 128 + i, bx * 128 + j], c[i, j])
""",
       [rn("A", (1024, 8192), "bfloat16"), rn("B", (1024, 8192), "bfloat16"),
        ("C", (1024, 1024), "float32", 'torch.zeros((1024, 1024), device="cuda", dtype=torch.float32)')])

kernel("w4a16_gz", """
with T.Kernel(32, 8, threads=256) as (bx, by):
    a = T.alloc_shared((128, 64), "bfloat16")
    b = T.alloc_shared((128, 64), "bfloat16")
    c = T.alloc_fragment((128, 128), "float32")
    q = T.alloc_shared((128, 32), "uint8")
    d = T.alloc_fragment((128, 64), "bfloat16")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=2):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[bx * 128, k * 32], q)
        for i, j in T.Parallel(128, 64):
            d[i, j] = (T.cast((q[i, j // 2] >> ((j % 2) * 4)) & 15, "float32") - T.cast(Z[bx * 128 + i, k // 2], "float32")) * T.cast(S[bx * 128 + i, k // 2], "float32")
        T.copy(d, b)
        T.gemm(a, b, c, transpose_B=True)
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (1024, 4096), "bfloat16"), ri("B", (4096, 2048), "uint8", 0, 255), rn("S", (4096, 32), "bfloat16"),
        ri("Z", (4096, 32), "uint8", 0, 16), out("C", (1024, 4096), "bfloat16")])

kernel("w4a8", """
with T.Kernel(32, 16, threads=256) as (bx, by):
    a = T.alloc_shared((128, 128), "int8")
    b = T.alloc_shared((128, 128), "int8")
    c = T.alloc_fragment((128, 128), "int32")
    q = T.alloc_shared((128, 64), "uint8")
    T.clear(c)
    for k in T.Pipelined(32, num_stages=2):
        T.copy(A[by * 128, k * 128], a)
        T.copy(B[bx * 128, k * 64], q)
        for i, j in T.Parallel(128, 128):
            b[i, j] = T.cast((q[i, j // 2] >> ((j % 2) * 4)) & 15, "int8") - T.cast(8, "int8")
        T.gemm(a, b, c, transpose_B=True)
    o = T.alloc_fragment((128, 128), "float32")
    for i, j in T.Parallel(128, 128):
        o[i, j] = T.cast(c[i, j], "float32") * Sa[by * 128 + i] * Sb[bx * 128 + j]
    T.copy(o, C[by * 128, bx * 128])
""",
       [ri("A", (2048, 4096), "int8", -8, 8), ri("B", (4096, 2048), "uint8", 0, 255), rn("Sa", (2048,), "float32"),
        rn("Sb", (4096,), "float32"), out("C", (2048, 4096), "bfloat16")])

kernel("w4t_a16", """
with T.Kernel(32, 8, threads=128) as (bx, by):
    a = T.alloc_shared((128, 64), "float16")
    b = T.alloc_shared((64, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    q = T.alloc_shared((32, 128), "uint8")
    s = T.alloc_shared((128,), "float16")
    T.clear(c)
    for k in T.Pipelined(64, num_stages=2):
        T.copy(A[by * 128, k * 64], a)
        T.copy(B[k * 32, bx * 128], q)
        T.copy(S[k, bx * 128:(bx + 1) * 128], s)
        for i, j in T.Parallel(64, 128):
            b[i, j] = (T.cast((q[i // 2, j] >> ((i % 2) * 4)) & 15, "float16") - 8) * s[j]
        T.gemm(a, b, c)
    T.copy(c, C[by * 128, bx * 128])
""",
       [rn("A", (1024, 4096), "float16"), ri("B", (2048, 4096), "uint8", 0, 255), rn("S", (64, 4096), "float16"),
        out("C", (1024, 4096), "float16")])

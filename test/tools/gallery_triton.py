# SPDX-License-Identifier: Apache-2.0
"""Rivals of the gallery's kernels in Triton, with the configurations that compete (gallery_rivals.py times them).

Written for this comparison, each in the way that Triton's own users write such a kernel: one row or one tile a program,
pointers with masks where a size asks for them.
"""
import itertools

import triton
import triton.language as tl

LOG2E = tl.constexpr(1.44269504)
LIMIT = tl.constexpr(448.0)  # the largest float8_e4m3fn


@triton.jit
def norm_quantise(x, residual, weight, q, scale, N: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, N)
    at = row * N + column
    f = tl.load(x + at).to(tl.float32) + tl.load(residual + at).to(tl.float32)
    tl.store(residual + at, f.to(residual.dtype.element_ty))
    f = f * tl.rsqrt(tl.sum(f * f, 0) / N + 1e-6) * tl.load(weight + column).to(tl.float32)
    s = tl.maximum(tl.max(tl.abs(f), 0), 1e-12) / LIMIT
    tl.store(q + at, (f / s).to(q.dtype.element_ty))
    tl.store(scale + row, s)


@triton.jit
def swiglu(x, y, N: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(1).to(tl.int64), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(x + row * 2 * N + column).to(tl.float32)
    up = tl.load(x + row * 2 * N + N + column).to(tl.float32)
    tl.store(y + row * N + column, (gate / (1 + tl.exp(-gate)) * up).to(y.dtype.element_ty))


@triton.jit
def rope_append(q, k, v, cos, sin, position, slot, k_cache, v_cache, HEADS: tl.constexpr, KV_HEADS: tl.constexpr,
                D: tl.constexpr, ALL: tl.constexpr, ALL_KV: tl.constexpr):
    token, half = tl.program_id(0).to(tl.int64), tl.arange(0, D // 2)[None, :]
    at, place = tl.load(position + token), tl.load(slot + token).to(tl.int64)
    c, s = tl.load(cos + at * (D // 2) + half), tl.load(sin + at * (D // 2) + half)
    head = tl.arange(0, ALL)[:, None]
    low = (token * HEADS + head) * D + half
    there = head < HEADS
    a, b = tl.load(q + low, mask=there).to(tl.float32), tl.load(q + low + D // 2, mask=there).to(tl.float32)
    tl.store(q + low, (a * c - b * s).to(q.dtype.element_ty), mask=there)
    tl.store(q + low + D // 2, (b * c + a * s).to(q.dtype.element_ty), mask=there)
    if place >= 0:
        kv_head = tl.arange(0, ALL_KV)[:, None]
        kept = kv_head < KV_HEADS
        row, to = (token * KV_HEADS + kv_head) * D + half, (place * KV_HEADS + kv_head) * D + half
        x, y = tl.load(k + row, mask=kept).to(tl.float32), tl.load(k + row + D // 2, mask=kept).to(tl.float32)
        tl.store(k_cache + to, (x * c - y * s).to(k.dtype.element_ty), mask=kept)
        tl.store(k_cache + to + D // 2, (y * c + x * s).to(k.dtype.element_ty), mask=kept)
        tl.store(v_cache + to, tl.load(v + row, mask=kept), mask=kept)
        tl.store(v_cache + to + D // 2, tl.load(v + row + D // 2, mask=kept), mask=kept)


@triton.jit
def block_scaled(a, b, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    tiles_m, tiles_n, index = tl.cdiv(M, BM), tl.cdiv(N, BN), tl.program_id(0)
    first = index // (GROUP * tiles_n) * GROUP
    high, inside = min(tiles_m - first, GROUP), index % (GROUP * tiles_n)
    row, column = (first + inside % high) * BM + tl.arange(0, BM), inside // high * BN + tl.arange(0, BN)
    k = tl.arange(0, 128)
    a_at, b_at = a + row[:, None] * K + k[None, :], b + column[None, :] * K + k[:, None]
    steps = K // 128
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(steps):
        part = tl.dot(tl.load(a_at), tl.load(b_at))
        scale = tl.load(sa + row * steps + step)[:, None] * tl.load(sb + column // 128 * steps + step)[None, :]
        total += part * scale
        a_at += 128
        b_at += 128
    tl.store(c + row[:, None] * N + column[None, :], total.to(c.dtype.element_ty))


@triton.jit
def mxfp8(a, b, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    k, piece = tl.arange(0, BK), tl.arange(0, BK // 32)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + row[:, None] * K + start + k[None, :])
        y = tl.load(b + column[None, :] * K + start + k[:, None])
        scale_x = tl.load(sa + row[:, None] * (K // 32) + start // 32 + piece[None, :])
        scale_y = tl.load(sb + column[:, None] * (K // 32) + start // 32 + piece[None, :])
        total = tl.dot_scaled(x, scale_x, "e4m3", y, scale_y, "e4m3", total)
    tl.store(c + row[:, None] * N + column[None, :], total.to(c.dtype.element_ty))


@triton.jit
def decode_part(q, q_rope, kv, k_rope, lengths, parts, sums, scale, HEADS, KEYS, D: tl.constexpr, R: tl.constexpr,
                BH: tl.constexpr, BN: tl.constexpr, SPLITS: tl.constexpr):
    batch, split = tl.program_id(0).to(tl.int64), tl.program_id(2)
    head = tl.program_id(1) * BH + tl.arange(0, BH)
    d, r, key = tl.arange(0, D), tl.arange(0, R), tl.arange(0, BN)
    x = tl.load(q + (batch * HEADS + head[:, None]) * D + d[None, :])
    x_rope = tl.load(q_rope + (batch * HEADS + head[:, None]) * R + r[None, :])
    length = tl.load(lengths + batch)
    part = tl.cdiv(tl.cdiv(KEYS, SPLITS), BN) * BN
    total = tl.zeros((BH, D), dtype=tl.float32)
    norm = tl.zeros((BH,), dtype=tl.float32)
    top = tl.full((BH,), -1e30, dtype=tl.float32)
    for start in range(split * part, min(split * part + part, length), BN):
        there = start + key < length
        rows = batch * KEYS + start + key
        tile = tl.load(kv + rows[:, None] * D + d[None, :], mask=there[:, None], other=0)
        rope = tl.load(k_rope + rows[:, None] * R + r[None, :], mask=there[:, None], other=0)
        s = tl.dot(x_rope, rope.T, tl.dot(x, tile.T)) * scale
        s = tl.where(there[None, :], s, -1e30)
        now = tl.maximum(top, tl.max(s, 1))
        p, alpha = tl.exp2(s - now[:, None]), tl.exp2(top - now)
        norm = norm * alpha + tl.sum(p, 1)
        total = tl.dot(p.to(tile.dtype), tile, total * alpha[:, None])
        top = now
    out = (batch * SPLITS + split) * HEADS + head
    tl.store(parts + out[:, None] * D + d[None, :], total / tl.maximum(norm, 1e-30)[:, None])
    tl.store(sums + out, tl.where(norm > 0, tl.log2(tl.maximum(norm, 1e-30)) + top, -1e30))


@triton.jit
def decode_together(parts, sums, out, HEADS, D: tl.constexpr, SPLITS: tl.constexpr):
    batch, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    d, split = tl.arange(0, D), tl.arange(0, SPLITS)
    at = (batch * SPLITS + split) * HEADS + head
    weight = tl.load(sums + at)
    weight = tl.exp2(weight - tl.max(weight, 0))
    x = tl.load(parts + at[:, None] * D + d[None, :])
    total = tl.sum(x * weight[:, None], 0) / tl.sum(weight, 0)
    tl.store(out + (batch * HEADS + head) * D + d, total.to(out.dtype.element_ty))


ROW_WARPS = (4, 8, 16)
SWIGLU = tuple(itertools.product((1024, 2048, 4096), (4, 8)))
BLOCK_SCALED = ((128, 128, 4, 3), (128, 128, 8, 3), (128, 128, 8, 4), (64, 128, 4, 4), (128, 64, 4, 4),
                (256, 128, 8, 3))
MXFP8 = ((128, 128, 128, 8, 2), (128, 128, 128, 8, 3), (128, 64, 128, 4, 3), (128, 256, 128, 8, 2),
         (64, 128, 128, 4, 3))
# (heads and keys of a tile, splits, warps, stages)
DECODE = tuple((bh, bn, splits, warps, stages) for bh, bn, warps, stages in
               ((64, 64, 8, 1), (64, 32, 8, 2), (64, 32, 8, 1), (32, 32, 8, 2), (16, 32, 4, 2), (32, 64, 4, 1))
               for splits in (2, 4, 8))

# SPDX-License-Identifier: Apache-2.0
"""The benchmark's kernels once more, in Triton 3.6 for Hopper, with the configurations that compete.

Written for this comparison. A configuration's form is `maps` (tensor maps made on the host), `maps persistent` (the
same, each program takes tile after tile, the loops made one so that stores overlap) or, with warp specialisation,
`roles` and `roles persistent`: Triton 3.6 has that on Hopper for tensor maps that the kernel makes itself, for four
warps, and for one loop. Rings of three and five stages of that came out wrong on an H200 (always in attention, at times in
products), so they are of two and four where that fits. All configurations are compiled, checked and timed before the
comparison; the best one takes part.
"""

import triton
import triton.language as tl

PROGRAMS = tl.constexpr(132)  # multiprocessors of an H200


# --- products ---------------------------------------------------------------

@triton.jit
def tile_of(index, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Row and column of a tile: groups of GROUP rows are walked column by column."""
    in_group = GROUP * tiles_n
    first = index // in_group * GROUP
    high = min(tiles_m - first, GROUP)
    inside = index % in_group
    return first + inside % high, inside // high


@triton.jit
def store_tile(c, total, row, column, BN: tl.constexpr, PARTS: tl.constexpr):
    if PARTS == 1:
        c.store([row, column], total.to(c.dtype))
    else:
        left, right = tl.split(tl.permute(tl.reshape(total, (total.shape[0], 2, BN // 2)), (0, 2, 1)))
        c.store([row, column], left.to(c.dtype))
        c.store([row, column + BN // 2], right.to(c.dtype))


@triton.jit
def multiply(a, b, c, scale, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
             NT: tl.constexpr, PARTS: tl.constexpr, PERSISTENT: tl.constexpr, ROLES: tl.constexpr,
             SCALED: tl.constexpr):
    tiles_m, tiles_n, steps = tl.cdiv(M, BM), tl.cdiv(N, BN), tl.cdiv(K, BK)
    if PERSISTENT:
        for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=not ROLES, warp_specialize=ROLES):
            row, column = tile_of(tile, tiles_m, tiles_n, GROUP)
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(steps):
                x = a.load([row * BM, k * BK])
                if NT:
                    total = tl.dot(x, b.load([column * BN, k * BK]).T, total)
                else:
                    total = tl.dot(x, b.load([k * BK, column * BN]), total)
            if SCALED:
                total = total * scale
            store_tile(c, total, row * BM, column * BN, BN, PARTS)
    else:
        row, column = tile_of(tl.program_id(0), tiles_m, tiles_n, GROUP)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in tl.range(0, steps, warp_specialize=ROLES):
            x = a.load([row * BM, k * BK])
            if NT:
                total = tl.dot(x, b.load([column * BN, k * BK]).T, total)
            else:
                total = tl.dot(x, b.load([k * BK, column * BN]), total)
        if SCALED:
            total = total * scale
        store_tile(c, total, row * BM, column * BN, BN, PARTS)


@triton.jit
def gemm_maps(a, b, c, sa, sb, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
              NT: tl.constexpr, PARTS: tl.constexpr, PERSISTENT: tl.constexpr, SCALED: tl.constexpr):
    scale = tl.load(sa) * tl.load(sb) if SCALED else 1.0
    multiply(a, b, c, scale, M, N, K, BM, BN, BK, GROUP, NT, PARTS, PERSISTENT, False, SCALED)


@triton.jit
def gemm_roles(a_ptr, b_ptr, c_ptr, sa, sb, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
               GROUP: tl.constexpr, NT: tl.constexpr, PERSISTENT: tl.constexpr, SCALED: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    if NT:
        b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    scale = tl.load(sa) * tl.load(sb) if SCALED else 1.0
    multiply(a, b, c, scale, M, N, K, BM, BN, BK, GROUP, NT, 1, PERSISTENT, True, SCALED)


# (form, BM, BN, bytes of K, warps, stages, GROUP, PARTS of the tile that are stored one after another)
GEMM = [
    ("maps persistent", 128, 256, 128, 8, 3, 8, 1), ("maps persistent", 128, 256, 128, 8, 3, 16, 2),
    ("maps persistent", 128, 256, 128, 8, 4, 8, 2), ("maps persistent", 256, 128, 128, 8, 3, 8, 2),
    ("maps persistent", 128, 128, 128, 8, 4, 8, 1),
    ("maps", 128, 256, 128, 8, 3, 8, 1), ("maps", 128, 256, 128, 8, 4, 16, 1), ("maps", 256, 128, 128, 8, 4, 8, 1),
    ("maps", 128, 128, 128, 4, 4, 8, 1), ("maps", 128, 128, 128, 8, 5, 8, 1), ("maps", 64, 128, 128, 4, 6, 8, 1),
    ("maps", 128, 64, 128, 4, 6, 8, 1),
    ("roles", 128, 256, 128, 4, 3, 8, 1), ("roles", 128, 128, 128, 4, 4, 8, 1), ("roles", 256, 128, 128, 4, 3, 8, 1),
    ("roles persistent", 128, 256, 128, 4, 3, 8, 1), ("roles persistent", 128, 256, 128, 4, 3, 16, 1),
    ("roles persistent", 128, 256, 128, 4, 2, 8, 1), ("roles persistent", 128, 128, 128, 4, 4, 8, 1),
]


# --- attention --------------------------------------------------------------

@triton.jit
def visit(total, norm, top, q, k, v, row, column, first, begin, end, scale, BM: tl.constexpr, BN: tl.constexpr,
          MASKED: tl.constexpr, ROLES: tl.constexpr):
    """Keys begin .. end of one head, into the running output, sum and maximum of BM queries from `first` on."""
    queries = first + tl.arange(0, BM)
    for start in tl.range(begin, end, BN, warp_specialize=ROLES):
        start = tl.multiple_of(start, BN)
        s = tl.dot(q, k.load([row + start, column]).T)
        if MASKED:
            seen = queries[:, None] >= (start + tl.arange(0, BN))[None, :]
            s = s * scale + tl.where(seen, 0.0, -1.0e30)
            top_now = tl.maximum(top, tl.max(s, 1))
            s = s - top_now[:, None]
        else:
            top_now = tl.maximum(top, tl.max(s, 1) * scale)
            s = s * scale - top_now[:, None]
        p = tl.math.exp2(s)
        alpha = tl.math.exp2(top - top_now)
        norm = norm * alpha + tl.sum(p, 1)
        total = total * alpha[:, None]
        total = tl.dot(p.to(v.dtype), v.load([row + start, column]), total)
        top = top_now
    return total, norm, top


@triton.jit
def attend(q_map, k_map, v_map, o_map, S, H, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
           CAUSAL: tl.constexpr, ROLES: tl.constexpr):
    tile = tl.num_programs(0) - 1 - tl.program_id(0) if CAUSAL else tl.program_id(0)  # the longest first
    head, first = tl.program_id(1), tile * BM
    row, column = head // H * S, head % H * D
    q = q_map.load([row + first, column])
    total = tl.zeros((BM, D), dtype=tl.float32)
    norm = tl.zeros((BM,), dtype=tl.float32)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    if not CAUSAL:
        total, norm, top = visit(total, norm, top, q, k_map, v_map, row, column, first, 0, S, scale, BM, BN, False, ROLES)
    elif ROLES:  # two loops with roles do not compile
        total, norm, top = visit(total, norm, top, q, k_map, v_map, row, column, first, 0, first + BM, scale, BM, BN,
                                 True, True)
    else:
        total, norm, top = visit(total, norm, top, q, k_map, v_map, row, column, first, 0, first, scale, BM, BN, False,
                                 False)
        total, norm, top = visit(total, norm, top, q, k_map, v_map, row, column, first, first, first + BM, scale, BM, BN,
                                 True, False)
    o_map.store([row + first, column], (total / norm[:, None]).to(o_map.dtype))


@triton.jit
def attention_maps(q, k, v, o, S, H, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    attend(q, k, v, o, S, H, scale, BM, BN, D, CAUSAL, False)


@triton.jit
def attention_roles(q_ptr, k_ptr, v_ptr, o_ptr, rows, S, H, scale, BM: tl.constexpr, BN: tl.constexpr,
                    D: tl.constexpr, CAUSAL: tl.constexpr):
    q = tl.make_tensor_descriptor(q_ptr, [rows, H * D], [H * D, 1], [BM, D])
    k = tl.make_tensor_descriptor(k_ptr, [rows, H * D], [H * D, 1], [BN, D])
    v = tl.make_tensor_descriptor(v_ptr, [rows, H * D], [H * D, 1], [BN, D])
    o = tl.make_tensor_descriptor(o_ptr, [rows, H * D], [H * D, 1], [BM, D])
    attend(q, k, v, o, S, H, scale, BM, BN, D, CAUSAL, True)


# D -> (form, BM, BN, warps, stages)
ATTENTION = {
    64: [("maps", 128, 128, 8, 2), ("maps", 128, 128, 8, 3), ("maps", 128, 64, 8, 3), ("maps", 128, 64, 4, 3),
         ("maps", 64, 64, 4, 3), ("roles", 128, 128, 4, 2), ("roles", 128, 128, 4, 4), ("roles", 128, 64, 4, 4)],
    128: [("maps", 128, 128, 8, 2), ("maps", 128, 128, 8, 3), ("maps", 128, 64, 8, 3), ("maps", 128, 64, 8, 4),
          ("maps", 64, 64, 4, 3), ("roles", 128, 128, 4, 2), ("roles", 128, 64, 4, 2), ("roles", 128, 64, 4, 4)],
    256: [("maps", 128, 64, 8, 2), ("maps", 128, 32, 8, 3), ("maps", 64, 64, 4, 2), ("maps", 64, 32, 4, 3),
          ("roles", 128, 32, 4, 2)],
}


# --- kernels bound by memory --------------------------------------------------

@triton.jit
def softmax(x, y, N: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    f = tl.load(x + at).to(tl.float32)
    p = tl.exp(f - tl.max(f, 0))
    tl.store(y + at, (p / tl.sum(p, 0)).to(y.dtype.element_ty))


@triton.jit
def layernorm(x, w, b, y, N: tl.constexpr):
    column = tl.arange(0, N)
    at = tl.program_id(0).to(tl.int64) * N + column
    f = tl.load(x + at).to(tl.float32)
    f = f - tl.sum(f, 0) / N
    spread = tl.rsqrt(tl.sum(f * f, 0) / N + 1e-5)
    f = f * spread * tl.load(w + column).to(tl.float32) + tl.load(b + column).to(tl.float32)
    tl.store(y + at, f.to(y.dtype.element_ty))


@triton.jit
def rmsnorm(x, w, y, N: tl.constexpr):
    column = tl.arange(0, N)
    at = tl.program_id(0).to(tl.int64) * N + column
    f = tl.load(x + at).to(tl.float32)
    f = f * tl.rsqrt(tl.sum(f * f, 0) / N + 1e-6) * tl.load(w + column).to(tl.float32)
    tl.store(y + at, f.to(y.dtype.element_ty))


@triton.jit
def gelu(x, y, N: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    f = tl.load(x + at).to(tl.float32)
    f = f / (1 + tl.exp(-1.5957691 * f * (1 + 0.044715 * f * f)))
    tl.store(y + at, f.to(y.dtype.element_ty))


ROW_WARPS = [1, 2, 4, 8, 16]
GELU = [(elems, warps) for elems in (1024, 2048, 4096, 8192) for warps in (4, 8)]

# SPDX-License-Identifier: Apache-2.0
"""The tiles of a matrix product, as a function of its shape, its type and the chip. The compiler has this text, too.

A chip is given by its compute units, the lanes of a wave, the shared memory of a block in bytes and whether warp groups
multiply. The estimate of a tile is

    launch + rounds * (slabs * slab + ends),        rounds = 0.7 ceil(x) + 0.3 x

with x tiles a compute unit, slabs of 128 bytes along K and, from the rows below, the microseconds of a slab and of a tile's
beginning and end. A round that is not full costs less than a full one, as the chip's power sets its clock. Where several
blocks are resident, a slab of one takes longer than its share.
"""

import math

# block_M, block_N, threads, microseconds of a slab, the same where B has its rows along K, and of a tile's ends.
# Fitted to 140 shapes, 16 tiles each, on an H100 (test/bench/hopper/tiles.py, docs/numbers/performance-nvidia.md); by hand
# 160 and 176 columns, a little more than fitted, as they are worse for a launch by itself, and 144, 208 and 224, of 22 other
# shapes; columns that are no multiple of 64, of 18 shapes with B's rows along K
# (test/bench/results/h100-nn-tiles-2026-11-27.jsonl). With 128 threads two warp groups take tiles in turn, and what a tile
# costs at its ends is hidden.
_WARP_GROUPS = [
    (64, 64, 128, 0.1495, 0.1568, 0.0), (64, 128, 128, 0.2409, 0.2262, 0.0), (64, 192, 128, 0.311, 0.3119, 0.07),
    (64, 256, 128, 0.4748, 0.4715, 0.19), (128, 64, 256, 0.2281, 0.2345, 0.05), (128, 96, 128, 0.3384, 0.48, 0.0),
    (128, 112, 128, 0.3991, 0.54, 0.2), (128, 128, 128, 0.4144, 0.4152, 0.14), (128, 144, 128, 0.475, 0.75, 0.1),
    (128, 160, 128, 0.5, 0.63, 0.0), (128, 176, 128, 0.553, 0.66, 0.38), (128, 192, 128, 0.5919, 0.5943, 0.0),
    (128, 128, 256, 0.4236, 0.4253, 0.31), (128, 192, 256, 0.6177, 0.6226, 0.73), (128, 208, 256, 0.71, 0.82, 0.8),
    (128, 224, 256, 0.755, 0.78, 0.85), (128, 256, 256, 0.8413, 0.8539, 0.92), (192, 128, 384, 0.611, 0.6104, 0.46),
    (256, 128, 256, 0.8363, 0.8271, 0.92),
]  # fmt: skip
# The same where rows are no multiples of 16 bytes, which threads bring element by element: medians of 16 shapes on an H200
# (test/bench/results/h200-uneven-tiles-2026-11-28.jsonl), of which these four tiles together come closest to the best of 20.
_UNEVEN, _UNEVEN_BITS = [(128, 192, 256, 4.39, 4.88, 0.0), (128, 208, 256, 4.42, 5.1, 0.0), (128, 240, 256, 5.9, 5.24, 0.0),
                         (256, 128, 256, 5.42, 5.71, 0.0)], 128  # fmt: skip
# Waves of 64 lanes: block_M, block_N, threads, microseconds of a slab of a block by itself, of each of several, and of a
# tile's ends. From the simulator's timing of gfx950; gfx942's are about twice these, in nearly the same proportions.
_WAVES = [
    (64, 64, 256, 0.436, 0.205, 0.6), (128, 64, 256, 0.506, 0.2375, 0.8), (64, 128, 256, 0.52, 0.26, 0.8),
    (128, 128, 256, 0.557, 0.425, 1.3), (256, 128, 256, 0.688, 0.688, 1.5), (128, 256, 256, 0.70, 0.70, 1.5),
    (256, 256, 512, 1.219, 1.219, 3.3),
]  # fmt: skip
# Warps of 32 lanes that multiply by themselves, in proportion to area and edges; not fitted to measurements.
_WARPS = [(m, n, threads, m * n * 4e-5 + (m + n) * 1e-3, m * n * 4e-5 + (m + n) * 1e-3, 0.5)
          for m, n, threads in [(64, 64, 128), (64, 128, 128), (128, 64, 128), (128, 128, 128), (128, 256, 256), (256, 128, 256)]]  # fmt: skip
_LAUNCH = 3.0
_SLAB_BITS = 1024


# Blocks that share a tile, fitted to 39 shapes of few tiles on an H100: microseconds of their sum and of each of its
# elements, of a slab and of each of its elements while not all of the chip multiplies, and bytes a microsecond that come
# from memory, where several blocks read the same and where they do not.
_SUM, _SUM_OF_ELEMENT = 3.0, 7e-5
_SLAB, _SLAB_OF_ELEMENT = 0.06, 1.8e-5
_SHARED_BYTES, _BYTES = 1.5e6, 4.5e6
# Where M or N has one tile: of a slab while all that comes from memory is read once.
_READ_ONCE = 0.03
# At most 64 rows: microseconds of a launch, of a slab, of a slab's columns, of a tile's columns, of the sum of several blocks
# and of its columns; how many times a slab where B has its rows along K and a tile is no power of two wide; bytes a
# microsecond from memory; the part of a round that is not full which costs nothing, behind others and of the only one. Fitted
# to 25 shapes on an H200 (test/bench/results/h200-row-tiles-2026-11-28.jsonl).
_ROWS_LAUNCH, _ROWS_SLAB, _ROWS_SLAB_OF_COLUMN, _ROWS_OF_COLUMN = 2.0, 0.153, 0.00164, 0.0126
_ROWS_SUM, _ROWS_SUM_OF_COLUMN, _ROWS_PARTS, _ROWS_BYTES = 1.17, 0.00026, 1.37, 4.13e6
_ROWS_IDLE, _ROWS_IDLE_ALONE = 0.415, 0.758


# A row of L2 and one of its sectors, in bits.
_ROW_BITS, _SECTOR_BITS = 1024, 256


def _of_edges(area, threads, pitches, is_shared):
    """Microseconds of a slab for each of a tile's rows and columns, as rows of A and B are so many bits apart. Those that do
    not begin at rows of L2 lie in two each: twice the traffic, which clusters of large tiles share; where they do not
    begin at sectors either, clusters share it from tiles of 128 x 128 on (lib/Transforms/Roles/Strategies/Cluster.cpp;
    fitted to 20 shapes, test/bench/results/h100-ragged-tiles-2026-11-27.jsonl)."""
    split = sum(pitch % _SECTOR_BITS != 0 for pitch in pitches)
    if split:
        edge = 0.0016 if area < 16384 or not is_shared else 0.00055 if area < 20480 else 0.0003 if area < 26624 else 0.0
        return edge if split == 2 else 0.6 * edge
    if all(pitch % _ROW_BITS == 0 for pitch in pitches):
        return 0.0
    return 0.00015 if area >= 26624 and is_shared else 0.0004 if threads >= 256 and area >= 24576 else 0.0011


def _in_one_round(rows, columns, units, slabs, tile, edges):
    """Microseconds where every tile is multiplied at once by several blocks, each with a part of K, as the compiler has it
    where tiles are few (lib/Transforms/Roles/SplitProduct.cpp)."""
    block_M, block_N, threads, slab_nt, slab_nn, ends = tile
    best, tiles, is_row = math.inf, rows * columns, rows == 1 or columns == 1
    for blocks in (2, 4, 8):
        is_idle = tiles <= 0.4 * units or is_row
        if is_idle and tiles * blocks <= (units if blocks == 2 else units * 10 // 11) and slabs >= 4 * blocks:
            fetched = (rows * block_M + columns * block_N) * blocks * _SLAB_BITS // 8
            slab = max(_SLAB + _SLAB_OF_ELEMENT * block_M * block_N, fetched / (_BYTES if is_row else _SHARED_BYTES)) + edges
            best = min(best, math.ceil(slabs / blocks) * slab + ends + _SUM + _SUM_OF_ELEMENT * block_M * block_N)
    return best


def _of_few_rows(block_N, N, K, bits, units, transpose_B):
    """Microseconds of a product of at most 64 rows, whose tiles are one row: where all of B is read is what counts."""
    columns, slabs, best = math.ceil(N / block_N), math.ceil(K * bits / _SLAB_BITS), math.inf
    slab = _ROWS_SLAB + _ROWS_SLAB_OF_COLUMN * block_N
    if not transpose_B and block_N not in (64, 128, 256):
        slab *= _ROWS_PARTS
    for blocks in (1, 2, 4, 8):
        if blocks > 1 and (columns * blocks > (units if blocks == 2 else units * 10 // 11) or slabs < 4 * blocks):
            break
        x = columns * blocks / units
        rounds = (1 - _ROWS_IDLE) * math.ceil(x) + _ROWS_IDLE * x if x > 1 else 1 - _ROWS_IDLE_ALONE * (1 - x)
        total = _ROWS_SUM + _ROWS_SUM_OF_COLUMN * block_N if blocks > 1 else 0.0
        best = min(best, max(rounds * math.ceil(slabs / blocks) * slab, N * K * bits / 8 / _ROWS_BYTES) + total)
    return _ROWS_LAUNCH + best + _ROWS_OF_COLUMN * block_N


def candidates_on(chip, M, N, K, bits, transpose_B=True, count=4):
    """The `count` best, the best first, each as keyword arguments of a kernel."""
    units, lanes, shared, has_warp_groups = chip
    is_waves = lanes == 64
    table = _WAVES if is_waves else _WARP_GROUPS if has_warp_groups else _WARPS
    # A slab is a row of the swizzle. Half one where two slots of the largest tile would not fit, or where warps copy.
    block_K = _SLAB_BITS // bits
    is_half = shared < 131072 if is_waves else not has_warp_groups
    if is_half:
        block_K = block_K // 2
    pitches = (K * bits, (K if transpose_B else N) * bits)
    is_uneven = has_warp_groups and bits <= 16 and M > 64 and any(pitch % _UNEVEN_BITS for pitch in pitches)
    has_copies = has_warp_groups and not is_uneven
    found = []
    for tile in _UNEVEN if is_uneven else table:
        block_M, block_N, threads, slab, other, ends = tile
        # A ring has two slots at least; products of f32 need registers for operands, too.
        slots = shared * 8 // ((block_M + block_N) * block_K * bits)
        if slots < 2 or bits > 16 and block_M * block_N > 16384:
            continue
        if has_warp_groups and not transpose_B:
            slab = other
        rows, columns, edges = math.ceil(M / block_M), math.ceil(N / block_N), 0.0
        x = rows * columns / units
        if has_copies:
            # Two blocks of a cluster; an odd tile has a neighbour that does nothing.
            pairs = (rows + 1) // 2 * columns if block_N >= block_M else rows * ((columns + 1) // 2)
            is_shared = x > 0.5 and math.ceil(2 * pairs / units) == math.ceil(x)
            slab = slab + (block_M + block_N) * _of_edges(block_M * block_N, threads, pitches, is_shared)
            # Where blocks share a tile they share no copies, and each has a part of the chip's way to memory.
            edges = 0.4 * (block_M + block_N) * _of_edges(0, threads, pitches, False)
        slabs = math.ceil(K * bits / _SLAB_BITS)
        if has_copies and (rows == 1 or columns == 1):
            fetched = (rows * block_M + columns * block_N) / max(x, 1) * _SLAB_BITS / 8
            slab = max(slab, fetched / _BYTES + _READ_ONCE)
        rounds = 0.7 * math.ceil(x) + 0.3 * x
        if is_uneven:
            rounds = 0.6 * math.ceil(x) + 0.4 * x if x > 1 else x
        if x <= 1 and (block_M, block_N) == (64, 192):
            rounds = 1.35 * rounds  # without a second tile behind it
        if x <= 1 and block_N == 224 and not transpose_B:
            rounds = 1.2 * rounds  # 1512 x 2200 x 5632 took 80 us, 63 in tiles of 256 x 128
        if is_waves and x > 1:
            slab = other
        time = _LAUNCH + rounds * (slabs * slab + ends)
        if has_copies:
            time = min(time, _LAUNCH + _in_one_round(rows, columns, units, slabs, tile, edges))
        if has_warp_groups and M <= 64:
            # The compiler has no rows in a tile that the tensor does not: 128 x 128 is 64 x 128.
            if threads != 128 or block_M == 128 and block_N not in (96, 112):
                continue
            time = _of_few_rows(block_N, N, K, bits, units, transpose_B)
        # Small tiles need more slots for as many bytes on the way (1024, B with its rows along K: 1.08 of cuBLAS with 8, 0.85
        # with 4).
        is_small = (block_M + block_N) * block_K * bits <= 8 * 24576
        stages = 2 if is_waves else 8 if has_warp_groups and is_small else 4
        found.append((time, block_M, block_N, threads, stages))
    return [{"block_M": block_M, "block_N": block_N, "block_K": block_K, "num_stages": stages, "threads": threads,
             "panel_size": 8}
            for time, block_M, block_N, threads, stages in sorted(found)[:count]]  # fmt: skip

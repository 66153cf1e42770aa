# SPDX-License-Identifier: Apache-2.0
"""The tiles of a matrix product, as a function of its shape, its type and the chip. The compiler has this text, too.

A chip is given by its compute units, the lanes of a wave, the shared memory of a block in bytes and whether warp groups
multiply. The estimate of a tile is

    launch + |work, memory|,    work = rounds * slabs * slab + end + (ceil(x) - 1) * between
                                rounds = (1 - part) ceil(x) + part x,  or 1 - idle (1 - x) where x is at most 1

with x tiles a compute unit, slabs of 128 bytes along K and, from the rows below, the microseconds of a slab, of the last
tile's end and of what lies between two tiles; |a, b| is a little more than the larger of them, and memory brings and takes
each byte once. A round that is not full costs less than a full one, as the chip's power sets its clock. Where several blocks
are resident, a slab of one takes longer than its share.
"""

import math

# block_M, block_N, threads, microseconds of a slab, the same where B has its rows along K, of a tile's end, and between
# tiles. Fitted to the shapes of 512 and more of test/bench/results/h200-tiles-fit-2026-11-29.jsonl and two files more, an
# H200, both clocks, 20 tiles each (test/bench/hopper/tiles.py, docs/numbers/performance-nvidia.md); with each fifth of them
# left out in turn, the choice was within 3 % of the best tile in 90 of a hundred. With 128 threads two warp groups take
# tiles in turn, and what a tile costs at its ends is hidden.
_WARP_GROUPS = [
    (64, 64, 128, 0.1571, 0.1498, 0.12, 0.078), (64, 128, 128, 0.2122, 0.2128, 0.27, 0.025),
    (64, 192, 128, 0.3031, 0.3014, 0.58, 0.047), (64, 256, 128, 0.408, 0.408, 0.63, 0.21),
    (128, 64, 256, 0.2331, 0.2371, 0.17, 0.2), (128, 96, 128, 0.3063, 0.3826, 0.34, 0.016),
    (128, 112, 128, 0.3486, 0.4204, 0.64, 0.14), (128, 128, 128, 0.4001, 0.4004, 0.62, 0.14),
    (128, 144, 128, 0.4476, 0.6665, 0.91, 0.081), (128, 160, 128, 0.4965, 0.5075, 0.85, 0.016),
    (128, 176, 128, 0.55, 0.56, 1.4, 0.24), (128, 192, 128, 0.5975, 0.5925, 0.75, 0.018),
    (128, 128, 256, 0.4002, 0.4019, 0.62, 0.4), (128, 192, 256, 0.5965, 0.6081, 0.85, 0.95),
    (128, 208, 256, 0.6563, 0.6759, 1.5, 1.6), (128, 224, 256, 0.6981, 0.7051, 1.2, 1.3),
    (128, 256, 256, 0.7927, 0.7937, 1.3, 0.87), (192, 128, 384, 0.5986, 0.5977, 0.95, 0.56),
    (256, 128, 256, 0.7958, 0.8002, 1.4, 0.94), (128, 240, 256, 0.7559, 0.7518, 1.3, 1.8),
]  # fmt: skip
# The part of a round behind others that is as long as it is full, with 128 threads and with more; the same of the only
# round; microseconds of a launch; megabytes a microsecond.
_PARTS_IN_TURN, _PARTS_TOGETHER, _IDLE_IN_TURN, _IDLE_TOGETHER = 0.24, 0.227, 0.284, 0.355
_GROUPS_LAUNCH, _GROUPS_BYTES = 2.13, 4.76e6
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
# The same where both M and N are at least 512, bytes a microsecond from L2, and how many times a slab where B has its rows
# along K and a tile's columns are no multiple of 64, fitted with the rows above.
_SUM_LARGE, _SUM_LARGE_OF_ELEMENT, _L2_BYTES, _SHARED_PARTS = 0.814, 8.03e-05, 9.2e6, 1.36
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
    fitted to 32 shapes of an H200, test/bench/results/h200-ragged-tiles-2026-11-29.jsonl)."""
    split = sum(pitch % _SECTOR_BITS != 0 for pitch in pitches)
    if split:
        edge = 0.00085 if area < 16384 or not is_shared else 0.00055 if area < 20480 else 0.0002 if area < 26624 else 0.00014
        return edge if split == 2 else 0.6 * edge
    if all(pitch % _ROW_BITS == 0 for pitch in pitches):
        return 0.0
    return 0.00015 if area >= 26624 and is_shared else 0.0004 if threads >= 256 and area >= 24576 else 0.00046


def _in_one_round(rows, columns, units, slabs, tile, slab, edges, is_nn):
    """Microseconds where every tile is multiplied at once by several blocks, each with a part of K, as the compiler has it
    where tiles are few (lib/Transforms/Roles/SplitProduct.cpp)."""
    block_M, block_N, threads, _, _, end, _ = tile
    best, tiles, area, is_row = math.inf, rows * columns, block_M * block_N, rows == 1 or columns == 1
    is_small = min(rows * block_M, columns * block_N) < 512
    idle = _IDLE_IN_TURN if threads == 128 else _IDLE_TOGETHER
    for blocks in (2, 4, 8):
        fits = tiles * blocks <= (units if blocks == 2 else units * 10 // 11) and slabs >= 4 * blocks
        if not fits or tiles > (0.4 if is_small else 0.5) * units and not is_row:
            continue
        if is_small:
            fetched = (rows * block_M + columns * block_N) * blocks * _SLAB_BITS // 8
            own = max(_SLAB + _SLAB_OF_ELEMENT * area, fetched / (_BYTES if is_row else _SHARED_BYTES))
            total = _LAUNCH + _SUM + _SUM_OF_ELEMENT * area
        else:
            fetched = tiles * blocks * (block_M + block_N) * _SLAB_BITS // 8
            own = max(slab * (1 - idle * (1 - tiles * blocks / units)), fetched / _L2_BYTES)
            own *= _SHARED_PARTS if is_nn and block_N % 64 else 1
            total = _GROUPS_LAUNCH + _SUM_LARGE + _SUM_LARGE_OF_ELEMENT * area
        best = min(best, math.ceil(slabs / blocks) * (own + edges) + end + total)
    return best


def _of_groups(x, slabs, slab, tile, fetched):
    """Microseconds of x tiles a multiprocessor whose copies TMA does, which read and write so many bytes."""
    threads, end, between = tile[2], tile[5], tile[6]
    part, idle = (_PARTS_IN_TURN, _IDLE_IN_TURN) if threads == 128 else (_PARTS_TOGETHER, _IDLE_TOGETHER)
    rounds = (1 - part) * math.ceil(x) + part * x if x > 1 else 1 - idle * (1 - x)
    if x <= 1 and tile[:2] == (64, 192):
        rounds = 1.13 * rounds  # without a second tile behind it
    work = rounds * slabs * slab + end + (math.ceil(x) - 1) * between
    return _GROUPS_LAUNCH + (work**4 + (fetched / _GROUPS_BYTES) ** 4) ** 0.25


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
        block_M, block_N, threads, slab, other, ends = tile[:6]
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
            whole, slab = slab, slab + (block_M + block_N) * _of_edges(block_M * block_N, threads, pitches, is_shared)
            # Where blocks share a tile they share no copies, and each has a part of the chip's way to memory.
            edges = 0.4 * (block_M + block_N) * _of_edges(0, threads, pitches, False)
        slabs = math.ceil(K * bits / _SLAB_BITS)
        if has_copies and (rows == 1 or columns == 1):
            fetched = (rows * block_M + columns * block_N) / max(x, 1) * _SLAB_BITS / 8
            slab = max(slab, fetched / _BYTES + _READ_ONCE)
        if has_copies:
            time = min(_of_groups(x, slabs, slab, tile, (M * K + N * K + M * N) * bits // 8),
                       _in_one_round(rows, columns, units, slabs, tile, whole, edges, not transpose_B))
        else:
            rounds = 0.7 * math.ceil(x) + 0.3 * x
            if is_uneven:
                rounds = 0.6 * math.ceil(x) + 0.4 * x if x > 1 else x
            time = _LAUNCH + rounds * (slabs * (other if is_waves and x > 1 else slab) + ends)
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

# SPDX-License-Identifier: Apache-2.0
"""Tiles of products, in Python as in the compiler."""

import pytest

from tilec import _targets, tiles

SHAPES = [(1024, 1024, 1024), (8192, 8192, 8192), (300, 5000, 640), (1, 1, 1), (0, 64, 64)]


@pytest.mark.parametrize("target", _targets.TARGETS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float32"])
def test_candidates_fit(target, dtype):
    for shape in SHAPES:
        for transposed in (True, False):
            found = tiles.candidates(*shape, dtype, transposed, target=target)
            assert 1 <= len(found) <= 4 and found[0] == tiles.product(*shape, dtype, transposed, target=target)
            assert len({tuple(tile.values()) for tile in found}) == len(found)
            for tile in found:
                assert set(tile) == {"block_M", "block_N", "block_K", "num_stages", "threads", "panel_size"}
                assert all(value > 0 for value in tile.values()) and tile["threads"] % 64 == 0


def test_larger_products_take_larger_tiles():
    def area(size):
        tile = tiles.product(size, size, size, target="gfx950")
        return tile["block_M"] * tile["block_N"]

    assert area(256) < area(1024) <= area(4096)


def test_a_type_that_is_none():
    with pytest.raises(TypeError, match="no type of elements: brick"):
        tiles.product(64, 64, 64, "brick")

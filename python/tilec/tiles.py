# SPDX-License-Identifier: Apache-2.0
"""Tiles of matrix products for this machine's GPU, or for `target`: `tiles.product(M, N, K, "bfloat16")`.

Kernels may import this module, too; the compiler has it, and answers for the target that it compiles for.
"""

from . import _dtypes, _targets
from ._tiles import candidates_on
from .tilelang.carver.arch import driver

__all__ = ["candidates", "product"]


def candidates(M, N, K, dtype="bfloat16", transpose_B=True, count=4, target=None):
    """The best `count` tiles of C = A B^T (or A B, with transpose_B=False) by estimated time, the best first, each as
    keyword arguments: block_M, block_N, block_K, num_stages, threads, panel_size. For `tilelang.autotune(configs=...)`."""
    chosen = _targets.resolve(target)
    units, shared = driver.facts(chosen)
    if target is None:
        units = driver.get_num_sms()
    chip = (units, 64 if _targets.is_amd(chosen) else 32, shared, chosen == "sm_90a")
    name = _dtypes.canonical(str(dtype).removeprefix("torch."))
    if name is None:
        raise TypeError(f"no type of elements: {dtype}")
    return candidates_on(chip, M, N, K, _dtypes.bits(name), transpose_B, count)


def product(M, N, K, dtype="bfloat16", transpose_B=True, target=None):
    """The first of `candidates`."""
    return candidates(M, N, K, dtype, transpose_B, 1, target)[0]

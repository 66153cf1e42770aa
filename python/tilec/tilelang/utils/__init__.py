# SPDX-License-Identifier: Apache-2.0
"""Small helpers that scripts import."""

import functools
import logging


def set_log_level(level):
    logging.getLogger("tilelang").setLevel(level if isinstance(level, int) else str(level).upper())


def deprecated(*_, **__):
    return lambda function: function


@functools.lru_cache(maxsize=None)
def _tensor():
    from . import tensor

    return tensor


def __getattr__(name):
    if name in ("TensorSupplyType", "get_tensor_supply", "torch_assert_close", "map_torch_type"):
        return getattr(_tensor(), name)
    raise AttributeError(f"module `tilelang.utils` (of tilec) has no `{name}`")

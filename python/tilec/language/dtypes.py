# SPDX-License-Identifier: Apache-2.0
"""Types of elements: `T.dtypes.float16` is `T.float16`."""

from .._dtypes import _BITS, ALIASES, dtype, vector

AnyDType = dtype


def __getattr__(name):
    if name == "_TORCH_DTYPE_TO_STR":  # TileLang's own examples read it
        return _torch_table()
    if name in _BITS or name in ALIASES:
        return dtype(name)
    if found := vector(name):
        return found
    raise AttributeError(f"tilec.language.dtypes has no `{name}`")


def resolve_torch_storage_dtype(value):
    """The type whose name torch has for the memory of such elements: int8 for pairs of int4."""
    name = str(dtype(value).as_torch()).removeprefix("torch.")
    return vector(name.replace("_x2", "x2")) or dtype(name)


def _torch_table():
    import torch

    return {getattr(torch, n): n for n in _BITS if hasattr(torch, n)}

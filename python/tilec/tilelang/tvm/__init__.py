# SPDX-License-Identifier: Apache-2.0
"""What scripts import of TVM beside TileLang: types of elements and a few names for kernels."""

from ..._dtypes import dtype as DataType  # noqa: F401
from . import tir  # noqa: F401

__version__ = "0.0"


def __getattr__(name):
    if name in ("tirx", "tir"):
        return tir
    if name in ("testing", "target"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"tilec has no TVM: there is no `tvm.{name}`")

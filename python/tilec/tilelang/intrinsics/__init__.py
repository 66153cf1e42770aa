# SPDX-License-Identifier: Apache-2.0
"""Helpers of hand-written matrix kernels: kernels use them by name."""

from __future__ import annotations


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    from ..layout import _for_kernels

    made = globals()[name] = _for_kernels(name, "tilelang.intrinsics")
    return made

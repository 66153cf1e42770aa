# SPDX-License-Identifier: Apache-2.0
"""Which fp8 the device has."""

from .._dtypes import dtype, torch_dtype


def determine_fp8_type(fp8_format="e4m3"):
    """fp8 as the current device multiplies it: the FNUZ formats on gfx942, OCP's elsewhere."""
    from .._targets import current_target

    if fp8_format not in ("e4m3", "e5m2"):
        raise ValueError(f"fp8_format is `e4m3` or `e5m2`, not {fp8_format!r}")
    is_own = current_target() == "gfx942"
    names = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}
    return dtype(names[fp8_format].removesuffix("fn") + "fnuz" if is_own else names[fp8_format])


def determine_torch_fp8_type(fp8_format="e4m3"):
    return torch_dtype(determine_fp8_type(fp8_format))

# SPDX-License-Identifier: Apache-2.0
"""2:4 sparsity: what kernels use by name, and the numbers that host code asks for, too."""

from ...._dtypes import dtype as _dtype
from ...layout import _module_of_names

__getattr__ = _module_of_names(__name__)

#: Type of elements -> (how many are kept, of how many neighbours).
GROUP_CONFIG = {_dtype("float32"): (1, 2)} | {
    _dtype(name): (2, 4) for name in ("float16", "bfloat16", "int8", "uint8", "float8_e4m3fn", "float8_e5m2")
}


def get_e_factor(a_dtype, meta_dtype):
    """Elements of a row that one number of the metadata is for: 4 bits a group of four elements (of two, where they
    have 32 bits). lib/Script/LibrarySource.cpp has the same for kernels."""
    return _dtype(meta_dtype).bits // 4 * (2 if _dtype(a_dtype).bits == 32 else 4)


def get_e_replicate_factor(a_dtype):
    """How often the metadata of a matrix instruction is held: by every second lane, or by all."""
    return 1 if _dtype(a_dtype).bits <= 8 else 2


for _function in (get_e_factor, get_e_replicate_factor):
    _function.__tilec_name__ = f"tilelang.cuda.intrinsics.sparse_layout.{_function.__name__}"

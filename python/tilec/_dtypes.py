# SPDX-License-Identifier: Apache-2.0
"""Types of elements: one str with what scripts ask of it."""

import sys

_BITS = {
    "bool": 8, "int4": 4, "int8": 8, "int16": 16, "int32": 32, "int64": 64,
    "uint4": 4, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
    "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
    "float8_e4m3fn": 8, "float8_e5m2": 8, "float8_e4m3fnuz": 8, "float8_e5m2fnuz": 8,
    "float8_e8m0fnu": 8, "float4_e2m1fn": 4,
}  # fmt: skip
# lib/Base/DType.cpp has the same list.
ALIASES = {
    "half": "float16", "float": "float32", "tfloat32": "float32", "double": "float64",
    "int": "int32", "uint": "uint32", "long": "int64", "short": "int16", "char": "int8",
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
    "f16": "float16", "f32": "float32", "f64": "float64",
    "e4m3_float8": "float8_e4m3fn", "e5m2_float8": "float8_e5m2", "float8_e4m3": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2", "e4m3fn": "float8_e4m3fn",
    "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz",
    "float8_e8m0": "float8_e8m0fnu", "e8m0": "float8_e8m0fnu",
    "float4_e2m1": "float4_e2m1fn", "e2m1": "float4_e2m1fn", "fp4": "float4_e2m1fn",
    "boolean": "bool",
}  # fmt: skip


def canonical(name):
    """The name in manifests of a spelling, or None."""
    name = ALIASES.get(name, name)
    return name if name in _BITS else None


def bits(name):
    return _BITS[name]


class dtype(str):
    """`T.float16`: equal to its name, with what scripts ask of a type."""

    __slots__ = ()

    def __new__(cls, value):
        if isinstance(value, dtype):
            return value
        name = name_of(value)
        if name is None:
            raise TypeError(f"{value!r} is no type of elements")
        return str.__new__(cls, name)

    @property
    def bits(self):
        return _BITS[self]

    @property
    def bytes(self):
        return (self.bits + 7) // 8

    @property
    def itemsize(self):
        return self.bytes

    @property
    def itemsize_in_bytes(self):
        return self.bytes

    lanes = 1

    def is_float(self):
        return "float" in self

    def as_torch(self):
        import torch

        if self == "float4_e2m1fn" and hasattr(torch, "float4_e2m1fn_x2"):
            return torch.float4_e2m1fn_x2
        return torch_dtype(self)

    def __call__(self, value=None, *_, **__):
        """`T.float32(x)`: a constant or a cast, for the kernel."""
        from .language._deferred import Deferred

        return Deferred.call(f"__tilec_T.{self}", () if value is None else (value,), {})

    def __repr__(self):
        return f"T.{str.__str__(self)}"


class _Vector(dtype):
    """`T.float32x2`, `T.float4_e2m1fnx2`: several elements as one value. Host code may name such types; elements of
    kernels are single ones."""

    __slots__ = ()
    element = property(lambda self: dtype(self.rpartition("x")[0]))
    lanes = property(lambda self: int(self.rpartition("x")[2]))
    bits = property(lambda self: self.element.bits * self.lanes)

    def as_torch(self):
        if self == "float4_e2m1fnx2":
            return self.element.as_torch()
        raise TypeError(f"torch has no {self}")


def vector(name):
    """The type of several elements that a name like `float32x2` is, or None."""
    element, _, lanes = name.rpartition("x")
    if not lanes.isdigit() or element not in _BITS:
        return None
    return str.__new__(_Vector, name)


def torch_dtype(name):
    """torch's type of memory that holds such elements."""
    import torch

    name = canonical(str(name)) or str(name)
    if _BITS.get(name) == 4:
        return torch.int8  # two a byte; torch's own int4 has no operations
    found = getattr(torch, name, None)
    if found is None:
        raise TypeError(f"this torch has no {name}")
    return found


def name_of(value):
    """The name of a type that anybody may have: a str, torch's, NumPy's, ours. None for others."""
    if isinstance(value, str):
        return canonical(value)
    kind = type(value)
    if kind.__module__ == "torch" and kind.__name__ == "dtype":
        text = str(value).removeprefix("torch.")
        return canonical({"float4_e2m1fn_x2": "float4_e2m1fn"}.get(text, text))
    if value is float or value is int or value is bool:
        return {float: "float32", int: "int32", bool: "bool"}[value]
    numpy = sys.modules.get("numpy")
    if numpy is not None and (
        isinstance(value, numpy.dtype) or (isinstance(value, type) and issubclass(value, numpy.generic))
    ):
        return canonical(numpy.dtype(value).name)
    return None


def numpy_dtype(name):
    """NumPy's type of the same bytes: unsigned integers for what NumPy has not."""
    import numpy

    plain = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64"}  # fmt: skip
    if name in plain:
        return numpy.dtype(name)
    return numpy.dtype("uint16" if name == "bfloat16" else "uint8")

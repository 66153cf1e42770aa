# SPDX-License-Identifier: Apache-2.0
"""Sizes that an eager kernel declares by `T.const`, from the tensors that it is called with.

The statements before the kernel's `with T.Kernel` are run as Python, with unknowns for the sizes:
what `A: T.Tensor(shape, dtype)` then says of the shapes gives their values.
"""

import ast

from . import _dtypes, _env, _source
from .errors import ArgumentError
from .language._deferred import Symbol, TensorType


def _known_names(scope, found):
    names = {}
    for name in found.names:
        value = scope.find(name)
        if value is not _env._MISSING:
            names[name] = value
    return names


def solve(function, scope, given):
    """Name -> size, for all names of T.const that a tensor's shape gives, and name -> annotation;
    `given` are arguments."""
    found = _source.text_of(function)
    body = found.node.body
    names = {**_known_names(scope, found), **given, "__annotations__": {}}
    names.setdefault("__builtins__", function.__globals__.get("__builtins__"))
    for statement in body:
        if isinstance(statement, ast.With):
            break
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.If, ast.AugAssign, ast.Import, ast.ImportFrom)):
            try:
                exec(compile(ast.Module([statement], []), found.file, "exec"), names)
            except Exception:
                continue  # of no consequence, or told by the compiler with its place
    annotations = dict(names["__annotations__"])
    for name, annotation in getattr(function, "__annotations__", {}).items():
        annotations.setdefault(name, annotation)
    sizes = {}
    for name, annotation in annotations.items():
        tensor = given.get(name)
        shape = getattr(tensor, "shape", None)
        if not isinstance(annotation, TensorType) or shape is None or len(shape) != len(annotation.shape):
            continue
        shape, strides = _in_elements(shape, getattr(tensor, "strides", None), tensor.dtype, annotation.dtype)
        declared = annotation.strides if strides and len(annotation.strides or ()) == len(strides) else ()
        for extent, n in [*zip(annotation.shape, shape), *zip(declared, strides or ())]:
            if not isinstance(extent, Const):
                continue
            if sizes.setdefault(extent.name, int(n)) != n:
                raise ArgumentError(
                    f"argument `{name}`: its size {extent.name} is {n}, that of another argument {sizes[extent.name]}"
                )
    return sizes, annotations


def _in_elements(shape, strides, held, wanted):
    """Shape and strides of a tensor of bytes that hold two elements each, in elements."""
    if _dtypes.name_of(wanted) not in _PAIRS or held not in (*_BYTES, *_PAIRS) or not shape:
        return shape, strides
    return (*shape[:-1], 2 * shape[-1]), strides and (*(2 * s for s in strides[:-1]), strides[-1])


_BYTES, _PAIRS = ("int8", "uint8"), ("int4", "uint4", "float4_e2m1fn")


class Const(Symbol):
    """A size that the compiler will know: `T.const("M")`."""

    __slots__ = ()


def const(names, dtype="int32"):
    made = tuple(Const(n, dtype) for n in names.replace(",", " ").split())
    return made[0] if len(made) == 1 else made

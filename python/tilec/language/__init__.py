# SPDX-License-Identifier: Apache-2.0
"""The tile language: `import tilec.language as T`.

Kernels are not run by Python: their text goes to the compiler, which asks this interpreter what
their free names mean. The functions here exist so that kernels can be written, imported and read,
and make expressions of sizes where host code needs some (`T.ceildiv`, `T.dynamic`).
"""

from .. import _dtypes

_SUBMODULES = {"dtypes", "fp8", "eager", "common", "kernel", "proxy", "tir", "ast"}


def _make(name):
    from . import _functions, _table

    if name == "dtype":
        return _dtypes.dtype
    if name == "GemmWarpPolicy":
        return _functions.GemmWarpPolicy
    if name in ("prim_func", "macro", "inline", "PrimFunc"):
        from .. import _jit

        return getattr(_jit, "macro" if name == "inline" else name)
    if name == "determine_fp8_type":
        from .fp8 import determine_fp8_type

        return determine_fp8_type
    if name in ("PrimExpr", "Var"):
        from ._deferred import Deferred

        return Deferred
    if name == "Ref":
        return _functions.TileFunction("Ref", "Host", "Hands over a variable or an element itself.")
    if several := _dtypes.vector(name):
        return several
    found = _dtypes.canonical(name)
    if found and name not in ("char", "long"):
        return _dtypes.dtype(found)
    row = _table.FUNCTIONS.get(name)
    if row is not None:
        kind, signature, doc = row
        maker = _functions.SPECIAL.get(name, _functions.TileFunction)
        return maker(name, kind, f"{name}({signature})\n\n{doc}")
    if name in _functions.SPECIAL:
        return _functions.SPECIAL[name](name, "Host", "")
    if name in _table.REFUSED:
        return _functions.refused(name, _table.REFUSED[name])
    return None


def __getattr__(name):
    if name[:1] == "_" and (name[:2] != "__" or name[-2:] == "__"):
        raise AttributeError(name)
    if name in _SUBMODULES:
        import importlib

        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            pass
    made = _make(name)
    if made is None:
        raise AttributeError(f"tilec.language has no `{name}`")
    globals()[name] = made
    return made


def __dir__():
    from . import _table

    extra = ["dtype", "GemmWarpPolicy", "prim_func", "macro", "PrimExpr", "Var", "Ref"]
    return sorted({*_table.FUNCTIONS, *_table.REFUSED, *_dtypes._BITS, *_dtypes.ALIASES, *extra})

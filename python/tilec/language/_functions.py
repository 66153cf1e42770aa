# SPDX-License-Identifier: Apache-2.0
"""The functions of `T.` as Python sees them. Inside of kernels the compiler reads their names."""

import enum

from .. import _dtypes
from ..errors import RefusedError
from ._deferred import Deferred, Symbol, TensorType


class TileFunction:
    """A function of the tile language. Kernels use it by name; host code may use it where it makes
    an expression."""

    __tilec_names__ = True

    def __init__(self, name, kind, doc):
        self.__name__ = name
        self.__doc__ = doc
        self.__tilec_name__ = f"tilelang.language.{name}"
        self.kind = kind

    def __call__(self, *args, **kwargs):
        if self.kind in ("Stmt", "Hint"):
            raise RuntimeError(f"T.{self.__name__} is a statement of a kernel; here is Python that runs on the host")
        return Deferred.call(f"__tilec_T.{self.__name__}", args, kwargs)

    def __repr__(self):
        return f"<T.{self.__name__}>"


class TensorMaker(TileFunction):
    """`T.Tensor(shape, dtype)` and `T.Tensor[shape, dtype]`."""

    def __call__(self, *args, **kwargs):
        return TensorType(f"__tilec_T.{self.__name__}", args, kwargs)

    def __getitem__(self, index):
        args = index if isinstance(index, tuple) else (index,)
        return self(*args)


class CeilDiv(TileFunction):
    def __call__(self, lhs, rhs):
        if isinstance(lhs, int) and isinstance(rhs, int):
            return -(-lhs // rhs)
        return super().__call__(lhs, rhs)


class Dynamic(TileFunction):
    def __call__(self, name, dtype="int32"):
        names = [n for n in name.replace(",", " ").split() if n]
        made = tuple(Symbol(n, _dtypes.name_of(dtype) or "int32") for n in names)
        return made[0] if len(made) == 1 else made


class ConstSizes(TileFunction):
    def __call__(self, names, dtype="int32"):
        from .._consts import const

        return const(names, _dtypes.name_of(dtype) or "int32")


class Ieee(TileFunction):
    """`T.ieee_add` and its kin."""

    def __call__(self, *args, **kwargs):
        mode = kwargs.get("rounding_mode", args[-1] if args and isinstance(args[-1], str) else "rn")
        if mode not in ("rn", "rz", "ru", "rd"):
            raise ValueError(f"Invalid rounding mode {mode!r} of T.{self.__name__}: rn, rz, ru and rd are there")
        return super().__call__(*args, **kwargs)


class MinMax(TileFunction):
    """`T.min` and `T.max`: of numbers a number."""

    def __call__(self, *args, **kwargs):
        if args and all(isinstance(a, (int, float)) for a in args) and not kwargs:
            return (min if self.__name__ == "min" else max)(*args)
        return super().__call__(*args, **kwargs)


SPECIAL = {
    "Tensor": TensorMaker, "StridedTensor": TensorMaker, "Buffer": TensorMaker, "ceildiv": CeilDiv,
    "cdiv": CeilDiv, "dynamic": Dynamic, "symbolic": Dynamic, "const": ConstSizes, "min": MinMax, "max": MinMax,
    **dict.fromkeys(("ieee_add", "ieee_sub", "ieee_mul", "ieee_fdiv", "ieee_fmaf", "ieee_frcp", "ieee_fsqrt"), Ieee),
}  # fmt: skip


class GemmWarpPolicy(enum.IntEnum):
    """How waves share the tile of a T.gemm: a wish."""

    Square = 0
    FullRow = 1
    FullCol = 2
    Free = 3

    @classmethod
    def from_warp_partition(cls, m_warp, n_warp):
        return cls.FullRow if n_warp == 1 else cls.FullCol if m_warp == 1 else cls.Square


GemmWarpPolicy.__tilec_policy__ = True
GemmWarpPolicy.__tilec_name__ = "tilelang.language.GemmWarpPolicy"


def refused(name, instead):
    """What a name is that TileLang has and tilec does not: it can be imported, not used."""

    class Refused(TileFunction):
        def __call__(self, *args, **kwargs):
            # The type of a macro's parameter is looked at by nobody.
            if name[0].isupper():
                return Deferred("None")
            raise RefusedError(f"T.{name} is not supported; {instead}")

    if name[0].isupper():
        Refused.__getitem__ = lambda self, index: Deferred("None")
    return Refused(name, "Refused", f"Not supported: {instead}.")

# SPDX-License-Identifier: Apache-2.0
"""Expressions of the kernel's language that host code makes: `T.dynamic("n") * 2`.

They have no value in Python; a kernel that uses them gets their text.
"""

from .._env import to_text
from ..errors import SourceError


class Deferred:
    __slots__ = ("_text",)

    def __init__(self, text):
        self._text = text

    def __tilec_text__(self):
        return self._text

    @staticmethod
    def call(function, args, kwargs):
        parts = [to_text(a) for a in args] + [f"{k}={to_text(v)}" for k, v in kwargs.items()]
        return Deferred(f"{function}({', '.join(parts)})")

    def __repr__(self):
        return self._text.replace("__tilec_T.", "T.")

    def __bool__(self):
        raise TypeError(f"{self!r} is known when the kernel runs, not here; use T.if_then_else in the kernel")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Deferred(f"{self._text}.{name}")

    def __call__(self, *args, **kwargs):
        return Deferred.call(self._text, args, kwargs)

    def __getitem__(self, index):
        return Deferred(f"{self._text}[{to_text(index)}]")

    def __enter__(self):
        raise SourceError(f"`with {self!r}` is a statement of kernels; here is Python that runs on the host. A kernel is "
                          "@T.prim_func or @tilelang.jit, and has its text in a file or in a notebook's cell")  # fmt: skip

    def __exit__(self, *_):
        pass

    def __iter__(self):
        raise TypeError(f"{self!r} is a value of kernels and cannot be iterated over here")

    def __neg__(self):
        return Deferred(f"(-{self._text})")

    def __invert__(self):
        return Deferred(f"(~{self._text})")

    def __pos__(self):
        return self


def _operator(symbol):
    def forward(self, other):
        try:
            return Deferred(f"({self._text} {symbol} {to_text(other)})")
        except TypeError:
            return NotImplemented

    def backward(self, other):
        try:
            return Deferred(f"({to_text(other)} {symbol} {self._text})")
        except TypeError:
            return NotImplemented

    return forward, backward


for _name, _symbol in {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^",
}.items():  # fmt: skip
    _forward, _backward = _operator(_symbol)
    setattr(Deferred, f"__{_name}__", _forward)
    setattr(Deferred, f"__r{_name}__", _backward)
for _name, _symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Deferred, f"__{_name}__", _operator(_symbol)[0])


class Symbol(Deferred):
    """A size that is known when the kernel runs: `T.dynamic("n")`."""

    __slots__ = ("name", "dtype")

    def __init__(self, name, dtype):
        from .._dtypes import dtype as make

        super().__init__(f"__tilec_T.dynamic({name!r}, {str(dtype)!r})")
        self.name = name
        self.dtype = make(dtype)

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, Symbol) and other.name == self.name

    def __hash__(self):
        return hash(self.name)


class TensorType(Deferred):
    """`T.Tensor((m, n), "float16")`: what annotates a kernel's parameter."""

    __slots__ = ("shape", "dtype", "strides")

    def __init__(self, function, args, kwargs):
        super().__init__(Deferred.call(function, args, kwargs)._text)
        names = ("shape", "dtype") if function.endswith("Tensor") or function.endswith("Buffer") else ()
        if function.endswith("StridedTensor"):
            names = ("shape", "strides", "dtype")
        given = dict(zip(names, args)) | kwargs
        shape = given.get("shape", ())
        self.shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
        self.dtype = given.get("dtype", "float32")
        self.strides = given.get("strides")

    def described(self):
        """(shape, type) where all extents are numbers: what a tensor of this type is like."""
        from .. import _dtypes

        if not all(isinstance(n, int) for n in self.shape):
            return None
        return self.shape, _dtypes.name_of(self.dtype)

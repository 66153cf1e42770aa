# SPDX-License-Identifier: Apache-2.0
"""The interpreter as the environment of a kernel's text: what its free names mean.

A Scope says what a function's names mean. A Session answers the compiler for one compile and
remembers what was asked: a compiled kernel is the same again only where all answers are.
"""

import functools
import operator
import sys
import types

from . import _dtypes, _source

# tilec_host_kind of tilec-c/Compile.h.
NONE, BOOL, INT, FLOAT, STR, DTYPE, LIST, TUPLE, DICT, TENSOR, MODULE, FUNCTION, OBJECT = range(13)
_MISSING = object()
#: Questions of the compiler that Python answers by its operators, with what is reflected and what is the default.
_OPERATORS = {f"__{name}__": getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_OPERATORS["__bool__"] = operator.truth


class Scope:
    """The names that a function sees: its closure, the frame that defined it, its globals."""

    __slots__ = ("function", "frame", "extras", "_cells")

    def __init__(self, function, frame=None, extras=None):
        self.function = function
        #: Local names of the function around, as they were at the definition: annotations may use
        #: names that the closure has not.
        self.frame = frame
        self.extras = extras
        self._cells = None

    def find(self, name):
        if self.extras is not None and name in self.extras:
            return self.extras[name]
        if self._cells is None:
            cells = self.function.__closure__ or ()
            self._cells = dict(zip(self.function.__code__.co_freevars, cells))
        cell = self._cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                return _MISSING
        if self.frame is not None and name in self.frame:
            return self.frame[name]
        return self.function.__globals__.get(name, _MISSING)


def frame_locals(depth):
    """The local names of the function that called, `depth` frames up; None at module level."""
    frame = sys._getframe(depth + 1)
    return dict(frame.f_locals) if frame.f_locals is not frame.f_globals else None


def module_name(module):
    """The name by which the compiler may know a module."""
    name = module.__name__
    if name == "tilec.language" or name.startswith("tilec.language."):
        return "tilelang" + name[len("tilec") :]
    if name == "tilec.tilelang" or name.startswith("tilec.tilelang."):
        name = name[len("tilec.") :]
        # tvm is a package of its own.
        return name[len("tilelang.") :] if name.startswith("tilelang.tvm") else name
    return name


def known_name(value):
    """The dotted name by which the compiler knows a thing: ours say it, and functions of math."""
    name = getattr(type(value), "__tilec_names__", False) and value.__tilec_name__
    if name:
        return name
    if isinstance(value, (types.FunctionType, type)):
        return value.__dict__.get("__tilec_name__")
    if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "math":
        return f"math.{value.__name__}"
    return None


def needs_text(value, depth=0):
    """Whether a value is an expression of the kernel's language that host code has made."""
    if getattr(value, "__tilec_text__", None) is not None:
        return True
    if depth < 4 and type(value) in (list, tuple):
        return any(needs_text(v, depth + 1) for v in value)
    if depth < 4 and type(value) is dict:
        return any(needs_text(v, depth + 1) for v in value.values())
    return False


def to_text(value):
    """A value as text of the kernel's language."""
    text = getattr(value, "__tilec_text__", None)
    if text is not None:
        return text()
    if isinstance(value, _dtypes.dtype):
        return f"__tilec_T.{value}"
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else f"float({str(value)!r})"
    if isinstance(value, (list, tuple)):
        items = ", ".join(map(to_text, value))
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{to_text(k)}: {to_text(v)}" for k, v in value.items()) + "}"
    name = _dtypes.name_of(value)
    if name is not None:
        return f"__tilec_T.{name}"
    name = known_name(value)
    if name and name.startswith("tilelang.language."):  # `T.ptr` in the place of a dtype: the compiler says what it thinks
        return "__tilec_T." + name.removeprefix("tilelang.language.")
    raise TypeError(f"{type(value).__name__} cannot be a part of an expression of a kernel")


class Number:
    """Stands for an object of a session in what calls were given."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


class Session:
    """Answers for one compile. Objects that the compiler knows have numbers, counted from 1."""

    def __init__(self, scope):
        self.scopes = {0: scope}
        self.objects = [None]
        self._numbers = {}
        self.reads = []
        self.failure = None

    # Asked by the compiler (src/Env.cpp).

    def lookup(self, scope, name):
        return self._answer("lookup", scope, name)

    def attribute(self, number, name):
        return self._answer("attribute", number, name)

    def call(self, number, args, keywords):
        return self._answer("call", number, self._named((args, keywords)))

    def source(self, number):
        found = self._source(number)
        self.reads.append(("source", number, None, found))
        return found

    def _source(self, number):
        function = _source.plain_function(self.objects[number])
        if function is None:
            return None
        try:
            found = _source.text_of(function)
        except _source.SourceError:
            return None
        scope = self.scope_of(number)
        line = found.line - (1 if found.is_indented else 0)
        more = definitions(found, scope)
        text = ("if 1:\n" if found.is_indented else "") + found.text(more=more)
        return (found.name, text, found.file, max(1, line))

    def failed(self, error):
        if self.failure is None:
            self.failure = error
        return f"{type(error).__name__}: {error}"

    def decode(self, kind, text, items, number):
        if kind == DTYPE:
            return _dtypes.dtype(text)
        if number:
            return self.objects[number]
        raise TypeError(f"a {text or 'value'} of the kernel cannot be given to Python")

    # What was asked.

    def _answer(self, verb, number, what):
        encoded = self._find(verb, number, what)
        self.reads.append((verb, number, what, fingerprint(encoded)))
        return encoded

    def _find(self, verb, number, what):
        if verb == "lookup":
            scope = self.scopes.get(number) or self.scope_of(number)
            value = scope.find(what)
            return None if value is _MISSING else self.encode(value)
        target = self.objects[number]
        if verb == "attribute":
            if what == "__getitem__" and not isinstance(target, type):
                return self.encode(target.__getitem__)
            if what in _OPERATORS:
                return self.encode(functools.partial(_OPERATORS[what], target))
            value = getattr(target, what, _MISSING)
            return None if value is _MISSING else self.encode(value)
        args, keywords = self._given(what)
        return self.encode(target(*args, **keywords))

    def _named(self, value):
        """What a call was given, with numbers for objects that have one: names may mean others when it is made again."""
        number = self._numbers.get(id(value))
        if number is not None:
            return Number(number)
        if type(value) in (list, tuple):
            return type(value)(map(self._named, value))
        if type(value) is dict:
            return {k: self._named(v) for k, v in value.items()}
        return value

    def _given(self, value):
        if type(value) is Number:
            return self.objects[value.number]
        if type(value) in (list, tuple):
            return type(value)(map(self._given, value))
        if type(value) is dict:
            return {k: self._given(v) for k, v in value.items()}
        return value

    def answers_again(self, reads):
        """Whether all that was read in an earlier session is read again."""
        for verb, number, what, print_ in reads:
            try:
                if verb == "source":
                    if self._source(number) != print_:
                        return False
                elif fingerprint(self._find(verb, number, what)) != print_:
                    return False
            except Exception:
                return False
        return True

    def scope_of(self, number):
        scope = self.scopes.get(number)
        if scope is None:
            value = self.objects[number]
            own = getattr(value, "__tilec_scope__", None)
            scope = self.scopes[number] = own or Scope(_source.plain_function(value))
        return scope

    def number_of(self, value):
        """One for each object: the compiler tells objects apart by it. `objects` keeps them alive."""
        number = self._numbers.setdefault(id(value), len(self.objects))
        if number == len(self.objects):
            self.objects.append(value)
        return number

    def encode(self, value, depth=0):
        if depth > 32:
            raise TypeError("a value is nested too deeply")
        if value is None:
            return (NONE,)
        kind = type(value)
        if kind is bool:
            return (BOOL, value)
        if kind is int:
            return (INT, value)
        if kind is float:
            return (FLOAT, value)
        if isinstance(value, _dtypes.dtype):
            return (DTYPE, str.__str__(value))
        if isinstance(value, str):
            return (STR, str.__str__(value))
        if getattr(kind, "__tilec_policy__", False):
            return (STR, value.name)
        if isinstance(value, (list, tuple, set, frozenset, range)):
            if isinstance(value, range) and len(value) > 100_000:
                return (OBJECT, "range", self.number_of(value))
            items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
            made = [self.encode(v, depth + 1) for v in items]
            return (TUPLE if isinstance(value, tuple) else LIST, made)
        if isinstance(value, dict):
            flat = [self.encode(x, depth + 1) for pair in value.items() for x in pair]
            return (DICT, flat)
        if isinstance(value, types.ModuleType):
            return (MODULE, module_name(value), self.number_of(value))
        known = known_name(value)
        if known:
            return (MODULE, known, self.number_of(value))
        if value is not float and value is not int and value is not bool:
            name = _dtypes.name_of(value)
            if name is not None:
                return (DTYPE, name)
        if isinstance(value, int):
            return (INT, int(value))
        if isinstance(value, float):
            return (FLOAT, float(value))
        if kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            return self.encode(value.item(), depth + 1)
        described = describe(value)
        if described is not None:
            return (TENSOR, [(INT, n) for n in described[0]], described[1] or "")
        name = getattr(value, "__name__", None) or kind.__name__
        is_function = _has_text_for_kernels(value) or getattr(value, "__tilec_scope__", None) is not None
        return (FUNCTION if is_function else OBJECT, str(name), self.number_of(value))


def _has_text_for_kernels(value):
    """Whether a kernel takes the function's text. This package's own ones are run by Python (they ask the device), but
    for those of modules that say otherwise."""
    if type(value) is not types.FunctionType:
        return False
    if value.__module__.partition(".")[0] != "tilec":
        return True
    return getattr(sys.modules.get(value.__module__), "__tilec_for_kernels__", False)


def describe(value):
    """(shape, dtype) of a tensor of torch, NumPy or cupy; None for others."""
    shape = getattr(value, "shape", None)
    if shape is None or not hasattr(value, "dtype") or isinstance(value, type):
        return None
    try:
        name = _dtypes.name_of(value.dtype)
        # NumPy's arrays of the other order of bytes have no type of a kernel.
        return tuple(int(n) for n in shape), None if getattr(value.dtype, "isnative", True) is False else name
    except TypeError:
        return None


def strides_of(value, shape):
    """The strides of a tensor in elements; those of a dense one where it does not say."""
    stride = getattr(value, "stride", None)
    if callable(stride):
        return tuple(map(int, stride()))
    strides, size = getattr(value, "strides", None), getattr(value, "itemsize", None)
    if strides and size:
        return tuple(int(s) // size for s in strides)
    return dense_strides(shape)


def dense_strides(shape):
    dense, step = [], 1
    for n in reversed(shape):
        dense.append(step)
        step *= n
    return tuple(reversed(dense))


def fingerprint(encoded):
    """An answer for comparing: numbers of things stand for the order in which they were met."""
    if encoded is None:
        return None
    kind = encoded[0]
    if kind in (LIST, TUPLE, DICT):
        return (kind, tuple(map(fingerprint, encoded[1])))
    if kind == TENSOR:
        return (kind, tuple(map(fingerprint, encoded[1])), encoded[2])
    if kind == FLOAT:
        return (kind, repr(encoded[1]))
    return encoded


def definitions(found, scope):
    """Text that binds the free names of a function whose values are expressions of kernels."""
    out = []
    for name in sorted(found.names):
        value = scope.find(name)
        if value is not _MISSING and needs_text(value):
            try:
                out.append(f"{name} = {to_text(value)}\n")
            except TypeError:
                continue  # asked for as it is, if at all
    return "".join(out)

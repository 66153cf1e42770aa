# SPDX-License-Identifier: Apache-2.0
"""Which arguments of a `tilelang.jit` function make which kernel: tensors and values of the run apart from the rest."""

import functools

from . import _env


def frozen(value, strict=True):
    """A value that can be hashed and is equal for equal values. Others are a TypeError, or where that is not
    wanted what they print."""
    if isinstance(value, (list, tuple)):
        items = tuple(frozen(v, strict) for v in value)
        return ("list", *items) if isinstance(value, list) else items
    if isinstance(value, dict):
        return ("dict", *sorted((repr(k), frozen(v, strict)) for k, v in value.items()))
    if isinstance(value, (set, frozenset)):
        return ("set", *sorted(map(repr, value)))
    try:
        hash(value)
    except TypeError:
        if strict:
            raise TypeError(
                f"Unsupported unhashable JIT compile-time cache key value: {type(value).__name__}; give numbers, text, "
                "types, or lists and dicts of such"
            ) from None
        return repr(value)
    return value


class Binding:
    """`jit_function.func`: the function as it was written, with how its arguments are taken."""

    def __init__(self, function, signature, runtime_names):
        functools.update_wrapper(self, function)
        self.signature = signature
        self._runtime_names = runtime_names

    def __call__(self, *args, **kwargs):
        return self.__wrapped__(*args, **kwargs)

    def _bound(self, args, kwargs):
        """(argument -> value, defaults and the entries of **kwargs included; names that no parameter has: sizes)."""
        parameters = self.signature.parameters
        open_name = next((n for n, p in parameters.items() if p.kind is p.VAR_KEYWORD), None)
        sizes = {} if open_name else {k: v for k, v in kwargs.items() if k not in parameters}
        bound = self.signature.bind(*args, **{k: v for k, v in kwargs.items() if k not in sizes})
        bound.apply_defaults()
        values = dict(bound.arguments)
        if open_name:
            sizes = values.pop(open_name)
        return values, sizes

    def _split(self, args, kwargs):
        values, more = self._bound(args, kwargs)
        is_run_time = lambda name, value: name in self._runtime_names() or _env.describe(value) is not None  # noqa: E731
        tensors = {k: v for k, v in values.items() if is_run_time(k, v)}
        fixed = {k: v for k, v in values.items() if k not in tensors}
        key = tuple(map(frozen, fixed.values()))
        if more:
            key += (tuple((k, frozen(v)) for k, v in sorted(more.items())),)
        return key, tensors, {**fixed, **more}

    def _parse_phase1_key(self, *args, **kwargs):
        """(what the compile-time arguments are to a cache, tensors, compile-time arguments)."""
        return self._split(args, kwargs)

    def parse_args(self, *args, **kwargs):
        """((what the compile-time arguments are, what of the tensors is), tensors)."""
        key, tensors, _ = self._split(args, kwargs)
        facts = tuple((k, frozen(_env.describe(v), strict=False)) for k, v in tensors.items())
        return (key, facts or None), tensors

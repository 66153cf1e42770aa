# SPDX-License-Identifier: Apache-2.0
"""Pass configurations: tilec takes note of those that mean something to it."""


class _Keys(type):
    def __getattr__(cls, name):
        if not name.isupper():
            raise AttributeError(name)
        # TL_ENABLE_FAST_MATH is "tl.enable_fast_math".
        prefix, _, rest = name.partition("_")
        return f"{prefix.lower()}.{rest.lower()}"


class PassConfigKey(metaclass=_Keys):
    """`PassConfigKey.TL_ENABLE_FAST_MATH` is `"tl.enable_fast_math"`."""

    __tilec_name__ = "tilelang.PassConfigKey"


class PassContext:
    """Accepted, and without effect: tilec has no passes of TVM."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @staticmethod
    def current():
        return PassContext()

    config = {}


def simplify_prim_func(function=None, **_):
    """tilec simplifies without being asked."""
    if function is None:
        return simplify_prim_func
    return function

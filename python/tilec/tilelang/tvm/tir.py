# SPDX-License-Identifier: Apache-2.0
"""Names of tvm.tir for kernels: `tir.exp` is `T.exp`."""

from ...language._deferred import Deferred as PrimExpr  # noqa: F401
from ...language._deferred import Deferred as Var  # noqa: F401


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    from ... import language

    return getattr(language, name)

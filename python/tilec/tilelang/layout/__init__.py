# SPDX-License-Identifier: Apache-2.0
"""Layouts that kernels ask for. tilec chooses layouts itself and takes these as wishes."""


def _for_kernels(name, home="tilelang.layout"):
    def function(*args, **kwargs):
        """Host code may make one for a kernel; it has no value in Python."""
        from ...language import _deferred, _table

        if name not in _table.FUNCTIONS:
            raise RuntimeError(f"{name} is for kernels; here is Python that runs on the host")
        if name.endswith("IntrinEmitter"):
            kwargs.pop("target", None)  # that of the kernel
        return _deferred.Deferred.call(f"__tilec_T.{name}", args, kwargs)

    function.__name__ = name
    function.__tilec_name__ = f"{home}.{name}"
    return function


_NAMES = ("make_swizzled_layout", "make_volta_swizzled_layout", "make_wgmma_swizzled_layout",
          "make_full_bank_swizzled_layout", "make_half_bank_swizzled_layout",
          "make_quarter_bank_swizzled_layout", "make_linear_layout", "make_gemm_fragment_8x8",
          "make_cutlass_metadata_layout", "make_fully_replicated_layout_fragment",
          "Fragment", "PartialFragment")  # fmt: skip
for _name in _NAMES:
    globals()[_name] = _for_kernels(_name)


def Layout(shape, forward_fn=None, *more):
    """A layout by its function; in a kernel the compiler reads the function's text."""
    if callable(forward_fn) and all(isinstance(n, int) for n in shape):
        from ._host import HostLayout

        return HostLayout(shape, forward_fn)
    return _for_kernels("Layout")(shape, forward_fn, *more)


Layout.__tilec_name__ = "tilelang.layout.Layout"


def _module_of_names(module):
    """The `__getattr__` of a module all of whose names are for kernels."""
    home = "tilelang" + module.removeprefix("tilec.tilelang")

    def find(name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _for_kernels(name, home)

    return find

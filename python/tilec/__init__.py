# SPDX-License-Identifier: Apache-2.0
"""tilec: a tile compiler for AMD CDNA and NVIDIA GPUs that compiles TileLang.

    import tilec
    import tilec.language as T

    @tilec.jit(out_idx=[-1])
    def add(n): ...

Nothing is loaded before it is needed: neither the compiler, nor a GPU's driver, nor NumPy or torch.
"""

__version__ = "0.1.0"

_HOMES = {
    "jit": "_jit", "compile": "_jit", "par_compile": "_jit", "lower": "_jit", "PrimFunc": "_jit",
    "prim_func": "_jit", "macro": "_jit", "JITKernel": "_kernel", "load": "_kernel",
    "simulate": "_tools", "warmup": "_tools", "on_compile": "_tools", "Error": "errors",
    "CompileError": "errors", "ArgumentError": "errors", "DeviceError": "errors",
    "LaunchError": "errors", "NotCompiled": "errors", "SourceError": "errors",
    "RefusedError": "errors", "NoCompilerError": "errors",
}  # fmt: skip
_MODULES = {"language", "tilelang", "errors", "testing", "schedule", "torch_op"}


def __getattr__(name):
    import importlib

    home = _HOMES.get(name)
    if home is not None:
        value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{home}"), name)
        return value
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module `tilec` has no `{name}`")


def __dir__():
    return sorted({*_HOMES, *_MODULES, "__version__"})

# SPDX-License-Identifier: Apache-2.0
"""TileLang's package as tilec has it: `import tilec.tilelang as tilelang`.

Where files say `import tilelang`, put the folder that `python -m tilec.dropin` prints on PYTHONPATH.
"""

#: The version of TileLang whose surface this is.
__version__ = "0.1.15"
__tilec__ = True

_ATTRIBUTES = {
    "jit": "tilec._jit", "compile": "tilec._jit", "par_compile": "tilec._jit", "lower": "tilec._jit",
    "PrimFunc": "tilec._jit", "JITImpl": "tilec._jit", "lazy_jit": "tilec._jit:jit",
    "JITKernel": "tilec._kernel", "Profiler": "tilec.tilelang.profiler",
    "do_bench": "tilec.tilelang.profiler", "TensorSupplyType": "tilec.tilelang.utils.tensor",
    "autotune": "tilec.tilelang.autotuner", "AutoTuner": "tilec.tilelang.autotuner",
    "set_autotune_inputs": "tilec.tilelang.autotuner", "PassConfigKey": "tilec.tilelang.transform",
    "dtype": "tilec._dtypes", "DataType": "tilec._dtypes:dtype", "cdiv": "tilec.tilelang.math",
    "next_power_of_2": "tilec.tilelang.math", "clear_cache": "tilec.tilelang.cache",
    "cached": "tilec.tilelang.cache", "enable_cache": "tilec.tilelang.env",
    "disable_cache": "tilec.tilelang.env", "is_cache_enabled": "tilec.tilelang.env",
    "env": "tilec.tilelang.env", "set_log_level": "tilec.tilelang.utils",
    "deprecated": "tilec.tilelang.utils", "language": "tilec.language:",
    "GemmWarpPolicy": "tilec.language._functions", "simplify_prim_func": "tilec.tilelang.transform",
}  # fmt: skip
_MODULES = {"autotuner", "cache", "carver", "contrib", "cuda", "engine", "intrinsics", "layout",
            "math", "primitives", "profiler", "quantize", "rocm", "testing", "tileop", "tools",
            "transform", "tvm", "utils", "backend", "ir", "analysis"}  # fmt: skip


def __getattr__(name):
    import importlib

    home = _ATTRIBUTES.get(name)
    if home is not None:
        module, _, attribute = home.partition(":")
        value = importlib.import_module(module)
        if not home.endswith(":"):
            value = getattr(value, attribute or name)
        globals()[name] = value
        return value
    if name in _MODULES:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise AttributeError(f"module `tilelang` (of tilec) has no `{name}`")


def __dir__():
    return sorted({*_ATTRIBUTES, *_MODULES, "__version__"})

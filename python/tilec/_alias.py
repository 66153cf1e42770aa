# SPDX-License-Identifier: Apache-2.0
"""Lets `tilelang` and everything in it mean the modules of tilec.tilelang: one object under two names."""

import importlib
import importlib.machinery
import sys

_ALIASES = {"tilelang": "tilec.tilelang", "tilelang.language": "tilec.language", "tvm": "tilec.tilelang.tvm"}


def real_name(name):
    for short in sorted(_ALIASES, key=len, reverse=True):
        if name == short or name.startswith(short + "."):
            return _ALIASES[short] + name[len(short) :]
    return None


class _Finder:
    """Finder and loader. The base classes of importlib.abc would bring a dozen modules at every start."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in ("tilelang", "tvm"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        real = real_name(spec.name)
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as error:
            if error.name and (real == error.name or real.startswith(error.name + ".")):
                raise ModuleNotFoundError(f"tilec has no module `{spec.name}`", name=spec.name) from None
            raise
        self._kept = getattr(self, "_kept", {})
        self._kept[spec.name] = (module.__spec__, module.__dict__.get("__loader__"), module.__name__,
                                 module.__dict__.get("__package__"), module.__dict__.get("__path__"))  # fmt: skip
        return module

    def exec_module(self, module):
        # The import machinery has written the alias into the module's own attributes.
        name = module.__spec__.name
        kept = self._kept.pop(name, None)
        if kept is None:
            return
        spec, loader, own, package, path = kept
        module.__spec__, module.__loader__, module.__name__, module.__package__ = spec, loader, own, package
        if path is not None:
            module.__path__ = path


def install():
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    sys.modules["tilelang"] = importlib.import_module("tilec.tilelang")
    sys.modules["tilelang.language"] = importlib.import_module("tilec.language")

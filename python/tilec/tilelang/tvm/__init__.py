# SPDX-License-Identifier: Apache-2.0
"""What scripts import of TVM beside TileLang: types of elements and a few names for kernels."""

from ..._dtypes import dtype as DataType  # noqa: F401
from . import tir  # noqa: F401

__version__ = "0.0"


class Device:
    """What scripts ask `tvm.device(...)`."""

    def __init__(self, kind, index=0):
        if kind not in ("cuda", "rocm", "hip"):
            raise ValueError(f"tilec has no device {kind!r}; it has cuda and rocm")
        self.kind, self.index = kind, index

    def _is_there(self):
        from ... import _targets

        target = _targets.simulated() or _targets.device_target(self.index)
        return target is not None and _targets.is_amd(target) == (self.kind != "cuda")

    @property
    def exist(self):
        return self._is_there()

    @property
    def max_shared_memory_per_block(self):
        from ..carver.arch import driver

        return driver.get_shared_memory_per_block() if self._is_there() else None

    @property
    def multi_processor_count(self):
        from ..carver.arch import driver

        return driver.get_num_sms() if self._is_there() else None

    @property
    def warp_size(self):
        return (32 if self.kind == "cuda" else 64) if self._is_there() else None


def device(kind, index=0):
    return Device(kind, index)


def __getattr__(name):
    if name in ("tirx", "tir"):
        return tir
    if name in ("testing", "target"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"tilec has no TVM: there is no `tvm.{name}`")

# SPDX-License-Identifier: Apache-2.0
"""Kernels without a GPU: `with tilec.testing.on_simulator("gfx950"):` runs them on a simulated one.

Code that was written for a GPU runs as it is: in there torch makes what it is asked to make on
`cuda` in the memory of the cpu, and torch.cuda answers for the simulated GPU.
"""

import contextlib
import sys
import time
import types

from . import _targets


@contextlib.contextmanager
def on_simulator(device=None, patch_torch=True):
    """Compiles for `device` (one of tilec's targets; gfx950 where nothing is said) and
    runs on its simulator. Hazards are tilec.LaunchError."""
    target = device or _targets.simulated() or "gfx950"
    if target not in _targets.TARGETS:
        raise ValueError(f"there is no simulator of {target!r}; there are {', '.join(_targets.TARGETS)}")
    before = _targets.set_simulated(target)
    try:
        torch = _torch() if patch_torch else None
        with _redirected(torch, target) if torch else contextlib.nullcontext():
            yield target
    finally:
        _targets.set_simulated(before)


def _torch():
    import importlib.util

    if "torch" in sys.modules or importlib.util.find_spec("torch"):
        import torch

        return torch
    return None


def _is_gpu(device):
    kind = getattr(device, "type", None) or (device if isinstance(device, str) else "")
    return kind.split(":")[0] in ("cuda", "hip") or (isinstance(device, int) and not isinstance(device, bool))


@contextlib.contextmanager
def _redirected(torch, target):
    """torch with the simulated GPU for its cuda device."""
    from torch.overrides import TorchFunctionMode

    cpu = torch.device("cpu")
    moves = {torch.Tensor.cuda}

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if func in moves:
                return args[0]
            if _is_gpu(kwargs.get("device")):
                kwargs["device"] = cpu
            if func is torch.Tensor.to:
                args = tuple(cpu if isinstance(a, (str, torch.device)) and _is_gpu(a) else a for a in args)
            return func(*args, **kwargs)

    changed = []

    def put(owner, name, value):
        changed.append((owner, name, getattr(owner, name, _redirected)))
        setattr(owner, name, value)

    cuda = torch.cuda
    for name, value in _cuda_answers(torch, target).items():
        put(cuda, name, value)
    put(torch.Tensor, "is_cuda", property(lambda self: True))
    put(torch.Tensor, "cuda", lambda self, *_, **__: self)
    put(torch.nn.Module, "cuda", lambda self, *_, **__: self)
    put(torch.version, "hip", "7.0" if _targets.is_amd(target) else None)
    put(torch.version, "cuda", None if _targets.is_amd(target) else "13.0")
    put(torch, "Generator", _cpu_generator(torch.Generator))
    default = torch.get_default_device()
    set_default = torch.set_default_device
    put(torch, "set_default_device", lambda d: set_default("cpu" if d is not None and _is_gpu(d) else d))
    try:
        with Mode():
            yield
    finally:
        for owner, name, value in reversed(changed):
            if value is _redirected:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
        torch.set_default_device(default)


def _cpu_generator(real):
    """torch.Generator, whatever device it is asked for."""

    class Same(type):
        def __call__(cls, device="cpu"):
            return real("cpu" if _is_gpu(device) else device)

        def __instancecheck__(cls, value):
            return isinstance(value, real)

    return Same("Generator", (), {})


def _cuda_answers(torch, target):
    """torch.cuda for the simulated GPU."""
    from .tilelang.carver.arch import driver

    is_amd = _targets.is_amd(target)
    digits = "".join(c for c in target[3:] if c.isdigit())
    capability = {"gfx942": (9, 4), "gfx950": (9, 5)}[target] if is_amd else (int(digits[:-1]), int(digits[-1]))
    sms, shared = driver._FACTS[target]
    properties = types.SimpleNamespace(
        name=f"simulated {target}", major=capability[0], minor=capability[1], multi_processor_count=sms,
        gcnArchName=target, warp_size=64 if is_amd else 32, total_memory=80 << 30, L2_cache_size=50 << 20,
        shared_memory_per_block=shared, shared_memory_per_block_optin=shared,
        shared_memory_per_multiprocessor=shared, regs_per_multiprocessor=65536,
        max_threads_per_multi_processor=2048, max_threads_per_block=1024,
    )  # fmt: skip

    class Event:
        def __init__(self, *_, **__):
            self.at = 0.0

        def record(self, *_):
            self.at = time.perf_counter()

        def elapsed_time(self, other):
            return (other.at - self.at) * 1e3

        def synchronize(self):
            pass

        wait = query = synchronize

    class Stream(contextlib.AbstractContextManager):
        cuda_stream = 0
        device_index = 0

        def __init__(self, *_, **__):
            pass

        def __exit__(self, *_):
            pass

        def synchronize(self, *_):
            pass

        wait_stream = wait_event = record_event = query = synchronize

    def nothing():
        # One for each name: torch.compile tells functions apart by identity.
        return lambda *_, **__: None

    return {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
        "get_device_capability": lambda *_: capability, "get_device_properties": lambda *_: properties,
        "get_device_name": lambda *_: properties.name, "synchronize": nothing(), "empty_cache": nothing(),
        "init": nothing(), "set_device": nothing(), "manual_seed": nothing(), "manual_seed_all": nothing(),
        "reset_peak_memory_stats": nothing(), "max_memory_allocated": lambda *_: 0,
        "memory_allocated": lambda *_: 0, "is_bf16_supported": lambda *_: True, "Event": Event,
        "Stream": Stream, "current_stream": lambda *_: Stream(), "default_stream": lambda *_: Stream(),
        "stream": lambda s=None: s or Stream(), "is_current_stream_capturing": lambda: False,
        "is_initialized": lambda: True,
    }  # fmt: skip

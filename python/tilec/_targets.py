# SPDX-License-Identifier: Apache-2.0
"""Which GPU kernels are compiled for, and where they run."""

import os
import sys
import threading

from .errors import DeviceError

#: As libtilec lists them; python/test/test_targets.py compares.
TARGETS = ("gfx942", "gfx950", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_120")
_local = threading.local()


def simulated():
    """The target of the simulator that `tilec.testing.on_simulator()` has chosen, or None."""
    chosen = getattr(_local, "simulator", None)
    return chosen or os.environ.get("TILEC_SIMULATOR") or None


def set_simulated(target):
    """Chooses the simulator of this thread; returns what was chosen before."""
    before = getattr(_local, "simulator", None)
    _local.simulator = target
    return before


def as_here(function):
    """The function with this thread's simulator, for other threads."""
    chosen = simulated()

    def run(*args):
        before = set_simulated(chosen)
        try:
            return function(*args)
        finally:
            set_simulated(before)

    return run


def is_amd(target):
    return target.startswith("gfx")


def of_capability(major, minor):
    if (major, minor) == (9, 0):
        return "sm_90a"
    if major >= 12:
        return "sm_120"
    if major >= 9:
        return "sm_90"
    if major == 8:
        return "sm_89" if minor >= 9 else "sm_80"
    raise DeviceError(f"tilec has no target for a GPU of compute capability {major}.{minor}; it has {', '.join(TARGETS)}")


def of_arch(arch):
    """The target for what a driver calls its device."""
    arch = arch.split(":")[0]
    if arch.startswith("sm_"):
        digits = "".join(c for c in arch[3:] if c.isdigit())
        return of_capability(int(digits[:-1]), int(digits[-1]))
    if arch in TARGETS:
        return arch
    raise DeviceError(f"tilec has no target for {arch}; it has {', '.join(TARGETS)}")


def torch_cuda():
    """torch.cuda where torch has been imported and sees a GPU."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda"):
        return None
    return torch.cuda if torch.cuda.is_available() else None


def device_target(index=None):
    """The target of the machine's GPU; None where there is none."""
    cuda = torch_cuda()
    if cuda is not None:
        if sys.modules["torch"].version.hip:
            return of_arch(cuda.get_device_properties(index).gcnArchName)
        return of_capability(*cuda.get_device_capability(index))
    return _driver_target(index or 0)


_found = {}


def _driver_target(index):
    if index not in _found:
        from . import _runtime

        _found[index] = None
        for kind in ("cuda", "hip"):
            try:
                arch = _runtime.Device.open(kind, index).arch
            except DeviceError:
                continue
            _found[index] = of_arch(arch)
            break
    return _found[index]


def current_target():
    """What kernels are compiled for where nothing is said: the simulator that was chosen, the GPU of
    this machine, $TILEC_TARGET, gfx950."""
    return simulated() or os.environ.get("TILEC_TARGET") or device_target() or "gfx950"


def resolve(target):
    """The compiler's name for what TileLang calls a target: `auto`, `cuda`, `hip`, `cuda -arch=sm_90`,
    a dict or an object with `kind` and `arch`, or one of tilec's own names."""
    if target is None:
        return current_target()
    if isinstance(target, dict):
        target = f"{target.get('kind', 'cuda')} -arch={target.get('arch') or target.get('mcpu') or ''}"
    text = str(target).strip()
    if text in TARGETS:
        return text
    words = text.split()
    kind = words[0] if words else "auto"
    arch = next((w.split("=", 1)[1] for w in words[1:] if w.startswith(("-arch=", "-mcpu="))), "")
    if simulated():
        return simulated()
    if arch:
        return arch if arch in TARGETS else of_arch(arch)
    if kind == "auto":
        return current_target()
    if kind in ("cuda", "cutedsl", "nvidia"):
        found = device_target()
        return found if found and not is_amd(found) else "sm_90a"
    if kind in ("hip", "rocm", "amd"):
        found = device_target()
        return found if found and is_amd(found) else "gfx950"
    raise ValueError(f"unknown target {text!r}; known: auto, cuda, hip, {', '.join(TARGETS)}")


def find_assembler():
    """Tells the compiler of the tools that come with Triton, where no others have been named or installed."""
    for tool, variable in (("ptxas", "TILEC_PTXAS"), ("nvdisasm", "TILEC_NVDISASM")):
        if variable not in os.environ and not _is_installed(tool):
            path = _of_triton(tool)
            if path:
                os.environ[variable] = path


def _is_installed(tool):
    import shutil

    homes = filter(None, (os.environ.get("CUDA_HOME"), "/usr/local/cuda"))
    return shutil.which(tool) or any(os.access(f"{home}/bin/{tool}", os.X_OK) for home in homes)


def _of_triton(tool):
    import importlib.util

    spec = importlib.util.find_spec("triton")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = os.path.join(folder, "backends", "nvidia", "bin", tool)
        if os.access(path, os.X_OK):
            return path
    return None

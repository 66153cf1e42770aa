# SPDX-License-Identifier: Apache-2.0
"""What tests of kernels import."""

import functools
import importlib.util
import inspect
import sys

from ... import _targets
from ..utils.tensor import torch_assert_close


def set_random_seed(seed=42):
    import random

    random.seed(seed)
    if importlib.util.find_spec("numpy"):
        import numpy

        numpy.random.seed(seed % 2**32)
    if importlib.util.find_spec("torch"):
        import torch

        torch.manual_seed(seed)


def main():
    """Runs the tests of the file that calls it."""
    import pytest

    file = inspect.getsourcefile(sys._getframe(1))
    sys.exit(pytest.main([file, *sys.argv[1:]]))


def _target():
    return _targets.simulated() or _targets.device_target() or ""


def _capability():
    target = _target()
    digits = "".join(c for c in target[3:] if c.isdigit()) if target.startswith("sm_") else ""
    return (int(digits[:-1]), int(digits[-1])) if digits else None


def _skip_unless(condition, reason):
    import pytest

    return pytest.mark.skipif(not condition, reason=reason)


def _mark(condition, reason):
    """A mark that stands with and without parentheses."""

    def apply(function=None, *_, **__):
        mark = _skip_unless(condition(), reason)
        return mark(function) if callable(function) else mark

    return apply


def _check_is_gfx950():
    return _target() == "gfx950"


requires_cuda = _mark(lambda: _target().startswith("sm_"), "needs an NVIDIA GPU")
requires_rocm = _mark(lambda: _target().startswith("gfx"), "needs an AMD GPU")
requires_cdna = _mark(lambda: _target().startswith("gfx"), "needs an AMD GPU")
requires_cuda_or_cdna = _mark(lambda: bool(_target()), "needs a GPU")
requires_gfx950 = _mark(lambda: _target() == "gfx950", "needs a gfx950")
requires_metal = _mark(lambda: False, "needs Metal")
requires_llvm = _mark(lambda: False, "needs TVM's LLVM")
requires_cutedsl = _mark(lambda: False, "needs CuTe DSL")
requires_gpu = _mark(lambda: bool(_target()), "needs a GPU")


def requires_cuda_compute_version(major, minor=0, mode="ge"):
    have = _capability()
    want = (major, minor)
    fits = have is not None and {
        "ge": have >= want, "le": have <= want, "gt": have > want, "lt": have < want, "eq": have == want,
    }[mode]  # fmt: skip
    return _skip_unless(fits, f"needs a compute capability {mode} {major}.{minor}")


def requires_cuda_compute_version_ge(major, minor=0):
    return requires_cuda_compute_version(major, minor, "ge")


def requires_cuda_compute_version_le(major, minor=0):
    return requires_cuda_compute_version(major, minor, "le")


def requires_cuda_compute_version_gt(major, minor=0):
    return requires_cuda_compute_version(major, minor, "gt")


def requires_cuda_compute_version_lt(major, minor=0):
    return requires_cuda_compute_version(major, minor, "lt")


def requires_cuda_compute_version_eq(major, minor=0):
    return requires_cuda_compute_version(major, minor, "eq")


def requires_package(name, *_, **__):
    return _skip_unless(importlib.util.find_spec(name.split(".")[0]) is not None, f"needs the package {name}")


def skip_if(condition, reason=""):
    return _skip_unless(not condition, reason)


def regression(function=None, *_, **__):
    return function if callable(function) else (lambda f: f)


def process_func(function, name=None, /, **given):
    """Runs a benchmark once and prints its time."""
    print(f"{name or getattr(function, '__name__', function)}: {function(**given)}")


@functools.wraps(torch_assert_close)
def assert_close(*args, **kwargs):
    return torch_assert_close(*args, **kwargs)

# SPDX-License-Identifier: Apache-2.0
"""Launches on a GPU, as far as they go without one: on the fake CUDA driver of the unit tests ($TILEC_FAKE_DRIVER), and on
the simulator under the name of HIP's runtime ($TILEC_HIP_DRIVER)."""

import os

import numpy as np
import pytest

import tilec
import tilec.language as T
from tilec import _execute

DRIVER = os.environ.get("TILEC_FAKE_DRIVER")
pytestmark = pytest.mark.skipif(not DRIVER, reason="$TILEC_FAKE_DRIVER is not set")
HIP = os.environ.get("TILEC_HIP_DRIVER")


class OnDevice:
    """A tensor of a framework that speaks `__cuda_array_interface__`."""

    def __init__(self, device, array, read_only=False, address=None):
        self.device_, self.array = device, array
        self.address = device.allocate(array.nbytes) if address is None else address
        if address is None:
            device.upload(self.address, array)
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (self.address, read_only),
            "version": 3, "strides": None,
        }  # fmt: skip
        self.shape, self.dtype = array.shape, array.dtype

    def read(self):
        out = np.empty_like(self.array)
        self.device_.download(out, self.address)
        return out


n = T.dynamic("n")


@T.prim_func
def twice(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
    with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] * 2


@pytest.fixture
def device(monkeypatch):
    from tilec import _runtime

    made = _runtime.Device.open("cuda", 0, DRIVER)
    monkeypatch.setitem(_execute._devices, (0, False), made)
    return made


def kernel_of():
    return tilec.compile(twice, target="sm_90", ptx_assembler="none")


def test_launches_reach_the_driver(device):
    kernel = kernel_of()
    for count in (64, 100, 64):
        a = OnDevice(device, np.arange(count, dtype=np.float32))
        b = OnDevice(device, np.zeros(count, np.float32))
        kernel(a, b)
        assert np.array_equal(b.read(), 2 * a.array)
        device.upload(b.address, np.zeros(count, np.float32))
        kernel.bind(a, b)()
        assert np.array_equal(b.read(), 2 * a.array)


def test_arguments_are_checked_before_a_launch(device):
    kernel = kernel_of()
    ones = np.ones(64, np.float32)
    good = OnDevice(device, ones)
    for bad, said in (
        (OnDevice(device, np.ones(32, np.float32)), "32"),
        (OnDevice(device, np.ones(64)), "`B`.*float64.*float32 is wanted"),
        (OnDevice(device, ones, address=0), "`B`.*no memory"),
        (OnDevice(device, ones, read_only=True), "`B`.*read-only"),
        (OnDevice(device, ones, address=good.address + 4), "`B`.*16 bytes"),
        (OnDevice(device, np.ones((8, 8), np.float32)), "`B`.*2 dimensions, 1 are wanted"),
        (7, "`B`.*a tensor is wanted, not int"),
        (ones, "`B`.*memory of the cpu"),
    ):
        with pytest.raises(tilec.ArgumentError, match=said):
            kernel(good, bad)


def test_kernels_are_called_anew_with_other_arguments(device):
    """After the first launch calls go past Python's code: names, streams and mistakes are still seen."""
    kernel = kernel_of()
    a, b = (OnDevice(device, np.full(64, v, np.float32)) for v in (3, 0))
    kernel(a, b)
    for call in (lambda: kernel(a, B=b), lambda: kernel(A=a, B=b), lambda: kernel(a, b, stream=0)):
        device.upload(b.address, np.zeros(64, np.float32))
        call()
        assert np.all(b.read() == 6)
    for call, said in (
        (lambda: kernel(a), "2 arguments, 1 are given|takes 2 arguments"),
        (lambda: kernel(a, b, b), "takes 2 arguments"),
        (lambda: kernel(a, C=b), "no argument `C`"),
    ):
        with pytest.raises(tilec.ArgumentError, match=said):
            call()
    assert callable(kernel) and kernel.torch_function(a, b) is None


@pytest.mark.skipif(not HIP, reason="$TILEC_HIP_DRIVER is not set")
@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_launches_reach_hip(chip, monkeypatch):
    """In a process of its own, as the driver has one chip."""
    import subprocess
    import sys

    code = "import test_driver; test_driver.run_on_hip()"
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "TILEC_HIP_CHIP": chip, "PYTHONPATH": path})  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == [chip, "right"]


def run_on_hip():
    from tilec import _runtime

    device = _runtime.Device.open("hip", 0, HIP)
    _execute._devices[0, True] = device
    print(device.arch)
    kernel = tilec.compile(twice, target=device.arch)
    for count in (64, 100, 4096):
        a, b = OnDevice(device, np.arange(count, dtype=np.float32)), OnDevice(device, np.zeros(count, np.float32))
        kernel(a, b)
        device.wait()
        assert np.array_equal(b.read(), 2 * a.array)
        device.upload(b.address, np.zeros(count, np.float32))
        kernel.bind(a, b)()
        device.wait()
        assert np.array_equal(b.read(), 2 * a.array)
    with pytest.raises(tilec.ArgumentError, match="`B`.*float64.*float32 is wanted"):
        kernel(a, OnDevice(device, np.ones(4096)))
    other = "gfx942" if device.arch == "gfx950" else "gfx950"
    with pytest.raises(tilec.DeviceError, match=f"compiled for {other}"):
        tilec.compile(twice, target=other)(a, b)
    print("right")

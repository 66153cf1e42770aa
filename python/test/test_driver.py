# SPDX-License-Identifier: Apache-2.0
"""Launches on a GPU, as far as they go on the fake driver of the unit tests ($TILEC_FAKE_DRIVER)."""

import os

import numpy as np
import pytest

import tilec
import tilec.language as T
from tilec import _execute

DRIVER = os.environ.get("TILEC_FAKE_DRIVER")
pytestmark = pytest.mark.skipif(not DRIVER, reason="$TILEC_FAKE_DRIVER is not set")


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

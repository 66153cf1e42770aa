# SPDX-License-Identifier: Apache-2.0
"""What scripts import of tvm.testing."""

from ..testing import main, requires_package  # noqa: F401


def assert_allclose(actual, desired, rtol=1e-7, atol=1e-7, **_):
    import numpy

    numpy.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol)

# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: with $TILEC_TEST_SIMULATOR=gfx950 all tests run on that simulator."""

import os

from . import testing

_context = None


def pytest_configure(config):
    global _context
    target = os.environ.get("TILEC_TEST_SIMULATOR")
    if target:
        _context = testing.on_simulator(target)
        _context.__enter__()


def pytest_unconfigure(config):
    global _context
    if _context is not None:
        _context.__exit__(None, None, None)
        _context = None

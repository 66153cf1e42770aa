# SPDX-License-Identifier: Apache-2.0
"""Marks for NVIDIA's in-kernel event tracer. Kernels that have them run; nothing is recorded.

Functions of kernels are read by the compiler from this file, as those of any module are.
"""

import os
import pathlib
import warnings

__tilec_for_kernels__ = True
_SCOPE = object()  # to `with` something of the host means nothing
_directory = None


def mark(name, payload=None):
    """A mark of a kernel: without effect."""
    return None


def payload(expr, dtype=None):
    """A value that a mark would record."""
    return None


def range(name, payload=None):
    """A part of a kernel: `with iket.range("loads"):`."""
    return _SCOPE


def range_push(name, payload=None):
    """The begin of a part of a kernel: without effect."""
    return None


def range_pop(name=None):
    """The end of a part of a kernel: without effect."""
    return None


range_start, range_end = range_push, range_pop


def event_table():
    """The events that kernels would record: none."""
    return []


def reset():
    pass


def is_enabled():
    return False


runtime_payloads_enabled = is_enabled


def enable(**_):
    warnings.warn("tilec records no events of kernels: marks of iket are without effect", stacklevel=3)


def disable(**_):
    pass


enable_runtime_payloads = disable_runtime_payloads = disable


class session:
    """`with iket.session(output_dir=...)`: the folder is taken note of."""

    def __init__(self, output_dir=None, **_):
        self.folder = output_dir
        self.before = None

    def __enter__(self):
        self.before = _directory
        if self.folder is not None:
            set_output_dir(self.folder)
        enable()
        return self

    def __exit__(self, *_):
        set_output_dir(self.before)
        return False


def set_output_dir(path):
    global _directory
    _directory = None if path is None else os.fspath(path)


def output_dir():
    return pathlib.Path(_directory or os.environ.get("TL_IKET_OUTPUT_DIR") or "iket_output")


def output_path(name, directory=None):
    """A file in the folder, which is made."""
    folder = pathlib.Path(directory) if directory is not None else output_dir()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def trace_files(directory=None):
    """What the tracer has written there."""
    folder = pathlib.Path(directory) if directory is not None else output_dir()
    return sorted(folder.glob("*.trace.json")) if folder.is_dir() else []

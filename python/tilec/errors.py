# SPDX-License-Identifier: Apache-2.0
"""What tilec raises."""


class Error(Exception):
    """Everything that tilec raises is one of these."""


class CompileError(Error, RuntimeError, ValueError):
    """A kernel is wrong; TileLang raises one or the other of its bases. The text has the place and a caret; `diagnostics` has the same as data."""

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class SourceError(Error, TypeError):
    """The source of a function cannot be had: it was made by exec, or its file has gone."""


class ArgumentError(Error, ValueError, TypeError):
    """An argument does not fit the kernel. Nothing was launched."""


class DeviceError(Error, RuntimeError):
    """A driver refuses, or there is no GPU."""


class LaunchError(Error, RuntimeError):
    """A launch failed, or the simulator has found a hazard in it."""


class NotCompiled(Error, RuntimeError):
    """A kernel would have to be compiled while a CUDA or HIP graph is being captured."""


class NoCompilerError(Error, ImportError):
    """This is tilec-runtime: the package was built without the compiler."""


class RefusedError(Error, NotImplementedError):
    """A name of TileLang that tilec does not have; the text says what to use instead."""

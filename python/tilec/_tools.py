# SPDX-License-Identifier: Apache-2.0
"""Functions beside TileLang's: simulate, warmup, on_compile."""

from . import _compile


def simulate(kernel, *args, device=None):
    """Runs a kernel on tensors of NumPy or torch in the cpu's memory on a simulated GPU.

    With arguments it runs at once and gives outputs as a call does; without it gives a function that
    does. `kernel` is what `tilec.jit` or `tilec.compile` gives, or a kernel function; where it was
    compiled for another GPU than `device`, it is compiled for that. What hardware hides (a missing
    wait, a race, an access outside of a tensor) is a tilec.LaunchError.
    """
    from . import _execute, _jit
    from ._kernel import JITKernel

    def run(*args):
        made = kernel
        if isinstance(made, _jit.JITImpl) and made.is_eager:
            with _on(device):
                return made(*args)
        if not isinstance(made, JITKernel):
            made = _jit.compile(made, target=device)
        if device is not None and made.target != device:
            source, options = made.prim_func, made.options
            if isinstance(source, _jit.PrimFunc):
                with _on(device):
                    made = _jit._compile_prim_func(source, options)
            else:
                raise _compile.CompileError(f"the kernel was compiled for {made.target}: compile it for {device}")
        runner = _execute.Runner(made)
        if len(args) == runner.inputs and runner.outs:
            full, outputs = runner._with_outputs(args)
            _execute.simulate(made, full, made.target)
            return outputs[0] if len(outputs) == 1 else tuple(outputs)
        _execute.simulate(made, args, made.target)
        return None

    return run(*args) if args else run


def _on(device):
    from .testing import on_simulator

    return on_simulator(device, patch_torch=False)


def warmup(kernels, parallel=True):
    """Compiles and loads kernels before they are needed: pairs of a function of `tilec.jit` and its
    arguments (a tuple, or a dict of names), or kernels to be compiled."""
    import functools

    from . import _jit

    calls = []
    for entry in kernels:
        function, given = entry if isinstance(entry, tuple) else (entry, ())
        target = function.compile if isinstance(function, _jit.JITImpl) else functools.partial(_jit.compile, function)
        calls.append(functools.partial(target, **given) if isinstance(given, dict) else functools.partial(target, *given))
    return _jit._run_all(calls, None if parallel else 1, ignore_error=False)


class on_compile:
    """Calls `listener` with a dict (name, entry, target, milliseconds, ok) after every compile: for
    servers. As a context manager, or until `stop`."""

    def __init__(self, listener):
        self.listener = listener
        _compile.listeners.append(listener)

    def stop(self):
        if self.listener in _compile.listeners:
            _compile.listeners.remove(self.listener)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

# SPDX-License-Identifier: Apache-2.0
"""kernel.check(): a run against the reference device, by the rule of docs/deploy/launch-manifest.md."""

import os
import subprocess
import sys
import tempfile

from . import _dtypes, _execute, _targets
from .errors import ArgumentError, Error


class CheckFailed(Error, AssertionError):
    """The kernel does not agree with the reference."""


def check(kernel, args=(), device=None, seed=0):
    """Runs the kernel as `tilec-run --check` does, in a process of its own. `device` is `sim`, `ptx`,
    `cuda` or `hip`; left out, the machine's GPU where the kernel is for it, else the simulator."""
    if device is None:
        on_gpu = not _targets.simulated() and _targets.device_target() == kernel.target
        if on_gpu:
            device = "hip" if _targets.is_amd(kernel.target) else "cuda"
        else:
            device = "sim" if _targets.is_amd(kernel.target) else "ptx"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, f"{kernel.name}.mlir")
        with open(program, "w") as file:
            file.write(kernel.stage("tile"))
        command = [sys.executable, "-m", "tilec.tool", "tilec-run", program, f"--target={kernel.target}",
                   f"--device={device}", "--check", f"--seed={seed}"]  # fmt: skip
        command += _inputs(kernel, args, folder)
        env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
        done = subprocess.run(command, capture_output=True, text=True, env=env)
    said = (done.stdout + done.stderr).strip()
    if done.returncode != 0:
        raise CheckFailed(said)
    return said


def _inputs(kernel, args, folder):
    """Options that give the tensors; those of symbolic sizes must be given."""
    out = []
    inputs = [p for i, p in enumerate(kernel.params) if i not in kernel._outs]
    if args and len(args) not in (len(inputs), len(kernel.params)):
        raise ArgumentError(f"check takes {len(inputs)} arguments, or none; {len(args)} are given")
    names = inputs if len(args) == len(inputs) else kernel.params
    for p, arg in zip(names, args):
        if not p.is_used:
            continue
        if not p.is_tensor:
            out += ["--arg", f"{p.name}={arg}"]
            continue
        import numpy

        if hasattr(arg, "cpu"):
            arg = arg.cpu()
        shape = _execute._check_host(p, arg)
        flat, _ = _execute._host_bytes(p, arg)
        path = os.path.join(folder, f"{p.name}.npy")
        stored = shape if p.dtype.bits != 4 else [*shape[:-1], shape[-1] // 2]
        numpy.save(path, flat.view(_dtypes.numpy_dtype(p.dtype)).reshape(stored))
        out += ["--arg", f"{p.name}={path}"]
    return out

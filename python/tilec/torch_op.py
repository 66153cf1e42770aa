# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of torch, for torch.compile: `kernel.as_custom_op("ns::name")`."""

import torch

from . import _execute


def _schema_type(param):
    if param.is_tensor:
        return "Tensor"
    return "float" if param.dtype.is_float() else "int"


def custom_op(kernel, name, backward=None, setup_context=None, mutates_args=None):
    """Registers the kernel as `torch.ops.ns.name` and gives the function to call.

    Which arguments are changed follows from the kernel (what it writes and does not return); so do
    the shapes of results that torch asks for without running anything. `backward(ctx, *grads)` and
    `setup_context(ctx, inputs, output)` make it differentiable. Nothing is compiled when torch traces.
    """
    runner = _execute.Runner(kernel)
    inputs = _execute._inputs(runner)
    if mutates_args is None:
        mutates_args = [p.name for p in inputs if p.is_tensor and "w" in p.access and p.is_used]
    parts = []
    for i, p in enumerate(inputs):
        kind = _schema_type(p)
        if p.name in mutates_args:
            kind = f"Tensor(a{i}!)"
        parts.append(f"{kind} {p.name}")
    results = [kernel.params[i] for i in kernel.out_idx]
    returns = {0: "()", 1: "Tensor"}.get(len(results), "(" + ", ".join(["Tensor"] * len(results)) + ")")
    torch.library.define(name, f"({', '.join(parts)}) -> {returns}")

    def run(*args):
        return kernel(*args)

    def fake(*args):
        dims = runner._dims(args) if runner.has_sizes else None
        like = next((a for p, a in zip(inputs, args) if p.is_tensor), None)
        made = [_fake_result(p, dims, like) for p in results]
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    for key in ("CPU", "CUDA"):
        torch.library.impl(name, key, run)
    torch.library.register_fake(name, fake)
    if backward is not None:
        torch.library.register_autograd(name, backward, setup_context=setup_context)
    space, _, short = name.partition("::")
    return getattr(getattr(torch.ops, space), short)


def _fake_result(param, dims, like):
    shape = param.extents(dims)
    if param.dtype.bits == 4 and shape:
        shape = (*shape[:-1], (shape[-1] + 1) // 2)
    return torch.empty(shape, dtype=param.torch_dtype(), device=like.device if like is not None else "cpu")

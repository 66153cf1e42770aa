# SPDX-License-Identifier: Apache-2.0
"""Tensors for trying kernels out."""

import enum
import re

from ... import _dtypes, _targets


class TensorSupplyType(enum.Enum):
    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7


_FUNCTIONS = {"ceildiv", "min", "max"}  # in expressions of sizes


def map_torch_type(name):
    return _dtypes.torch_dtype(name)


def device():
    import torch

    if _targets.simulated() or not torch.cuda.is_available():
        return "cpu"
    return f"cuda:{torch.cuda.current_device()}"


def _fill(tensor, name, kind):
    """Values of this kind in a tensor of elements `name`."""
    import torch

    is_float = "float" in name
    if kind is TensorSupplyType.Zero:
        return tensor.zero_()
    if kind is TensorSupplyType.One:
        return tensor.fill_(1)
    if name == "bool":
        return tensor.copy_(torch.randint(0, 2, tensor.shape))
    if not is_float or kind is TensorSupplyType.Integer:
        low = 0 if name.startswith("uint") else -2
        return tensor.copy_(torch.randint(low, 3, tensor.shape).to(torch.float32 if is_float else torch.int64))
    work = torch.empty(tensor.shape, dtype=torch.float32)
    if kind is TensorSupplyType.Uniform:
        work.uniform_(-1, 1)
    elif kind is TensorSupplyType.Randn:
        work.normal_()
    else:
        work.normal_(-1, 1)
    return tensor.copy_(work.to(tensor.dtype))


def get_tensor_supply(supply_type=None):
    """A function that makes a tensor for a parameter of a kernel."""
    kind = supply_type if isinstance(supply_type, TensorSupplyType) else TensorSupplyType.Auto

    def supply(param, dims=None):
        import torch

        if not param.is_tensor:
            return 1.0 if param.dtype.is_float() else 1
        unknown = [e for e in param.shape if not isinstance(e, int)]
        known = set(dims or ())
        if any(not set(re.findall(r"[A-Za-z_]\w*", e)) - _FUNCTIONS <= known for e in unknown):
            raise ValueError(
                f"`{param.name}` has the size {unknown[0]}, which is known when the kernel runs: give the "
                "tensors (input_tensors=), or the sizes (dynamic_symbolic_constraints=)"
            )
        shape = param.extents(dims or {})
        if param.dtype.bits == 4:
            made = torch.empty((*shape[:-1], (shape[-1] + 1) // 2), dtype=torch.int8)
            return made.random_(-128, 128).to(device())
        return _fill(torch.empty(shape, dtype=param.torch_dtype()), param.dtype, kind).to(device())

    return supply


def torch_assert_close(tensor_a, tensor_b, rtol=1e-2, atol=1e-3, max_mismatched_ratio=0.001, verbose=False,
                       equal_nan=True, check_device=True, check_dtype=True, check_stride=False,
                       check_layout=False, msg=None, base_name="LHS", ref_name="RHS"):  # fmt: skip
    """As torch.testing.assert_close, with a share of elements that may be off."""
    import torch

    if tensor_a.shape != tensor_b.shape:
        raise AssertionError(f"{base_name} is {tuple(tensor_a.shape)}, {ref_name} is {tuple(tensor_b.shape)}")
    a, b = tensor_a.detach().to(torch.float32), tensor_b.detach().to(torch.float32)
    if a.numel() == 0:
        return True
    wrong = ~torch.isclose(a, b.to(a.device), rtol=rtol, atol=atol, equal_nan=equal_nan)
    count = int(wrong.sum())
    if count > a.numel() * max_mismatched_ratio:
        at = torch.nonzero(wrong)[0].tolist()
        x, y = a[tuple(at)].item(), b[tuple(at)].item()
        raise AssertionError(
            (f"{msg}: " if msg else "")
            + f"{count} of {a.numel()} elements differ ({max_mismatched_ratio:.3%} may; rtol {rtol}, atol {atol}); "
            f"the first at {at}: {base_name} {x!r}, {ref_name} {y!r}"
        )
    return True

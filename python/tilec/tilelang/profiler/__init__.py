# SPDX-License-Identifier: Apache-2.0
"""Checking and timing kernels."""

from ..utils.tensor import TensorSupplyType, get_tensor_supply, torch_assert_close
from .bench import do_bench

__all__ = ["Profiler", "do_bench", "TensorSupplyType"]


class Profiler:
    """Runs a kernel on tensors that it makes.

    New: `kernel.get_profiler()`. Old: `Profiler(artifact.rt_mod, params, result_idx)`.
    """

    def __init__(self, mod=None, params=None, result_idx=None, supply_type=None, adapter=None,
                 tensor_supply_type=None):  # fmt: skip
        self.kernel = mod or adapter
        self.params = params or self.kernel.params
        if isinstance(result_idx, int):
            result_idx = [result_idx]
        # An old Profiler says itself which parameters are results.
        own = self.kernel.out_idx if result_idx is None else result_idx
        self.result_idx = [i % len(self.params) for i in own]
        self.supply_type = tensor_supply_type or supply_type
        self.supply = get_tensor_supply(self.supply_type)
        self.dims = None

    def with_default_adapter(self, adapter):
        self.kernel = adapter
        return self

    def _get_inputs(self, with_output=False):
        skipped = () if with_output else self.result_idx
        return [self.supply(p, self.dims) for i, p in enumerate(self.params) if i not in skipped]

    def _get_params(self, with_output=False):
        return [p for i, p in enumerate(self.params) if with_output or i not in self.result_idx]

    def __call__(self, *args):
        if len(args) == len(self.params) or set(self.kernel.out_idx) == set(self.result_idx):
            return self.kernel(*args)
        from ... import _execute

        runner = _execute.Runner(self.kernel)
        runner.outs = set(self.result_idx)
        runner.inputs = len(self.params) - len(runner.outs)
        runner.plain = not runner.outs
        if len(args) != runner.inputs:
            return self.kernel(*args)
        dims = _dims(runner, args)
        like, rest, full, made = args[0] if args else None, iter(args), [], {}
        for i, p in enumerate(self.params):
            if i in runner.outs:
                made[i] = _execute.empty_like(like, p, p.extents(dims), self.kernel.target)
                full.append(made[i])
            else:
                full.append(next(rest))
        self.kernel._launch_all(full)
        out = [made[i] for i in self.result_idx]
        return out[0] if len(out) == 1 else tuple(out)

    func = property(lambda self: self.__call__)

    def _inputs(self, given):
        if given is not None:
            return list(given)
        return self._get_inputs()

    def assert_allclose(self, reference_program, input_tensors=None, atol=1e-2, rtol=1e-2,
                        max_mismatched_ratio=0.01):  # fmt: skip
        """Compares the kernel with a program on the same inputs."""
        inputs = self._inputs(input_tensors)
        ours = _list(self(*inputs))
        reference = _list(reference_program(*inputs))
        _wait()
        if not ours or all(o is None for o in ours):
            ours = [a for a in inputs if hasattr(a, "shape")][-len(reference) :]
        if len(ours) != len(reference):
            raise AssertionError(f"the kernel gives {len(ours)} results, the reference {len(reference)}")
        for mine, theirs in zip(ours, reference):
            if theirs is not None and hasattr(mine, "shape"):
                torch_assert_close(mine, theirs, rtol=rtol, atol=atol, max_mismatched_ratio=max_mismatched_ratio,
                                   base_name="kernel", ref_name="reference")  # fmt: skip

    def manual_assert_close(self, reference_program, input_tensors=None, manual_check_prog=None):
        inputs = self._inputs(input_tensors)
        ours, reference = self(*inputs), reference_program(*inputs)
        _wait()
        manual_check_prog(_list(ours), _list(reference))

    def assert_consistent(self, repeat=10):
        """Runs the kernel several times on the same inputs: the results must be the same bits."""
        import torch

        inputs = self._get_inputs()
        first = [t.clone() for t in _list(self(*inputs)) if t is not None]
        for _ in range(repeat):
            for a, b in zip(first, _list(self(*inputs))):
                same = torch.equal(a.view(torch.uint8), b.view(torch.uint8))
                if not same:
                    raise AssertionError("two runs on the same inputs give different results")

    def run_once(self, func=None):
        return (func or self)(*self._get_inputs())

    def determine_profiler(self, func=None):
        return "torch"

    def do_bench(self, func=None, warmup=25, rep=100, n_warmup=0, n_repeat=0, input_tensors=None,
                 backend="event", quantiles=None, return_mode="mean", dynamic_symbolic_constraints=None,
                 profiler=None, **_):  # fmt: skip
        """Milliseconds of the kernel, or of `func` on its inputs."""
        if dynamic_symbolic_constraints:
            self.dims = {str(k): v for k, v in dynamic_symbolic_constraints.items()}
        inputs = self._inputs(input_tensors)
        target = func or self
        return do_bench(lambda: target(*inputs), warmup=warmup, rep=rep, _n_warmup=n_warmup, _n_repeat=n_repeat,
                        backend=backend, quantiles=quantiles, return_mode=return_mode)  # fmt: skip


def _dims(runner, args):
    return runner._dims(args) if runner.has_sizes else None


def _list(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _wait():
    from ... import _targets

    cuda = _targets.torch_cuda()
    if cuda is not None and not _targets.simulated():
        cuda.synchronize()

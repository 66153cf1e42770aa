#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Triton's kernels as contenders: one launch for each configuration of triton_kernels.py.

usage: triton_rivals.py CASES.json I N      compile every N-th configuration of the cases, from the I-th on

The latter fills Triton's own cache and needs neither a GPU nor PyTorch: tables.py starts a process for each core with it,
because Triton compiles under Python's lock. Errors there are left to the process that times.
"""

import json
import os
import sys

import triton
from triton.tools.tensor_descriptor import TensorDescriptor

import triton_kernels as kernels

ROW_KERNELS = {name: getattr(kernels, name) for name in ("softmax", "layernorm", "rmsnorm", "gelu")}


class Launch:
    """A kernel with its arguments: call it to run it."""

    def __init__(self, label, kernel, grid, arguments, **options):
        self.label, self.kernel, self.grid, self.arguments, self.options = label, kernel, grid, arguments, options

    def __call__(self):
        self.kernel[self.grid](*self.arguments, **self.options)

    def compile(self):
        return self.kernel.warmup(*self.arguments, grid=self.grid, **self.options)


def tensor_map(tensor, box):
    rows, columns = tensor.shape
    return TensorDescriptor(tensor, [rows, columns], [columns, 1], box)


def gemm(a, b, c, nt, scales=None):
    m, k = a.shape
    n = c.shape[1]
    sa, sb = scales or (None, None)
    for form, BM, BN, row_bytes, warps, stages, group, parts in kernels.GEMM:
        BK = row_bytes // a.dtype.itemsize
        tiles, persistent = triton.cdiv(m, BM) * triton.cdiv(n, BN), form.endswith("persistent")
        grid = (min(kernels.PROGRAMS.value, tiles) if persistent else tiles,)
        options = dict(BM=BM, BN=BN, BK=BK, GROUP=group, NT=nt, PERSISTENT=persistent, SCALED=scales is not None,
                       num_warps=warps, num_stages=stages)
        label = f"{form} {BM}x{BN}x{BK} s{stages} w{warps} g{group}" + (f" parts {parts}" if parts > 1 else "")
        if form.startswith("maps"):
            maps = (tensor_map(a, [BM, BK]), tensor_map(b, [BN, BK] if nt else [BK, BN]),
                    tensor_map(c, [BM, BN // parts]))
            yield Launch(label, kernels.gemm_maps, grid, (*maps, sa, sb, m, n, k), PARTS=parts, **options)
        else:
            yield Launch(label, kernels.gemm_roles, grid, (a, b, c, sa, sb, m, n, k), **options)


def attention(q, k, v, out, shape, causal):
    """Tensors of two dimensions, [B * S, H * D]."""
    batch, length, heads, size = shape
    scale = size ** -0.5 * 1.44269504
    for form, BM, BN, warps, stages in kernels.ATTENTION.get(size, ()):
        if length % BM or length % BN:
            continue
        grid = (length // BM, batch * heads)
        options = dict(BM=BM, BN=BN, D=size, CAUSAL=causal, num_warps=warps, num_stages=stages)
        label = f"{form} {BM}x{BN} s{stages} w{warps}"
        if form == "maps":
            maps = (tensor_map(q, [BM, size]), tensor_map(k, [BN, size]), tensor_map(v, [BN, size]),
                    tensor_map(out, [BM, size]))
            yield Launch(label, kernels.attention_maps, grid, (*maps, length, heads, scale), **options)
        else:
            yield Launch(label, kernels.attention_roles, grid, (q, k, v, out, batch * length, length, heads, scale),
                         **options)


def rows(name, tensors):
    """`tensors` in the order of the kernel's parameters; the first is the matrix. A row is one block of Triton, whose size is a
    power of two: others have no rival."""
    matrix_rows, columns = tensors[0].shape
    if name != "gelu" and (name not in ROW_KERNELS or columns & (columns - 1)):
        return
    if name == "gelu":
        for elems, warps in kernels.GELU:
            yield Launch(f"{elems} w{warps}", kernels.gelu, (matrix_rows * columns // elems,), tensors, N=elems,
                         num_warps=warps)
        return
    for warps in kernels.ROW_WARPS:
        if columns // (32 * warps) <= 128:  # more would not fit into registers
            yield Launch(f"w{warps}", ROW_KERNELS[name], (matrix_rows,), tensors, N=columns, num_warps=warps)


def for_case(case, tensor):
    """The launches of a case of tables.py. `tensor(shape, dtype)` makes operands."""
    shape, dtype = case["shape"], case["dtype"]
    if case["table"].startswith("GEMM"):
        m, n, k = shape
        nt, fp8 = case["form"] == "nt", dtype == "float8_e4m3fn"
        scales = (tensor([1], "float32"), tensor([1], "float32")) if fp8 else None
        return gemm(tensor([m, k], dtype), tensor([n, k] if nt else [k, n], dtype),
                    tensor([m, n], "bfloat16" if fp8 else dtype), nt, scales)
    if case["table"] == "Attention":
        batch, length, heads, size = shape
        return attention(*[tensor([batch * length, heads * size], dtype) for _ in range(4)], shape, case["causal"])
    vectors = {"layernorm": 2, "rmsnorm": 1}.get(case["kernel"], 0)
    return rows(case["kernel"], [tensor(shape, dtype), *[tensor([shape[1]], dtype)] * vectors, tensor(shape, dtype)])


class TypeName:
    """What Triton asks of a dtype of PyTorch."""

    is_floating_point = True

    def __init__(self, name):
        self.name, self.itemsize = name, {"float32": 4, "float8_e4m3fn": 1}.get(name, 2)

    def __str__(self):
        return f"torch.{self.name}"

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return str(self) == str(other)


class NoTensor:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, TypeName(dtype)

    def data_ptr(self):
        return 0


class NoDriver:
    """Hopper without a driver: kernels are compiled as JITFunction.run compiles them, and found again by its key."""

    def get_current_target(self):
        return triton.backends.compiler.GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


def compile_share(cases, first, step):
    """Compiles; the number of kernels, and what failed."""
    triton.runtime.driver.set_active(NoDriver())
    distinct = {}
    for case in cases:
        for launch in for_case(case, NoTensor):
            # Of a size the code depends on whether it is a multiple of 16, and on the length of a row.
            distinct.setdefault((launch.kernel, launch.label, case["dtype"], case.get("form"), case.get("causal"),
                                 launch.options.get("N"), tuple(n % 16 for n in case["shape"])), launch)
    failed, mine = [], list(distinct.values())[first::step]
    for launch in mine:
        try:
            launch.compile()
        except Exception as error:
            failed.append(f"{launch.kernel.fn.__name__} {launch.label}: {str(error).strip().splitlines()[0]}"
                          if str(error) else launch.label)
    return len(mine), failed


def main():
    os.nice(5)
    cases = json.load(open(sys.argv[1]))
    count, failed = compile_share(cases, int(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({"compiled": count, "failed": failed}))


if __name__ == "__main__":
    main()

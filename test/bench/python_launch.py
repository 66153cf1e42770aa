#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Microseconds of the host for one launch from Python, with 3 and with 19 tensors.

usage: python_launch.py [--json FILE]

The kernels write one number. tilec: a call, and a bound launch; Triton, CuPy and TileLang where they are
installed, and why not where one of them does not work; the floor is cuLaunchKernelEx from C (launch_floor.c
beside this file, with cc), without attributes and with the one of early launches, which ours have. Best of 40
rounds of 500 launches, in turns.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import torch

import tilec
import tilec.language as T

COUNTS = (3, 19)
ROUNDS, LAUNCHES = 40, 500


def source_of_tilec(count, language="tilec.language"):
    names = [f"A{i}" for i in range(count)]
    params = ", ".join(f'{n}: T.Tensor((128,), "float32")' for n in names)
    reads = " + ".join(f"{n}[i]" for n in names[1:])
    return (
        f"import {language} as T\n\n\n@T.prim_func\n"
        f"def nop{count}({params}):\n    with T.Kernel(1, threads=128) as bx:\n"
        f"        for i in T.Parallel(128):\n            A0[i] = {reads}\n"
    )


def source_of_triton(count):
    names = ", ".join(f"a{i}" for i in range(count))
    reads = " + ".join(f"tl.load(a{i} + i)" for i in range(1, count))
    return (
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        f"def nop{count}({names}):\n    i = tl.arange(0, 128)\n    tl.store(a0 + i, {reads})\n"
    )


def load(folder, name, text):
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(text)
    sys.path.insert(0, str(folder))
    return __import__(name)


def of_tilec(folder, count, tensors):
    module = load(folder, f"of_tilec_{count}", source_of_tilec(count))
    kernel = tilec.compile(getattr(module, f"nop{count}"))
    yield "tilec", lambda: kernel(*tensors)
    yield "tilec, bound", kernel.bind(*tensors)
    for name, attributes in (("floor", "0"), ("floor, early", "1")):
        yield name, floor_of(folder, kernel, count, attributes)


def of_triton(folder, count, tensors):
    made = getattr(load(folder, f"of_triton_{count}", source_of_triton(count)), f"nop{count}")
    yield "triton", lambda: made[(1,)](*tensors, num_warps=4)
    compiled = made[(1,)](*tensors, num_warps=4)
    if hasattr(compiled, "__getitem__"):
        run = compiled[(1, 1, 1)]
        yield "triton, compiled", lambda: run(*tensors)


def of_cupy(folder, count, tensors):
    import cupy

    params = ", ".join(f"float *a{i}" for i in range(count))
    reads = " + ".join(f"a{i}[threadIdx.x]" for i in range(1, count))
    raw = cupy.RawKernel(f'extern "C" __global__ void nop({params}) {{ a0[threadIdx.x] = {reads}; }}', "nop")
    arrays = tuple(cupy.from_dlpack(t) for t in tensors)
    yield "cupy", lambda: raw((1,), (128,), arrays)


def of_tilelang(folder, count, tensors):
    import tilelang

    if hasattr(tilelang, "__tilec__"):
        raise ImportError("the `tilelang` that is found is tilec's")
    module = load(folder, f"of_tilelang_{count}", source_of_tilec(count, "tilelang.language"))
    function = getattr(module, f"nop{count}")
    made = {}
    for backend in ("tvm_ffi", "cython", "nvrtc"):
        try:
            made[backend] = tilelang.compile(function, execution_backend=backend)
            made[backend](*tensors)
        except Exception as error:
            made.pop(backend, None)
            print(f"tilelang, {backend}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
    if not made:
        raise RuntimeError("none of its backends works")
    for backend, kernel in made.items():
        yield f"tilelang, {backend}", lambda kernel=kernel: kernel(*tensors)


def candidates(folder, count, tensors):
    """Names with functions, or with numbers."""
    for package, rows in (("tilec", of_tilec), ("triton", of_triton), ("cupy", of_cupy), ("tilelang", of_tilelang)):
        if not _has(package):
            print(f"{package} is not installed", file=sys.stderr)
            continue
        try:
            yield from rows(folder, count, tensors)
        except Exception as error:
            if package == "tilec":
                raise
            print(f"{package}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)


def _has(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


def floor_of(folder, kernel, count, attributes):
    """The number that the C program prints; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    source = pathlib.Path(__file__).with_name("launch_floor.c")
    if not compiler or not source.exists():
        return None
    binary, image = os.path.join(folder, "floor"), os.path.join(folder, f"nop{count}.bin")
    kernel.save(image)
    subprocess.run([compiler, "-O2", str(source), "-o", binary, "-ldl"], check=True)
    symbol = kernel.manifest["launches"][0]["symbol"]
    said = subprocess.run([binary, image, symbol, str(count), attributes], capture_output=True, text=True)
    return float(said.stdout) if said.returncode == 0 else None


def measure(functions):
    best = {name: float("inf") for name in functions}
    for function in functions.values():
        function()
    for _ in range(ROUNDS):
        for name, function in functions.items():
            torch.cuda.synchronize()
            started = time.perf_counter()
            for _ in range(LAUNCHES):
                function()
            best[name] = min(best[name], (time.perf_counter() - started) / LAUNCHES * 1e6)
    torch.cuda.synchronize()
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    args = parser.parse_args()
    results = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            tensors = [torch.zeros(128, device="cuda") for _ in range(count)]
            functions, fixed = {}, {}
            for name, function in candidates(folder, count, tensors):
                (functions if callable(function) else fixed)[name] = function
            results[count] = {**measure(functions), **{k: v for k, v in fixed.items() if v is not None}}
    print(f"| {'launch':20} | " + " | ".join(f"{c} tensors, us" for c in COUNTS) + " |")
    print("|---|" + "---|" * len(COUNTS))
    for name in results[COUNTS[0]]:
        print(f"| {name:20} | " + " | ".join(f"{results[c].get(name, float('nan')):.2f}" for c in COUNTS) + " |")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()

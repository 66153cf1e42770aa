#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long Python takes from nothing to a first result, in processes that have just begun.

usage: cold_start.py [--rounds N] [--target TARGET]... [--json FILE]

`import`: a process that imports tilec against one that does nothing, in turns; the difference of the medians.
`import tilelang`: the same for tilec.tilelang and tilec.language. Then, for each target, the GEMM of examples/gemm.py and
the attention of examples/04-attention: milliseconds from before `import tilec` to the result of the first launch (on
tensors that torch has made before, with a GPU of that target), or to the image (without one); first with an empty
cache, then from it. Medians.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = next(p for p in (HERE.parents[1] / "examples", HERE / "examples") if p.exists())
KERNELS = {
    "gemm": ("gemm.py", "gemm", (1024, 1024, 1024), {}, [(1024, 1024)] * 2, None),
    "attention": ("04-attention/attention.py", "forward", (1, 4, 1024, 128), {}, [(1, 1024, 4, 128)] * 4, (1, 4, 1024)),
}


def one_round(name, target):
    """In a process of its own: prints milliseconds, and whether the kernel ran."""
    file, factory, args, named, shapes, more = KERNELS[name]
    is_there = False
    if target.startswith("sm_"):
        try:
            import torch

            is_there = torch.cuda.is_available()
        except ImportError:
            pass
    if is_there:
        tensors = [torch.randn(s, device="cuda").bfloat16() for s in shapes]
        if more:
            tensors.append(torch.empty(more, device="cuda"))
        torch.cuda.synchronize()
    began = time.perf_counter()
    import tilec.dropin

    # The folder in which `tilelang` is tilec's.
    sys.path.insert(0, os.path.dirname(tilec.dropin.__file__))
    sys.path.insert(0, str((EXAMPLES / file).parent))
    made = getattr(__import__(pathlib.Path(file).stem), factory)(*args, **named)
    kernel = made if hasattr(made, "manifest") else tilec.compile(made, target=target)
    kernel.image
    if is_there:
        kernel(*tensors)
        torch.cuda.synchronize()
    print(json.dumps([1e3 * (time.perf_counter() - began), is_there]))


def process(*command, **environment):
    """Milliseconds of a process, and what it printed."""
    began = time.perf_counter()
    # As it is installed: with the bytecode of the package, which the first process writes where it is missing.
    environment = {**os.environ, **environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return 1e3 * (time.perf_counter() - began), done.stdout


def measure_import(rounds):
    codes = {"bare": "pass", "import tilec": "import tilec", "import tilec.tilelang": "import tilec.tilelang, tilec.language"}
    times = {name: [] for name in codes}
    for _ in range(rounds + 1):
        for name, code in codes.items():
            times[name].append(process("-c", code)[0])
    bare = statistics.median(times.pop("bare")[1:])
    return {name: statistics.median(t[1:]) - bare for name, t in times.items()}


def measure_kernel(name, target, rounds):
    cold, warm, ran = [], [], False
    for _ in range(rounds + 1):
        with tempfile.TemporaryDirectory() as cache:
            for times in (cold, warm):
                said = process(__file__, "--round", name, "--target", target, TILEC_CACHE_DIR=cache, TILEC_TARGET=target,
                               TILEC_QUIET="1")[1]  # fmt: skip
                took, ran = json.loads(said)
                times.append(took)
    return {"cold": statistics.median(cold[1:]), "cached": statistics.median(warm[1:]), "until": "result" if ran else "image"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--target", action="append")
    parser.add_argument("--json")
    parser.add_argument("--round", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.round:
        return one_round(args.round, args.target[0])
    results = {"import": measure_import(args.rounds)}
    for what, ms in results["import"].items():
        print(f"{what:24} {ms:8.1f} ms above a bare process")
    for target in args.target or ("gfx950", "sm_90a"):
        for name in KERNELS:
            row = results[f"{name}, {target}"] = measure_kernel(name, target, args.rounds)
            print(f"{name:12} {target:8} {row['cold']:8.1f} ms from source to {row['until']}, {row['cached']:6.1f} ms from the cache")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels drawn by chance, run on a device and compared with the CPU reference.

usage: draw_kernels.py TOOLS FAMILY [--seeds A-B] [--targets LIST] [--jobs N] [--print SEED]
       draw_kernels.py write DIR FAMILY [--seeds A-B]

A family (drawn/FAMILY.py) varies what authors vary. tilec-diff draws statements, and seldom two products with as much
between them. Runs are on the simulator of the target, which finds races and hangs as well. A seed may have no kernel. One
for which the target has no room, or in which the schedule that it names does not fit, is passed over. Exit code 1: one
failed, or all were passed over.

write makes a TileLang file of each seed, in sizes for timing, which test/bench/hopper/corpus.py runs with --files.
"""

import argparse
import ast
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

from drawn import attention, products, rounds, rows

FAMILIES = {"attention": attention, "products": products, "rounds": rounds, "rows": rows}
NO_ROOM = ("[SharedMemoryFull]", "[RegistersRunOut]", "[PlanImpossible]")  # the last: for a schedule that is named
SECONDS = 400
PARAMETER = re.compile(r'(\w+): T\.Tensor\((\([^)]*\)), "(\w+)"\)')
ROUNDS = 16  # no more than any loop of a large kernel has
MAIN = """

def main():
    kernel()(
        {},
    )


if __name__ == "__main__":
    main()
"""


def run(tools, script, target):
    """What went wrong; "" where nothing did; nothing where the target has no room."""
    command = [f"{tools}/tilec-run", str(script), "--entry=kernel()", f"--target={target}", "--check"]
    if target.startswith("sm_"):
        command.append("--device=ptx")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"does not end in {SECONDS} s"
    if done.returncode == 0:
        return ""
    said = done.stdout + done.stderr
    return None if any(text in said for text in NO_ROOM) else f"exit code {done.returncode}\n{said}".strip()


def run_all(options, kernels):
    failed, passed_over = 0, 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(name)
        for seed, text in kernels.items():
            (folder / f"{seed}.py").write_text(text)
        work = [(seed, target) for seed in kernels for target in options.targets.split(",")]
        results = pool.map(lambda item: run(options.tools, folder / f"{item[0]}.py", item[1]), work)
        for (seed, target), wrong in zip(work, results):
            passed_over += wrong is None
            if wrong:
                failed += 1
                print(f"seed {seed} {target}\n{wrong}", flush=True)
    print(f"{len(work)} runs, {failed} failed, {passed_over} without room")
    return 1 if failed or passed_over == len(work) else 0


def tensor(name, shape, dtype):
    """What makes a tensor for a parameter, with torch."""
    options = f'device="cuda", dtype=torch.{dtype}'
    if name in ("Rounds", "Count"):
        return f"torch.full({shape}, {ROUNDS}, {options})"
    if name == "Taken":
        return f"torch.randint(0, 2, {shape}, {options})"
    if name.startswith("Index"):  # of the dimension that it is as long as
        return f"torch.randint(0, {shape[0]}, {shape}, {options})"
    if dtype in ("int8", "uint8"):
        return f"torch.randint({0 if dtype == 'uint8' else -7}, 8, {shape}, {options})"
    if dtype == "float8_e4m3":
        return f'torch.zeros({shape}, device="cuda").to(torch.float8_e4m3fn)'
    return f"torch.randn({shape}, {options})"


def write_all(options, kernels):
    """A file of TileLang for each kernel."""
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for seed, text in kernels.items():
        text = text.replace("import tilelang.language as T\n", "import tilelang\nimport tilelang.language as T\nimport torch\n", 1)
        text = text.replace("def kernel():", "@tilelang.jit\ndef kernel():", 1)
        signature = text[: text.index("with T.Kernel")]
        tensors = (tensor(name, ast.literal_eval(shape), dtype) for name, shape, dtype in PARAMETER.findall(signature))
        (folder / f"{options.family}_{seed:04}.py").write_text(text + MAIN.format(",\n        ".join(tensors)))
    print(f"{len(kernels)} files")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    writes = sys.argv[1:2] == ["write"]
    if writes:
        parser.add_argument("verb", choices=["write"])
    parser.add_argument("folder" if writes else "tools")
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--seeds", default="0-9", help="the first and the last")
    if not writes:
        parser.add_argument("--targets", default="gfx942,gfx950,sm_80,sm_90a")
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--print", type=int, metavar="SEED", help="the kernel of a seed")
    options = parser.parse_args()
    drawn = FAMILIES[options.family].drawn
    if not writes and options.print is not None:
        print(drawn(options.print) or f"seed {options.print} has no kernel\n", end="")
        return 0
    first, last = map(int, options.seeds.split("-"))
    kernels = {seed: drawn(seed, large=writes) for seed in range(first, last + 1)}
    kernels = {seed: text for seed, text in kernels.items() if text}
    return write_all(options, kernels) if writes else run_all(options, kernels)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels drawn by chance, run on a device and compared with the CPU reference.

usage: draw_kernels.py TOOLS FAMILY [--seeds A-B] [--targets LIST] [--jobs N] [--print SEED]

A family (drawn/FAMILY.py) varies what authors vary. tilec-diff draws statements, and seldom two products with as much
between them. Runs are on the simulator of the target, which finds races and hangs as well. A seed may have no kernel. One
for which the target has no room, or in which the schedule that it names does not fit, is passed over. Exit code 1: one
failed, or all were passed over.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

from drawn import attention, products, rounds, rows

FAMILIES = {"attention": attention, "products": products, "rounds": rounds, "rows": rows}
NO_ROOM = ("[SharedMemoryFull]", "[RegistersRunOut]", "[PlanImpossible]")  # the last: for a schedule that is named
SECONDS = 400


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--seeds", default="0-9", help="the first and the last")
    parser.add_argument("--targets", default="gfx942,gfx950,sm_80,sm_90a")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--print", type=int, metavar="SEED", help="the kernel of a seed")
    options = parser.parse_args()
    drawn = FAMILIES[options.family].drawn
    if options.print is not None:
        print(drawn(options.print) or f"seed {options.print} has no kernel\n", end="")
        return 0
    first, last = map(int, options.seeds.split("-"))
    kernels = {seed: drawn(seed) for seed in range(first, last + 1)}
    kernels = {seed: text for seed, text in kernels.items() if text}
    return run_all(options, kernels)


if __name__ == "__main__":
    sys.exit(main())

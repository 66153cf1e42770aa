#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the simulator runs the demo's GEMM, 1024 x 1024 x 1024 in bf16, and what it consists of.

usage: simulator.py TOOLS

Prints wave instructions a second on one core and on all, without and with checks, and the seconds for the whole
product; then the kinds of instructions. Goals: 2 million a second and core without checks, 0.5 million with
them, and less than half a second on two cores. Each figure is the best of several runs: other load only slows.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 3
SIZE = 1024


def write_matrix(path, seed):
    generator = random.Random(seed)
    values = [0x3F80, 0xBF80, 0x4000, 0x3E99]  # 1, -1, 2, 0.3
    path.write_bytes(b"".join(generator.choice(values).to_bytes(2, "little") for _ in range(SIZE * SIZE)))


def simulate(tools, binary, folder, options):
    blocks = SIZE // 128
    command = [tools / "tilec-sim", binary, "--grid", f"{blocks},{blocks}", "--block", "256", "--quiet", *options]
    command += ["--arg", f"raw:{folder}/a", "--arg", f"raw:{folder}/b", "--arg", f"uninit:{2 * SIZE * SIZE}"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def best(tools, binary, folder, options):
    """(seconds, million instructions a second) of the fastest run."""
    results = []
    for _ in range(RUNS):
        text = simulate(tools, binary, folder, options)
        results.append(tuple(float(x) for x in re.search(r"([0-9.]+) s, ([0-9.]+) M instructions/s", text).groups()))
    return min(results)


def kinds(tools, binary, folder):
    path = folder / "timing.json"
    simulate(tools, binary, folder, ["--timing", "--checks=none", f"--timing-json={path}"])
    counts = {}
    for instruction in json.loads(path.read_text())["instructions"]:
        counts[instruction["kind"]] = counts.get(instruction["kind"], 0) + instruction["executions"]
    return sorted(counts.items(), key=lambda item: -item[1])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tools = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_matrix(folder / "a", 1)
        write_matrix(folder / "b", 2)
        for target in ("gfx942", "gfx950"):
            binary = folder / f"{target}.hsaco"
            entry = f"gemm({SIZE}, {SIZE}, {SIZE})"
            subprocess.run([tools / "tilec", ROOT / "examples/gemm.py", f"--target={target}", "--entry", entry, "-o", binary],
                           check=True)
            print(f"{target}   {'checks':8} {'cores':6} {'seconds':>8} {'M instructions/s':>17}")
            for checks in ("none", "all"):
                for threads, cores in (("1", "one"), ("0", "all")):
                    seconds, rate = best(tools, binary, folder, ["--checks", checks, "--threads", threads])
                    print(f"         {checks:8} {cores:6} {seconds:8.3f} {rate:17.2f}")
            mix = kinds(tools, binary, folder)
            total = sum(count for _, count in mix)
            text = ", ".join(f"{kind} {100 * count / total:.1f} %" for kind, count in mix)
            print(textwrap.fill(text, 100, initial_indent=" " * 9, subsequent_indent=" " * 9))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The searches behind tuned.json: `tilec-run --tune` for the products and attention of tables.py, on a GPU host.

usage: tune.py TOOLS TUNED.json [--only REGEX] [--seconds N] [--list]

What is found replaces what TUNED.json has of the same entry. Products are searched in bf16, NT and NN; tables.py takes what is found
for f16, too, where it has no record of its own. --list prints the commands. A search that has
begun goes on when time is up; the ones that matter most come first.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# size -> axes, the most important first. `configs` are the tiles of gemm.py and gemm_scaled.py for large products; threads
# follow from the tile. What does not fit is refused when it is compiled.
LARGE = ["configs", "stages=4,6", "panel=8,12"]
GEMM = {
    8192: LARGE,
    4096: LARGE,
    16384: ["configs", "stages=4", "panel=12"],
    2048: ["block_M=64,128", "block_N=128,256", "threads=128,256", "stages=4,6", "panel=4,8"],
    1024: ["block_M=64,128", "block_N=64,128,256", "stages=4,6,8", "panel=8"],
}
ROWS = ["block_M=1,2,4", "threads=64,128,256"]
ATTENTION = {
    128: ["block_M=128", "threads=256", "block_N=96,112,128,144,160,176", "schedule=auto,ping_pong"],
    64: ["block_M=192", "threads=384", "block_N=96,112,128,160"],
    256: ["block_M=128", "threads=256", "block_N=64,80"],
}
LENGTHS = [4096, 16384, 2048, 8192]


def searches():
    """(script, entry, axes), the most important first; attention last: its tiles are as good as known."""
    for size, axes in GEMM.items():
        for form in ["", ", tb=False"]:
            yield "gemm.py", f"gemm({size}, {size}, {size}{form})", axes
    for kernel in ["softmax", "layernorm", "rmsnorm"]:
        yield "rows.py", f"{kernel}(32768, 1024)", ROWS
    for size in [4096, 8192, 2048]:
        yield "gemm_scaled.py", f"scaled({size}, {size}, {size})", LARGE
    for size, axes in ATTENTION.items():
        for length in LENGTHS:
            for causal in [False, True]:
                call = f"fa({max(1, 16384 // length)}, {2048 // size}, {length}, {size}, causal={causal})"
                yield "fa.py", call, axes


def command_of(tools, results, script, entry, axes):
    command = [str(tools / "tilec-run"), str(HERE / script), "--entry", entry, "--target=sm_90a", "--device=cuda",
               "--tune-timeout=20", f"--tune-results={results}"]
    for axis in axes:
        command += ["--tune", axis]
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no search after this long")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    started, failed = time.monotonic(), 0
    for script, entry, axes in searches():
        if not re.search(options.only, entry):
            continue
        command = command_of(options.tools, options.results, script, entry, axes)
        if options.list:
            print(shlex.join(command))
            continue
        begun = time.monotonic()
        if begun - started > options.seconds:
            print(f"tune: no time was left for {entry}", flush=True)
            failed += 1
            continue
        done = subprocess.run(command, capture_output=True, text=True)
        failed += done.returncode != 0
        table = done.stdout.strip().splitlines()
        shown = [line for line in table if line.startswith("  ok")][:8] + table[-1:]
        print(f"tune: {entry}: {len(table) - 1} candidates, {time.monotonic() - begun:.1f} s", flush=True)
        print("\n".join(shown if done.returncode == 0 else [done.stderr.strip()[-1000:], *table[:5]]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

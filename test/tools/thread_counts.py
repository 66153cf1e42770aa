#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Any number of threads: operations x 1 to 256 threads x chips of both vendors, with and without a name for a thread,
on the simulators, compared with the cpu reference.

usage: thread_counts.py --bin TOOLS [--all] [--only REGEX]

The kernels are those of test/e2e/Inputs/thread-counts.py. Each operation is run with the sizes at which waves begin and
end, and with others that turn with the operation and the chip, so that the sample is the same every time. --all takes
every number of threads.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "test/e2e/Inputs/thread-counts.py"
CHIPS = {"gfx942": "sim", "gfx950": "sim", "sm_80": "ptx", "sm_90a": "ptx"}
TILES = ("fragment", "gemm", "reduce", "whole", "scan", "softmax", "atomics")
THREADS = ("exchange", "ask", "mixed")
MOST = 256
EDGES = (1, 32, 48, 64, 96, 224)


def counts(turn):
    """The edges, and two numbers of each kind: below a wave, and above."""
    others = (2 + 7 * turn % 62, 65 + 11 * turn % 126, 193 + 5 * turn % 63)
    return sorted({EDGES[turn % 6], EDGES[(turn + 3) % 6], *others})


def cases(every):
    for o, operation in enumerate(TILES + THREADS):
        for c, chip in enumerate(CHIPS):
            for named in ((False, True) if operation in TILES else (True,)):
                turn = 4 * o + c + 3 * named
                for threads in range(1, MOST + 1) if every else counts(turn):
                    yield operation, threads, named, chip


def run(tools, case):
    operation, threads, named, chip = case
    command = [str(tools / "tilec-run"), str(SCRIPT), "--entry", f"{operation}({threads}, {named})", f"--target={chip}",
               f"--device={CHIPS[chip]}", "--check", "--seed", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    passed = done.returncode == 0 and re.search(r"result +PASS", done.stdout)
    return None if passed else " ".join(command) + "\n" + (done.stderr + done.stdout)[-600:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    chosen = [case for case in cases(options.all) if re.search(options.only, " ".join(map(str, case)))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [text for text in pool.map(lambda case: run(options.bin, case), chosen) if text]
    for text in failed:
        print(text)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} agree")
    sys.exit(bool(failed) or not chosen)


if __name__ == "__main__":
    main()

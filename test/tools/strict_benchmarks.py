#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every kernel of test/bench/hopper/tables.py with --strict.

usage: strict_benchmarks.py TILEC [TUNED.json]

With the parameters of the tuning file where it has some, as tables.py does it. A spill, a serialised wgmma (C75xx) or a moved accumulator in one of them is a failure; so is anything that tilec
prints.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parents[1] / "bench/hopper"
sys.path.insert(0, str(BENCH))
import tables  # noqa: E402


def compile_strictly(tilec, case):
    done = subprocess.run([tilec, str(BENCH / case["script"]), "--entry", case["entry"], "--target=sm_90a", "--strict",
                           f"--schedule={case['schedule']}", "--no-cache", "-o", os.devnull], capture_output=True, text=True)
    return "" if done.returncode == 0 and not done.stderr else f"{case['name']}: {done.stderr.strip()}"


def main():
    records = json.loads(pathlib.Path(sys.argv[2]).read_text())["results"] if len(sys.argv) > 2 else []
    cases = [tables.finished(case, records) for case in tables.all_cases()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = [text for text in pool.map(lambda case: compile_strictly(sys.argv[1], case), cases) if text]
    print("\n".join(bad) or f"{len(cases)} kernels are clean")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a kernel takes from script to binary, and how that compares with llc on the same IR.

usage: compile_time.py TOOLS [--amd] [SCRIPT [tilec options]]
       compile_time.py TOOLS --tables

--amd leaves NVIDIA out. AMD: both are measured as whole processes, alternately, so that both see the same load of the machine;
the medians are printed. The goal of a release build on an idle two-core machine: below 150 ms, and at
most 1.5 times llc.

NVIDIA (sm_90a, the script and the two of test/bench/hopper): script to PTX, to cubin (where there is
ptxas or NVRTC), and the second run, which finds its program in the cache. The goals: below 100 ms to
PTX, below 20 ms from the cache.

--tables: script to PTX of every kernel of test/bench/hopper/tables.py, with its committed parameters, slowest
first, in milliseconds of processor time: what the clock shows where nothing else runs.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 15


def milliseconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


def find_llc():
    for name in ["llc-22", "/usr/lib/llvm-22/bin/llc", "llc"]:
        if shutil.which(name):
            return name
    sys.exit("llc is not installed: it comes with the package llvm-22")


def measure(tilec, llc, script, target, options, folder):
    llvm, binary = folder / "kernel.ll", folder / "kernel.bin"
    base = [tilec, script, f"--target={target}", *options]
    subprocess.run([*base, "--emit=llvm", "-o", str(llvm)], check=True)
    ours = [*base, "--no-cache", "-o", str(binary)]
    theirs = [llc, "-O3", "-filetype=obj", str(llvm), "-o", str(folder / "llc.o")]
    milliseconds(ours), milliseconds(theirs)  # once to fill the file cache
    pairs = [(milliseconds(ours), milliseconds(theirs)) for _ in range(RUNS)]
    own = statistics.median(pair[0] for pair in pairs)
    llc_ms = statistics.median(pair[1] for pair in pairs)
    print(f"{pathlib.Path(script).name:24} {target:8} tilec {own:7.1f} ms   llc {llc_ms:7.1f} ms   "
          f"ratio {own / llc_ms:.2f}")


def measure_nvidia(tilec, script, options, folder):
    base = [tilec, script, "--target=sm_90a", *options]
    output, cache = str(folder / "kernel.bin"), str(folder / "cache")
    ptx = [*base, "--no-cache", "--emit=asm", "-o", output]
    cubin = [*base, "--no-cache", "-o", output]
    kept = [*base, f"--cache-dir={cache}", "-o", output]
    milliseconds(kept)  # fills the cache
    rounds = [(milliseconds(ptx), milliseconds(cubin), milliseconds(kept)) for _ in range(RUNS)]
    medians = [statistics.median(column) for column in zip(*rounds)]
    least = min(round_[2] for round_ in rounds)
    print(f"{pathlib.Path(script).name:24} sm_90a   PTX {medians[0]:7.1f} ms   cubin {medians[1]:7.1f} ms   "
          f"from the cache {medians[2]:5.1f} ms (at best {least:.1f})")


def processor_milliseconds(command):
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def measure_tables(tilec):
    hopper = ROOT / "test/bench/hopper"
    sys.path.insert(0, str(hopper))
    import tables
    records = json.loads((hopper / "tuned.json").read_text())["results"]
    rows = []
    for case in [tables.finished(case, records) for case in tables.all_cases()]:
        command = [tilec, str(hopper / case["script"]), "--entry", case["entry"], "--target=sm_90a",
                   f"--schedule={case['schedule']}", "--no-cache", "--emit=ptx", "-o", os.devnull]
        rows.append((statistics.median(processor_milliseconds(command) for _ in range(5)), case["name"]))
    for time, name in sorted(rows, reverse=True):
        print(f"{name:32} {time:6.1f} ms to PTX")
    print(f"{sum(time >= 100 for time, _ in rows)} of {len(rows)} take 100 ms and more")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tilec = str(pathlib.Path(sys.argv[1]) / "tilec")
    if sys.argv[2:] == ["--tables"]:
        return measure_tables(tilec)
    rest = sys.argv[2:]
    amd_only = rest[:1] == ["--amd"]
    rest = rest[1:] if amd_only else rest
    script, options = (rest[0], rest[1:]) if rest else (str(ROOT / "examples/gemm.py"), [])
    llc = find_llc()
    with tempfile.TemporaryDirectory() as folder:
        for target in ["gfx942", "gfx950"]:
            measure(tilec, llc, script, target, options, pathlib.Path(folder))
        if amd_only:
            return
        measure_nvidia(tilec, script, options, pathlib.Path(folder))
        if not rest:
            hopper = ROOT / "test/bench/hopper"
            measure_nvidia(tilec, str(hopper / "gemm.py"), ["--entry", "gemm(4096, 4096, 4096)"],
                           pathlib.Path(folder))
            measure_nvidia(tilec, str(hopper / "fa.py"), ["--entry", "fa(4, 16, 4096)"],
                           pathlib.Path(folder))


if __name__ == "__main__":
    main()

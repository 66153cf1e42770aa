#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer over the GPU test kernels: compiled here, run on a GPU host without LLVM.

usage: sanitizer.py pack TOOLS FOLDER [--only REGEX]
       sanitizer.py run [FOLDER] [--only REGEX] [--tools memcheck,racecheck,synccheck] [--jobs N] [--seconds N]
                        [--batch N] [--skip N] [--every N] [--sanitizer PATH]          on the GPU host

pack compiles for sm_90a whatever the RUN lines of test/e2e run on the simulator, each entry once, and the products and
attention of test/bench/hopper with ragged shapes. run launches --batch of them in a process (a start takes seconds
under a tool); what a batch does not end clean is run again kernel by kernel, and that counts. run prints a line for each kernel and tool: `clean`, or what the tool
found, or why it did not end; FOLDER/out/sanitizer.txt keeps all. Exit code 0: everything that ran is clean.
"""

import argparse
import concurrent.futures
import glob
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["memcheck", "racecheck", "synccheck"]
FAILED = 77  # --error-exitcode
LAUNCHER = "tilec-launch-each"
HOPPER = [
    ("gemm.py", 'gemm(256, 512, 256)'), ("gemm.py", 'gemm(200, 328, 136)'), ("gemm.py", 'gemm(1, 8, 8)'),
    ("gemm.py", 'gemm(129, 264, 72, tb=False)'), ("gemm.py", 'gemm(136, 264, 72, ta=True)'),
    ("gemm.py", 'gemm(136, 264, 72, ta=True, tb=False)'), ("gemm.py", 'gemm(100, 101, 99)'),
    ("gemm.py", 'gemm(300, 320, 192, block_M=128, block_N=64, stages=8, dtype="float16", out="float16")'),
    ("gemm.py", 'gemm(300, 320, 192, block_M=64, block_N=128, stages=6, threads=128)'),
    ("gemm.py", 'gemm(1500, 1496, 200, block_M=128, block_N=112, stages=3, threads=128)'),
    ("fa.py", 'fa(1, 2, 256, 128)'), ("fa.py", 'fa(1, 2, 256, 128, causal=True)'), ("fa.py", 'fa(1, 2, 256, 64)'),
    ("fa.py", 'fa(2, 1, 384, 64, causal=True)'),
    ("rows.py", 'softmax(100, 1000, threads=128)'), ("rows.py", 'layernorm(33, 512, threads=128)'),
    ("rows.py", 'rmsnorm(33, 512, threads=128)'), ("rows.py", 'gelu(33, 520, block_N=256, threads=128)'),
]


def run_lines(path):
    """Commands of a lit file, continued lines joined."""
    text = re.sub(r"\\\n# RUN:", "", path.read_text())
    return re.findall(r"^(?:#|//) RUN: (.*)$", text, re.MULTILINE)


def e2e_kernels():
    """(script, entry, options of the launch, schedule) of every tilec-run in test/e2e, each once."""
    found = {}
    for path in sorted([*(ROOT / "test/e2e").glob("*.py"), *(ROOT / "test/e2e").glob("*.test")]):
        for line in run_lines(path):
            for name, place in [("%s", path), ("%S", path.parent), ("%examples", ROOT / "examples")]:
                line = re.sub(re.escape(name) + r"\b", str(place), line)
            try:
                words = shlex.split(line.split("|")[0].replace("2>&1", ""))
            except ValueError:
                continue
            if len(words) < 2 or words[0] != "tilec-run" or "%" in words[1]:
                continue
            entry, launch = "", []
            schedule = next((word for word in words if word.startswith("--schedule=")), "")
            if "--target=sm_90a" not in words:
                schedule = ""  # of another target
            for word, value in zip(words, words[1:]):
                if word == "--entry":
                    entry = value
                elif word in ("--arg", "--dim", "--seed") and ".npy" not in value:
                    launch += [word, value]
            for word in words:  # --arg=n=9
                if word.startswith(("--arg=", "--dim=", "--seed=")) and ".npy" not in word:
                    launch += word.split("=", 1)
            found.setdefault((words[1], entry, tuple(launch), schedule), None)
    return list(found)


def pack(options):
    folder, tools = pathlib.Path(options.folder), pathlib.Path(options.tools)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(tools / LAUNCHER, folder)
    shutil.copy(__file__, folder / "sanitizer.py")
    subprocess.run(["strip", str(folder / LAUNCHER)], check=False)
    kernels = [(str(ROOT / "test/bench/hopper" / script), entry, (), "") for script, entry in HOPPER] + e2e_kernels()
    packed, refused, names = [], [], {}
    for script, entry, launch, schedule in kernels:
        label = f"{pathlib.Path(script).stem} {entry or '(its entry)'} {schedule}".strip()
        if not re.search(options.only, label):
            continue
        stem = re.sub(r"\W+", "-", label).strip("-")[:60]
        names[stem] = names.get(stem, 0) + 1
        name = stem if names[stem] == 1 else f"{stem}-{names[stem]}"
        command = [str(tools / "tilec"), script, "--target=sm_90a", "-o", str(folder / f"{name}.bin")]
        command += [*(["--entry", entry] if entry else []), *([schedule] if schedule else [])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            packed.append({"label": label, "binary": f"{name}.bin", "launch": list(launch)})
        else:
            lines = [line for line in done.stderr.splitlines() if "error:" in line]
            refused.append(f"{label}: {(lines or ['?'])[0].split('error: ')[-1]}")
    shutil.copy(tools / "../test/unit/Runtime/sm_80.ptx", folder / "planted.bin")
    (folder / "planted.bin.json").write_text(json.dumps(PLANTED))
    (folder / "kernels.json").write_text(json.dumps(packed, indent=1))
    for line in refused:
        print(f"sanitizer: not for sm_90a: {line}")
    print(f"sanitizer: {len(packed)} kernels, {len(refused)} do not compile for sm_90a")


# A kernel that writes where nothing is (test/unit/Runtime/Inputs/nvptx.ll): a tool that does not find this finds nothing.
PLANTED = {"version": 1, "kernel": "overrun", "target": "sm_80", "dims": [], "outputs": [], "launches": [{
    "symbol": "overrun", "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": [1, 1, 1], "shared_bytes": 0, "params": [
        {"name": "out", "kind": "tensor", "dtype": "float32", "shape": [8], "access": "rw", "offset": 0, "size": 8,
         "align": 8},
        {"name": "at", "kind": "scalar", "dtype": "int32", "offset": 8, "size": 4, "align": 4}]}]}


def find_sanitizer(chosen):
    places = [chosen, shutil.which("compute-sanitizer"), *sorted(glob.glob("/usr/local/cuda*/bin/compute-sanitizer"))]
    for place in places:
        if place and pathlib.Path(place).is_file():
            return place
    sys.exit("sanitizer.py: compute-sanitizer is not installed: name it with --sanitizer")


def verdict(returncode, text):
    """One line about what the tool said. None: clean."""
    summaries = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", text)
    complaints = [line.lstrip("= ").strip() for line in text.splitlines()
                  if line.startswith("=========") and re.search(r"Invalid|hazard|Barrier error|Divergent|Missing wait|"
                                                                r"Program hit|Error:|Internal|not supported", line)
                  and "SUMMARY" not in line]
    if returncode == 0 and summaries and re.match(r"0 (errors|hazards)", summaries[-1]):
        return None
    parts = [*summaries[-1:], *complaints[:1]]
    if not parts:
        parts = [f"exit code {returncode}: " + " ".join(text.strip().splitlines()[-1:])]
    return "; ".join(parts)


def run_tool(sanitizer, folder, tool, kernels, seconds):
    """The verdict on one process that launches these in turn (None: clean), and what the tool printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=folder / "out") as listing:
        json.dump(kernels, listing)
        listing.flush()
        command = [sanitizer, "--tool", tool, "--error-exitcode", str(FAILED), "--print-limit", "3",
                   str(folder / LAUNCHER), listing.name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=folder)
        except subprocess.TimeoutExpired:
            return f"no end after {seconds} s", ""
    text = done.stdout + done.stderr
    missing = [kernel["binary"] for kernel in kernels if f"ran {kernel['binary']}\n" not in text]
    return verdict(done.returncode, text) or (f"{missing[0]} did not run" if missing else None), text


def run_batch(sanitizer, folder, tool, kernels):
    """(kernel, verdict, text) of each: of one run of all where that is clean, else of a run of its own."""
    if len(kernels) > 1 and run_tool(sanitizer, folder, tool, kernels, 60 + 10 * len(kernels))[0] is None:
        return [(kernel, None, "") for kernel in kernels]
    return [(kernel, *run_tool(sanitizer, folder, tool, [kernel], 60)) for kernel in kernels]


def run(options):
    folder = pathlib.Path(options.folder).resolve()
    sanitizer = find_sanitizer(options.sanitizer)
    (folder / "out").mkdir(exist_ok=True)
    all_kernels = json.loads((folder / "kernels.json").read_text())
    planted = {"binary": "planted.bin", "launch": ["--arg", f"at={1 << 29}"]}
    found, text = run_tool(sanitizer, folder, "memcheck", [all_kernels[0], planted], 60)
    if "Invalid __global__ write" not in (found or ""):
        sys.exit(f"sanitizer.py: the planted fault was not found, so nothing it says counts: {found or 'clean'}\n{text}")
    kernels = [kernel for kernel in all_kernels if re.search(options.only, kernel["label"])]
    kernels = kernels[options.skip::options.every]
    work = [(tool, kernels[at:at + options.batch]) for at in range(0, len(kernels), options.batch)
            for tool in options.tools.split(",")]
    started, clean, bad, skipped = time.monotonic(), 0, 0, 0
    with open(folder / "out" / "sanitizer.txt", "w") as log, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:

        def guarded(item):
            return None if time.monotonic() - started > options.seconds else run_batch(sanitizer, folder, *item)

        for (tool, batch), results in zip(work, pool.map(guarded, work)):
            if results is None:
                skipped += len(batch)
                continue
            for kernel, found, text in results:
                line = f"{'FOUND' if found else 'clean'} {tool:9} {kernel['label']}" + (f": {found}" if found else "")
                clean, bad = clean + (not found), bad + bool(found)
                if found or not options.quiet:
                    print(line, flush=True)
                print(line, text if found else "", file=log, sep="\n")
    print(f"sanitizer: {clean} clean, {bad} with findings, {skipped} not run (out of time)")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("tools")
    packing.add_argument("folder")
    running = verbs.add_parser("run")
    running.add_argument("folder", nargs="?", default=".")
    running.add_argument("--tools", default=",".join(TOOLS))
    running.add_argument("--jobs", type=int, default=8)
    running.add_argument("--batch", type=int, default=12, help="kernels of a process")
    running.add_argument("--seconds", type=float, default=1e9, help="start nothing after this long")
    running.add_argument("--skip", type=int, default=0, help="leave out so many kernels: they ran before")
    running.add_argument("--every", type=int, default=1, help="with --skip: the share of one of so many GPUs")
    running.add_argument("--sanitizer", default="")
    running.add_argument("--quiet", action="store_true", help="print findings only")
    for verb in [packing, running]:
        verb.add_argument("--only", default="")
    options = parser.parse_args()
    if options.verb == "pack":
        pack(options)
    else:
        sys.exit(run(options))


if __name__ == "__main__":
    main()

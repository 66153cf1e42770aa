#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kernel that the end-to-end tests run on a simulated chip, once more, on both chips and on NVIDIA's.

usage: e2e_kernels.py audit|findings|ptx --bin TOOLS [--only TEXT] [--every N] [--interleave SEED]
                      [--target NVIDIA]

audit     the scorecard's proof: every LDS read of what a DMA wrote comes after a wait and a barrier (`tilec
          --emit=report`, shared_audit); proved, or a kernel without LDS DMAs.
findings  the simulator's hazard and race checks and the cpu reference: results as late as the ISA allows, waves
          in a shuffled order, no finding of any class.
ptx       the PTX of sm_90a and sm_80, or of --target, on the host: docs/simulators/ptx-check.md.

The kernels are those of the RUN lines below test/e2e that name a chip; the lines' own modes are left out. A kernel
that does not compile for the chip that its line does not name is left out there, and one that a line already runs
on the chip in the same mode, or whose grids fill a chip (ONCE), does not run again. --every takes one of N, by a hash,
and of each script at least one.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
CHIPS = ("gfx942", "gfx950")
RUN = re.compile(r"#\s*RUN:\s*(tilec-run .*?)(?:\s*2>&1)?\s*\|")
OWN_MODES = ("--check", "--sim-", "--device", "--target", "--strict", "--time")
NVIDIA = ("sm_90a", "sm_80")
ONCE = ("many-blocks.py",)  # seconds a kernel: once, by its own lines
FEWEST = 400  # kernels and chips; fewer means that lines are not understood any more


def kernels_of(path, names="gfx9"):
    """(arguments that tilec knows, those of tilec-run alone, target of the line, if it begins so, and whether it
    finds what findings() does)"""
    for line in path.read_text().splitlines():
        found = RUN.match(line)
        if not found or "%t" in found.group(1) or "--device=cpu" in found.group(1):
            continue
        text = found.group(1)
        for name, place in [("%examples", REPO / "examples"), ("%repo", REPO), ("%S", path.parent)]:
            text = text.replace(name, str(place))
        words = shlex.split(text.replace("%s", str(path)))[1:]
        chips = [w.split("=")[1] for w in words if w.startswith("--target=" + names)]
        if not chips:
            continue
        compiled, run, n = [], [], 0
        while n < len(words):
            word, n = words[n], n + 1
            takes = word in ("--entry", "--dim", "--arg", "--seed")
            value = [words[n]] if takes else []
            n += takes
            if word.startswith(OWN_MODES):
                continue
            alone = word.startswith(("--dim", "--arg", "--seed"))
            (run if alone else compiled).extend([word, *value])
        strict = "--sim-mode=strict" in words or chips[0] in NVIDIA
        yield tuple(compiled), tuple(run), chips[0], "--check" in words and strict


def all_kernels(chips):
    """Each with each chip, and whether one of its lines names that chip. All run on NVIDIA's."""
    found = {}
    for path in sorted([*(REPO / "test/e2e").glob("*.py"), *(REPO / "test/e2e").glob("*.test")]):
        for compiled, run, chip, _ in kernels_of(path):
            for each in chips:
                # The lines name AMD's schedules.
                wished = tuple(w for w in compiled if not each.startswith("sm_") or not w.startswith("--schedule="))
                key = (wished, run, each)
                found[key] = found.get(key, False) or each == chip or each in NVIDIA
    return found


def run_by_lines():
    """What RUN lines run as findings() would."""
    return {line[:3] for path in (REPO / "test/e2e").glob("*.py") for names in ("gfx9", "sm_")
            for line in kernels_of(path, names) if line[3]}


def one_of(kernels, every):
    """A part of them that stays the same as long as the kernel's line does, and one of each script."""
    found, seen = {}, set()
    for key, named in kernels.items():
        compiled, run, chip = key
        words = " ".join(os.path.relpath(w, REPO) if w.startswith("/") else w for w in (*compiled, *run, chip))
        first = compiled[0] not in seen
        seen.add(compiled[0])
        if first or zlib.crc32(words.encode()) % every == 0:
            found[key] = named
    return found


def execute(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def audit(tools, compiled, run, chip, interleave):
    del run, interleave
    command = [str(tools / "tilec"), *compiled, f"--target={chip}", "--emit=report", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return "does not compile", done.stderr
    for kernel in json.loads(done.stdout)["kernels"]:
        shared = kernel["shared_audit"]
        if shared.get("unproved") or shared["findings"]:
            return "wrong", f"kernel {kernel['name']}: {json.dumps(shared)}"
    dmas = sum(k["shared_audit"]["dmas"] for k in json.loads(done.stdout)["kernels"])
    return "proved" if dmas else "no LDS DMA", ""


def findings(tools, compiled, run, chip, interleave):
    device = ["--device=ptx"] if chip.startswith("sm_") else ["--device=sim", "--sim-checks=all", "--sim-mode=strict"]
    command = [str(tools / "tilec-run"), *compiled, *run, f"--target={chip}", *device, "--check",
               f"--sim-interleave={interleave}"]
    if "--seed" not in run:
        command.append("--seed=1")
    code, text = execute(command)
    if code == 0 and "lint:" not in text and re.search(r"result +PASS", text):
        return "no finding", ""
    compiles, _ = execute([str(tools / "tilec"), *compiled, f"--target={chip}", "-o", os.devnull])
    return ("does not compile" if compiles else "wrong"), text[-2000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["audit", "findings", "ptx"])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--interleave", type=int, default=11, help="the order of waves and copies")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="one kernel of so many (default: all)")
    parser.add_argument("--target", help="an NVIDIA target instead of sm_90a and sm_80; its shared memory may be too small")
    options = parser.parse_args()
    work = audit if options.what == "audit" else findings
    nvidia = (options.target,) if options.target else NVIDIA
    every = all_kernels(nvidia if options.what == "ptx" else CHIPS)
    kernels = {key: named for key, named in every.items() if options.only in " ".join(key[0])}
    if work is findings and not options.only:
        done = run_by_lines()
        kernels = {key: named for key, named in kernels.items() if key not in done and not key[0][0].endswith(ONCE)}
    if not options.only and len(kernels) < FEWEST:
        sys.exit(f"fewer than {FEWEST} kernels were found in the RUN lines")
    kernels = one_of(kernels, options.every)
    counts, wrong = {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda key: work(options.bin, *key, options.interleave), kernels)
        for (key, named), (verdict, text) in zip(kernels.items(), results):
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict == "wrong" or (verdict == "does not compile" and named):
                wrong += 1
                print(f"{' '.join(shlex.quote(w) for w in (*key[0], *key[1]))} --target={key[2]}: {verdict}\n{text}")
    print(f"{len(kernels)} kernels: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

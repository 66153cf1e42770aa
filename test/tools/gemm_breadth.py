#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrix products in breadth: types x forms x sizes x ways to share the work x what follows, on the cpu reference and
the simulated chips of both vendors, compared element by element.

usage: gemm_breadth.py run --bin TOOLS       results agree (a Latin square over the axes: every pair of a type with every
                                             other choice, not the whole product)
       gemm_breadth.py table --bin TOOLS     the planned loops of a large product of every type and form, as Markdown

The kernels are those of test/e2e/Inputs/breadth.py.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
SCRIPT = str(REPO / "test/e2e/Inputs/breadth.py")
FORMS = ("nn", "nt", "tn", "tt")
SHARES = ("plain", "batch", "split_k", "stream_k", "persistent")
EPILOGUES = ("none", "bias", "relu", "residual", "all")
SIZES = ((128, 128, 128), (136, 72, 200), (65, 63, 100), (200, 120, 264), (64, 192, 96))


def types_of(chip):
    """Operands, accumulator, result: fp8 by the names that the chip multiplies."""
    fp8 = ("float8_e4m3fnuz", "float8_e5m2fnuz") if chip == "gfx942" else ("float8_e4m3fn", "float8_e5m2")
    return [("float16", "float32", "float16"), ("bfloat16", "float32", "bfloat16"), (fp8[0], "float32", "float32"),
            (fp8[1], "float32", "bfloat16"), ("int8", "int32", "int32")]


def cases():
    """Each type with each form; the other axes turn so that each pair of choices of two axes occurs."""
    for chip in ("gfx942", "gfx950", "sm_90a"):
        for t, (dtype, accum, out) in enumerate(types_of(chip)):
            for f, form in enumerate(FORMS):
                for turn in range(len(SHARES)):
                    share = SHARES[turn]
                    epilogue = EPILOGUES[(turn + f + t) % len(EPILOGUES)]
                    size = SIZES[(2 * turn + f + 2 * t) % len(SIZES)]
                    if share in ("split_k", "stream_k"):  # sums in memory: nothing behind them, and exact sums only there
                        epilogue, out_type = "none", accum
                    else:
                        out_type = out
                    yield chip, (*size, form, dtype, accum, out_type, share, epilogue)


def run(tools, chip, case):
    entry = f"gemm({', '.join(repr(c) for c in case)})"
    device = ["--device=ptx"] if chip == "sm_90a" else ["--device=sim", "--sim-mode=strict"]
    command = [str(tools / "tilec-run"), SCRIPT, "--entry", entry, f"--target={chip}", *device, "--check",
               "--sim-interleave=3", "--seed=1", "--no-cache"]
    if case[7] in ("split_k", "stream_k"):
        command += ["--arg", "C=zeros"]
    done = subprocess.run(command, capture_output=True, text=True)
    text = done.stdout + done.stderr
    good = done.returncode == 0 and re.search(r"result +PASS", text) and "lint:" not in text
    return None if good else f"{entry} --target={chip}\n{text[-1500:]}"


def table(tools):
    print("| | " + " | ".join(f.upper() for f in FORMS) + " |\n|---" * 1 + "|---" * len(FORMS) + "|")
    for chip in ("gfx950", "gfx942"):
        for dtype, accum, out in types_of(chip):
            deep = 64 if "16" in dtype else 128
            block_k = deep if chip == "gfx950" else deep // 2
            cells = []
            for form in FORMS:
                entry = f"gemm(4096, 4096, 4096, {form!r}, {dtype!r}, {accum!r}, {out!r}, 'plain', 'none', 256, 256, {block_k}, 512)"
                done = subprocess.run([str(tools / "tilec"), SCRIPT, "--entry", entry, f"--target={chip}",
                                       "--emit=report", "--json", "--remarks", "--no-cache"], capture_output=True, text=True)
                if done.returncode:
                    cells.append("does not compile")
                    continue
                kernel = json.loads(done.stdout)["kernels"][0]
                loop = kernel["loops"][kernel["hot_loop"]]
                planned = "schedule `interleave`" in done.stderr
                spills = kernel["vgpr_spills"] + kernel["sgpr_spills"] if "vgpr_spills" in kernel else 0
                cells.append(f"{loop['other_per_mfma']:.3f}" + ("" if planned else " (no plan)") +
                             (f", {spills} spills" if spills else ""))
            print(f"| {chip} {dtype}, K tile {block_k} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--bin", type=Path, required=True)
    options = parser.parse_args()
    if options.what == "table":
        return table(options.bin)
    every = list(cases())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [p for p in pool.map(lambda case: run(options.bin, *case), every) if p]
    print("\n".join(problems))
    print(f"{len(every) - len(problems)} of {len(every)} products agree with the reference")
    sys.exit(1 if problems or len(every) < 300 else 0)


if __name__ == "__main__":
    main()

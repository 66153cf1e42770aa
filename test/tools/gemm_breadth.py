#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrix products in breadth: types x forms x sizes x ways to share the work x what follows, on the cpu reference and
the simulated chips of both vendors or an NVIDIA GPU, compared element by element.

usage: gemm_breadth.py run --bin TOOLS       results agree (a Latin square over the axes: every pair of a type with every
                                             other choice, not the whole product)
       gemm_breadth.py hopper --bin TOOLS [--device cuda|ptx] [--only REGEX] [--jobs N] [--seconds N]
                                             the same square for sm_90a in three tile sizes, and the products of test/e2e
       gemm_breadth.py table --bin TOOLS     the planned loops of a large product of every type and form, as Markdown

The kernels are those of test/e2e/Inputs/breadth.py.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
SCRIPT = str(REPO / "test/e2e/Inputs/breadth.py")
FORMS = ("nn", "nt", "tn", "tt")
SHARES = ("plain", "batch", "split_k", "stream_k", "persistent")
EPILOGUES = ("none", "bias", "relu", "residual", "all")
SIZES = ((128, 128, 128), (136, 72, 200), (65, 63, 100), (200, 120, 264), (64, 192, 96))
# For Hopper: more tiles than one, rows that TMA can copy and rows that it cannot; block_M, block_N, block_K of 16 bits, threads.
LARGE_SIZES = ((256, 512, 256), (300, 520, 216), (129, 264, 72), (264, 392, 100), (136, 300, 208))
TILES = ((64, 64, 32, 128), (128, 128, 64, 256), (128, 256, 64, 256))


def types_of(chip):
    """Operands, accumulator, result: fp8 by the names that the chip multiplies."""
    fp8 = ("float8_e4m3fnuz", "float8_e5m2fnuz") if chip == "gfx942" else ("float8_e4m3fn", "float8_e5m2")
    return [("float16", "float32", "float16"), ("bfloat16", "float32", "bfloat16"), (fp8[0], "float32", "float32"),
            (fp8[1], "float32", "bfloat16"), ("int8", "int32", "int32")]


def square(types, sizes, shift=0):
    """Each type with each form; the other axes turn so that each pair of choices of two axes occurs."""
    for t, (dtype, accum, out) in enumerate(types):
        for f, form in enumerate(FORMS):
            for turn in range(len(SHARES)):
                share = SHARES[turn]
                epilogue = EPILOGUES[(turn + f + t + shift) % len(EPILOGUES)]
                size = sizes[(2 * turn + f + 2 * t + shift) % len(sizes)]
                if share in ("split_k", "stream_k"):  # sums in memory: nothing behind them, and exact sums only there
                    epilogue, out_type = "none", accum
                else:
                    out_type = out
                yield *size, form, dtype, accum, out_type, share, epilogue


def cases():
    for chip in ("gfx942", "gfx950", "sm_90a"):
        for case in square(types_of(chip), SIZES):
            yield chip, case


def hopper_commands():
    """Arguments of tilec-run, without target and device: types of other chips, the RUN lines of the products in test/e2e,
    which name other chips; then the squares, of what one warp group multiplies, two, and two with the widest instruction."""
    for dtype in ("float8_e4m3fnuz", "float8_e5m2fnuz"):
        for form in FORMS:
            case = (200, 120, 264, form, dtype, "float32", "float32", "batch", "bias")
            yield [SCRIPT, "--entry", f"gemm({', '.join(repr(c) for c in case)})"]
    seen = set()
    for name in ("gemm-forms.py", "gemm-splits.py", "gemm-transposed.py", "hopper-products.test", "hopper-epilogues.py",
                 "hopper-forms.py", "hopper-control-flow.py"):
        path = REPO / "test/e2e" / name
        for line in re.findall(r"^# RUN: tilec-run (.*?) (?:2>&1 )?\| FileCheck", path.read_text(), re.MULTILINE):
            words = shlex.split(line.replace("%S", str(path.parent)).replace("%s", str(path)))
            words = tuple(word for word in words if not word.startswith(("--target", "--device", "--sim-", "--check")))
            if words not in seen:
                seen.add(words)
                yield list(words)
    for shift, tile in enumerate(TILES):
        for case in square(types_of("sm_90a"), SIZES if tile[0] == 64 else LARGE_SIZES, shift):
            block_k = tile[2] if "16" in case[4] else 2 * tile[2]
            entry = f"gemm({', '.join(repr(c) for c in (*case, tile[0], tile[1], block_k, tile[3]))})"
            yield [SCRIPT, "--entry", entry, *(["--arg", "C=zeros"] if case[7] in ("split_k", "stream_k") else [])]


def run_hopper(tools, device, words, end):
    """None: agrees. Else what was wrong."""
    if time.monotonic() > end:
        return "no time was left"
    command = [str(tools / "tilec-run"), *words, "--target=sm_90a", f"--device={device}", "--check", "--no-cache"]
    if "--seed" not in words:
        command.append("--seed=1")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 if device == "cuda" else 600)
    except subprocess.TimeoutExpired:
        return "no end"
    text = done.stdout + done.stderr
    return None if done.returncode == 0 and re.search(r"result +PASS", text) else text.strip()[-600:]


def hopper(options):
    every = [words for words in hopper_commands() if re.search(options.only, " ".join(words))]
    end = time.monotonic() + options.seconds
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        verdicts = pool.map(lambda words: run_hopper(options.bin, options.device, words, end), every)
        for words, problem in zip(every, verdicts):
            if problem:
                wrong += 1
                print(f"tilec-run {shlex.join(words).replace(str(REPO) + '/', '')}\n  " + problem.replace("\n", "\n  "),
                      flush=True)
    print(f"{len(every) - wrong} of {len(every)} products agree with the reference on {options.device}", flush=True)
    return 1 if wrong else 0


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
    parser.add_argument("what", choices=["run", "hopper", "table"])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    if options.what == "hopper":
        return hopper(options)
    if options.what == "table":
        return table(options.bin)
    every = list(cases())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [p for p in pool.map(lambda case: run(options.bin, *case), every) if p]
    print("\n".join(problems))
    print(f"{len(every) - len(problems)} of {len(every)} products agree with the reference")
    sys.exit(1 if problems or len(every) < 300 else 0)


if __name__ == "__main__":
    sys.exit(main())

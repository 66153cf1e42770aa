#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Variants of a product beside one another and the libraries: what the tables of docs/numbers/hopper-trials.md are made with.

usage: variants.py pack TOOLS FOLDER LIST            compiles
       variants.py run FOLDER [--rounds N] [--alone SECONDS]      on a GPU host

LIST has one variant a line: SIZE FORM DTYPE SCHEDULE: PARAMETERS of gemm.py (gemm_scaled.py for float8), as in
`8192 nt bfloat16 auto: block_M=128, block_N=192, stages=4, threads=128, panel=12`; # begins a comment. All variants of a
size, form and type, cublasGemmEx and the algorithms of cublasLt that are near its fastest run in one process. Without
--alone they take turns, a sample of 8 ms each, in another order in every round, and share the chip's clock; ratios are
medians of the rounds' with a 95 % interval. With it each runs alone for so many seconds, three times, and what counts is
the time of the second half: the chip's power decides then.
"""

import argparse
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["variants.py", "bench.py", "driver.py", "libraries.py", "timing.py", "tables.py"]
PASSES = 3


def cases_of(text):
    """{(size, form, dtype): [(schedule, parameters)]}, in the order of the list."""
    cases = {}
    for line in text.splitlines():
        head, colon, parameters = line.split("#")[0].strip().partition(":")
        if not colon:
            continue
        size, form, dtype, schedule = head.split()
        cases.setdefault((int(size), form, dtype), []).append((schedule, parameters.strip()))
    return cases


def entry_of(size, form, dtype, parameters):
    if dtype.startswith("float8"):
        return "gemm_scaled.py", f'scaled({size}, {size}, {size}, {parameters}, dtype="{dtype}")'
    return "gemm.py", f'gemm({size}, {size}, {size}, {parameters}, dtype="{dtype}", out="{dtype}", tb={form == "nt"})'


def pack(options):
    folder = pathlib.Path(options.folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(HERE / name, folder)
    packed = []
    for (size, form, dtype), variants in cases_of(pathlib.Path(options.list).read_text()).items():
        case = {"shape": [size] * 3, "form": form, "dtype": dtype, "variants": []}
        packed.append(case)
        for schedule, parameters in variants:
            script, entry = entry_of(size, form, dtype, parameters)
            name = f"v{len(packed)}-{len(case['variants'])}.bin"
            done = subprocess.run([f"{options.tools}/tilec", str(HERE / script), "--entry", entry, "--target=sm_90a",
                                   f"--schedule={schedule}", "-o", str(folder / name)], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"variants: {schedule}: {parameters}: {done.stderr.strip()}")
            case["variants"].append({"label": f"{schedule}: {parameters}", "file": name})
    (folder / "variants.json").write_text(json.dumps(packed, indent=1))


def contenders_of(bench, driver, case, folder):
    """{name: run} of the libraries and the variants, each of which is checked."""
    import torch
    import bench as of_bench
    programs = {variant["label"]: driver.Program(str(folder / variant["file"])) for variant in case["variants"]}
    nt, fp8 = case["form"] == "nt", case["dtype"].startswith("float8")
    scales = tuple(torch.tensor([x], device="cuda") for x in (0.37, 1.9)) if fp8 else None
    sets = bench.sets(next(iter(programs.values())), {"SA": scales[0], "SB": scales[1]} if fp8 else {})
    a, b, c = (sets[0][name] for name in "ABC")
    contenders = bench.libraries_of_product(sets, nt, scales)
    for label, program in programs.items():
        contenders[label] = bench.ours(program, sets)
        c.fill_(float("nan"))
        contenders[label](0)
        torch.cuda.synchronize()
        error = of_bench.product_error(a, b, c, nt, scales)
        if not error < (2**-3 if fp8 else of_bench.WORST_ERROR):
            sys.exit(f"variants: {label}: wrong result, {error}")
    return contenders, list(programs)


def alone(timer, contenders, seconds):
    """Microseconds a run of each contender by itself, once a pass."""
    import torch
    runs = {name: max(1, round(12 / timer.once(run))) for name, run in contenders.items()}
    graphs = {name: timer.capture(run, runs[name]) for name, run in contenders.items()}
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    samples = {name: [] for name in contenders}
    for turn in range(PASSES):
        names = list(contenders)
        random.Random(turn).shuffle(names)
        for name in names:
            half = max(1, round(seconds / 2 / (timer.once(contenders[name]) * runs[name] * 1e-3)))
            for _ in range(half):
                graphs[name].replay()
            events[0].record()
            for _ in range(half):
                graphs[name].replay()
            events[1].record()
            events[1].synchronize()
            samples[name].append(events[0].elapsed_time(events[1]) * 1e3 / (half * runs[name]))
    return samples


def run(options):
    folder = pathlib.Path(options.folder).resolve()
    sys.path.insert(0, str(folder))
    import bench
    import driver
    import timing
    import types
    machine = bench.Bench(types.SimpleNamespace(against="cublas,cublaslt"))
    print(json.dumps(bench.versions()))
    for case in json.loads((folder / "variants.json").read_text()):
        machine.generator.manual_seed(1)
        contenders, ours = contenders_of(machine, driver, case, folder)
        rivals = [name for name in contenders if name not in ours]
        if options.alone:
            samples, how = alone(machine.timer, contenders, options.alone), f"alone, {PASSES} times {options.alone} s"
        else:
            samples, runs = machine.timer.rounds(contenders, options.rounds, options.sample_ms)
            how = f"in turns, {options.rounds} rounds of {runs} runs"
        lt = min((name for name in rivals if name.startswith("cublasLt")), key=lambda name: statistics.median(samples[name]))
        print(f"\n{case['shape'][0]} {case['form']} {case['dtype']}: {how}", flush=True)
        for name in sorted(samples, key=lambda name: statistics.median(samples[name])):
            text = f"  {statistics.median(samples[name]):10.2f} us"
            for rival in ["cublasGemmEx", lt]:
                if rival in samples and name in ours:
                    ratio = timing.ratios(samples[name], samples[rival])
                    text += f"  / {rival} {ratio['ratio']:.4f} [{ratio['ratio_low']:.4f} {ratio['ratio_high']:.4f}]"
            print(f"{text}  {name}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("tools")
    packing.add_argument("folder")
    packing.add_argument("list")
    running = verbs.add_parser("run")
    running.add_argument("folder")
    running.add_argument("--rounds", type=int, default=21)
    running.add_argument("--sample-ms", type=float, default=8.0)
    running.add_argument("--alone", type=float, default=0)
    options = parser.parse_args()
    pack(options) if options.verb == "pack" else run(options)


if __name__ == "__main__":
    main()

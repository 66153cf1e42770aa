#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention forward beside flash-attn-4 and cuDNN, by two clocks on one GPU.

usage: flash_attention.py pack FOLDER BIN            compiles fa.py, where tilec is
       flash_attention.py run FOLDER [--rounds N] [--only TEXT]    on a GPU host with PyTorch and flash-attn-4

alone: one launch behind an overwrite of more than L2 has; sustained: launches back to back, inputs in turn. A line is a
JSON object: microseconds, and how many times as fast ours is, with a 95 % interval.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["flash_attention.py", "driver.py", "timing.py", "libraries.py"]
NEAR = 2e-2  # of the largest element


def pack(options):
    import tables

    folder = pathlib.Path(options.folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(HERE / name, folder)
    cases = []
    for case in tables.attention_cases():
        if case["shape"][3] not in (64, 128):
            continue
        call = case["call"][:-1] + ", " + case["parameters"] + ")"
        file = case["name"] + ".cubin"
        subprocess.run([str(pathlib.Path(options.bin) / "tilec"), str(HERE / "fa.py"), "--entry", call, "--target=sm_90a",
                        "--no-cache", "-o", str(folder / file)], check=True)
        cases.append({"name": case["name"], "shape": case["shape"], "causal": case["causal"], "file": file})
    (folder / "cases.json").write_text(json.dumps(cases))
    print(f"{len(cases)} kernels")


def run(options):
    import torch
    from flash_attn.cute import flash_attn_func

    import driver
    import libraries
    from timing import OVERWRITTEN, Timer, ratios
    timer, folder = Timer(), pathlib.Path(options.folder)
    for case in json.loads((folder / "cases.json").read_text()):
        if options.only not in case["name"]:
            continue
        size = 2 * torch.Size(case["shape"]).numel() * 4
        copies = [[torch.randn(case["shape"], device="cuda").bfloat16() for _ in range(3)] for _ in range(1 + min(3, OVERWRITTEN // size))]
        program, out = driver.Program(str(folder / case["file"])), torch.empty(case["shape"], device="cuda", dtype=torch.bfloat16)
        launches = [program.bind({"Q": q.data_ptr(), "K": k.data_ptr(), "V": v.data_ptr(), "Out": out.data_ptr()},
                                 timer.stream.cuda_stream, {}) for q, k, v in copies]
        cudnn = [libraries.cudnn_attention(*copy, case["causal"]) for copy in copies]

        def flash(i):
            result = flash_attn_func(*copies[i % len(copies)], causal=case["causal"])
            return result[0] if isinstance(result, tuple) else result

        contenders = {"tilec": lambda i: launches[i % len(copies)](), "flash-attn-4": flash,
                      "cuDNN": lambda i: cudnn[i % len(copies)]()}
        launches[0]()
        theirs = flash(0)
        torch.cuda.synchronize()
        distance = ((out.float() - theirs.float()).abs().max() / theirs.float().abs().max()).item()
        row = {"case": case["name"], "same": distance < NEAR}
        single = {n: timer.capture(once, 1) for n, once in contenders.items()}  # Python's own launches take longer
        graphs = {n: lambda i, graph=graph: graph.replay() for n, graph in single.items()}
        for clock, times in (("alone", timer.alone(graphs, options.rounds)),
                             ("sustained", timer.rounds(contenders, options.rounds, sample_ms=8.0)[0])):
            row[clock] = {n: round(statistics.median(t), 2) for n, t in times.items()}
            for name in ("flash-attn-4", "cuDNN"):
                row[clock]["/" + name] = [round(x, 4) for x in ratios(times["tilec"], times[name]).values()]
        print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing, running = verbs.add_parser("pack"), verbs.add_parser("run")
    packing.add_argument("folder")
    packing.add_argument("bin")
    running.add_argument("folder")
    running.add_argument("--rounds", type=int, default=17)
    running.add_argument("--only", default="")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE if options.verb == "pack" else pathlib.Path(options.folder).resolve()))
    (pack if options.verb == "pack" else run)(options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels as one build of tilec or another makes them, and products beside cuBLAS, by two clocks on one GPU.

usage: builds.py pack FOLDER LIST --tools NAME=BIN [--tools NAME=BIN ...]       compiles, where tilec is
       builds.py run FOLDER [--rounds N] [--only TEXT]                          on a GPU host with PyTorch

LIST has one kernel a line: LABEL | SCRIPT | ENTRY, SCRIPT from the list's folder; # begins a comment. A line that
ends in `| mm` is a product A B^T of its first two tensors, and torch.mm (cublasGemmEx) takes part; one that ends in
`| n=512 m=64` gives the dims of its tensors.

alone: one launch behind an overwrite of 256 MB, which is more than L2 has; sustained: launches back to back for some
milliseconds, inputs in turn. All contenders of a kernel run in one process, in another order in every round. Printed
are medians in microseconds and, against the first build and cuBLAS, how many times as fast: the median of the rounds'
ratios with a 95 % interval. Results of all builds are compared.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["builds.py", "driver.py", "timing.py"]
NEAR = 2e-2  # results of two builds, relative to the largest element: sums of 16-bit products in another order


def lines_of(path):
    for line in pathlib.Path(path).read_text().splitlines():
        fields = [field.strip() for field in line.split("#")[0].split("|")]
        if len(fields) >= 3:
            yield fields


def pack(options):
    folder, source = pathlib.Path(options.folder), pathlib.Path(options.list).resolve().parent
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(HERE / name, folder)
    cases = []
    for number, (label, script, entry, *kind) in enumerate(lines_of(options.list)):
        dims = dict(word.split("=") for word in " ".join(kind).split() if "=" in word)
        case = {"label": label, "mm": kind == ["mm"], "dims": {name: int(size) for name, size in dims.items()}, "builds": {}}
        for tool in options.tools:
            name, _, folder_of_tools = tool.partition("=")
            binary = f"k{number}-{name}.bin"
            done = subprocess.run([str(pathlib.Path(folder_of_tools) / "tilec"), str(source / script), "--entry", entry,
                                   "--target=sm_90a", "--no-cache", "-o", str(folder / binary)], capture_output=True, text=True)
            if done.returncode == 0:
                case["builds"][name] = binary
            else:
                print(f"{label}: {name}: {done.stderr.strip().splitlines()[0]}")
        cases.append(case)
    (folder / "cases.json").write_text(json.dumps(cases, indent=1))
    print(f"{len(cases)} kernels")


def tensors_of(program, dims, torch, driver):
    types = {name: getattr(torch, name) for name in ("bfloat16", "float16", "float32", "int8", "uint8", "int32", "int64",
                                                     "float8_e4m3fn", "float8_e5m2")}
    tensors = {}
    for param in program.launch["params"]:
        if param["kind"] == "tensor":
            shape = [driver.evaluate(extent, dims) for extent in param["shape"]]
            values = torch.randn(shape, device="cuda") if "float" in param["dtype"] else torch.randint(0, 4, shape, device="cuda")
            tensors[param["name"]] = values.to(types[param["dtype"]])
    return tensors


def run(options):
    import torch

    import driver
    from timing import OVERWRITTEN, Timer, ratios
    timer = Timer()
    for case in json.loads((pathlib.Path(options.folder) / "cases.json").read_text()):
        if options.only not in case["label"] or not case["builds"]:
            continue
        programs = {name: driver.Program(str(pathlib.Path(options.folder) / file)) for name, file in case["builds"].items()}
        first = next(iter(programs.values()))
        inputs = tensors_of(first, case["dims"], torch, driver)
        written = [p["name"] for p in first.launch["params"] if p["kind"] == "tensor" and p["access"] != "r"]
        size = sum(t.numel() * t.element_size() for t in inputs.values())
        copies = [inputs] + [{k: v.clone() for k, v in inputs.items()} for _ in range(min(3, OVERWRITTEN // size))]
        contenders, results = {}, {}
        for name, program in programs.items():
            for tensor in written:
                inputs[tensor].zero_()
            launches = [program.bind({k: v.data_ptr() for k, v in copy.items()}, timer.stream.cuda_stream, case["dims"])
                        for copy in copies]
            launches[0]()
            torch.cuda.synchronize()
            results[name] = {tensor: inputs[tensor].float().clone() for tensor in written}
            contenders[name] = lambda i, launches=launches: launches[i % len(launches)]()
        if case["mm"]:
            a, b = list(inputs)[:2]
            contenders["cuBLAS"] = lambda i: torch.mm(copies[i % len(copies)][a], copies[i % len(copies)][b].t())
            results["cuBLAS"] = {written[0]: torch.mm(inputs[a], inputs[b].t()).float()}
        worst = max(((results[name][t] - results[base][t]).abs().max() / results[base][t].abs().max().clamp(min=1e-20)).item()
                    for base in list(results)[:1] for name in results for t in written if t in results[name])
        alone = timer.alone(contenders, options.rounds)
        sustained, _ = timer.rounds(contenders, options.rounds, sample_ms=8.0)
        row = f"{case['label']:40} {'same' if worst < NEAR else f'DIFFERS {worst:.1e}'}"
        for clock, times in (("alone", alone), ("sustained", sustained)):
            row += f"\n  {clock:10}" + "  ".join(f"{n} {statistics.median(t):.1f} us" for n, t in times.items())
            ours = list(programs)[-1]
            for name in times:
                if name != ours:
                    r = ratios(times[ours], times[name])
                    row += f"\n    {ours}/{name} {r['ratio']:.3f} [{r['ratio_low']:.3f} {r['ratio_high']:.3f}]"
        print(row, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing, running = verbs.add_parser("pack"), verbs.add_parser("run")
    packing.add_argument("folder")
    packing.add_argument("list")
    packing.add_argument("--tools", action="append", required=True, metavar="NAME=BIN")
    running.add_argument("folder")
    running.add_argument("--rounds", type=int, default=17)
    running.add_argument("--only", default="")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(getattr(options, "folder")).resolve()))
    (pack if options.verb == "pack" else run)(options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products and attention of sm_80, as one build of tilec or another makes them, against each other on one GPU.

usage: sm80.py pack FOLDER --tools NAME=BIN [--tools NAME=BIN ...] [--arch sm_90] [--only TEXT]
       sm80.py run FOLDER [--rounds N]

`pack` compiles anywhere: BIN/tilec for sm_80 to PTX, ptxas from there for the GPU's architecture, as its driver would.
`run` needs PyTorch and a GPU. All builds of a kernel take turns, forwards and backwards, in one process; times are
medians. Results are compared with PyTorch in f32, and bit by bit with those of the first build.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TILES = [(128, 128, 32, 4, 128), (128, 128, 64, 3, 256), (128, 256, 32, 4, 256), (128, 256, 64, 3, 256)]
HEADS = [(128, 128, 64, 128), (128, 128, 64, 256), (128, 128, 128, 256), (128, 64, 64, 128),
         (64, 128, 128, 128), (64, 128, 64, 128), (64, 128, 128, 256)]


def product(name, sizes, dtype, form, tile):
    m, n, k, stages, threads = tile
    entry = (f"gemm({sizes}, block_M={m}, block_N={n}, block_K={k}, stages={stages}, threads={threads}, dtype='{dtype}', "
             f"out='{dtype}', ta={form[0] == 't'}, tb={form[1] == 't'})")
    return f"{name}_{form}_{dtype}_{m}x{n}x{k}_t{threads}", "gemm.py", entry


def attention(name, sizes, head, causal):
    d, m, n, threads = head
    entry = f"fa({sizes}, D={d}, block_M={m}, block_N={n}, threads={threads}, causal={causal})"
    return f"{name}{d}_{m}x{n}_t{threads}{'_causal' if causal else ''}", "fa.py", entry


def cases():
    for size in (2048, 4096):
        for dtype, tiles in (("float16", TILES), ("bfloat16", TILES[::2])):
            for form in ("nt", "nn"):
                for tile in tiles:
                    yield product(f"gemm{size}", f"{size}, {size}, {size}", dtype, form, tile)
    for head in HEADS:
        for causal in (False, True):
            yield attention("fa", "B=1, H=16, S=4096", head, causal)
    for form in ("nn", "nt", "tn", "tt"):
        for tile in (TILES[0], TILES[3], (96, 48, 32, 3, 192)):
            yield product("ragged", "2056, 1992, 1096", "float16", form, tile)
    for head in (HEADS[0], HEADS[6]):
        for causal in (False, True):
            yield attention("ragged_fa", "B=2, H=3, S=1000", head, causal)


def pack(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for name, script, entry in cases():
        if options.only not in name:
            continue
        for build, tools in (t.split("=", 1) for t in options.tools):
            image = folder / f"{name}.{build}"
            subprocess.run([f"{tools}/tilec", str(HERE / script), "--target=sm_80", "--no-cache", "--ptx-assembler=none",
                            "--entry", entry, "-o", str(image)], check=True)
            ptx = image.with_name(image.name + ".ptx")
            ptx.write_bytes(image.read_bytes().rstrip(b"\0"))
            log = subprocess.run(["ptxas", f"-arch={options.arch}", "-v", str(ptx), "-o", str(image)], check=True,
                                 stderr=subprocess.PIPE, text=True).stderr
            ptx.unlink()
            registers = re.search(r"Used (\d+) registers", log)[1]
            spills = re.search(r"(\d+) bytes spill stores", log)
            print(name, build, registers, "registers,", spills[1] if spills else 0, "bytes spilled", flush=True)
        index.append(name)
    builds = [t.split("=", 1)[0] for t in options.tools]
    (folder / "index.json").write_text(json.dumps({"builds": builds, "kernels": index}))


def reference(torch, name, tensors):
    """What the last tensor should be, and the operations it takes."""
    first = tensors[0]
    if "fa" in name:
        query, key, value = (t.transpose(1, 2).float() for t in tensors[:3])
        batch, length, heads, dim = first.shape
        causal = name.endswith("_causal")
        out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        return out.transpose(1, 2), 4 * batch * heads * length**2 * dim // (2 if causal else 1)
    form = name.split("_")[1]
    left, right = (t.float().T if f == "t" else t.float() for t, f in zip(tensors, form))
    return left @ right, 2 * left.shape[0] * left.shape[1] * right.shape[1]


def run(options):
    import torch

    import driver
    folder = pathlib.Path(options.folder)
    index = json.loads((folder / "index.json").read_text())
    warm = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
    for _ in range(300):
        warm @ warm
    print(torch.cuda.get_device_name())
    stream = torch.cuda.current_stream().cuda_stream
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    failed = False
    for name in index["kernels"]:
        programs = {b: driver.Program(str(folder / f"{name}.{b}")) for b in index["builds"]}
        params = next(iter(programs.values())).launch["params"]
        tensors = [torch.randn(p["shape"], device="cuda", dtype=getattr(torch, p["dtype"])) for p in params]
        expected, operations = reference(torch, name, tensors)
        addresses = {p["name"]: t.data_ptr() for p, t in zip(params, tensors)}
        runs = {b: p.bind(addresses, stream) for b, p in programs.items()}
        results, notes = {}, []
        for build, launch in runs.items():
            tensors[-1].fill_(float("nan"))
            launch()
            results[build] = tensors[-1].clone()
            error = ((results[build].float() - expected).abs() / (1 + expected.abs())).max().item()
            if not error < (0.01 if tensors[-1].dtype == torch.float16 else 0.05):
                notes.append(f"{build} WRONG by {error}")
                failed = True
            elif not torch.equal(results[build], next(iter(results.values()))):
                notes.append(f"{build} rounds otherwise")
        times = {b: [] for b in runs}
        launches = 8 if operations < 5e10 else 3
        for turn in range(2 if name.startswith("ragged") else options.rounds):
            for build in list(runs)[::1 if turn % 2 == 0 else -1]:
                begin.record()
                for _ in range(launches):
                    runs[build]()
                end.record()
                end.synchronize()
                times[build].append(begin.elapsed_time(end) / launches)
        medians = {b: statistics.median(t) for b, t in times.items()}
        first = next(iter(medians.values()))
        columns = [f"{b} {m * 1e3:.1f} us {operations / m / 1e9:.0f} TFLOP/s x{first / m:.3f}" for b, m in medians.items()]
        print(f"{name:40s}", "  ".join(columns), " ", "; ".join(notes) or "same bits", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("pack")
    verb.add_argument("folder")
    verb.add_argument("--tools", action="append", required=True)
    verb.add_argument("--arch", default="sm_90")
    verb.add_argument("--only", default="")
    verb = verbs.add_parser("run")
    verb.add_argument("folder")
    verb.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    return pack(options) if options.verb == "pack" else run(options)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tiles that `tilec.tiles` gives, beside all others that fit and cuBLAS, for listed and drawn shapes of products.

usage: tiles.py pack TOOLS FOLDER [--squares] [--shape M,N,K,FORM ...] [--drawn N] [--seed S] [--dtype T ...] [--chosen]     compiles
       tiles.py run FOLDER [--rounds N]                      on a GPU host with PyTorch: writes FOLDER/rows.jsonl
       tiles.py table ROWS.jsonl

A shape is M, N, K and a form, `nt` (A B^T) or `nn` (A B). --squares: 1024 to 16384, both forms; --drawn: as many shapes
by the printed seed. --chosen: only what `tilec.tiles` gives, without the others. Clocks are those of builds.py: alone,
one launch behind an overwrite of L2, and sustained.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["tiles.py", "driver.py", "timing.py", "libraries.py"]
OVERWRITTEN = 256 << 20
# block_M, block_N, threads: what the search is over.
OTHERS = [(64, 64, 128), (64, 128, 128), (64, 192, 128), (64, 256, 128), (128, 64, 256), (128, 96, 128), (128, 112, 128),
          (128, 128, 128), (128, 160, 128), (128, 176, 128), (128, 192, 128), (128, 128, 256), (128, 192, 256),
          (128, 208, 256), (128, 224, 256), (128, 240, 256),
          (128, 256, 256), (128, 144, 128), (256, 128, 256), (192, 128, 384)]
BITS = {"float16": 16, "bfloat16": 16, "float8_e4m3fn": 8, "int8": 8}


def shapes_of(options):
    shapes = []
    if options.squares:
        shapes += [(n, n, n, form) for n in (1024, 2048, 4096, 8192, 16384) for form in ("nt", "nn")]
    for text in options.shape or []:
        m, n, k, form = text.split(",")
        shapes.append((int(m), int(n), int(k), form))
    draw = random.Random(options.seed)
    for _ in range(options.drawn):
        m, n, k = (64 * round(2 ** draw.uniform(math.log2(low), math.log2(high)) / 64)
                   for low, high in ((512, 16384), (512, 16384), (512, 8192)))
        shapes.append((m, n, k, draw.choice(("nt", "nn"))))
    return shapes


def entry_of(shape, dtype, tile):
    m, n, k, form = shape
    out = {"float8_e4m3fn": "bfloat16", "int8": "int32"}.get(dtype, dtype)
    common = f'{m}, {n}, {k}, dtype="{dtype}", out="{out}", tb={form == "nt"}'
    if tile is None:
        return "gemm_tiles.py", f"gemm({common})"
    bk = 1024 // BITS[dtype]
    return "gemm.py", f"gemm({common}, block_M={tile[0]}, block_N={tile[1]}, block_K={bk}, threads={tile[2]}, accum={'int32' if dtype == 'int8' else 'float32'!r})"


def compiled(tools, folder, number, shape, dtype, tile):
    script, entry = entry_of(shape, dtype, tile)
    name = f"k{number}.bin"
    done = subprocess.run([f"{tools}/tilec", str(HERE / script), "--entry", entry, "--target=sm_90a", "--no-cache", "-o",
                           str(folder / name)], capture_output=True, text=True)
    label = "chosen" if tile is None else "x".join(map(str, tile))
    if done.returncode:
        print(f"{shape} {dtype} {label}: {done.stderr.strip().splitlines()[-1]}")
        return None
    return label, name


def pack(options):
    folder = pathlib.Path(options.folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(HERE / name, folder)
    print(f"seed {options.seed}")
    cases, tasks = [], []
    for dtype in options.dtype:
        for shape in shapes_of(options):
            if BITS[dtype] == 8 and shape[3] != "nt":
                continue
            cases.append({"shape": shape, "dtype": dtype, "files": {}})
            tasks += [(cases[-1], shape, dtype, tile) for tile in ([None] if options.chosen else [None, *OTHERS] if
                      (HERE / "gemm_tiles.py").exists() else OTHERS)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda task: compiled(options.tools, folder, task[0], *task[1][1:]), enumerate(tasks))
        for (case, *_), result in zip(tasks, made):
            if result:
                case["files"][result[0]] = result[1]
    (folder / "cases.json").write_text(json.dumps(cases, indent=1))
    print(f"{len(cases)} shapes, {len(tasks)} kernels")


def rows_of(case, folder, options, torch, driver, timing, libraries, timer, flood):
    types = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32, "int8": torch.int8,
             "int32": torch.int32, "float8_e4m3fn": torch.float8_e4m3fn}
    rounds = options.rounds
    m, n, k, form = case["shape"]
    nt = form == "nt"
    dtype = types[case["dtype"]]
    make = (lambda *s: torch.randint(-4, 5, s, device="cuda", dtype=torch.int32).to(dtype)) if case["dtype"] == "int8" else (
        lambda *s: torch.randn(s, device="cuda").to(dtype))
    sets = max(1, min(3, OVERWRITTEN // ((m * k + n * k + m * n) * 2)))
    programs = {label: driver.Program(str(folder / file)) for label, file in case["files"].items()}
    out = types[next(p["dtype"] for p in next(iter(programs.values())).launch["params"] if p["name"] == "C")]
    data = [{"A": make(m, k), "B": make(n, k) if nt else make(k, n), "C": torch.empty((m, n), device="cuda", dtype=out)} for _ in range(sets)]
    contenders, results, bad = {}, {}, []
    if BITS[case["dtype"]] == 16:
        contenders["cublas"] = lambda i: torch.mm(data[i % sets]["A"], data[i % sets]["B"].t() if nt else data[i % sets]["B"])
        expected = contenders["cublas"](0).float()
    else:
        expected = data[0]["A"].float() @ (data[0]["B"].float().t() if nt else data[0]["B"].float())
    for label, program in programs.items():
        launches = [program.bind({name: t.data_ptr() for name, t in one.items()}, timer.stream.cuda_stream) for one in data]
        data[0]["C"].zero_()
        launches[0]()
        torch.cuda.synchronize()
        error = ((data[0]["C"].float() - expected).abs().max() / expected.abs().max()).item()
        if not error < 2e-2:
            bad.append(f"{label}: {error:.1e}")
        contenders[label] = lambda i, launches=launches: launches[i % sets]()
    rough = {label: timer.once(run) for label, run in contenders.items()}
    best = min(rough.values())
    limit = 1.6 if options.sustained else 1.15
    near = {label: run for label, run in contenders.items() if label in ("cublas", "chosen") or rough[label] <= limit * best}
    alone = {label: [] for label in near}
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    names = list(near)
    for _ in range(0 if options.sustained else rounds + 2):
        timer.random.shuffle(names)
        for name in names:
            flood.fill_(1.0)
            torch.cuda._sleep(60_000)
            begin.record()
            near[name](0)
            end.record()
            timer.stream.synchronize()
            alone[name].append(begin.elapsed_time(end) * 1e3)
    alone = {name: times[2:] for name, times in alone.items() if times}
    sustained, _ = timer.rounds(near, rounds, sample_ms=3.0)
    row = {"shape": case["shape"], "dtype": case["dtype"], "wrong": bad, "rough": {l: round(t * 1e3, 2) for l, t in rough.items()}}
    for clock, times in (("alone", alone), ("sustained", sustained)):
        row[clock] = {label: round(statistics.median(t), 2) for label, t in times.items()}
        if "chosen" in times and "cublas" in times:
            row[clock + "/cublas"] = timing.ratios(times["chosen"], times["cublas"])
    return row


def run(options):
    import torch

    import driver
    import libraries
    import timing
    folder = pathlib.Path(options.folder)
    timer = timing.Timer()
    flood = torch.empty(OVERWRITTEN // 4, device="cuda")
    with open(folder / "rows.jsonl", "w") as out:
        for case in json.loads((folder / "cases.json").read_text()):
            row = rows_of(case, folder, options, torch, driver, timing, libraries, timer, flood)
            out.write(json.dumps(row) + "\n")
            out.flush()


def table(options):
    worst, print_ratio = [], lambda r: f"{r['ratio']:.3f} [{r['ratio_low']:.3f} {r['ratio_high']:.3f}]" if r else "-"
    print("| shape | dtype | alone / cuBLAS | sustained / cuBLAS | of the best tile, sustained | best |\n|---|---|---|---|---|---|")
    for line in open(options.rows):
        row = json.loads(line)
        tiles = {l: t for l, t in row["sustained"].items() if l not in ("cublas",)}
        best = min(tiles, key=tiles.get)
        share = tiles[best] / tiles["chosen"]
        worst.append(share)
        print(f"| {' x '.join(map(str, row['shape']))} | {row['dtype']} | {print_ratio(row.get('alone/cublas'))} | "
              f"{print_ratio(row.get('sustained/cublas'))} | {share:.3f} | {best} |{' WRONG ' + str(row['wrong']) if row['wrong'] else ''}")
    print(f"\nworst choice: {min(worst):.3f} of the best tile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing, running, tabling = verbs.add_parser("pack"), verbs.add_parser("run"), verbs.add_parser("table")
    packing.add_argument("tools")
    packing.add_argument("folder")
    packing.add_argument("--squares", action="store_true")
    packing.add_argument("--shape", action="append", metavar="M,N,K,FORM")
    packing.add_argument("--drawn", type=int, default=0)
    packing.add_argument("--seed", type=int, default=1)
    packing.add_argument("--dtype", action="append")
    packing.add_argument("--chosen", action="store_true")
    running.add_argument("folder")
    running.add_argument("--rounds", type=int, default=17)
    running.add_argument("--sustained", action="store_true", help="this clock only, and more of the tiles")
    tabling.add_argument("rows")
    options = parser.parse_args()
    if options.verb == "pack":
        options.dtype = options.dtype or ["bfloat16"]
        pack(options)
    elif options.verb == "run":
        sys.path.insert(0, str(pathlib.Path(options.folder).resolve()))
        run(options)
    else:
        table(options)


if __name__ == "__main__":
    main()

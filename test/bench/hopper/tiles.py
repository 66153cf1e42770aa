#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tiles that `tilec.tiles` gives, beside all others that fit and cuBLAS, for listed and drawn shapes of products.

usage: tiles.py pack TOOLS FOLDER [--squares] [--shape M,N,K,FORM ...] [--drawn N] [--few N] [--ragged N] [--seed S]
                [--dtype T ...] [--chosen]
       tiles.py run FOLDER [--rounds N] [--sustained] [--near FACTOR] [--sets N]      on a GPU host with PyTorch: writes
                FOLDER/rows.jsonl
       tiles.py table ROWS.jsonl

A shape is M, N, K and a form, `nt` (A B^T) or `nn` (A B). --squares: 1024 to 16384, both forms; --drawn: as many shapes
by the printed seed; --few: as many more of few tiles and a long K; --ragged: as many of multiples of 8. --chosen: only what `tilec.tiles` gives, without the
others. --sets: launches take so many sets of tensors in turn. Clocks are those of builds.py: alone, one launch behind an overwrite of L2, and sustained. Both are of plain launches,
and beside them of such as tilec's runtime makes, that begin while the launch in front ends.
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
SOURCES = ["tiles.py", "driver.py", "timing.py"]
# block_M, block_N, threads: what the search is over.
OTHERS = [(64, 64, 128), (64, 128, 128), (64, 192, 128), (64, 256, 128), (128, 64, 256), (128, 96, 128), (128, 112, 128),
          (128, 128, 128), (128, 160, 128), (128, 176, 128), (128, 192, 128), (128, 128, 256), (128, 192, 256),
          (128, 208, 256), (128, 224, 256), (128, 240, 256), (128, 256, 256), (128, 144, 128), (256, 128, 256),
          (192, 128, 384)]
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
    for _ in range(options.few):
        m, n = (64 * max(1, round(2 ** draw.uniform(4, 10) / 64)) for _ in range(2))
        k = 64 * round(2 ** draw.uniform(11, 14.3) / 64)
        shapes.append((m, n, k, draw.choice(("nt", "nn"))))
    for _ in range(options.ragged):
        m, n, k = (8 * round(2 ** draw.uniform(9, 12.5) / 8) for _ in range(3))
        shapes.append((m, n, k, draw.choice(("nt", "nn"))))
    return shapes


def entry_of(shape, dtype, tile):
    m, n, k, form = shape
    out = {"float8_e4m3fn": "bfloat16", "int8": "int32"}.get(dtype, dtype)
    common = f'{m}, {n}, {k}, dtype="{dtype}", out="{out}", tb={form == "nt"}'
    if tile is None:
        return "gemm_tiles.py", f"gemm({common})"
    stages = 8 if tile[0] + tile[1] <= 192 else 4  # as tilec.tiles asks for
    accum = "int32" if dtype == "int8" else "float32"
    return "gemm.py", (f'gemm({common}, block_M={tile[0]}, block_N={tile[1]}, block_K={1024 // BITS[dtype]}, threads={tile[2]}, stages={stages}, '
                       f'accum="{accum}")')


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
            tasks += [(cases[-1], shape, dtype, tile) for tile in ([None] if options.chosen else [None, *OTHERS])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda task: compiled(options.tools, folder, task[0], *task[1][1:]), enumerate(tasks))
        for (case, *_), result in zip(tasks, made):
            if result:
                case["files"][result[0]] = result[1]
    (folder / "cases.json").write_text(json.dumps(cases, indent=1))
    print(f"{len(cases)} shapes, {len(tasks)} kernels")


def data_of(case, sets, out):
    """Tensors of so many launches in turn."""
    import torch
    m, n, k, form = case["shape"]

    def numbers(*shape):
        if case["dtype"] == "int8":
            return torch.randint(-4, 5, shape, device="cuda", dtype=torch.int8)
        return torch.randn(shape, device="cuda").to(getattr(torch, case["dtype"]))

    return [{"A": numbers(m, k), "B": numbers(n, k) if form == "nt" else numbers(k, n),
             "C": torch.empty((m, n), device="cuda", dtype=out)} for _ in range(sets)]


def row_of(case, options, timer):
    import torch

    import driver
    import timing
    m, n, k, form = case["shape"]
    sets = options.sets or max(1, min(3, timing.OVERWRITTEN // ((m * k + n * k + m * n) * 2)))
    programs = {label: driver.Program(str(pathlib.Path(options.folder) / file)) for label, file in case["files"].items()}
    params = next(iter(programs.values())).launch["params"]
    data = data_of(case, sets, getattr(torch, next(p["dtype"] for p in params if p["name"] == "C")))

    def library(i, dtype=None):
        a, b = (data[i % sets][name] if dtype is None else data[i % sets][name].to(dtype) for name in "AB")
        return torch.mm(a, b.t() if form == "nt" else b)

    is_timed = BITS[case["dtype"]] == 16  # torch has no plain product of bytes
    contenders, wrong = {"cublas": library} if is_timed else {}, []
    expected = library(0, None if is_timed else torch.float32).float()
    for label, program in programs.items():
        tensors = [{name: t.data_ptr() for name, t in one.items()} for one in data]
        launches = [program.bind(each, timer.stream.cuda_stream) for each in tensors]
        data[0]["C"].zero_()
        launches[0]()
        torch.cuda.synchronize()
        error = ((data[0]["C"].float() - expected).abs().max() / expected.abs().max()).item()
        if not error < 2e-2:
            wrong.append(f"{label}: {error:.1e}")
        contenders[label] = lambda i, launches=launches: launches[i % sets]()
        if label == "chosen" and program.launches[-1].launch.get("early"):
            early = [program.bind(each, timer.stream.cuda_stream, early=True) for each in tensors]
            contenders["early"] = lambda i: early[i % sets]()
    rough = {label: timer.once(run) for label, run in contenders.items()}
    limit = options.near * min(rough.values())
    near = {label: run for label, run in contenders.items() if label in ("cublas", "chosen", "early") or rough[label] <= limit}
    clocks = {} if options.sustained else {"alone": timer.alone(near, options.rounds)}
    clocks["sustained"], _ = timer.rounds(near, options.rounds)
    row = {"shape": case["shape"], "dtype": case["dtype"], "wrong": wrong, "rough": {l: round(t * 1e3, 2) for l, t in rough.items()}}
    for clock, times in clocks.items():
        row[clock] = {label: round(statistics.median(t), 2) for label, t in times.items()}
        for label, name in [("chosen", "/cublas"), ("early", "/cublas, early")]:
            if label in times and "cublas" in times:
                row[clock + name] = timing.ratios(times[label], times["cublas"])
    return row


def run(options):
    import timing
    timer = timing.Timer()
    folder = pathlib.Path(options.folder)
    with open(folder / "rows.jsonl", "w") as out:
        for case in json.loads((folder / "cases.json").read_text()):
            out.write(json.dumps(row_of(case, options, timer)) + "\n")
            out.flush()


def table(options):
    def ratio(value):
        return f"{value['ratio']:.3f} [{value['ratio_low']:.3f} {value['ratio_high']:.3f}]" if value else "-"

    worst = 1.0
    print("| shape | dtype | alone / cuBLAS | sustained / cuBLAS | sustained, launched early | of the best tile, sustained | best |\n"
          "|---|---|---|---|---|---|---|")
    for line in open(options.rows):
        row = json.loads(line)
        tiles = {label: time for label, time in row["sustained"].items() if label not in ("cublas", "early")}
        best = min(tiles, key=tiles.get)
        share = tiles[best] / tiles["chosen"]
        worst = min(worst, share)
        print(f"| {' x '.join(map(str, row['shape']))} | {row['dtype']} | {ratio(row.get('alone/cublas'))} | "
              f"{ratio(row.get('sustained/cublas'))} | {ratio(row.get('sustained/cublas, early'))} | {share:.3f} | {best} |{' WRONG ' + str(row['wrong']) if row['wrong'] else ''}")
    print(f"\nworst choice: {worst:.3f} of the best tile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing, running, tabling = verbs.add_parser("pack"), verbs.add_parser("run"), verbs.add_parser("table")
    packing.add_argument("tools")
    packing.add_argument("folder")
    packing.add_argument("--squares", action="store_true")
    packing.add_argument("--shape", action="append", metavar="M,N,K,FORM")
    packing.add_argument("--drawn", type=int, default=0)
    packing.add_argument("--few", type=int, default=0)
    packing.add_argument("--ragged", type=int, default=0)
    packing.add_argument("--seed", type=int, default=1)
    packing.add_argument("--dtype", action="append")
    packing.add_argument("--chosen", action="store_true")
    running.add_argument("folder")
    running.add_argument("--rounds", type=int, default=17)
    running.add_argument("--sustained", action="store_true", help="this clock only")
    running.add_argument("--sets", type=int, default=0)
    running.add_argument("--near", type=float, default=1.15, help="tiles that take at most so many times the fastest's time")
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

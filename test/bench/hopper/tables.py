#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance-nvidia.md: compiled here, timed on a GPU host without LLVM.

usage: tables.py pack TOOLS FOLDER [--tuned FILE] [--only REGEX]
       tables.py run [FOLDER] [--only REGEX] [--seconds N]      on the GPU host; writes FOLDER/out
       tables.py show RESULTS.json                              the tables as markdown

Nothing is chosen on the GPU host: a kernel's parameters are those of CONFIGURATIONS below or of a committed
tuning file (tilec-run --tune), and each case is one run of tilec-launch (attention: of attention.py) that times kernel and
libraries in turns. FOLDER/out/results.json keeps what they printed.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [1024, 2048, 4096, 8192, 16384]
LENGTHS = [2048, 4096, 8192, 16384]
# By size, smallest first: the first entry whose size is not below the problem's is taken.
CONFIGURATIONS = [
    (1024, "block_M=64, block_N=128, stages=6, threads=128, panel=8"),
    (2048, "block_M=128, block_N=128, stages=6, threads=256, panel=16"),
    (4096, "block_M=128, block_N=256, stages=4, threads=256, panel=16"),
    (8192, "block_M=192, block_N=128, stages=4, threads=384, panel=8"),
    (16384, "block_M=128, block_N=256, stages=4, threads=256, panel=16"),
]
# K-major fp8: tiles of 128 bytes a row, whose ring is half as long.
FP8 = "block_M=128, block_N=128, block_K=128, stages=4, threads=256, panel=8"


def gemm_cases():
    for size in SIZES:
        config = next(text for limit, text in CONFIGURATIONS if size <= limit)
        for dtype in ["bfloat16", "float16"]:
            for form in ["nt", "nn"]:
                entry = f'gemm({size}, {size}, {size}, {config}, dtype="{dtype}", out="{dtype}", tb={form == "nt"})'
                yield {"name": f"gemm-{size}-{dtype}-{form}", "table": "GEMM", "script": "gemm.py", "entry": entry,
                       "row": [str(size), dtype, form.upper()],
                       "launch": [f"--vs=cublas:{form}:A,B,C", f"--vs=cublaslt:{form}:A,B,C"]}
        entry = f'gemm({size}, {size}, {size}, {FP8}, dtype="float8_e4m3fn")'
        yield {"name": f"gemm-{size}-fp8-nt", "table": "GEMM fp8", "script": "gemm.py", "entry": entry,
               "row": [str(size), "e4m3", "NT"],
               "launch": ["--vs=cublaslt:nt:A,B,C"]}


def attention_cases():
    for size in [64, 128]:
        for causal in [False, True]:
            for length in LENGTHS:
                batch, heads = max(1, 16384 // length), 2048 // size
                tile = "block_M=192, threads=384" if size == 64 else "block_M=128, threads=256"
                entry = f"fa({batch}, {heads}, {length}, {size}, {tile}, causal={causal})"
                yield {"name": f"attention-d{size}-s{length}{'-causal' if causal else ''}", "table": "Attention",
                       "script": "fa.py", "entry": entry,
                       "row": [str(size), "yes" if causal else "no", str(length), f"{batch} x {heads}"],
                       "attention": ":causal" if causal else ""}


def row_cases():
    for kernel in ["softmax", "layernorm", "rmsnorm", "gelu"]:
        for rows, columns in [(32768, 1024), (16384, 4096), (8192, 8192)]:
            threads = 256 if columns > 4096 and kernel != "gelu" else 128
            options = ", block_M=2, block_N=1024" if kernel == "gelu" else ""
            yield {"name": f"{kernel}-{rows}x{columns}", "table": "Memory-bound", "script": "rows.py",
                   "entry": f"{kernel}({rows}, {columns}, threads={threads}{options})",
                   "row": [kernel, f"{rows} x {columns}"], "launch": ["--vs=copy:X,Y"]}


HEADS = {"GEMM": ["M = N = K", "dtype", "form"], "GEMM fp8": ["M = N = K", "dtype", "form"],
         "Attention": ["D", "causal", "S", "B x H"], "Memory-bound": ["kernel", "rows x columns"]}


def all_cases(only):
    cases = [*gemm_cases(), *attention_cases(), *row_cases()]
    return [case for case in cases if re.search(only, case["name"])]


def pack(options):
    folder, tools = pathlib.Path(options.folder), pathlib.Path(options.tools)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in [tools / "tilec-launch", HERE / "tables.py", HERE / "attention.py", HERE / "driver.py"]:
        shutil.copy(source, folder)
    subprocess.run(["strip", str(folder / "tilec-launch")], check=False)
    packed = []
    for case in all_cases(options.only):
        command = [str(tools / "tilec"), str(HERE / case["script"]), "--entry", case["entry"], "--target=sm_90a",
                   "-o", str(folder / (case["name"] + ".bin"))]
        if options.tuned:
            command.append(f"--tuned={options.tuned}")
        done = subprocess.run(command, capture_output=True, text=True)
        case["error"] = "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
        packed.append(case)
        print(f"tables: {case['name']}{': ' + done.stderr.strip() if done.returncode else ''}", flush=True)
    (folder / "cases.json").write_text(json.dumps(packed, indent=1))


def output_of(command, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(), f"no result after {seconds:.0f} s"
    return done.stdout, (done.stderr.strip().splitlines() or ["no output"])[-1]


def run_gemms(cases, folder):
    """One process a case: a hang costs one of them."""
    for case in cases:
        text, error = output_of([str(folder / "tilec-launch"), str(folder / (case["name"] + ".bin")), "--json", "--bench",
                                 *case["launch"]], 90)
        try:
            yield case, json.loads(text)
        except json.JSONDecodeError:
            yield case, {"error": error}


def run_attention(cases, folder):
    """One process for all: PyTorch takes seconds to load. What follows a hang has no result."""
    if not cases:
        return
    text, error = output_of([sys.executable, str(folder / "attention.py"), "--json",
                             *[str(folder / (case["name"] + ".bin")) + case["attention"] for case in cases]],
                            30 + 5 * len(cases))
    lines = text.splitlines()
    for i, case in enumerate(cases):
        yield case, json.loads(lines[i]) if i < len(lines) else {"error": error}


def run(options):
    folder = pathlib.Path(options.folder).resolve()
    out = folder / "out"
    out.mkdir(exist_ok=True)
    started, results = time.monotonic(), []
    cases = [case for case in json.loads((folder / "cases.json").read_text()) if re.search(options.only, case["name"])]
    for case in cases:
        if case["error"]:
            results.append({**case, "result": {"error": case["error"]}})
    good = [case for case in cases if not case["error"]]
    for runner, chosen in [(run_attention, [case for case in good if "attention" in case]),
                           (run_gemms, [case for case in good if "attention" not in case])]:
        for case, result in runner(chosen, folder):
            results.append({**case, "result": result})
            (out / "results.json").write_text(json.dumps(results, indent=1))
            if time.monotonic() - started > options.seconds:
                break
    text = markdown(results)
    (out / "tables.md").write_text(text)
    print(text)


def cells(case):
    result = case["result"]
    if "error" in result:
        return [str(result["error"]), "", ""]
    time_text = f"{result['median_us']:.2f}"
    rate = f"{result['tflops']:.0f}" if result.get("tflops") else ""
    rivals = [f"{r['name']} {r['ratio']:.3f} [{r['ratio_low']:.3f}, {r['ratio_high']:.3f}]"
              + ("" if r.get("agrees", True) else " **results differ**") for r in result.get("rivals", [])]
    return [time_text, rate, "; ".join(rivals)]


def markdown(results):
    lines = []
    for table, head in HEADS.items():
        rows = [case for case in results if case["table"] == table]
        if not rows:
            continue
        titles = [*head, "us", "TFLOP/s", "times as fast as [95 %]"]
        lines += [f"### {table}", "", "| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
        lines += ["| " + " | ".join([*case["row"], *cells(case)]) + " |" for case in rows] + [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("tools")
    packing.add_argument("folder")
    packing.add_argument("--tuned", default="")
    running = verbs.add_parser("run")
    running.add_argument("folder", nargs="?", default=".")
    running.add_argument("--seconds", type=float, default=1e9, help="start no case after this long")
    for verb in [packing, running]:
        verb.add_argument("--only", default="")
    showing = verbs.add_parser("show")
    showing.add_argument("results")
    options = parser.parse_args()
    if options.verb == "show":
        print(markdown(json.loads(pathlib.Path(options.results).read_text())))
    else:
        {"pack": pack, "run": run}[options.verb](options)


if __name__ == "__main__":
    main()

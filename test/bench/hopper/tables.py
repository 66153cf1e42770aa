#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/numbers/performance-nvidia.md: compiled where tilec is, timed on a GPU host.

usage: tables.py pack TOOLS FOLDER [--tuned FILE] [--only REGEX] [--jobs N]
       tables.py run [FOLDER] [--only REGEX] [--seconds N] [--rounds N] [--against NAMES]   on the GPU host; writes FOLDER/out
       tables.py show RESULTS.json                                                   the tables as markdown

Nothing is chosen of ours on the GPU host: a product's tiles are those of `tilec.tiles`, other parameters those below or,
where it has some, of a committed tuning file (tilec-run --tune). The libraries' algorithms and Triton's configurations are
chosen there, by time, before a case is timed. `run` starts bench.py, which times all in one process, and starts it again
where a case took it along; the cases that matter most come first. After each case out/results.json (everything), out/raw.txt (each round of
each contender) and out/tables.md are written anew.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import queue
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["tables.py", "bench.py", "driver.py", "libraries.py", "timing.py", "triton_kernels.py", "triton_rivals.py"]
SIZES = [1024, 2048, 4096, 8192, 16384]
LENGTHS = [2048, 4096, 8192, 16384]
HOPPER = (132, 32, 232448, True)  # multiprocessors, lanes, bytes of shared memory of a block, warp groups multiply
ATTENTION = {64: "block_M=192, threads=384", 128: "block_M=128, threads=256",
             256: "block_M=128, block_N=64, threads=256", 80: "block_M=128, threads=256",
             96: "block_M=128, threads=256", 112: "block_M=128, threads=256",
             160: "block_M=128, block_N=96, threads=256"}
RIVALS = {"GEMM": ["cublasGemmEx", "cublasLt", "Triton"], "GEMM fp8": ["cublasLt", "Triton"],
          "Attention": ["cuDNN", "Triton"], "Memory-bound": ["copy", "Triton"]}
HEADS = {"GEMM": ["M = N = K", "dtype", "form"], "GEMM fp8": ["M = N = K", "dtype", "form"],
         "Attention": ["D", "causal", "S", "B x H"], "Memory-bound": ["kernel", "rows x columns"]}
SILENCE_SECONDS = 60  # a case that takes longer hangs


def tile_of(size, bits, form):
    """Where no tuning file says otherwise: what `tilec.tiles` gives, as parameters of gemm.py."""
    module = HERE / "../../../python/tilec/_tiles.py"
    if not module.exists():  # on the GPU host, where nothing is compiled
        return ""
    spec = importlib.util.spec_from_file_location("tilec_tiles", module)
    tiles = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tiles)
    tile = tiles.candidates_on(HOPPER, size, size, size, bits, form == "nt")[0]
    return (f'block_M={tile["block_M"]}, block_N={tile["block_N"]}, stages={tile["num_stages"]}, threads={tile["threads"]}, '
            f'panel={tile["panel_size"]}')


def gemm_cases():
    for size in SIZES:
        for dtype in ["bfloat16", "float16"]:
            for form in ["nt", "nn"]:
                yield {"name": f"gemm-{size}-{dtype}-{form}", "table": "GEMM", "script": "gemm.py", "shape": [size] * 3,
                       "dtype": dtype, "form": form, "row": [str(size), dtype, form.upper()],
                       "call": f"gemm({size}, {size}, {size})",
                       "parameters": tile_of(size, 16, form),
                       "types": f'dtype="{dtype}", out="{dtype}", tb={form == "nt"}'}
        yield {"name": f"gemm-{size}-fp8-nt", "table": "GEMM fp8", "script": "gemm_scaled.py", "shape": [size] * 3,
               "dtype": "float8_e4m3fn", "form": "nt", "row": [str(size), "e4m3", "NT"],
               "call": f"scaled({size}, {size}, {size})", "parameters": tile_of(size, 8, "nt"), "types": ""}


def attention_cases():
    for size in [128, 64, 256, 80, 96, 112, 160]:
        for length in LENGTHS if size in [128, 64, 256] else [4096]:
            for causal in [False, True]:
                batch, heads = max(1, 16384 // length), 2048 // size
                yield {"name": f"attention-d{size}-s{length}{'-causal' if causal else ''}", "table": "Attention",
                       "script": "fa.py", "shape": [batch, length, heads, size], "dtype": "bfloat16", "causal": causal,
                       "row": [str(size), "yes" if causal else "no", str(length), f"{batch} x {heads}"],
                       "call": f"fa({batch}, {heads}, {length}, {size}, causal={causal})",
                       "parameters": ATTENTION[size], "types": ""}


def row_cases():
    # About 32 elements a thread: more threads only do more often what a row costs at all.
    parameters = {1024: "block_M=2, threads=128", 4096: "threads=256", 5000: "threads=128", 8192: "threads=256",
                  16384: "threads=256"}
    own = {("rmsnorm", 8192): "threads=512"}
    for rows, columns in [(16384, 4096), (32768, 1024), (8192, 8192), (8192, 5000), (4096, 16384)]:
        for kernel in ["softmax", "layernorm", "rmsnorm", "gelu"]:
            yield {"name": f"{kernel}-{rows}x{columns}", "table": "Memory-bound", "script": "rows.py",
                   "shape": [rows, columns], "dtype": "bfloat16", "kernel": kernel, "row": [kernel, f"{rows} x {columns}"],
                   "types": "", **(
                       # Element by element: a matrix of any shape is rows of 4096.
                       {"call": f"gelu({rows * columns // 4096}, 4096)", "parameters": "block_N=1024, threads=128"}
                       if kernel == "gelu" else
                       {"call": f"{kernel}({rows}, {columns})",
                        "parameters": own.get((kernel, columns), parameters[columns])})}


def scan_cases():
    for rows, columns, chunk in [(1024, 16384, 1024), (1024, 16384, 4096)]:
        yield {"name": f"prefix-{rows}x{columns}-{chunk}", "table": "Memory-bound", "script": "rows.py",
               "shape": [rows, columns], "dtype": "float32", "kernel": "prefix", "types": "",
               "row": [f"prefix, chunks of {chunk}", f"{rows} x {columns}"],
               "call": f"prefix({rows}, {columns})", "parameters": f"chunk={chunk}"}


def importance(case):
    """What has a floor first, and of that the sizes where it is highest."""
    if case["table"] == "Attention":
        return {128: 5 if case["causal"] else 0, 64: 4}.get(case["shape"][3], 6)
    if case["table"] == "GEMM":
        return {4096: 1, 8192: 1, 1024: 2, 2048: 2, 16384: 3}[case["shape"][0]]
    return {"Memory-bound": 7, "GEMM fp8": 8}[case["table"]]


def all_cases(only=""):
    cases = [*gemm_cases(), *attention_cases(), *row_cases(), *scan_cases()]
    return sorted((case for case in cases if re.search(only, case["name"])), key=importance)


def without_spaces(text):
    return re.sub(r"\s", "", text)


def tuned_parameters(records, case):
    """Of the tuning file's records: the case's own, else those of the same form with the script's own types."""
    form = "tb=False" if case.get("form") == "nn" else ""
    for call in [with_keywords(case["call"], case["types"]), with_keywords(case["call"], form)]:
        for record in reversed(records):
            if record["script"] == case["script"] and record["target"] == "sm_90a" and record["best"] is not None \
                    and without_spaces(record["entry"]) == without_spaces(call):
                return dict(record["best"])
    return None


def with_keywords(call, *texts):
    return call[:-1] + "".join(f", {text}" for text in texts if text) + ")"


def finished(case, records):
    """The case with its entry, schedule and where they come from."""
    best = tuned_parameters(records, case)
    schedule = best.pop("schedule", "auto") if best else "auto"
    parameters = ", ".join(f"{name}={value}" for name, value in best.items()) if best is not None else case["parameters"]
    return {**{key: value for key, value in case.items() if key not in ("call", "types")}, "parameters": parameters,
            "entry": with_keywords(case["call"], parameters, case["types"]), "schedule": schedule,
            "from": "tuning file" if best is not None else "tables.py"}


def compile_case(case, tools, folder):
    command = [str(tools / "tilec"), str(HERE / case["script"]), "--entry", case["entry"], "--target=sm_90a",
               f"--schedule={case['schedule']}", "-o", str(folder / (case["name"] + ".bin"))]
    done = subprocess.run(command, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.strip().splitlines() or ["?"]
    return {**case, "error": "" if done.returncode == 0 else errors[0]}


def pack(options):
    folder, tools = pathlib.Path(options.folder), pathlib.Path(options.tools)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(HERE / name, folder)
    records = json.loads(pathlib.Path(options.tuned).read_text())["results"] if options.tuned else []
    cases = [finished(case, records) for case in all_cases(options.only)]
    packed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        for case in pool.map(lambda case: compile_case(case, tools, folder), cases):
            packed.append(case)
            print(f"tables: {case['name']}: {case['error'] or case['parameters']}", flush=True)
    (folder / "cases.json").write_text(json.dumps(packed, indent=1))


class Worker:
    """bench.py in a process of its own; what it says, line by line."""

    def __init__(self, folder, names, options, log):
        command = [sys.executable, str(folder / "bench.py"), str(folder), "--cases", ",".join(names), "--wait",
                   "--rounds", str(options.rounds), "--sample-ms", str(options.sample_ms), "--against", options.against]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                                        bufsize=1, cwd=folder)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.lines.put(json.loads(line))
        self.lines.put(None)

    def say(self, seconds):
        """The next object, or None when there will be none or none comes in time."""
        try:
            return self.lines.get(timeout=seconds)
        except queue.Empty:
            return None

    def start(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait()


def warm_triton(folder, cases, options):
    """Processes that fill Triton's cache while PyTorch is loaded."""
    if "triton" not in options.against:
        return []
    (folder / "out/wanted.json").write_text(json.dumps(cases))
    count = max(1, min(os.cpu_count() - 2, 16))
    return [subprocess.Popen([sys.executable, str(folder / "triton_rivals.py"), str(folder / "out/wanted.json"), str(i),
                              str(count)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
            for i in range(count)]


def wait_for(warming, seconds):
    compiled, end = 0, time.monotonic() + seconds
    for process in warming:
        try:
            text, _ = process.communicate(timeout=max(0.1, end - time.monotonic()))
            said = json.loads(text.strip().splitlines()[-1])
            compiled += said["compiled"] - len(said["failed"])
            for line in said["failed"]:
                print(f"tables: Triton does not compile {line}", flush=True)
        except (subprocess.TimeoutExpired, ValueError, IndexError):
            process.kill()
    return compiled


class Run:
    def __init__(self, options):
        self.options, self.folder = options, pathlib.Path(options.folder).resolve()
        self.out = self.folder / "out"
        self.out.mkdir(exist_ok=True)
        self.started, self.results, self.versions = time.monotonic(), [], {}
        cases = json.loads((self.folder / "cases.json").read_text())
        self.cases = [case for case in cases if re.search(options.only, case["name"])]

    def seconds(self):
        return time.monotonic() - self.started

    def keep(self, case, result):
        self.results.append({**case, "result": result})
        text = result.get("error") or "; ".join(
            f"{row['launch']} {row['us']:.2f} us " + " ".join(f"{name} {rival['ratio']:.3f}"
                                                              for name, rival in row["rivals"].items())
            for row in result["rows"]) + f" {result['seconds']} {differ(result)}"
        print(f"[{self.seconds():.0f} s] {case['name']}: {text}", flush=True)
        (self.out / "results.json").write_text(json.dumps(
            {"versions": self.versions, "seconds": round(self.seconds()), "results": self.results}))
        (self.out / "raw.txt").write_text(raw_text(self.versions, self.results))
        (self.out / "tables.md").write_text(markdown(self.results))

    def run(self):
        for case in self.cases:
            if case["error"]:
                self.keep(case, {"error": case["error"]})
        left = [case for case in self.cases if not case["error"]]
        warming = warm_triton(self.folder, left, self.options)
        with open(self.out / "log.txt", "w") as log:
            while left and self.seconds() < self.options.seconds:
                left = self.run_worker(left, warming, log)
                warming = []
        for case in left:
            print(f"tables: no time was left for {case['name']}", flush=True)
        print(markdown(self.results))
        return any("error" in case["result"] or differ(case["result"]) for case in self.results) or bool(left)

    def run_worker(self, cases, warming, log):
        """Cases in order until one takes the process along or time is up; those that are left."""
        worker = Worker(self.folder, [case["name"] for case in cases], self.options, log)
        try:
            ready = worker.say(120)
            if not ready:
                print("tables: bench.py does not start: see out/log.txt", flush=True)
                return self.drop_all(cases)
            self.versions = ready["versions"]
            if warming:
                print(f"[{self.seconds():.0f} s] {self.versions}", flush=True)
                print(f"[{self.seconds():.0f} s] {wait_for(warming, 90)} kernels of Triton compiled", flush=True)
            worker.start()
            left = cases[:]
            while left and self.seconds() < self.options.seconds:
                said = worker.say(SILENCE_SECONDS)
                if said and "start" in said:
                    continue
                case = left.pop(0)
                if not said:
                    self.keep(case, {"error": f"the process ended, or said nothing for {SILENCE_SECONDS} s"})
                    break
                self.keep(case, said["result"])
            return left
        finally:
            worker.end()

    def drop_all(self, cases):
        for case in cases:
            self.results.append({**case, "result": {"error": "bench.py did not start"}})
        return []


def differ(result):
    wrong = [name for name, agrees in result.get("agrees", {}).items() if not agrees]
    return "RESULTS DIFFER: " + ", ".join(wrong) if wrong else ""


def raw_text(versions, results):
    """Every round of every contender, in microseconds a run."""
    lines = [json.dumps(versions)]
    for case in results:
        result = case["result"]
        lines.append(f"\n{case['name']}: {case['entry']} --schedule={case['schedule']}")
        if "error" in result:
            lines.append(f"  error: {result['error']}")
            continue
        for name, chosen in result["chosen"].items():
            lines.append(f"  {name}: {chosen['best']}, of {len(chosen['of'])}")
        for name, samples in result["samples"].items():
            lines.append(f"  {name} " + " ".join(f"{us:.5g}" for us in samples))
    return "\n".join(lines) + "\n"


def rows_of(case):
    """The cells of a case, a list a line."""
    result, rivals = case["result"], RIVALS[case["table"]]
    if "error" in result:
        yield [*case["row"], "", str(result["error"])] + [""] * (len(rivals) + 1)
        return
    for row in result["rows"]:
        rate = f"{row['tflops']:.0f}" if "tflops" in row else f"{row['gbps']:.0f}"
        cells = []
        for name in rivals:
            rival = row["rivals"].get(name)
            cells.append("" if rival is None else
                         f"{rival['ratio']:.3f} [{rival['ratio_low']:.3f} {rival['ratio_high']:.3f}]"
                         + ("" if result["agrees"].get(name, True) else " **results differ**"))
        wrong = "" if result["agrees"]["ours"] else " **wrong**"
        yield [*case["row"], row["launch"], f"{row['us']:.2f}{wrong}", rate, *cells]


def markdown(results):
    lines = []
    for table, head in HEADS.items():
        cases = [case for case in results if case["table"] == table]
        if not cases:
            continue
        order = {case["name"]: i for i, case in enumerate([*gemm_cases(), *attention_cases(), *row_cases(), *scan_cases()])}
        cases.sort(key=lambda case: order.get(case["name"], len(order)))
        rate = "GB/s" if table == "Memory-bound" else "TFLOP/s"
        titles = [*head, "launch", "us", rate, *[f"/ {rival}" for rival in RIVALS[table]]]
        lines += [f"### {table}", "", "| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
        lines += ["| " + " | ".join(cells) + " |" for case in cases for cells in rows_of(case)] + [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("tools")
    packing.add_argument("folder")
    packing.add_argument("--tuned", default="")
    packing.add_argument("--jobs", type=int, default=0)
    running = verbs.add_parser("run")
    running.add_argument("folder", nargs="?", default=".")
    running.add_argument("--seconds", type=float, default=1e9, help="start no case after this long")
    running.add_argument("--rounds", type=int, default=31)
    running.add_argument("--sample-ms", type=float, default=3.0, help="a sample is runs that take about this long")
    running.add_argument("--against", default="cublas,cublaslt,cudnn,triton,copy")
    for verb in [packing, running]:
        verb.add_argument("--only", default="")
    showing = verbs.add_parser("show")
    showing.add_argument("results")
    options = parser.parse_args()
    if options.verb == "show":
        print(markdown(json.loads(pathlib.Path(options.results).read_text())["results"]))
    elif options.verb == "pack":
        pack(options)
    else:
        sys.exit(1 if Run(options).run() else 0)


if __name__ == "__main__":
    main()

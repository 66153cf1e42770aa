#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's example files as they are: every kernel that a file's main() runs, by TileLang and by tilec, on one GPU.

usage: corpus.py run   --upstream DIR --out ROWS.jsonl [--files DIR] [--call NAME] [--only REGEX] [--jobs N] [--rounds N]
                       [--budget S] [--fresh]
       corpus.py table ROWS.jsonl

run needs torch, TileLang's own package and tilec's on a GPU host. A process runs a file twice, once with each package
behind the name `tilelang`; of every kernel that it calls the first call's arguments are kept (benchmarks inside the
file run their kernel once). Of a search the fastest candidates of both packages are compared, apart from the others:
which ones a package tries is its own. Files are prepared side by side, kernels are timed one after another on an idle GPU. Both
packages' kernels get the same tensors; their results are compared.

alone: one launch behind an overwrite of 256 MB, which is more than L2 has; sustained: launches back to back, tensors in
turn. A round has every contender once, in random order; a ratio is the median of the rounds' (above 1: tilec's is
faster) with its 95 % interval. `copy` is a device copy of half the bytes of all tensors, which reads and writes as
much as a kernel that touches each byte once: a kernel within 5 % of it is bound by memory, one under 4 us by its launch;
these are shown apart and are in no mean.

--call run_regression_perf runs the function of that name instead of main(): other sizes of the same kernels. --files DIR
takes files of that folder instead of upstream's examples (those of listed/ run examples of upstream at other sizes). One
that has `PARTS = n` runs n times, with PART=0 and so on in its environment; where one has a function `rival(name,
*tensors)`, which gives a library's call for a kernel or None, that call takes part too.
"""

import argparse
import contextlib
import importlib
import io
import json
import math
import os
import pathlib
import re
import runpy
import select
import statistics
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
OVERWRITTEN = 256 << 20
MOST_KERNELS = 6         # of a file
MOST_CANDIDATES = 64     # for one of them: a search would call hundreds
LAUNCH_US, COPY = 4.0, 0.95
NEAR = 3e-2              # results of the two, relative to the largest element


class Calls:
    """First calls of kernels that a file makes: (name, candidates, arguments)."""

    def __init__(self):
        self.found, self.seen, self.search, self.candidates = {}, set(), 0, set()

    def searching(self, inner):
        """The autotuner's function, which says so while it runs."""

        def run(*args, **named):
            self.search = abs(self.search) + 1
            try:
                return inner(*args, **named)
            finally:
                self.search = -abs(self.search)

        return run

    def record(self, kernel, name, args):
        import torch

        identity = id(kernel.__dict__.get("adapter", kernel))  # what TileLang's profilers call
        if self.search > 0:
            self.candidates.add(identity)
        elif identity in self.candidates:
            return
        own = ("search", self.search) if self.search > 0 else identity
        form = (own, name, *((tuple(a.shape), a.dtype) if isinstance(a, torch.Tensor) else a for a in args if a is not None))
        try:
            is_new = (identity, form) not in self.seen
        except TypeError:
            return
        if not is_new or (form not in self.found and len(self.found) >= MOST_KERNELS):
            return
        self.seen.add((identity, form))
        _, candidates, _ = self.found.setdefault(form, (name, [], args))
        if len(candidates) < MOST_CANDIDATES:
            candidates.append(kernel)


def once(fn, *_, **__):
    """Stands for a benchmark: one run, and a time that nobody reads."""
    fn()
    return 1.0


def watch(kernel_class, name_of, calls):
    inner = kernel_class.__call__

    def call(self, *args, **named):
        result = inner(self, *args, **named)
        if not named:
            calls.record(self, name_of(self), args)
        return result

    kernel_class.__call__ = call
    return lambda: setattr(kernel_class, "__call__", inner)


def patch_benchmarks(tilelang):
    for module in ("tilelang.profiler.bench", "tilelang.profiler"):
        with contextlib.suppress(ImportError):
            found = importlib.import_module(module)
            if hasattr(found, "do_bench"):
                found.do_bench = once
    importlib.import_module("tilelang.profiler").do_bench = once

    def bench(self, func=None, input_tensors=None, **_):
        inputs = input_tensors or self._get_inputs()
        (func or self)(*inputs)
        return 1.0

    importlib.import_module("tilelang.profiler").Profiler.do_bench = bench
    tilelang.Profiler.do_bench = bench if hasattr(tilelang, "Profiler") else None


def forget():
    for name in [n for n in sys.modules if n.split(".")[0] in ("tilelang", "tvm")]:
        del sys.modules[name]


def of_theirs(calls):
    import tilelang
    from tilelang.jit.kernel import JITKernel

    patch_benchmarks(tilelang)

    tuner = importlib.import_module("tilelang.autotuner.tuner").AutoTuner
    tuner.run = calls.searching(tuner.run)

    def name_of(kernel):
        return str(kernel.prim_func.attrs["global_symbol"]) if kernel.prim_func else "kernel"

    inner = JITKernel.get_profiler

    def get_profiler(self, *args, **named):  # it has the adapter alone, not its kernel
        profiler = inner(self, *args, **named)
        profiler.name_of_kernel = name_of(self)
        return profiler

    def call(self, *args):
        result = self.adapter(*args)
        calls.record(self.adapter, getattr(self, "name_of_kernel", "kernel"), args)
        return result

    JITKernel.get_profiler = get_profiler
    tilelang.profiler.Profiler.__call__ = call
    return watch(JITKernel, name_of, calls)


def of_ours(calls):
    folder = subprocess.run([sys.executable, "-m", "tilec.dropin"], capture_output=True, text=True, check=True).stdout.strip()
    sys.path.insert(0, folder)
    tilelang = importlib.import_module("tilelang")
    from tilec._kernel import JITKernel

    patch_benchmarks(tilelang)
    tuner = importlib.import_module("tilec.tilelang.autotuner.tuner")
    tuner.tune = calls.searching(tuner.tune)
    return watch(JITKernel, lambda k: k.name, calls)


def run_main(path, package, calls, name):
    """What the file's main(), or its function of that name, says when it fails, or ""; and the file's names."""
    import torch

    torch.manual_seed(0)
    before = set(sys.modules)
    sys.argv = [str(path)]
    said = io.StringIO()
    try:
        undo = package(calls)
    except Exception:
        return traceback.format_exc(limit=-2), {}
    names = {}
    sys.path.insert(0, str(path.parent))
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            names = runpy.run_path(str(path), run_name=path.stem if name else "__main__")
            if name:
                names[name]()
        torch.cuda.synchronize()
        return "", names
    except SystemExit as error:
        return f"exit {error.code}" if error.code else "", names
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:600], names
    finally:
        undo()
        sys.path.remove(str(path.parent))
        for name in set(sys.modules) - before:  # siblings of the file hold the package that they were imported with
            place = getattr(sys.modules[name], "__file__", None) or ""
            if place.startswith(str(path.parents[1])):
                del sys.modules[name]


def tensors(values):
    import torch

    return [v for v in (values if isinstance(values, (list, tuple)) else [values]) if isinstance(v, torch.Tensor)]


def copies_of(args):
    import torch

    size = sum(t.numel() * t.element_size() for t in tensors(args)) or 1
    count = 1 + min(3, OVERWRITTEN // size)
    return [args] + [tuple(a.clone() if isinstance(a, torch.Tensor) else a for a in args) for _ in range(count - 1)]


def results_of(kernel, args):
    """Every tensor after one call on copies of the arguments."""
    import torch

    own = tuple(a.clone() if isinstance(a, torch.Tensor) else a for a in args)
    made = kernel(*own)
    torch.cuda.synchronize()
    return [*tensors(own), *tensors(made)]


def distance(a, b):
    if a.shape != b.shape:
        return math.inf
    a, b = a.float().nan_to_num(), b.float().nan_to_num()
    return ((a - b).abs().max() / b.abs().max().clamp(min=1e-20)).item() if a.numel() else 0.0


def time_pair(name, ours, theirs, rival, args, timer, flood, rounds):
    import torch
    from timing import ratios

    results = [results_of(kernel, args) for kernel in (ours, theirs)]
    worst = max([distance(a, b) for a, b in zip(*results)], default=0.0)
    touched = sum(t.numel() * t.element_size() for t in {t.data_ptr(): t for t in results[0]}.values())
    del results
    turns = copies_of(args)
    half = max(touched // 2, 16)
    source, target = (torch.empty(half, dtype=torch.uint8, device="cuda") for _ in range(2))
    contenders = {
        "tilec": lambda i: ours(*turns[i % len(turns)]),
        "tilelang": lambda i: theirs(*turns[i % len(turns)]),
        "copy": lambda i: target.copy_(source),
    }
    calls = [rival(name, *turn) for turn in turns] if rival else [None]
    if calls[0]:
        contenders["library"] = lambda i: calls[i % len(calls)]()
    single = {n: timer.capture(run, 1) for n, run in contenders.items()}
    alone = {n: [] for n in contenders}
    for r in range(rounds + 2):
        order = list(contenders)
        timer.random.shuffle(order)
        for n in order:
            flood.fill_(1.0)
            ms = timer.turn([single[n]])[0]
            if r >= 2:
                alone[n].append(ms * 1e3)
    sustained, _ = timer.rounds(contenders, rounds, sample_ms=4.0, warm_ms=20.0)
    row = {"kernel": name, "shapes": [list(t.shape) for t in tensors(args)], "bytes": touched, "distance": worst}
    for clock, times in (("alone", alone), ("sustained", sustained)):
        row[clock] = {n: round(statistics.median(t), 2) for n, t in times.items()}
        row[clock]["/tilelang"] = {k: round(v, 4) for k, v in ratios(times["tilec"], times["tilelang"]).items()}
        row[clock]["/copy"] = round(ratios(times["tilec"], times["copy"])["ratio"], 3)
        if calls[0]:
            row[clock]["/library"] = {k: round(v, 4) for k, v in ratios(times["tilec"], times["library"]).items()}
    return row


def fastest(kernels, args, timer):
    if len(kernels) == 1:
        return kernels[0]
    return min(kernels, key=lambda kernel: timer.once(lambda _: kernel(*args)))


def work(options):
    """One file: prepares, says `ready`, times at `go`."""
    import torch

    path = pathlib.Path(options.file)
    speak = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    theirs, ours = Calls(), Calls()
    os.chdir(path.parent)
    why_theirs, names = run_main(path, of_theirs, theirs, options.call)
    forget()
    why_ours, _ = run_main(path, of_ours, ours, options.call)
    forget()
    print(json.dumps({"ready": True}), file=speak, flush=True)
    sys.stdin.readline()
    sys.path.insert(0, str(HERE))
    from timing import Timer

    whys = {"why_theirs": why_theirs, "why_ours": why_ours}  # without where this machine has the file
    rows = [{key: why.replace(f"{path.parent}/", "") for key, why in whys.items()}
            | {"calls": [len(theirs.found), len(ours.found)]}]
    timer, flood = Timer(), torch.empty(OVERWRITTEN // 4, device="cuda")
    left = list(ours.found.values())

    def form(args):
        return [(tuple(t.shape), t.dtype) for t in tensors(args)], len(args)

    for name, kernels, args in theirs.found.values():
        shapes = [tuple(t.shape) for t in tensors(args)]
        # The n-th kernel on such tensors there is the n-th here.
        match = next((c for c in left if form(c[2]) == form(args)), None)
        if match is None:
            rows.append({"kernel": name, "shapes": shapes, "missing": True})
            continue
        left.remove(match)
        try:
            pair = [fastest(kernels, args, timer) for kernels in (match[1], kernels)]
            rows.append(time_pair(match[0], *pair, names.get("rival"), args, timer, flood, options.rounds))
            if max(len(match[1]), len(kernels)) > 1:
                rows[-1]["candidates"] = [len(match[1]), len(kernels)]
        except Exception as error:
            rows.append({"kernel": name, "shapes": shapes, "failed": f"{type(error).__name__}: {error}"[:300]})
            if "CUDA error" in str(error):
                break
    print(json.dumps({"rows": rows}), file=speak, flush=True)
    os._exit(0)  # whatever two packages do at their end


class Worker:
    def __init__(self, options, path, part):
        self.job, self.started = (path, part), time.monotonic()
        command = [sys.executable, __file__, "work", str(path), "--rounds", str(options.rounds), "--call", options.call]
        variables = {"UPSTREAM": str(pathlib.Path(options.upstream).resolve()), "PART": str(part)}
        self.log = open(pathlib.Path(options.out + ".log"), "a")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, start_new_session=True,
                                        env={**os.environ, **variables})

    def line(self, seconds):
        ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, seconds))
        return self.process.stdout.readline() if ready else None

    def stop(self):
        self.process.kill()
        self.process.wait()


def run(options):
    root, out = pathlib.Path(options.upstream).resolve(), pathlib.Path(options.out)
    if options.fresh:
        out.unlink(missing_ok=True)
    done = {json.loads(line)["file"] for line in out.read_text().splitlines()} if out.exists() else set()
    sought = rf"def {options.call}\(" if options.call else "def main\\(" if options.files else r"T\.Kernel\("
    folder = pathlib.Path(options.files).resolve() if options.files else root / "examples"

    def parts(path):
        found = re.search(r"^PARTS = (\d+)", path.read_text(errors="replace"), re.MULTILINE)
        return [(path, n) for n in range(int(found[1]))] if found else [(path, None)]

    def short(path, part):
        return str(path.relative_to(folder if options.files else root)) + ("" if part is None else f" part {part}")

    files = [p.resolve() for p in sorted(folder.rglob("*.py")) if re.search(sought, p.read_text(errors="replace"))]
    files = [job for p in files for job in parts(p) if short(*job) not in done and re.search(options.only, short(*job))]
    ends = time.monotonic() + options.budget

    def keep(job, rows):
        with out.open("a") as file:
            file.write(json.dumps({"file": short(*job), "rows": rows}) + "\n")
        print(f"{time.monotonic() - ends + options.budget:6.1f} s {short(*job)} {sum('alone' in r for r in rows)} kernels", flush=True)

    while files and time.monotonic() < ends:
        batch, files = [Worker(options, *job) for job in files[: options.jobs]], files[options.jobs :]
        until = min(time.monotonic() + options.timeout, ends)
        ready = []
        for worker in batch:
            line = worker.line(until - time.monotonic())
            if line and "ready" in line:
                ready.append(worker)
            else:
                worker.stop()
                keep(worker.job, [{"why_ours": "not prepared in time" if line is None else "the process ended"}])
        for worker in ready:
            worker.process.stdin.write("go\n")
            worker.process.stdin.flush()
            line = worker.line(min(30.0, ends - time.monotonic() + 10))
            keep(worker.job, json.loads(line)["rows"] if line else [{"why_ours": "timing did not end"}])
            worker.stop()


def kind_of(row):
    if "candidates" in row:
        return "search"
    if max(row["alone"]["tilec"], row["alone"]["tilelang"]) < LAUNCH_US:
        return "launch"
    return "memory" if row["sustained"]["/copy"] >= COPY or row["alone"]["/copy"] >= COPY else "kernel"


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else float("nan")


def table(options):
    rows, reasons = [], []
    for line in pathlib.Path(options.file).read_text().splitlines():
        entry = json.loads(line)
        timed = [r for r in entry["rows"] if "alone" in r]
        rows += [(entry["file"], r) for r in timed]
        if not timed or any(r.get("failed") or r.get("missing") for r in entry["rows"]):
            first = entry["rows"][0]
            why = next((r["failed"] for r in entry["rows"] if r.get("failed")), "")
            reasons.append((entry["file"], len(timed), first.get("why_theirs", ""), first.get("why_ours", ""), why))
    for kind in ("kernel", "memory", "launch", "search"):
        chosen = [(f, r) for f, r in rows if kind_of(r) == kind]
        print(f"\n{kind}: {len(chosen)} kernels", end="")
        for clock in ("alone", "sustained"):
            each = [r[clock]["/tilelang"]["ratio"] for _, r in chosen]
            print(f", {clock} {mean(each):.3f} ({sum(x < COPY for x in each)} below {COPY})", end="")
        print("\n\n| file | kernel | us alone, ours and theirs | ratio alone | ratio sustained | of a copy |\n|---|---|---|---|---|---|")
        for f, r in sorted(chosen, key=lambda c: c[1]["alone"]["/tilelang"]["ratio"]):
            text = lambda c: "{ratio:.3f} [{ratio_low:.3f} {ratio_high:.3f}]".format(**r[c]["/tilelang"])  # noqa: E731
            if "candidates" in r:
                f = "{} of {} and {}".format(f, *r["candidates"])
            differs = f" (differs by {r['distance']:.1e})" if r["distance"] > NEAR else ""
            print(f"| {f.removeprefix('examples/')} | {r['kernel']}{differs} | {r['alone']['tilec']:.1f}, {r['alone']['tilelang']:.1f} "
                  f"| {text('alone')} | {text('sustained')} | {r['alone']['/copy']:.2f}, {r['sustained']['/copy']:.2f} |")  # fmt: skip
    beside = [(f, r) for f, r in rows if "/library" in r["alone"]]
    if beside:
        print("\nbeside a library\n\n| file | kernel | shapes | us alone, ours and its | ratio alone | ratio sustained |\n|---|---|---|---|---|---|")
    for f, r in beside:
        text = lambda c: "{ratio:.3f} [{ratio_low:.3f} {ratio_high:.3f}]".format(**r[c]["/library"])  # noqa: E731
        shapes = " ".join("x".join(map(str, s)) for s in r["shapes"])
        print(f"| {f} | {r['kernel']} | {shapes} | {r['alone']['tilec']:.1f}, {r['alone']['library']:.1f} | {text('alone')} | {text('sustained')} |")
    print("\n| file without all its rows | timed | TileLang | tilec | |\n|---|---|---|---|---|")
    for f, timed, a, b, why in reasons:
        short = lambda s: " ".join(s.split())[:160].replace("|", "\\|")  # noqa: E731
        print(f"| {f.removeprefix('examples/')} | {timed} | {short(a)} | {short(b)} | {short(why)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    running, working, printing = verbs.add_parser("run"), verbs.add_parser("work"), verbs.add_parser("table")
    running.add_argument("--upstream", required=True)
    running.add_argument("--out", required=True)
    running.add_argument("--files", default="")
    running.add_argument("--only", default="")
    running.add_argument("--jobs", type=int, default=12)
    running.add_argument("--budget", type=float, default=540)
    running.add_argument("--timeout", type=float, default=50)
    running.add_argument("--fresh", action="store_true")
    for verb in (running, working):
        verb.add_argument("--rounds", type=int, default=17)
        verb.add_argument("--call", default="")
    working.add_argument("file")
    printing.add_argument("file")
    options = parser.parse_args()
    {"run": run, "work": work, "table": table}[options.verb](options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shared searches (docs/tune/tuning.md, "Many GPUs") on a host with two GPUs: says PASS or FAIL of each claim.

usage: two_gpus.py TILEC-RUN FOLDER [--script FILE --entry CALL --tune AXIS ...] [--python] [-- MORE OPTIONS OF TILEC-RUN]

One process searches on GPU 0. Two and four shards share the same search on both GPUs and are merged; of the two, rank 1 is
killed when it has a result and is started again. Both GPUs then measure every candidate, whose ratios to the reference
are compared. --python repeats the first part from Python (`tilec` and torch have to be importable). FOLDER keeps all files.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
AXES = ["block_M=64,128", "block_N=64,128,256", "block_K=32,64"]
RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
         "SLURM_ARRAY_TASK_ID")  # fmt: skip
#: What two runs of one candidate on one GPU may differ by: a best within this of the other's best is as good.
NOISE = 0.02
#: lib/Driver/Tune.cpp leaves a candidate that takes this many times as long as the best.
HOPELESS = 1.3
failed = []


def claim(holds, text):
    print(f"{'PASS' if holds else 'FAIL'}: {text}", flush=True)
    if not holds:
        failed.append(text)


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k not in RANKS}
    return {**kept, **{k: str(v) for k, v in more.items()}}


def ranked(rank, size):
    return environment(RANK=rank, LOCAL_RANK=rank, WORLD_SIZE=size)


def only(gpu):
    return environment(CUDA_VISIBLE_DEVICES=gpu)


class Process:
    """A process whose output is kept in a file, and told where it fails."""

    def __init__(self, command, env, output):
        self.output = pathlib.Path(output)
        self.file = open(self.output, "w")
        self.process = subprocess.Popen([str(c) for c in command], env=env, stdout=self.file, stderr=subprocess.STDOUT)

    def ends_well(self, timeout=120):
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "no end"
        if code != 0:
            print(f"{self.output.name}: {code}: {self.output.read_text()[-800:]}", flush=True)
        return code == 0

    def kill(self):
        """True where it was alive until now."""
        self.process.send_signal(signal.SIGKILL)
        return self.process.wait() == -signal.SIGKILL


def outcomes(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if '"place"' in line and line.endswith("}")]


def of_folder(folder):
    return [row for path in sorted(folder.rglob("results-*.jsonl")) for row in outcomes(path)]


def memory():
    """MiB in use on each GPU; None where nvidia-smi does not say."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True,
                              text=True, check=True)  # fmt: skip
        return [int(line) for line in done.stdout.split()]
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def watch(process):
    """The most that each GPU had in use while the process ran, beyond what it had before."""
    before = memory()
    most = list(before or ())
    while before and process.process.poll() is None:
        most = [max(pair) for pair in zip(most, memory() or most)]
        time.sleep(0.1)
    return [m - b for m, b in zip(most, before or ())]


class Search:
    def __init__(self, options):
        self.folder = options.folder
        axes = [word for axis in options.tune or AXES for word in ("--tune", axis)]
        self.command = [options.tilec_run, options.script, "--entry", options.entry, "--target=sm_90a", "--device=cuda",
                        f"--cache-dir={options.folder}/cache", *options.more]  # fmt: skip
        self.axes = axes

    def start(self, name, env, *words):
        return Process([*self.command, *words], env, self.folder / f"{name}.txt")

    def shard(self, name, env, text, folder):
        return self.start(name, env, *self.axes, f"--shard={text}", f"--tune-dir={self.folder / folder}")

    def merged(self, folder):
        file = self.folder / f"{folder}.json"
        process = self.start(f"{folder}-merge", only(0), f"--tune-merge={self.folder / folder}", f"--tune-results={file}")
        return self.record(file) if process.ends_well() else None

    @staticmethod
    def record(file):
        return json.loads(file.read_text())["results"][0]


def parameters(row):
    return json.dumps(row["parameters"] if "parameters" in row else row["best"], sort_keys=True)


def same_best(one, many, what):
    """The best of `many` is that of `one`, or by the one process's own times as good as it."""
    if one is None or many is None:
        return claim(False, f"{what}: no result")
    times = {parameters(c): c["us"] for c in one["candidates"] if c["status"] == "ok"}
    took, least = times.get(parameters(many)), min(times.values())
    same = parameters(many) == parameters(one)
    as_good = took is not None and took <= least * (1 + NOISE)
    how = "the same" if same else f"{took and round(took, 2)} us beside {least:.2f} us in the one process's search"
    claim((same or as_good) and len(many["candidates"]) == len(one["candidates"]),
          f"{what} find what one process finds: {parameters(many)} ({how}); {len(many['candidates'])} candidates")  # fmt: skip


def two_shards(search, one):
    folder = search.folder / "two"
    path = folder / "results-1.jsonl"
    first = search.shard("two-0", ranked(0, 2), "auto", "two")
    killed = False
    for _ in range(20):
        second = search.shard("two-1", ranked(1, 2), "auto", "two")
        ends = time.monotonic() + 60
        while time.monotonic() < ends and not outcomes(path) and second.process.poll() is None:
            time.sleep(0.002)
        killed = second.kill()
        if killed:
            break
        path.unlink(missing_ok=True)  # it was faster than the look at its file
    claim(first.ends_well(), "rank 0 of 2 ends")
    before = path.read_text() if path.exists() else ""
    claim(killed and outcomes(path), f"rank 1 of 2 was killed with {len(outcomes(path))} results")
    again = search.shard("two-1-again", ranked(1, 2), "auto", "two")
    used = watch(again)
    claim(again.ends_well(), "rank 1, started again, ends")
    if len(used) > 1 and max(used) > 100:
        claim(used[0] < 100, f"rank 1 is on GPU 1: {used[0]} and {used[1]} MiB more in use on GPUs 0 and 1")
    else:
        print(f"nvidia-smi does not tell which GPU rank 1 is on: {used}", flush=True)
    claim(path.exists() and path.read_text().startswith(before), "what the killed shard had found is kept as it was")
    places = [row["place"] for row in of_folder(folder)]
    claim(sorted(places) == list(range(len(one["candidates"]))), f"every one of {len(places)} candidates was measured once")
    share = [len(outcomes(folder / f"results-{i}.jsonl")) for i in (0, 1)]
    claim(min(share) > 0, f"both measured: {share[0]} and {share[1]}")
    same_best(one, search.merged("two"), "two shards on two GPUs")


def four_shards(search, one):
    for pair in ((0, 1), (2, 3)):
        both = [search.shard(f"four-{i}", only(i % 2), f"{i}/4", "four") for i in pair]
        claim(all([p.ends_well() for p in both]), f"shards {pair[0]}/4 and {pair[1]}/4 end")
    same_best(one, search.merged("four"), "four shards on two GPUs")


def ratios(search):
    """Every candidate on each GPU. Reference and candidate run on the same GPU, so ratios agree: those that a search may choose
    within 3 times the noise; what takes HOPELESS times as long as the best has few samples, and has to do so on both."""
    both = [search.shard(f"all-{gpu}", environment(RANK=0, WORLD_SIZE=1, LOCAL_RANK=gpu), "auto", f"all-{gpu}") for gpu in (0, 1)]
    claim(all([p.ends_well() for p in both]), "each GPU measures all candidates")
    found = [{r["place"]: r for r in of_folder(search.folder / f"all-{g}") if r.get("ratio")} for g in (0, 1)]
    shared = sorted(found[0].keys() & found[1].keys())
    if not shared:
        return claim(False, "no candidate has a ratio on both GPUs")
    # Times of the best, on each GPU.
    times = {i: [f[i]["ratio"] / min(f[j]["ratio"] for j in shared) for f in found] for i in shared}
    apart = {i: abs(found[1][i]["ratio"] / found[0][i]["ratio"] - 1) for i in shared}
    for i in shared:
        print(f"  candidate {i}: {times[i][0]:.3f} and {times[i][1]:.3f} times the best, ratios {apart[i]:.2%} apart", flush=True)
    near = [i for i in shared if min(times[i]) < HOPELESS]
    most, middle = max(apart[i] for i in near), statistics.median(apart[i] for i in near)
    clocks = statistics.median(found[1][i]["us"] / found[0][i]["us"] for i in near)
    claim(middle <= NOISE and most <= 3 * NOISE and all(max(times[i]) < HOPELESS * (1 + 3 * NOISE) for i in near),
          f"ratios of {len(near)} of {len(shared)} candidates, within {HOPELESS} times the best on either GPU, differ by {middle:.2%} "
          f"in the median, {most:.2%} at most; times by {clocks - 1:+.2%}")  # fmt: skip


PROGRAM = textwrap.dedent(
    """
    import sys
    import tilec.tilelang as tilelang
    import tilec.language as T
    folder, shard = sys.argv[1], sys.argv[2] or None
    CONFIGS = [dict(block_M=m, block_N=n, stages=s) for m in (64, 128) for n in (64, 128) for s in (2, 4)]

    def factory(M=2048, N=2048, K=2048, block_M=64, block_N=64, stages=2):
        @T.prim_func
        def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
            with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
                a, b = T.alloc_shared((block_M, 64), "float16"), T.alloc_shared((64, block_N), "float16")
                c = T.alloc_fragment((block_M, block_N), "float32")
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, 64), num_stages=stages):
                    T.copy(A[by * block_M, k * 64], a)
                    T.copy(B[k * 64, bx * block_N], b)
                    T.gemm(a, b, c)
                T.copy(c, C[by * block_M, bx * block_N])
        return main

    if folder == "alone":
        tuned = tilelang.autotune(configs=CONFIGS)(tilelang.jit(out_idx=[-1])(factory))
    else:
        tuned = tilelang.autotune(configs=CONFIGS, folder=folder, shard=shard)(tilelang.jit(out_idx=[-1])(factory))
    kernel = tuned(2048, 2048, 2048)
    import json
    print(json.dumps({"best": kernel.config, "latency": kernel.latency}))
    """
)


def from_python(search):
    """The same by @tilelang.autotune, whose files are its own kind."""
    folder = search.folder / "python"
    folder.mkdir()
    program = folder / "search.py"
    program.write_text(PROGRAM)

    def start(name, env, where, shard=""):
        env = {**env, "TILEC_CACHE_DIR": str(search.folder / "cache-python")}
        return Process([sys.executable, program, where, shard], env, search.folder / f"python-{name}.txt")

    def said(process):
        return json.loads(process.output.read_text().splitlines()[-1]) if process.ends_well() else None

    one = said(start("one", only(0), "alone"))
    first = start("0", only(0), folder / "two", "0/2")
    second = start("1", only(1), folder / "two", "1/2")
    ends = time.monotonic() + 60
    while time.monotonic() < ends and second.process.poll() is None and not any(folder.rglob("results-1.jsonl")):
        time.sleep(0.01)
    time.sleep(0.5)
    killed = second.kill()
    before = {path: path.read_text() for path in folder.rglob("results-1.jsonl")}
    claim(first.ends_well() and start("1-again", only(1), folder / "two", "1/2").ends_well(),
          f"from Python: two shards end, the second {'killed and ' if killed else ''}started again")  # fmt: skip
    claim(before and all(path.read_text().startswith(text) for path, text in before.items()), "from Python: nothing is lost")
    places = [row["place"] for row in of_folder(folder)]
    claim(sorted(places) == list(range(8)), f"from Python: {len(places)} of 8 configurations, each once")
    two = said(start("merge", only(0), folder / "two"))
    good = one and two and (two["best"] == one["best"] or abs(two["latency"] / one["latency"] - 1) <= NOISE)
    claim(good, f"from Python: two shards find what one process finds: {two} beside {one}")


def options_of(arguments):
    more = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, more = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tilec_run")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--script", default=HERE / "hopper" / "gemm.py")
    parser.add_argument("--entry", default="gemm(4096, 4096, 4096)")
    parser.add_argument("--tune", action="append")
    parser.add_argument("--python", action="store_true")
    options = parser.parse_args(arguments)
    options.more = more
    return options


def main():
    options = options_of(sys.argv[1:])
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    begun = time.monotonic()
    search = Search(options)
    results = options.folder / "one.json"
    alone = search.start("one", only(0), *search.axes, f"--tune-results={results}")
    claim(alone.ends_well(), f"one process on one GPU: {time.monotonic() - begun:.0f} s")
    if failed:
        return 1
    one = search.record(results)
    print(f"best of one process: {parameters(one)}, {one['best_us']} us", flush=True)
    two_shards(search, one)
    four_shards(search, one)
    ratios(search)
    if options.python:
        from_python(search)
    print(f"{'FAIL' if failed else 'PASS'}: {len(failed)} claims do not hold; {time.monotonic() - begun:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured times of test/data/timing/cases.json.

A case names a kernel, how it is launched, and what hardware took. Sources differ in clocks and in what
they measure, so times are compared within a group (one source, one clock): predictions are scaled by
one factor a group, the geometric mean of measured / predicted over its calibration cases. The judge is
the error of the held-out cases, and the order of pairs of held-out cases that differ by more than 5 %.
The last lines are of three sets of aiter's figures (COMMON) that share one scale, that of the
calibration cases of all three, which is printed.

A case of several kernels has `steps`; its prediction is their sum, and `host_us` of time in which no
kernel runs where the source measured that as well. `sim` are more arguments for tilec-sim.

  python3 test/bench/timing.py [--set calibration|held-out] [--group NAME] [--aiter DIR] [--markdown FILE]
                               [--objects DIR] [--build-only] [--jobs N]

--aiter is a copy of ROCm/aiter's hsa folder; without it the cases of its objects are left out. --objects keeps
what was compiled and assembled: with that folder another machine needs neither an assembler nor aiter.
"""
import argparse
import concurrent.futures
import itertools
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
DATA = REPO / "test/data/timing"
COMMON = ("small-m", "fwd-readme", "bwd-readme", "bwd-mha")
JUDGED = ("tile-", "k-", "mfma-shape", "xcd-window", "producer", "lds-")


def mapping(kind, tiles_m, tiles_n):
    """(row, column) of every work-group, as the sources of HipKittens map them."""
    name, _, window = kind.partition(" ")
    count, window = tiles_m * tiles_n, int(window or 0)
    if name == "rows":
        return [divmod(i, tiles_n) for i in range(count)]
    chunk = count // 8 if name == "contiguous" else window * window
    limit = count // (8 * chunk) * 8 * chunk
    result = []
    for i in range(count):
        position = i // 8
        j = i if i >= limit else position // chunk * 8 * chunk + i % 8 * chunk + position % chunk
        group, inside = divmod(j, window * tiles_n)
        rows = min(tiles_m - group * window, window)
        result.append((group * window + inside % rows, inside // rows))
    return result


class Runner:
    """Builds and times the steps of cases; each step has a folder of its own."""

    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)

    def tool(self, name):
        return str(Path(self.options.bin) / name)

    def assemble(self, case, source, target, defines=()):
        subprocess.run(["clang-22", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={case['target']}", "-c",
                        *[f"-Wa,-defsym,{k}={v}" for k, v in defines], str(source), "-o", str(target)], check=True)

    def build(self, case, folder):
        """Makes `object` in the folder, and what a kernel reads that the case names `mapping`."""
        build, target = case["build"], folder / "object"
        if build["kind"] == "tilec":
            subprocess.run([self.tool("tilec"), str(DATA / "gemm.py"), f"--target={case['target']}", "--entry", build["entry"],
                            f"--schedule={build['schedule']}", "-o", str(target)], check=True)
        elif build["kind"] == "hk":
            source = folder / "case.s"
            with source.open("w") as out:
                subprocess.run([sys.executable, str(DATA / "hk.py"), *build["args"].split()], check=True, stdout=out)
            table = mapping(build["mapping"], *build["tiles"])
            assert sorted(table) == sorted(itertools.product(*map(range, build["tiles"])))
            words = b"".join(v.to_bytes(4, "little") for pair in table for v in pair)
            (folder / "mapping.bin").write_bytes(words)
            self.assemble(case, source, target)
        elif build["kind"] == "asm":
            self.assemble(case, DATA / build["file"], target, build["define"].items())
        elif self.options.aiter:
            shutil.copy(Path(self.options.aiter) / build["path"], target)

    def steps(self, case):
        """(step, its folder with the object in it), or without an object None."""
        for i, step in enumerate(case.get("steps", [{}])):
            step, folder = {**case, **step}, self.folder / f"{case['id']}.{i}"
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / "object").exists():
                self.build(step, folder)
            yield (step, folder) if (folder / "object").exists() else None

    def predict(self, case):
        """Microseconds or clocks, and the last step's report; None without the object."""
        steps = list(self.steps(case))
        if None in steps:
            return None
        times = [self.time(step, folder) for step, folder in steps]
        return sum(t for t, _ in times) + case.get("host_us", 0), times[-1][1]

    def time(self, step, folder):
        report = folder / "timing.json"
        args = [f"raw:{folder / 'mapping.bin'}" if a == "mapping" else a for a in step["args"]]
        command = [self.tool("tilec-sim"), str(folder / "object"), "--grid", step["grid"], "--block", step["block"], "--timing",
                   "--checks=none", "--timing-json", str(report), *[f"--arg={a}" for a in args]]
        kernarg = step.get("kernarg") or ("0,8,16,24" if step["build"]["kind"] == "hk" else None)
        if kernarg:
            command += ["--kernarg", kernarg]
        subprocess.run(command + step.get("sim", []) + self.options.sim, check=True, stdout=subprocess.DEVNULL)
        timing = json.loads(report.read_text())
        report.unlink()
        if step["measure"] == "kernel":
            return timing["kernel_us"], timing
        reads = [i for i in timing["instructions"] if i["text"].startswith("s_memtime")]
        return reads[-1]["last_issue_clk"] - reads[0]["first_issue_clk"], timing


def common(cases, predicted):
    """Lines about the sets of COMMON, after one scale."""
    known = [c for c in cases if c["group"] in COMMON and c["set"] == "calibration" and predicted.get(c["id"])]
    if not known:
        return []
    scale = math.exp(statistics.mean(math.log(c["measured"] / predicted[c["id"]]) for c in known))
    lines = ["", f"One scale for {', '.join(COMMON)}: {scale:.3f}, of {len(known)} calibration cases."]
    for name in COMMON:
        held = [c for c in cases if c["group"] == name and c["set"] == "held-out" and predicted.get(c["id"])]
        rows = [(c, predicted[c["id"]] * scale, predicted[c["id"]] * scale / c["measured"] - 1, scale) for c in held]
        lines += ["", summary(f"{name}, held out", rows, 0, 0)]
    return lines


def evaluate(cases, predicted):
    """Rows (case, scaled prediction, error) and the pairs of held-out cases whose order is (right, all)."""
    rows, right, pairs = [], 0, 0
    for name in dict.fromkeys(c["group"] for c in cases):
        group = [c for c in cases if c["group"] == name and predicted.get(c["id"])]
        known = [c for c in group if c["set"] == "calibration"]
        if not known:
            continue
        scale = math.exp(statistics.mean(math.log(c["measured"] / predicted[c["id"]]) for c in known))
        rows += [(c, predicted[c["id"]] * scale, predicted[c["id"]] * scale / c["measured"] - 1, scale) for c in group]
        held = [c for c in group if c["set"] == "held-out"]
        for a, b in itertools.combinations(held, 2):
            if max(a["measured"], b["measured"]) > 1.05 * min(a["measured"], b["measured"]):
                pairs += 1
                right += (a["measured"] < b["measured"]) == (predicted[a["id"]] < predicted[b["id"]])
    return rows, right, pairs


def summary(title, rows, right, pairs):
    errors = [abs(r[2]) for r in rows]
    if not errors:
        return f"{title}: no cases"
    text = f"{title}: {len(errors)} cases, median error {statistics.median(errors):.1%}, largest {max(errors):.1%}"
    return text + (f", order right in {right} of {pairs} pairs ({right / pairs:.0%})" if pairs else "")


def report(cases, predicted, markdown):
    rows, _, _ = evaluate(cases, predicted)
    lines = ["| case | set | measured | predicted, scaled | error |", "|---|---|---|---|---|"]
    for case, value, error, scale in rows:
        lines.append(f"| {case['id']} | {case['set']} | {case['measured']:.6g} {case['unit']} | {value:.5g} | {error:+.1%} |")
    for title, keep in (("Judged groups", lambda g: g.startswith(JUDGED)), ("Other groups", lambda g: not g.startswith(JUDGED)),
                        ("All", lambda g: True)):
        chosen = [c for c in cases if keep(c["group"])]
        rows, right, pairs = evaluate(chosen, predicted)
        for which in ("calibration", "held-out"):
            some = [r for r in rows if r[0]["set"] == which]
            lines.append("")
            lines.append(summary(f"{title}, {which}", some, right if which == "held-out" else 0, pairs if which == "held-out" else 0))
    text = "\n".join(lines + common(cases, predicted)) + "\n"
    print(text)
    if markdown:
        Path(markdown).write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=str(REPO / "build/bin"))
    parser.add_argument("--aiter", help="folder hsa of ROCm/aiter")
    parser.add_argument("--set", choices=["calibration", "held-out"])
    parser.add_argument("--group", action="append", help="only groups that begin so")
    parser.add_argument("--markdown", help="also write the table there")
    parser.add_argument("--save", help="predictions as JSON")
    parser.add_argument("--load", action="append", default=[], help="predictions as --save wrote them; these cases do not run again")
    parser.add_argument("--sim", action="append", default=[], help="more arguments for tilec-sim")
    parser.add_argument("--objects", help="folder where compiled and assembled cases are kept, and looked for first")
    parser.add_argument("--build-only", action="store_true", help="fill that folder, time nothing")
    parser.add_argument("--jobs", type=int, default=1, help="so many cases at once")
    options = parser.parse_args()
    cases = json.loads((DATA / "cases.json").read_text())
    cases = [c for c in cases if not options.set or c["set"] == options.set]
    cases = [c for c in cases if not options.group or c["group"].startswith(tuple(options.group))]
    predicted = {k: v for path in options.load for k, v in json.loads(Path(path).read_text()).items()}
    waiting = [c for c in cases if c["id"] not in predicted]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options, options.objects or scratch)
        if options.build_only:
            for case in waiting:
                list(runner.steps(case))
            return
        for case, result in zip(waiting, pool.map(runner.predict, waiting)):
            if result:
                predicted[case["id"]], timing = result
                print(f"{case['id']}: {result[0]:.6g} {case['unit']}, MFMA {timing['mfma_utilisation']:.0%}, "
                      f"L2 {timing['l2_hit_rate']:.0%}", file=sys.stderr, flush=True)
    if options.save:
        Path(options.save).write_text(json.dumps(predicted))
    report(cases, predicted, options.markdown)


if __name__ == "__main__":
    main()

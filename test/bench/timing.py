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

--aiter is a copy of ROCm/aiter's hsa folder; without it the cases of its objects are left out.
"""
import argparse
import itertools
import json
import math
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
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)

    def tool(self, name):
        return str(Path(self.options.bin) / name)

    def assemble(self, case, source, defines=()):
        target = self.folder / "case.o"
        subprocess.run(["clang-22", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={case['target']}", "-c",
                        *[f"-Wa,-defsym,{k}={v}" for k, v in defines], str(source), "-o", str(target)], check=True)
        return target

    def build(self, case):
        build = case["build"]
        if build["kind"] == "tilec":
            target = self.folder / "case.hsaco"
            subprocess.run([self.tool("tilec"), str(DATA / "gemm.py"), f"--target={case['target']}", "--entry", build["entry"],
                            f"--schedule={build['schedule']}", "-o", str(target)], check=True)
            return target
        if build["kind"] == "hk":
            source = self.folder / "case.s"
            with source.open("w") as out:
                subprocess.run([sys.executable, str(DATA / "hk.py"), *build["args"].split()], check=True, stdout=out)
            table = mapping(build["mapping"], *build["tiles"])
            assert sorted(table) == sorted(itertools.product(*map(range, build["tiles"])))
            words = b"".join(v.to_bytes(4, "little") for pair in table for v in pair)
            (self.folder / "mapping.bin").write_bytes(words)
            return self.assemble(case, source)
        if build["kind"] == "asm":
            return self.assemble(case, DATA / build["file"], build["define"].items())
        path = Path(self.options.aiter or "/nonexistent") / build["path"]
        return path if path.exists() else None

    def predict(self, case):
        """Microseconds or clocks; None without the object."""
        steps = [self.time(case, {**case, **step}) for step in case.get("steps", [{}])]
        return None if None in steps else sum(steps) + case.get("host_us", 0)

    def time(self, case, step):
        target = self.build(step)
        if target is None:
            return None
        report = self.folder / "timing.json"
        args = [f"raw:{self.folder / 'mapping.bin'}" if a == "mapping" else a for a in step["args"]]
        command = [self.tool("tilec-sim"), str(target), "--grid", step["grid"], "--block", step["block"], "--timing", "--checks=none",
                   "--timing-json", str(report), *[f"--arg={a}" for a in args]]
        kernarg = step.get("kernarg") or ("0,8,16,24" if step["build"]["kind"] == "hk" else None)
        if kernarg:
            command += ["--kernarg", kernarg]
        subprocess.run(command + case.get("sim", []) + self.options.sim, check=True, stdout=subprocess.DEVNULL)
        timing = json.loads(report.read_text())
        self.timing = timing
        if case["measure"] == "kernel":
            return timing["kernel_us"]
        reads = [i for i in timing["instructions"] if i["text"].startswith("s_memtime")]
        return reads[-1]["last_issue_clk"] - reads[0]["first_issue_clk"]


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
    options = parser.parse_args()
    cases = json.loads((DATA / "cases.json").read_text())
    cases = [c for c in cases if not options.set or c["set"] == options.set]
    cases = [c for c in cases if not options.group or c["group"].startswith(tuple(options.group))]
    predicted = {k: v for path in options.load for k, v in json.loads(Path(path).read_text()).items()}
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        for case in (c for c in cases if c["id"] not in predicted):
            value = runner.predict(case)
            if value:
                predicted[case["id"]] = value
                print(f"{case['id']}: {value:.6g} {case['unit']}, MFMA {runner.timing['mfma_utilisation']:.0%}, "
                      f"L2 {runner.timing['l2_hit_rate']:.0%}", file=sys.stderr, flush=True)
    if options.save:
        Path(options.save).write_text(json.dumps(predicted))
    report(cases, predicted, options.markdown)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many loops have a plan: over the kernels of the tests and, given a checkout of tilelang, over its files.

usage: planned_loops.py BUILD [--upstream CHECKOUT] [--targets LIST] [--only REGEX] [--pipelined] [--every N] [--jobs N]
                        [--least TARGET=PERCENT] [--show] [--listed COMMIT]

Each kernel of tools/dev/replay (examples, test/e2e, test/lit/Isa, benchmarks), and each entry of
test/data/corpus/entries.txt in the checkout, is compiled with `--emit=report --json`, whose `loop_verdicts` say of
each counted loop: planned, sequential or unplanned, and why. Printed is the share of planned loops among those that
are planned or unplanned, and the reasons of the others (--show: by kernel, too). A kernel that a target refuses is left
out. Fails where a target refuses all, or has a share below its --least. A sample for a test: scripts that pipeline a
loop (--pipelined), one in N of their kernels. Shares of two states compare over the kernels that both have: those that
the listing of machine code names in an earlier commit (--listed).
"""
import argparse
import collections
import concurrent.futures
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["gfx942", "gfx950", "sm_80", "sm_90a"]


def own_kernels():
    loader = importlib.machinery.SourceFileLoader("replay", str(ROOT / "tools/dev/replay"))
    replay = importlib.util.module_from_spec(importlib.util.spec_from_loader("replay", loader))
    loader.exec_module(replay)
    for script, options, targets in replay.all_kernels().values():
        for target in sorted(targets):
            yield ROOT, script, options, target


def upstream_kernels(checkout):
    for line in (ROOT / "test/data/corpus/entries.txt").read_text().splitlines():
        parts = [part.strip() for part in line.split("|")]
        if line.startswith("#") or len(parts) < 2 or not (checkout / parts[0]).is_file():
            continue
        for target in TARGETS:
            yield checkout, parts[0], (f"--entry={parts[1]}",), target


def listed_kernels(commit):
    """By target: scripts with their options."""
    def names(target):
        text = subprocess.run(["git", "show", f"{commit}:test/replay/{target}.tsv"], cwd=ROOT, capture_output=True,
                              text=True, check=True).stdout
        return {line.split("\t")[0] for line in text.splitlines()}
    return {target: names(target) for target in TARGETS}


def verdicts_of(job):
    tilec, (folder, script, options, target) = job
    command = [tilec, script, *options, f"--target={target}", "--emit=report", "--json"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "TILEC_PTXAS": ""}, check=False)
    if run.returncode != 0:
        return target, None
    return target, json.loads(run.stdout).get("loop_verdicts", [])


def table(name, jobs, workers, least, show):
    faults = []
    counts = collections.defaultdict(collections.Counter)
    reasons = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for (_, (_, script, options, _)), (target, verdicts) in zip(jobs, pool.map(verdicts_of, jobs)):
            counts[target]["refused" if verdicts is None else "kernels"] += 1
            for verdict in verdicts or []:
                counts[target][verdict["verdict"]] += 1
                if verdict["verdict"] == "unplanned":
                    reasons[verdict["reason"]] += 1
                    if show:
                        print(f"{target} {' '.join([script, *options])}: {verdict['reason']}")
    print(f"{name}\n{'target':8} kernels refused planned unplanned sequential   share")
    for target, count in sorted(counts.items()):
        asked = count["planned"] + count["unplanned"]
        percent = 100 * count["planned"] / asked if asked else 0
        share = f"{percent:6.1f}%" if asked else "      -"
        if count["kernels"] == 0:
            faults.append(f"{target} refuses every kernel")
        if target in least and percent < least[target]:
            faults.append(f"{target}: {percent:.1f} % of the loops are planned, not {least[target]:g} %")
        print(f"{target:8} {count['kernels']:7} {count['refused']:7} {count['planned']:7} {count['unplanned']:9} "
              f"{count['sequential']:10} {share}")
    for reason, count in reasons.most_common():
        print(f"{count:6} unplanned: {reason}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--upstream", type=pathlib.Path)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--only", default="")
    parser.add_argument("--pipelined", action="store_true", help="only scripts that pipeline a loop")
    parser.add_argument("--every", type=int, default=1, help="only one in so many kernels")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", action="append", default=[], help="TARGET=PERCENT, of this repository's kernels")
    parser.add_argument("--show", action="store_true", help="name the kernels of unplanned loops")
    parser.add_argument("--listed", metavar="COMMIT", help="only this repository's kernels that test/replay had there")
    options = parser.parse_args()
    tilec, wanted = str((options.build / "bin/tilec").resolve()), options.targets.split(",")

    def chosen(kernels):
        kernels = [k for k in kernels if re.search(options.only, k[1])]
        if options.pipelined:
            kernels = [k for k in kernels if "Pipelined" in (k[0] / k[1]).read_text()]
        # By their names: a new test does not move the sample.
        kernels = [k for k in kernels if zlib.crc32(" ".join([k[1], *k[2]]).encode()) % options.every == 0]
        return [(tilec, k) for k in kernels if k[3] in wanted]

    own = list(own_kernels())
    if options.listed:
        listed = listed_kernels(options.listed)
        own = [k for k in own if k[3] in listed and " ".join([k[1], *k[2]]) in listed[k[3]]]
    least = {target: float(percent) for target, percent in (text.split("=") for text in options.least)}
    faults = table("kernels of this repository", chosen(own), options.jobs, least, options.show)
    if options.upstream:
        faults += table("files of upstream", chosen(upstream_kernels(options.upstream)), options.jobs, {}, options.show)
    for fault in faults:
        print(f"error: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

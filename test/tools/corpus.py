#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles upstream's files as they are, and makes docs/results/corpus.md.

  corpus.py UPSTREAM --bin FOLDER [--out FILE] [--only TEXT] [--part examples|tests|all]
            [--check] [--jobs N] [--timeout SECONDS]

UPSTREAM is a checkout of tilelang (a35008a42). Of every file below examples/ that launches kernels,
and of every test file below testing/python, entries are compiled for four targets:

    those of test/data/corpus/entries.txt, when it names the file: a line is
    `FILE | ENTRY | OPTIONS`, with small sizes, so that --check can run them;
    else what the file says itself: its tests and its `main`, with the first values of
    `parametrize`. tilec evaluates such a function for the kernel that it makes.

--check also runs the entries of the table, on the simulators (gfx942, gfx950, and PTX for sm_80 and
sm_90a), and compares with the cpu device. An entry whose line says `open` writes its output in an
order that is left open: it is compiled, not compared. A test that upstream expects to fail
(`pytest.raises` around its kernel) counts when it is refused with a place.

A file counts where each of its entries compiles for each target on which upstream supports it; a line
may say `on=gfx942,gfx950`. Every other row has its reason: the first message, as tilec prints it.
"""

import argparse
import ast
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("gfx942", "gfx950", "sm_80", "sm_90a")
TABLE = ROOT / "test/data/corpus/entries.txt"
MESSAGE = re.compile(r"^(?:.*?([\w.-]+\.py|<entry>):(\d+):\d+: )?error: (.*)$", re.M)
# What no target of tilec can be asked for, whoever writes it.
DESIGN = {
    "Blackwell": ("tcgen05", "tmem", "Blackwell", "SM120", "clc_"),
    "C source": ("import_source", "C source", "prelude"),
    "expert layer": ("derives barriers", "chooses TMA", "chooses wgmma", "specialises warps",
                     "producer_consumer", "chooses clusters"),
}


@dataclasses.dataclass
class Entry:
    file: str
    call: str
    options: list
    targets: tuple = TARGETS
    is_open: bool = False
    must_fail: bool = False
    is_small: bool = False


@dataclasses.dataclass
class Outcome:
    entry: Entry
    compiled: dict
    checked: dict
    reason: str = ""


def parametrized(function):
    """Arguments of a test from the first rows of its `parametrize`."""
    values = {}
    for d in function.decorator_list:
        named = isinstance(d, ast.Call) and isinstance(d.func, ast.Attribute)
        if not named or d.func.attr != "parametrize" or len(d.args) < 2:
            continue
        if not isinstance(d.args[0], ast.Constant) or not isinstance(d.args[1], (ast.List, ast.Tuple)):
            continue
        names = [n.strip() for n in str(d.args[0].value).split(",")]
        first = d.args[1].elts[0] if d.args[1].elts else None
        if isinstance(first, ast.Call):  # pytest.param(...)
            row = first.args
        elif len(names) == 1:
            row = [first] if first is not None else []
        else:
            row = getattr(first, "elts", [])
        values.update(zip(names, map(ast.unparse, row)))
    return values


def own_entries(path):
    """What a file says itself: tests and `main`, as calls."""
    tree = ast.parse(path.read_text())
    for f in tree.body:
        if not isinstance(f, ast.FunctionDef) or not (f.name == "main" or f.name.startswith("test")):
            continue
        values = parametrized(f)
        arguments = [a.arg for a in f.args.args]
        required = arguments[:len(arguments) - len(f.args.defaults)]
        if all(a in values for a in required):
            given = ", ".join(f"{a}={values[a]}" for a in arguments if a in values)
            yield f"{f.name}({given})", "raises" in ast.dump(f)


def launches_kernels(text):
    return re.search(r"\b(?:T|tl|language)\.(?:Cluster)?Kernel\(|\bprim_func\b", text) is not None


def read_table():
    rows = collections.defaultdict(list)
    for line in TABLE.read_text().splitlines() if TABLE.exists() else []:
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.strip() for p in line.split("|")]
        words = parts[2].split() if len(parts) > 2 else []
        on = [w for w in words if w.startswith("on=")]
        rows[parts[0]].append(Entry(
            parts[0], parts[1], [w for w in words if w.startswith("--")],
            tuple(on[0][3:].split(",")) if on else TARGETS, "open" in words, is_small=True))
    return rows


def entries_of(upstream, part, only):
    """(files, entries): every file that counts, and what is compiled of it."""
    folders = {"examples": ["examples"], "tests": ["testing/python"],
               "all": ["examples", "testing/python"]}[part]
    table = read_table()
    files, entries = [], []
    for folder in folders:
        for path in sorted((upstream / folder).rglob("*.py")):
            name = str(path.relative_to(upstream))
            if only and only not in name:
                continue
            if not launches_kernels(path.read_text()):
                continue
            files.append(name)
            if name in table:
                entries += table[name]
                continue
            entries += [Entry(name, call, [], must_fail=fails) for call, fails in own_entries(path)]
    return files, entries


def run(command, timeout):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, f"error: no answer within {timeout} s"


def message_of(text):
    found = MESSAGE.search(text)
    if not found:
        lines = text.strip().splitlines()
        return lines[-1][:160] if lines else "no message"
    place = f":{found[2]} " if found[2] else ""
    return (place + found[3])[:160]


def measure(entry, options):
    path = options.upstream / entry.file
    outcome = Outcome(entry, {}, {})
    for target in entry.targets:
        status, text = run([options.bin / "tilec", path, "--entry", entry.call, f"--target={target}",
                            "--ptx-assembler=none", "-o", os.devnull, *entry.options],
                           options.timeout)
        refused = status == 1 and re.search(r":\d+:\d+: error: ", text) is not None
        outcome.compiled[target] = refused if entry.must_fail else status == 0
        if not outcome.compiled[target] and not outcome.reason:
            outcome.reason = message_of(text)
        if not (options.check and entry.is_small and status == 0) or entry.is_open:
            continue
        device = "sim" if target.startswith("gfx") else "ptx"
        status, text = run([options.bin / "tilec-run", path, "--entry", entry.call,
                            f"--target={target}", f"--device={device}", "--check", *entry.options],
                           options.timeout)
        outcome.checked[target] = status == 0
        if status != 0 and not outcome.reason:
            outcome.reason = f"{target}: " + message_of(text)
    return outcome


def kind_of(reason):
    for kind, marks in DESIGN.items():
        if any(mark in reason for mark in marks):
            return kind
    return ""


def summary(files, outcomes, folder):
    """Figures of one folder, and a row for every file that does not count."""
    by_file = collections.defaultdict(list)
    for o in outcomes:
        if o.entry.file.startswith(folder):
            by_file[o.entry.file].append(o)
    here = [f for f in files if f.startswith(folder)]
    good, rows = 0, []
    entries = [o for list_ in by_file.values() for o in list_]
    full = [o for o in entries if all(o.compiled.values()) and all(o.checked.values())]
    for name in here:
        results = by_file.get(name, [])
        bad = [o for o in results if o not in full]
        if results and not bad:
            good += 1
            continue
        reason = bad[0].reason if bad else "no entry: it has neither tests nor a `main`"
        compiled = " ".join(f"{sum(o.compiled.get(t, False) for o in results)}/{len(results)}"
                            for t in TARGETS)
        rows.append((name, compiled, kind_of(reason), reason))
    checked = [v for o in entries for v in o.checked.values()]
    figures = [("files", len(here)), ("of them wholly good", good),
               ("entries", len(entries)), ("entries good on every target", len(full)),
               ("checks against the cpu device that pass", f"{sum(checked)} of {len(checked)}"),
               ("files that stop by design", sum(1 for r in rows if r[2]))]
    return figures, rows


def page(files, outcomes):
    lines = ["# Upstream's files", "",
             "Made by `test/tools/corpus.py UPSTREAM --bin build/bin --check --out docs/results/corpus.md` from",
             "tilelang a35008a42. The files are unmodified. Entries are those of test/data/corpus/entries.txt (small",
             "sizes, checked on the simulators), else the tests and the `main` of a file at upstream's own sizes, which",
             "are compiled only. A row is a file that is not wholly good, with its first message.", ""]
    for folder, title in (("examples", "examples/"), ("testing/python", "testing/python/")):
        if not any(f.startswith(folder) for f in files):
            continue
        figures, rows = summary(files, outcomes, folder)
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        lines += [f"| {name} | {value} |" for name, value in figures]
        lines += ["", f"| file | entries that compile ({', '.join(TARGETS)}) | by design | first message |",
                  "|---|---|---|---|"]
        for name, compiled, kind, reason in rows:
            reason = reason.replace("|", "\\|")
            lines.append(f"| {name[len(folder) + 1:]} | {compiled} | {kind} | {reason} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("upstream", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", choices=("examples", "tests", "all"), default="all")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    options.upstream, options.bin = options.upstream.resolve(), options.bin.resolve()
    if not (options.upstream / "examples").is_dir():
        print(f"corpus.py: {options.upstream} is no checkout of tilelang", file=sys.stderr)
        return 2
    files, entries = entries_of(options.upstream, options.part, options.only)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda e: measure(e, options), entries))
    text = page(files, outcomes)
    if options.out:
        options.out.write_text(text)
        for o in outcomes:
            if o.reason:
                print(f"{o.entry.file} | {o.entry.call} | {o.reason}")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

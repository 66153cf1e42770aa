#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles upstream's files as they are, runs them on simulators, and makes a page of the results.

  corpus.py run [UPSTREAM] [--bin FOLDER] [--results FILE] [--part examples|tests|all|kernels]
                [--only TEXT]
                [--check small|all|none] [--jobs N] [--timeout SECONDS] [--targets T,T]
  corpus.py page [UPSTREAM] [--results FILE] [--part all|examples|kernels] [--raw FILE] --out FILE
  corpus.py pack DIR UPSTREAM [--bin FOLDER]

UPSTREAM is a checkout of tilelang (a35008a42), or of deepseek-ai's TileKernels (36d9e45);
corpus_entries.py says what is compiled of it.

run     compiles every entry for each of its targets. --check=small (the default) also runs the
        entries of test/data/corpus/entries.txt on the simulators (gfx942, gfx950; PTX of sm_80 and
        sm_90a) against the cpu device; --check=all every entry, and one that takes more than the
        time limit is `not finished`, not wrong. An entry marked `open` writes its output in an
        order that is left open: it is compiled, not compared. Each result is a line of JSON in
        --results; a run that was ended goes on where it was, and a new build begins anew.
page    makes the page from the results; of TileKernels, the last section of the page that is there,
        and with --part=kernels the section on testing/python's kernels (corpus_kernels.py), with
        --part=examples that on the examples.
pack    makes a folder for a host without this repository (Linux, x86-64, python 3.9 or later; glibc
        as new as here): tools, library, scripts and upstream's files. There:
            cd DIR && python3 corpus.py run --jobs 32
        then bring DIR/results.jsonl back and make the page here.

A test that upstream expects to fail counts when it is refused with a place, or when it compiles:
some of upstream's limits are not tilec's. A file counts where each of its entries does on each of
its targets. Every other row has its reason: the first message, as tilec prints it.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import corpus_entries
import corpus_kernels
from corpus_entries import TARGETS

HERE = pathlib.Path(__file__).resolve().parent
IS_PACKED = (HERE / "upstream").is_dir()
ROOT = HERE if IS_PACKED else HERE.parents[1]
TABLE = ROOT / ("entries.txt" if IS_PACKED else "test/data/corpus/entries.txt")
TILE_KERNELS_TABLE = TABLE.with_name("tilekernels.txt")
TILE_KERNELS = "TileKernels"
MESSAGE = re.compile(r"^(?:.*?([\w.-]+\.py|<entry>):(\d+):\d+: )?error: (.*)$", re.M)
SEVERAL = re.compile(r"error: the entry makes several kernels: (.*); give the call")
# What no target of tilec can be asked for, whoever writes it.
DESIGN = {
    "Blackwell": ("tcgen05", "tmem", "Blackwell", "SM120", "clc_"),
    "C source": ("import_source", "C source", "prelude"),
    "expert layer": ("derives barriers", "chooses TMA", "chooses wgmma", "specialises warps",
                     "producer_consumer", "chooses clusters"),
}


def table_of(options):
    return TILE_KERNELS_TABLE if corpus_entries.is_tile_kernels(options.upstream) else TABLE


def corpus_of(options, part, only=""):
    if part == "kernels":
        return corpus_kernels.read_kernels(options.upstream, only)
    return corpus_entries.read_corpus(options.upstream, table_of(options), part, only)


def script_of(entry, options):
    """The file that is compiled. Modules are read below a script's folder: of a package, a script
    beside it names the function and what its arguments are made of."""
    if not options.scripts:
        return options.upstream / entry.file
    module = entry.file[:-len(".py")].replace("/", ".")
    name = entry.call.split("(")[0]
    script = options.scripts / f"{name}.py"
    if script.exists():  # made before the first run
        return script
    script.write_text("import torch\nfrom tilelang import language as T\n"
                      "from tile_kernels.quant.common import CastInputConfig, CastOutputConfig\n"
                      f"from {module} import {name}\n")
    return script


def environment():
    """A packed folder brings the libraries that the host may lack."""
    if not IS_PACKED:
        return None
    return {**os.environ, "LD_LIBRARY_PATH": str(HERE / "lib"), "TILEC_CACHE_DIR": str(HERE / "cache")}


def execute(command, timeout):
    begin = time.monotonic()
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                              timeout=timeout, check=False, env=environment())
        status, text = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, text = None, f"error: no answer within {timeout:g} s"
    return status, text, round(time.monotonic() - begin, 2)


def message_of(text):
    found = MESSAGE.search(text)
    if not found:
        lines = text.strip().splitlines()
        return lines[-1][:200] if lines else "no message"
    place = f":{found[2]} " if found[2] else ""
    return (place + found[3])[:200]


def measure(entry, target, options):
    """One entry on one target: a row of the results."""
    path = script_of(entry, options)
    given = [o.replace("=DATA/", f"={TABLE.parent}/") for o in entry.options]
    runtime = [o for o in given if o.startswith(("--arg=", "--dim=", "--seed="))]
    common = [path, "--entry", entry.call, f"--target={target}",
              *(o for o in given if o not in runtime)]
    compile_ = [options.bin / "tilec", "--ptx-assembler=none", "-o", os.devnull]
    folder = f"{options.upstream}/"  # a message says where in upstream
    status, text, seconds = execute([*compile_, *common], options.timeout)
    # A test that makes several kernels: each of them.
    several = SEVERAL.search(text)
    names = re.findall(r"`(\w+)`", several[1]) if several else []
    for name in [entry.kernel] if entry.kernel in names else names:
        each = [entry.call + "." + name if c == entry.call else c for c in common]
        status, text, more = execute([*compile_, *each], options.timeout)
        seconds = round(seconds + more, 2)
        if status != 0:
            break
    refused = status == 1 and re.search(r":\d+:\d+: error: ", text) is not None
    row = {"file": entry.file, "call": entry.call, "options": list(entry.options), "target": target,
           "build": options.build, "seconds": seconds, "check": "none",
           "compile": "ok" if status == 0 else "refused" if refused else "failed"}
    if status != 0:
        row["message"] = message_of(text.replace(folder, ""))
    wanted = options.check == "all" or options.check == "small" and entry.is_small
    if status != 0 or not wanted or several or entry.is_open or entry.must_fail:
        return row
    device = "sim" if target.startswith("gfx") else "ptx"
    status, text, row["check_seconds"] = execute(
        [options.bin / "tilec-run", *common, *runtime, f"--device={device}", "--check", "--no-cache"],
        options.timeout)
    if status is None:
        row["check"] = "not finished"
    elif status == 0:
        row["check"] = "pass"
    elif "--arg" in message_of(text) or "--dim" in message_of(text):
        row["check"] = "no arguments"
    else:
        row["check"] = "fail"
    if row["check"] != "pass":
        row["check_message"] = message_of(text.replace(folder, ""))
    return row


def key_of(row):
    return row["file"], row["call"], tuple(row["options"]), row["target"]


def read_results(path, build=None):
    rows = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:  # the last line of a run that was ended
                continue
            if build in (None, row["build"]):
                rows[key_of(row)] = row
    return rows


def build_of(folder):
    """A name of what is measured: the compiler's bytes."""
    digest = hashlib.sha256()
    for name in ("tilec", "../lib/libtilec.so.0"):
        if (folder / name).exists():
            digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:12]


def run(options):
    with tempfile.TemporaryDirectory() as folder:
        options.scripts = None
        if corpus_entries.is_tile_kernels(options.upstream):
            options.scripts = pathlib.Path(folder)
            shutil.copytree(options.upstream / "tile_kernels", options.scripts / "tile_kernels")
        return run_entries(options)


def run_entries(options):
    corpus = corpus_of(options, options.part, options.only)
    options.build = build_of(options.bin)
    for entry in corpus.entries:
        script_of(entry, options)
    done = read_results(options.results, options.build)
    chosen = options.targets.split(",")
    tasks = [(e, t) for e in corpus.entries for t in e.targets if t in chosen]

    def is_done(entry, target):
        row = done.get((entry.file, entry.call, entry.options, target))
        wants = options.check == "all" or options.check == "small" and entry.is_small
        checkable = wants and not entry.is_open and not entry.must_fail
        return row and (row["check"] != "none" or row["compile"] != "ok" or not checkable)

    left = [(e, t) for e, t in tasks if not is_done(e, t)]
    print(f"{len(corpus.files)} files, {len(corpus.entries)} entries, {len(tasks)} runs, "
          f"{len(left)} of them to do", flush=True)
    bad = 0
    with open(options.results, "a", encoding="utf-8") as out, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(measure, e, t, options) for e, t in left]
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            row = future.result()
            out.write(json.dumps(row) + "\n")
            out.flush()
            bad += row["compile"] != "ok" or row["check"] == "fail"
            if count % 100 == 0 or count == len(left):
                print(f"{count} of {len(left)}, {bad} not good", flush=True)
    return 0


# The page.

def is_good(entry, row):
    if row is None:
        return False
    if entry.must_fail:
        return row["compile"] in ("ok", "refused")
    return row["compile"] == "ok" and row["check"] != "fail"


def kind_of(reason):
    for kind, marks in DESIGN.items():
        if any(mark in reason for mark in marks):
            return kind
    return ""


def reason_of(row, target):
    if row is None:
        return f"{target}: not run"
    if row["compile"] != "ok":
        return row["message"]
    return f"{target}: {row['check_message']}"


def section(corpus, rows, folder):
    """The figures of one folder, and a row for every file that does not count."""
    by_file = collections.defaultdict(list)
    for e in corpus.entries:
        if e.file.startswith(folder):
            by_file[e.file].append(e)
    files = [f for f in corpus.files if f.startswith(folder)]

    def results(entry):
        return [(t, rows.get((entry.file, entry.call, entry.options, t))) for t in entry.targets]

    entries = [e for list_ in by_file.values() for e in list_]
    good = {e for e in entries if all(is_good(e, r) for _, r in results(e))}
    table = []
    for name in files:
        own = by_file[name]
        bad = [(e, t, r) for e in own for t, r in results(e) if not is_good(e, r)]
        if own and not bad:
            continue
        reason = reason_of(bad[0][2], bad[0][1]) if bad else "no entry: neither tests nor a `main`"
        counts = []
        for t in TARGETS:
            here = [e for e in own if t in e.targets]
            fine = sum(is_good(e, rows.get((e.file, e.call, e.options, t))) for e in here)
            counts.append(f"{fine}/{len(here)}")
        table.append((name[len(folder) + 1:], " ".join(counts), kind_of(reason), reason))
    checks = collections.Counter(r["check"] for e in entries for _, r in results(e) if r)
    figures = [("files", len(files)), ("of them wholly good", len(files) - len(table)),
               ("entries", len(entries)), ("of them good on every target", len(good)),
               ("tests that upstream expects to fail, among these",
                f"{sum(e.must_fail for e in good)} of {sum(e.must_fail for e in entries)}"),
               ("runs on a simulator that agree with the cpu device", checks["pass"]),
               ("runs that do not", checks["fail"]),
               ("runs not finished in time", checks["not finished"]),
               ("runs for which no arguments are given", checks["no arguments"]),
               ("files that stop by design", sum(1 for r in table if r[2]))]
    return figures, table


def lines_of(title, figures, table):
    lines = [f"## {title}", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in figures]
    lines += ["", f"| file | good entries ({', '.join(TARGETS)}) | by design | first message |",
              "|---|---|---|---|"]
    for name, counts, kind, reason in table:
        reason = reason.replace("|", "\\|")
        lines.append(f"| {name} | {counts} | {kind} | {reason} |")
    return lines + [""]


def tile_kernels_page(options, corpus, rows, builds):
    """The section in place of the one that the page has."""
    figures, table = section(corpus, rows, "tile_kernels")
    dropped = "tests that upstream expects to fail, among these"
    lines = lines_of(TILE_KERNELS, [f for f in figures if f[0] != dropped], table)
    lines[2:2] = ["Made by the same commands from deepseek-ai/TileKernels 36d9e45, build "
                  f"{', '.join(builds)},", f"{time.strftime('%Y-%m-%d')}. Entries are those of "
                  "test/data/corpus/tilekernels.txt.", ""]
    before = options.out.read_text().split(f"## {TILE_KERNELS}\n")[0].rstrip("\n")
    options.out.write_text(before + "\n\n" + "\n".join(lines))
    return 0


NAMED = re.compile(r"`([^`]*)`")
ID = re.compile(r"\[(\w+)\]$")


def cause_of(message):
    """What a message is about: for names of the language the name, else its id."""
    found = ID.search(message)
    name = NAMED.search(message)
    if found and found[1] in ("RefusedIntrinsic", "UnknownIntrinsic", "OpaqueValue") and name:
        return f"`{name[1]}` [{found[1]}]"
    return f"[{found[1]}]" if found else message[:80]


def part_of(count, total):
    return f"{count} of {total} ({100 * count / max(total, 1):.1f} %)"


def kernel_figures(corpus, rows):
    """The figures of testing/python by kernels, and the entries that are not good with their results."""
    own = [(e, [rows.get((e.file, e.call, e.options, t)) for t in e.targets]) for e in corpus.entries]
    compiles = [e for e, rs in own if all(r and r["compile"] == "ok" for r in rs)]
    refused = [e for e, rs in own if e.must_fail and all(r and r["compile"] == "refused" for r in rs)]
    other = [(e, rs) for e, rs in own if e not in compiles and e not in refused]
    unwritten = [e for e, rs in other if all(r and "[NotInitialised]" in r.get("message", "") for r in rs)]
    newer = [e for e in corpus.entries if e.hardware]
    good, total = len(compiles) + len(refused), len(corpus.entries)
    good_newer = sum(e in compiles or e in refused for e in newer)
    return other, [
        ("files", len(corpus.files)), ("functions that hold a kernel", total),
        ("compile on every target", part_of(len(compiles), total)),
        ("of these where upstream expects an error: limits that tilec has not", sum(e.must_fail for e in compiles)),
        ("wrong on purpose, and refused at the place on every target", len(refused)),
        ("both", part_of(good, total)),
        ("both, without kernels for Blackwell's tensor memory", part_of(good - good_newer, total - len(newer))),
        ("refused at the place as reads of what nothing has written (upstream warns)", len(unwritten)),
        ("with these", part_of(good + len(unwritten), total)),
        ("functions that nothing in their file calls with values", corpus.no_kernel)]


def kernels_page(corpus, rows):
    """testing/python by kernels: figures, and what the others fail of."""
    causes = collections.defaultdict(list)
    other, figures = kernel_figures(corpus, rows)
    for e, results in other:
        bad = [r for r in results if not is_good(e, r)] or results
        message = bad[0]["message"] if bad[0] and "message" in bad[0] else "not run"
        name = e.kernel or e.call.split("(")[0]
        causes[e.hardware or kind_of(message), cause_of(re.sub(r"^:\d+ ", "", message))].append(
            f"{e.file.rsplit('/', 1)[-1]} {name}")
    lines = [KERNELS, "",
             "Functions at module level that hold a kernel, called as their files call them first",
             "(test/tools/corpus_kernels.py; `corpus.py run --part kernels`).", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in figures]
    lines += ["", "| entries | why they do not compile | by design | which |", "|---|---|---|---|"]
    for (kind, cause), names in sorted(causes.items(), key=lambda c: (-len(c[1]), c[0])):
        shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        lines.append(f"| {len(names)} | {cause} | {kind} | {shown} |".replace("\\|", "|"))
    return lines + [""]


KERNELS = "## testing/python/ by kernels"


EXAMPLES = "## examples/"


def write_raw(path, corpus, rows):
    """A line for each entry: what came of it on each target, and the first message."""
    lines = []
    for e in corpus.entries:
        results = [(t, rows.get((e.file, e.call, e.options, t))) for t in e.targets]
        told = " ".join(f"{t}={r['compile']}" + (f",{r['check']}" if r["check"] != "none" else "") if r
                        else f"{t}=missing" for t, r in results)
        messages = [r.get("message") or r.get("check_message") for _, r in results if r]
        message = next((m for m in messages if m), "")
        marks = " ".join(filter(None, ("wrong-on-purpose" if e.must_fail else "", e.hardware)))
        lines.append(" | ".join((e.file, e.call, e.kernel, told, marks, message)).rstrip(" |"))
    path.write_text("FILE | ENTRY | KERNEL | RESULTS | MARKS | FIRST MESSAGE\n" + "\n".join(lines) + "\n")


def replace_section(options, rows, builds):
    """The section of a part in place of the one that the page has, or before the other corpus."""
    corpus = corpus_of(options, options.part)
    if options.part == "kernels":
        head, lines = KERNELS, kernels_page(corpus, rows)
    else:
        head, lines = EXAMPLES, lines_of(EXAMPLES[3:], *section(corpus, rows, "examples"))
    raw = ""
    if options.raw:
        write_raw(options.raw, corpus, rows)
        raw = f"; [each run]({os.path.relpath(options.raw.resolve(), options.out.resolve().parent)})"
    lines[2:2] = [f"Build {', '.join(builds)}, {time.strftime('%Y-%m-%d')}{raw}.", ""]
    text = options.out.read_text()
    if head + "\n" in text:
        before, rest = text.split(head + "\n", 1)
        _, mark, after = rest.partition("\n## ")
    else:
        before, mark, after = text.partition(f"## {TILE_KERNELS}\n")
        mark = "\n" + mark if mark else ""
    options.out.write_text(before.rstrip("\n") + "\n\n" + "\n".join(lines) + mark + after)
    return 0


def page(options):
    corpus = corpus_entries.read_corpus(options.upstream, table_of(options), "all", "")
    rows = read_results(options.results)
    builds = sorted({r["build"] for r in rows.values()})
    if options.part != "all":
        return replace_section(options, rows, builds)
    if corpus_entries.is_tile_kernels(options.upstream):
        return tile_kernels_page(options, corpus, rows, builds)
    lines = ["# Upstream's files", "",
             "Made by `test/tools/corpus.py run UPSTREAM --results R` and",
             "`corpus.py page UPSTREAM --results R --out docs/numbers/corpus.md` from tilelang a35008a42,",
             f"build {', '.join(builds)}, {time.strftime('%Y-%m-%d')}. The files are unmodified. Entries are",
             "those of test/data/corpus/entries.txt (small sizes, run on the simulators), else the tests and",
             "the `main` of a file at upstream's own sizes. A row is a file that is not wholly good, with its",
             "first message.", ""]
    for folder, title in (("examples", "examples/"), ("testing/python", "testing/python/")):
        figures, table = section(corpus, rows, folder)
        if folder != "examples":
            figures += [("tests from which no kernel of the language is reached", corpus.no_kernel),
                        ("tests for other hardware (Metal, Blackwell, sm_75)",
                         corpus.other_hardware)]
        lines += lines_of(title, figures, table)
    if options.out.exists():  # what other runs have made
        _, mark, rest = options.out.read_text().partition(KERNELS)
        lines += [mark + rest.split("\n## ")[0], ""] if mark else []
    if options.out.exists():  # the other corpus
        _, mark, rest = options.out.read_text().partition(f"## {TILE_KERNELS}\n")
        lines += [mark.rstrip("\n") + "\n" + rest.rstrip("\n"), ""] if mark else []
    options.out.write_text("\n".join(lines))
    return 0


def pack(options):
    folder = options.folder
    for part in ("bin", "lib", "upstream"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for tool in ("tilec", "tilec-run"):
        shutil.copy(options.bin / tool, folder / "bin" / tool)
    listed = subprocess.run(["ldd", options.bin / "tilec-run"], capture_output=True, text=True,
                            check=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", listed):
        # The C library and its loader belong to the host.
        if not re.match(r"(libc|libm|ld-linux|libpthread|libdl|librt)\b", name):
            shutil.copy(pathlib.Path(path).resolve(), folder / "lib" / name)
    for name in ("corpus.py", "corpus_entries.py", "corpus_kernels.py"):
        shutil.copy(HERE / name, folder / name)
    for path in (TABLE, *TABLE.parent.glob("*.npy")):
        shutil.copy(path, folder / path.name)
    for part in ("examples", "testing", "tilelang"):
        for path in (options.upstream / part).rglob("*.py"):
            to = folder / "upstream" / path.relative_to(options.upstream)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
    print(f"cd {folder} && python3 corpus.py run --jobs 32")
    return 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    upstream = {"type": pathlib.Path, "nargs": "?" if IS_PACKED else None,
                "default": HERE / "upstream"}
    binary = {"type": pathlib.Path, "default": ROOT / ("bin" if IS_PACKED else "build/bin")}
    results = {"type": pathlib.Path, "default": pathlib.Path("results.jsonl")}
    p = commands.add_parser("run")
    p.add_argument("upstream", **upstream)
    p.add_argument("--bin", **binary)
    p.add_argument("--results", **results)
    p.add_argument("--part", choices=("examples", "tests", "all", "kernels"), default="all")
    p.add_argument("--only", default="", help="files whose name contains this")
    p.add_argument("--check", choices=("small", "all", "none"), default="small")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--timeout", type=float, default=120, help="seconds for one compile or one run")
    p.add_argument("--targets", default=",".join(TARGETS))
    p = commands.add_parser("page")
    p.add_argument("upstream", **upstream)
    p.add_argument("--results", **results)
    p.add_argument("--part", choices=("all", "examples", "kernels"), default="all")
    p.add_argument("--raw", type=pathlib.Path, help="a file for each run's result, linked from the page")
    p.add_argument("--out", type=pathlib.Path, required=True)
    p = commands.add_parser("pack")
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("upstream", type=pathlib.Path)
    p.add_argument("--bin", **binary)
    return parser.parse_args()


def main():
    options = parse()
    options.upstream = options.upstream.resolve()
    if "bin" in options:
        options.bin = options.bin.resolve()
    if not any((options.upstream / folder).is_dir() for folder in ("examples", "tile_kernels")):
        print(f"corpus.py: {options.upstream} is no checkout of tilelang or of TileKernels",
              file=sys.stderr)
        return 2
    return {"run": run, "page": page, "pack": pack}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())

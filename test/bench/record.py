#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks of this machine, keeps what they print, and shows it on their pages.

usage: python3 record.py TOOLS [NAME...]        NAME: simulator-speed, compile-time (else both)

What NAME's commands print goes to test/bench/results/NAME-DATE.txt, below the commands, the commit, the cores and the
load average before and after. On the page NAME.md of docs/numbers it replaces what stands between `<!-- NAME -->` and
`<!-- end NAME -->`, with a link to that file; the file that was linked there before is removed. Run it on a machine that
does nothing else: the load says whether it did.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANNED = ("compile_time.py", "--amd", "test/bench/amd/gemm.py", "--entry", "gemm(8192, 8192, 8192)")
RECORDS = {
    "simulator-speed": [("simulator.py",)],
    "compile-time": [("compile_time.py",), PLANNED, *[("threads.sh",)] * 3],
}


def shown(command):
    """A command as one types it in the root of the repository."""
    script, *rest = command
    words = [f"test/bench/{script}", "build/bin", *(f'"{w}"' if " " in w else w for w in rest)]
    return " ".join(words)


def output(tools, command):
    script, *rest = command
    done = subprocess.run([ROOT / "test/bench" / script, tools, *rest], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"record: exit status {done.returncode} of {shown(command)}")
    return done.stdout.replace(f"{ROOT}/", "")


def processor():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return f"{os.cpu_count()} cores" + (f" of {names[0]}" if names else "")


def commit():
    asked = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return asked.stdout.strip() or "unknown"


def with_record(page, name, block):
    """The page with `block` between the marks of `name`."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page has no {begin.strip()} ... {end}")
    before, rest = page.split(begin)
    return before + begin + block + end + rest.split(end)[1]


def block_of(name, date, head, text):
    """What the page shows: when and where, the raw file, what was printed."""
    return f"{date}, {head}\n([raw](../../test/bench/results/{name}-{date}.txt)):\n\n```\n{text.rstrip()}\n```\n"


def record(name, tools, root=ROOT, run=output):
    page = root / f"docs/numbers/{name}.md"
    text = page.read_text()
    with_record(text, name, "")  # before minutes are spent
    date, before = datetime.date.today().isoformat(), os.getloadavg()[0]
    printed = "\n".join(f"$ {shown(command)}\n{run(tools, command)}" for command in RECORDS[name])
    head = f"{os.cpu_count()} cores, load average {before:.1f} before and {os.getloadavg()[0]:.1f} after"
    results = root / "test/bench/results"
    for old in re.findall(rf"\(\.\./\.\./test/bench/results/({name}-[\d-]+\.txt)\)", text):
        (results / old).unlink(missing_ok=True)
    (results / f"{name}-{date}.txt").write_text(f"{date}, commit {commit()}, {processor()}; {head}\n\n{printed}")
    page.write_text(with_record(text, name, block_of(name, date, head, printed)))
    print(f"test/bench/results/{name}-{date}.txt and docs/numbers/{name}.md: written")


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(RECORDS):
        sys.exit(__doc__)
    for name in sys.argv[2:] or RECORDS:
        record(name, pathlib.Path(sys.argv[1]).resolve())


if __name__ == "__main__":
    main()

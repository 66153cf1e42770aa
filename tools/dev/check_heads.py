#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the heads of C++ files (docs/contribute/style.md): the first line has the file's name and what it is about, what
follows says what the file takes and gives, and the licence has a line of its own.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("lib", "include", "tools")
FIRST = re.compile(r"(?://|/\*)===- (\S+) - (.*\S) -*===(?://|\*\\)$")
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def complaint(name, text):
    """What is wrong with the head of a file, or nothing."""
    lines = text.splitlines()
    first = FIRST.match(lines[0]) if lines else None
    if not first or not name.endswith(first[1]):
        return f"{name}:1: the first line is no `//===- {pathlib.PurePath(name).name} - what it is about ---===//`"
    says, licence = 0, False
    for number, line in enumerate(lines[1:], 2):
        body = line.strip("/* |\\")
        if "===" in line:
            break
        if not line.startswith(("//", " *")):
            return f"{name}:{number}: a line of the head is no comment of its own"
        if LICENCE in line and body != LICENCE:
            return f"{name}:{number}: the licence stands in a line with something else"
        licence |= body == LICENCE
        says += bool(body) and body != LICENCE
    if not licence:
        return f"{name}:1: the head has no line `{LICENCE}`"
    return None if says else f"{name}:2: the head does not say what the file takes and gives"


def main():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--", *FOLDERS], capture_output=True, text=True)
    names = [n for n in listed.stdout.split() if n.endswith((".cpp", ".h"))]
    if not names:
        names = [str(p.relative_to(ROOT)) for f in FOLDERS for p in (ROOT / f).rglob("*") if p.suffix in (".cpp", ".h")]
    complaints = [c for n in names if (ROOT / n).is_file() and (c := complaint(n, (ROOT / n).read_text()))]
    for line in complaints:
        print(line)
    print(f"{len(names)} heads, {len(complaints)} faults")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the size rules of docs/contribute/style.md: no function over 100 lines, 95 of 100 under 40, no file over 800.

A function is what clang-format lays out as one: a line at the margin, or one step in inside a class, that ends in `{`,
up to the `}` below it; its length is counted from that line. Tables are no functions.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("lib", "include", "tools")
MOST_FUNCTION, MOST_USUAL, MOST_FILE = 100, 39, 800  # usual: what 95 of 100 functions have at most
NO_FUNCTION = re.compile(r"\s*(namespace|extern|class|struct|enum|union|#|//|\}|public:|private:)")


def functions(text):
    """(first line, lines, head) of each function, from 1."""
    lines = text.splitlines()
    for margin in ("", "  "):
        opened = None
        for i, line in enumerate(lines):
            if opened is None:
                own = line.startswith(margin) and not line[len(margin):].startswith(" ")
                if own and line.endswith("{") and not line.endswith(("= {", "={")) and not NO_FUNCTION.match(line):
                    opened = i
            elif line.startswith(margin + "}"):
                yield opened + 1, i - opened + 1, lines[opened].strip()
                opened = None


def check(root, names):
    complaints, all_lines = [], []
    for name in names:
        text = (root / name).read_text()
        size = len(text.splitlines())
        if size > MOST_FILE:
            complaints.append(f"{name}: {size} lines, {MOST_FILE} at most: cut it by subject")
        for first, lines, head in functions(text):
            all_lines.append(lines)
            if lines > MOST_FUNCTION:
                complaints.append(f"{name}:{first}: {lines} lines, {MOST_FUNCTION} at most: {head[:60]}")
    usual = sorted(all_lines)[len(all_lines) * 95 // 100] if all_lines else 0
    if usual > MOST_USUAL and len(all_lines) > 100:
        complaints.append(f"5 of 100 functions have {usual} lines or more, {MOST_USUAL} at most: cut some")
    return complaints, len(all_lines)


def main():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--", *FOLDERS], capture_output=True, text=True)
    names = [n for n in listed.stdout.split() if n.endswith((".cpp", ".h"))]
    if not names:
        names = [str(p.relative_to(ROOT)) for f in FOLDERS for p in (ROOT / f).rglob("*")
                 if p.suffix in (".cpp", ".h")]
    complaints, count = check(ROOT, names)
    for complaint in complaints:
        print(complaint)
    print(f"{count} functions in {len(names)} files, {len(complaints)} faults")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

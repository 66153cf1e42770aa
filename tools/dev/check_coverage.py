#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every diagnostic has a test.

Every error, warning and remark of include/tilec/Support/Diagnostics/*.def must be named in a file
under test/: as `[Id]`, the way messages end, as `DiagId::Id`, or in a unit test as `"Id"`. Notes
belong to another message and rows that pass on MLIR's texts ("{0}") print no id: both are exempt.
test/tools/untested-diagnostics.txt lists ids that have no test yet; it may only shrink: an id there
that has a test, or that no longer exists, fails the check.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\s*TILEC_DIAG\(\s*(\w+)\s*,\s*(\w+)\s*,\s*"([^"]*)"', re.M)
SUFFIXES = {".cpp", ".h", ".mlir", ".py", ".ll", ".test", ".txt", ".def"}


def declared(root):
    ids = {}
    for file in sorted((root / "include/tilec/Support/Diagnostics").glob("*.def")):
        for name, severity, text in ROW.findall(file.read_text()):
            if text != "{0}":
                ids[name] = severity
    return ids


def named_in_tests(root, allow_list):
    names = set()
    for file in (root / "test").rglob("*"):
        if file.suffix in SUFFIXES and file.is_file() and file != allow_list:
            text = file.read_text(errors="replace")
            names.update(re.findall(r"\[(\w+)\\?\]", text))
            names.update(re.findall(r"DiagId::(\w+)", text))
            names.update(re.findall(r'"(\w+)"', text) if file.suffix == ".cpp" else [])
    return names


def check(root, allow_list):
    ids = declared(root)
    if not ids:
        return ["no TILEC_DIAG rows found"], 0
    tested = named_in_tests(root, allow_list)
    allowed = set()
    if allow_list.is_file():
        allowed = {line.strip() for line in allow_list.read_text().splitlines()
                   if line.strip() and not line.startswith("#")}
    wanted = {name for name, severity in ids.items() if severity != "Note"}
    complaints = [f"{name}: no test names this {ids[name].lower()}"
                  for name in sorted(wanted - tested - allowed)]
    complaints += [f"{name}: has a test now, remove it from {allow_list.name}"
                   for name in sorted(allowed & tested)]
    complaints += [f"{name}: is no diagnostic, remove it from {allow_list.name}"
                   for name in sorted(allowed - wanted)]
    return complaints, len(wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    complaints, count = check(options.root, options.root / "test/tools/untested-diagnostics.txt")
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(1)
    print(f"{count} diagnostics are tested or listed")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that ops carry no attribute that they do not declare.

What one pass tells another stands in TileOps.td or WaveOps.td and has a getter and a setter (docs/contribute/adding-a-pass.md).
lib and include/tilec set attributes through these, and ask for one by its name only where ops of several kinds declare it.
`--verify-stages` finds on running kernels what this cannot see in the text.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ["include/tilec/IR/Tile/TileOps.td", "include/tilec/IR/Wave/WaveOps.td"]
ARGUMENT = re.compile(r"Attr[^:;]*:\$(\w+)")
SETS = re.compile(r"(?:->|\.)(?:set|remove)(?:Discardable)?Attr\(\s*(?!(?:llvm::)?Attribute::)(?![^;]*?AttrName\(\))")
ADDS = re.compile(r"\.addAttribute\(")
ASKS = re.compile(r"(?:->|\.)(?:getAttr|hasAttr|getAttrOfType<[\w:]+>|getDiscardableAttr|hasDiscardableAttr)\(\s*([^)]*)\)")
COMMENT = re.compile(r"//[^\n]*")


def declared(root):
    return {name for table in TABLES for name in ARGUMENT.findall((root / table).read_text())}


def complaints(root):
    names, found = declared(root), []

    def complain(path, text, match, what):
        line = text.count("\n", 0, match.start()) + 1
        found.append(f"{path.relative_to(root)}:{line}: {what}")

    for path in sorted(p for top in ("lib", "include/tilec") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp")):
        text = COMMENT.sub("", path.read_text())
        for match in SETS.finditer(text):
            complain(path, text, match, "sets an attribute by its name; declare it, and use the op's setter")
        if "lib/IR/" not in path.as_posix():  # builders of ops
            for match in ADDS.finditer(text):
                complain(path, text, match, "adds an attribute by its name; declare it, and use a builder of the op")
        for match in ASKS.finditer(text):
            argument = match[1].strip()
            name = re.fullmatch(r'"(\w+)"', argument)
            if not argument.endswith("AttrName(") and not (name and name[1] in names):
                complain(path, text, match, f"asks for {argument}, which no op declares")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    found = complaints(parser.parse_args().root)
    for line in found:
        print(line)
    print(f"{len(found)} places use attributes that no op declares")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ listings of seed 003 as a program: usage: tilefusion_seed.py SEEDS OUT.cpp [FROM=TO ...]

The listings stay as they are but for their line numbers. Each FROM=TO replaces one text that must be
there once in a line that begins with `using` and the name before the colon: `RegA:<8, 8>=<4, 2>`.
"""

import pathlib
import re
import sys

BEFORE = """#include "host.h"
using namespace tilec::tilefusion;
using InType = __half;
using AccType = float;
"""
AFTER = """
int main(int, char **argv) {
  auto kernel = record("simple_gemm", {},
                       simple_gemm<InType, AccType, IteratorA, RegA, ALoader, IteratorB, RegB, BLoader,
                                   GlobalC, RegC, CStorer>);
  return checkProduct(argv[1], kernel, 128, 64, 256);
}
"""


def listings(seeds):
    document = next(pathlib.Path(seeds).glob("003_*.txt")).read_text(encoding="utf-8")
    blocks = re.findall(r"```cpp\n(.*?)```", document, re.S)
    if len(blocks) != 2:
        sys.exit(f"{len(blocks)} listings, there were 2")
    return [re.sub(r"^\d+ ?", "", block, flags=re.M) for block in blocks]


def main(seeds, out, *changes):
    aliases, kernel = listings(seeds)
    for change in changes:
        name, text = change.split(":", 1)
        old, new = text.split("=", 1)
        lines = aliases.splitlines()
        at = [i for i, line in enumerate(lines) if line.strip().startswith(f"using {name} ")]
        if len(at) != 1 or lines[at[0]].count(old) != 1:
            sys.exit(f"{change}: no such text")
        lines[at[0]] = lines[at[0]].replace(old, new)
        aliases = "\n".join(lines) + "\n"
    pathlib.Path(out).write_text(BEFORE + aliases + kernel + AFTER)


if __name__ == "__main__":
    main(*sys.argv[1:])

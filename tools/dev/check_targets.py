#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what every target shares names no chip, no vendor, and none of their numbers.

lib/Transforms, lib/Analysis, lib/IR, lib/Import and their headers ask tilec/Target instead (docs/contribute/adding-a-target.md):
their code and comments may not hold the words below, nor a constant that is a chip's. A page of docs/ and the title
of a manual that a comment cites are no names. What is a vendor's own belongs in a folder AMDGPU or NVPTX.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [f"{top}/{name}" for name in ("Transforms", "Analysis", "IR", "Import") for top in ("lib", "include/tilec")]
OWN = {"AMDGPU", "NVPTX"}
SUFFIXES = {".h", ".cpp", ".def", ".td", ".inc", ".txt"}
WORD = re.compile(r"amd(?!ahl)|nvidia|gfx_?\d|sm_\d|\bcdna|hopper|ampere|blackwell|\bada\b|mi3\d\d|\b[ah][12]00\b"
                  r"|mfma|wgmma|setmaxnreg|vmcnt|lgkmcnt|s_waitcnt|\bds_(?:read|write)|ldmatrix\.x|Arch::|vendor", re.I)
# Registers, shared memory, threads' limits and multiprocessors of the chips that there are.
NUMBER = re.compile(r"(?<![\w.])(?:108|132|255|304|512|65535|65536|131072|163840|166912|167936|232448|233472"
                    r"|227|228)(?![\w.])")
CITED = re.compile(r"docs/[\w./-]+|\"[^\"]*\" of the [\w ]+")
COMMENT = re.compile(r"//.*|^\s*#.*")


def lines_of(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root)
            if path.suffix in SUFFIXES and not OWN & set(inside.parts):
                yield inside, 0, str(inside.relative_to(folder))
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    yield inside, number, line


def complaints(root):
    found = []
    for path, number, line in lines_of(root):
        text = CITED.sub("", line)
        word = WORD.search(text)
        figure = None if number == 0 else NUMBER.search(COMMENT.sub("", text))
        if word or figure:
            what = f"names `{word[0]}`" if word else f"holds {figure[0]}, a number of some chip"
            found.append(f"{path}:{number}: {what}; ask the target (tilec/Target/Target.h)")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    found = complaints(parser.parse_args().root)
    for line in found:
        print(line)
    print(f"{len(found)} lines name a chip or a vendor")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

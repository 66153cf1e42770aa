# SPDX-License-Identifier: Apache-2.0
"""Writes the Python blocks of the seed documents to files: SEEDS/000_*.txt gives OUT/000_00.py, ...

usage: extract_seeds.py SEEDS OUT
"""
import pathlib
import re
import sys


def main(seeds, out):
    for document in sorted(pathlib.Path(seeds).glob("*.txt")):
        text = document.read_text(encoding="utf-8", errors="replace")
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        for number, block in enumerate(blocks):
            name = f"{document.name[:3]}_{number:02d}.py"
            (pathlib.Path(out) / name).write_text(block, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

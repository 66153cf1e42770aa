#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every name of upstream's language is known: it has a meaning, or is refused with what to write instead.

usage: upstream_names.py TILEC

The names are those of test/data/script/upstream-names.txt. Scripts call them without arguments, some
in each, for a target of each vendor: no message may call a name unknown, or take it for a misspelling
of another, and a refusal says what to write.
"""

import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).resolve().parents[1] / "data/script/upstream-names.txt"
REFUSED = re.compile(r":(\d+):\d+: error: `([^`]*)` is not supported; (.*) \[RefusedIntrinsic\]")
UNKNOWN = re.compile(r":(\d+):\d+: error: (.*) \[(?:UnknownIntrinsic|OpaqueValue)\]")
FIRST = 6  # the line of the first name
SEVERAL = 16  # names of one script
FEWEST = 100


def read_names():
    lines = LIST.read_text().splitlines()
    return " ".join(line for line in lines if not line.startswith("#")).split()


def messages(tilec, names, target):
    body = "".join(f"        T.{name}()\n" for name in names)
    text = ("import tilelang.language as T\n\n@T.prim_func\ndef main(A: T.Tensor((4,), \"float32\")):\n"
            "    with T.Kernel(1) as bx:\n" + body + "        A[0] = 1.0\n")
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "names.py"
        script.write_text(text)
        run = subprocess.run([tilec, str(script), f"--target={target}", "-o", f"{folder}/out"],
                             capture_output=True, text=True, check=False)
    return run


def main():
    names, faults = read_names(), 0
    refused = set()
    several = [names[i:i + SEVERAL] for i in range(0, len(names), SEVERAL)]
    for target, part in itertools.product(("gfx950", "sm_90a"), several):
        run = messages(sys.argv[1], part, target)
        if run.returncode not in (0, 1):
            print(f"{target}: tilec ends with {run.returncode}")
            faults += 1
        for line, message in UNKNOWN.findall(run.stderr):
            print(f"{target}: T.{part[int(line) - FIRST]}: {message}")
            faults += 1
        for _, name, instead in REFUSED.findall(run.stderr):
            refused.add(name)
            if len(instead.split()) < 2:
                print(f"{target}: {name} is refused without a word on what to write")
                faults += 1
    if len(refused) < FEWEST:
        print(f"only {len(refused)} names are refused: messages are not understood any more")
        faults += 1
    print(f"{len(names)} names, {len(refused)} of them refused, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

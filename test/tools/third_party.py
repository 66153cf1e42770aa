#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs hand-written code objects of ROCm/aiter in the simulator and checks their results.

usage: third_party.py TOOLS DIRECTORY [--coverage [--every N]]

TOOLS is the build's bin, DIRECTORY a copy of aiter's `hsa` folder (commit e4048607a5; the objects are not
part of this repository). The program SimThirdPartyTests computes references in double and compares findings with
test/data/sim/third-party-findings.txt. With --coverage, `tilec-sim --coverage` also looks for instructions
that a run would refuse, in every (N-th) object of gfx942 and gfx950. Exit code 0 when all is well.
"""

import argparse
import os
import pathlib
import subprocess
import sys


def run_tests(tools, directory):
    env = dict(os.environ, TILEC_AITER=str(directory))
    result = subprocess.run([tools / "SimThirdPartyTests"], env=env, stdout=subprocess.PIPE, text=True)
    for line in result.stdout.splitlines():
        if line.startswith(("[  ", "[ RUN")) or "largest error" in line or "Failure" in line:
            print(line)
    return result.returncode == 0


def check_coverage(tools, directory, every):
    objects = sorted(p for arch in ("gfx942", "gfx950") for p in (directory / arch).rglob("*.co"))[::every]
    instructions, refused, broken = 0, {}, []
    for path in objects:
        result = subprocess.run([tools / "tilec-sim", "--coverage", path], capture_output=True, text=True)
        if result.returncode == 2:
            broken.append(f"{path}: {result.stderr.strip()}")
            continue
        for line in result.stdout.splitlines():
            if line.endswith("instructions are not known"):
                instructions += int(line.split()[-5])
            else:
                reason = line.rsplit("`: ", 1)[-1]
                refused[reason] = refused.get(reason, 0) + 1
    print(f"{len(objects)} objects, {instructions} instructions, {sum(refused.values())} refused")
    for reason, count in sorted(refused.items(), key=lambda item: -item[1]):
        print(f"  {count} {reason}")
    for line in broken:
        print(f"  {line}")
    return not refused and not broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="take every N-th object only")
    args = parser.parse_args()
    if not (args.directory / "gfx942").is_dir():
        sys.exit(f"{args.directory} is not a copy of aiter's hsa folder: it has no gfx942")
    good = run_tests(args.tools, args.directory)
    if args.coverage:
        good = check_coverage(args.tools, args.directory, args.every) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a library of the C interface shows to the dynamic linker.

It defines functions that its headers declare and nothing else; what it wants from others is no
symbol of LLVM, MLIR or the C++ library; and the libraries that it needs are those of a list.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# The system's own, and what static LLVM uses for compressed debug sections.
NEEDED = re.compile(r"lib(c|m|dl|rt|pthread|z|zstd|gcc_s)\.so\.\d+$|ld-linux-x86-64\.so\.2$")
FOREIGN = re.compile(r"LLVM|_ZN4llvm|_ZN4mlir|_ZNSt|_ZSt|^_Zn|^_Zd")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--headers", required=True, type=pathlib.Path)
    parser.add_argument("library")
    args = parser.parse_args()
    declared = set()
    for header in args.headers.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for declaration in re.findall(r"TILEC_API([^;{]*);", text):
            declared |= set(re.findall(r"\b(tilec_\w+)\s*\(", declaration))
    if not declared:
        sys.exit("no declarations found")
    defined = {line.split()[-1].split("@")[0] for line in
               run(args.nm, "-D", "--defined-only", args.library).splitlines()}
    defined.discard("TILEC_0")  # the version itself
    complaints = [f"{name} is exported, no header declares it" for name in
                  sorted(defined - declared)]
    if not any(name.startswith("tilec_") for name in defined):
        complaints.append("nothing is exported")
    sanitized = any("__asan" in line for line in
                    run(args.nm, "-D", "--undefined-only", args.library).splitlines())
    for line in run(args.nm, "-D", "--undefined-only", args.library).splitlines():
        name = line.split()[-1].split("@")[0]
        if FOREIGN.search(name) and not sanitized:
            complaints.append(f"{name} comes from outside")
    for needed in re.findall(r"Shared library: \[(.*?)\]", run(args.readelf, "-d", args.library)):
        if not NEEDED.match(needed) and not sanitized:
            complaints.append(f"{needed} is needed")
    for complaint in complaints:
        print(f"{args.library}: {complaint}")
    if complaints:
        sys.exit(1)
    print(f"{len(defined)} functions, nothing else")


if __name__ == "__main__":
    main()

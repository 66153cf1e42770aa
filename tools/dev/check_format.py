#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks (or with --fix makes) the formatting of all tracked C++ sources.

Uses clang-format 22 and the repository's .clang-format. TableGen and .def files are left alone:
clang-format knows neither.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["examples", "include", "lib", "test", "tools"]
SUFFIXES = [".cpp", ".h"]


def tracked_sources():
    """Files that git tracks; in a copy without git, all of our folders."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--", *["*" + s for s in SUFFIXES]],
        capture_output=True, text=True)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [str(file.relative_to(ROOT)) for folder in FOLDERS
                 for file in sorted((ROOT / folder).rglob("*")) if file.suffix in SUFFIXES]
    return [name for name in names if (ROOT / name).is_file()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    parser.add_argument("--clang-format", default="clang-format-22")
    options = parser.parse_args()
    if not shutil.which(options.clang_format):
        sys.exit(f"{options.clang_format} is not installed: run ./dev setup")
    sources = tracked_sources()
    if not sources:
        sys.exit("no C++ sources found")
    mode = ["-i"] if options.fix else ["--dry-run", "-Werror"]
    bad = 0
    for start in range(0, len(sources), 64):  # the command line is bounded
        done = subprocess.run([options.clang_format, *mode, *sources[start:start + 64]], cwd=ROOT)
        bad |= done.returncode
    if bad:
        sys.exit("not formatted as .clang-format says: run ./dev format")
    if not options.fix:
        print(f"{len(sources)} files are formatted")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/contribute/passes.md: every pass, in the order in which it runs.

usage: passes_page.py [--check]

Text and options are those of include/tilec/Transforms/Passes.td, the order is that of lib/Driver/Pipelines.cpp,
facts are the rows of lib/Transforms/Contracts/Contracts.cpp, and tests are the .mlir files that name the pass in a
RUN line. --check fails when the page is another one, or a pass has no such file.
"""
import argparse
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/contribute/passes.md"
PASS = re.compile(r'^def \w+ : Pass<"([\w-]+)".*?^}', re.M | re.S)
ROW = re.compile(r'\{"([\w-]+)",\s*\{([\w, \n]*)\},\s*\{([\w, \n]*)\}')


def passes():
    text = (ROOT / "include/tilec/Transforms/Passes.td").read_text()
    for match in PASS.finditer(text):
        body = match.group(0)
        summary = re.search(r'let summary = "([^"]+)"', body).group(1)
        description = textwrap.dedent(re.search(r"let description = \[\{\n(.*?)\}\]", body, re.S).group(1)).rstrip()
        options = [name for name in re.findall(r'Option<"\w+",\s*"([\w-]+)"', body) if name != "target"]
        yield match.group(1), summary, description, options


def facts():
    text = (ROOT / "lib/Transforms/Contracts/Contracts.cpp").read_text()
    return {name: [re.findall(r"\w+", part) for part in parts] for name, *parts in ROW.findall(text)}


def tests_of(name):
    found = []
    for file in sorted((ROOT / "test/lit/Transforms").rglob("*.mlir")):
        runs = " ".join(line for line in file.read_text().splitlines() if line.startswith("// RUN:"))
        if re.search(rf"[(,-]{name}[{{,)\s]", runs):
            found.append(file)
    return found


def section(name, summary, description, options, row, tests):
    lines = [f"## {name}", "", summary[0].upper() + summary[1:] + ".", "", "```", description, "```", ""]
    needs, gives = ([f"`{fact}`" for fact in part] for part in row)
    text = "Facts: needs " + (", ".join(needs) or "none") + "; gives " + (", ".join(gives) or "none") + "."
    lines.append(textwrap.fill(text, 110, break_on_hyphens=False))
    if options:
        lines.append("Options beside the target: " + ", ".join(f"`{option}`" for option in options) + ".")
    own = [file for file in tests if name.split("-", 1)[1] in file.stem] or tests
    links = ", ".join(f"[{file.stem}](../../{file.relative_to(ROOT)})" for file in own[:6])
    text = f"Tests, of {len(tests)}: {links}."
    lines.append(textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines) + "\n"


def page():
    order = (ROOT / "lib/Driver/Pipelines.cpp").read_text()
    rows = facts()
    all_passes = sorted(passes(), key=lambda one: order.find(one[0]))
    missing = [name for name, *_ in all_passes if name not in order or name not in rows or not tests_of(name)]
    if missing:
        sys.exit("not in lib/Driver/Pipelines.cpp, without a contract or without a .mlir: " + ", ".join(missing))
    head = """# Passes

What each pass needs, gives and leaves, in the order of `lib/Driver/Pipelines.cpp`. Facts are explained in
[architecture.md](architecture.md#stages-and-their-contracts); `--verify-stages` checks them. This page is
written by `tools/dev/passes_page.py` from `include/tilec/Transforms/Passes.td`.

"""
    return head + "\n".join(section(*one, rows[one[0]], tests_of(one[0])) for one in all_passes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = page()
    if options.check and PAGE.read_text() != text:
        sys.exit("docs/contribute/passes.md is not what tools/dev/passes_page.py writes; run it")
    if not options.check:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes include/tilec/TileFunctions.h: the functions of `T.` for C++, one a row of the tables.

usage: tile_functions.py [--check]
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "include/tilec/TileFunctions.h"
ROW = re.compile(r'^TILEC_INTRINSIC\(\s*(\w+)\s*,\s*"([^"]+)"\s*,\s*(\w+)\s*,\s*((?:"[^"]*"\s*)*)\)', re.M)
MATH = re.compile(r'^TILEC_MATH\(\s*(\w+)\s*,\s*"?(\w+)"?\s*,\s*(\d+)\s*\)', re.M)

# Written by hand in Tile.h, or of no use in C++: types, loops, allocations, launches, dicts.
BY_HAND = re.compile(
    r"^(Kernel|Parallel|Pipelined|Persistent|grid|serial|unroll|vectorized|thread_binding|loop_break"
    r"|Tensor|StridedTensor|ptr|make_tensor|alloc_\w+|empty|const|dynamic|view|reshape|Layout|Fragment"
    r"|annotate_\w+|TensorCoreIntrinEmitter|MatrixCoreIntrinEmitter|determine_fp8_type|emitter\.\w+"
    r"|get_\w+s|Cast|reduce|make_linear_layout|get_e_\w+|comm_reducer|attr|tvm_thread_allreduce|import_source"
    r"|access_ptr|address_of)$")
RENAMED = {"Select": "select", "And": "And", "Or": "Or", "Not": "Not"}
HEAD = """\
//===- tilec/TileFunctions.h - the functions of `T.` for C++ --------------===//
//
// Written by tools/dev/tile_functions.py from the tables of the language
// (include/tilec/Script/Intrinsics.def, Math.def); a test compares. What each one does
// is in docs/language/README.md. Options that are left out have the defaults named there.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Tile.h"

namespace tilec::tile {
"""


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def parameters(signature):
    """(required, optional) names of a signature; None for one that collects."""
    required, optional = [], []
    for part in re.split(r",\s*(?![^']*'(?:[^']*'[^']*')*[^']*$)", signature):
        part = part.strip()
        if not part or part == "*":
            continue
        if part.startswith("*"):
            return None, None
        name, _, default = part.partition("=")
        (optional if default else required).append(name)
    return required, optional


def function(name, signature):
    required, optional = parameters(signature)
    if required is None:
        return ""
    plain = name.rpartition(".")[2]
    cpp = RENAMED.get(plain, camel(plain))
    text = f"\n/// T.{name}({signature})\n" if not name.startswith("schedule.") else \
        f"\n/// {name}({signature})\n"
    args = [f"const Arg &{camel(p)}" for p in required]
    pointers = ", ".join(f"&{camel(p)}" for p in required)
    keywords = ""
    if optional:
        options = cpp[:1].upper() + cpp[1:] + "Options"
        fields = ", ".join(f"{camel(p)} = {{}}" for p in optional)
        text += f"struct {options} {{\n  Option {fields};\n}};\n"
        args.append(f"const {options} &options = {{}}")
        keywords = ", ".join(f'{{"{p}", options.{camel(p)}}}' for p in optional)
    args.append("Loc loc = Loc::current()")
    text += f"inline Value {cpp}({', '.join(args)}) {{\n"
    text += f'  return detail::call("{name}", {{{pointers}}}, {{{keywords}}}, loc);\n}}\n'
    return text


def generate():
    text = HEAD
    for _, name, kind, signature in ROW.findall(
            (ROOT / "include/tilec/Script/Intrinsics.def").read_text()):
        if not BY_HAND.match(name) and kind != "Hint":
            text += function(name, "".join(re.findall(r'"([^"]*)"', signature)))
    known = set(re.findall(r"inline Value (\w+)\(", text))
    for _, name, arity in MATH.findall((ROOT / "include/tilec/Script/Math.def").read_text()):
        if camel(name) not in known:
            text += function(name, ", ".join("xyz"[:int(arity)]))
    text += "\n} // namespace tilec::tile\n"
    return subprocess.run(["clang-format-22", f"--assume-filename={OUT}"], input=text, text=True,
                          capture_output=True, check=True).stdout


def main():
    text = generate()
    if "--check" in sys.argv[1:]:
        if not OUT.exists() or OUT.read_text() != text:
            sys.exit(f"{OUT.relative_to(ROOT)} is not what tools/dev/tile_functions.py writes: run it")
        print(f"{text.count('inline Value')} functions")
    else:
        OUT.write_text(text)


if __name__ == "__main__":
    main()

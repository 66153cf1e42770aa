#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the functions of `T.` for C++, one a row of the tables: include/tilec/TileFunctions.h has those of
tiles and threads, include/tilec/TileMath.h those of numbers.

usage: tile_functions.py [--check]
"""

import pathlib
import re
import subprocess
import sys

import python_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include/tilec"
ROW = re.compile(r'^TILEC_INTRINSIC\(\s*(\w+)\s*,\s*"([^"]+)"\s*,\s*(\w+)\s*,\s*((?:"[^"]*"\s*)*)\)', re.M)
MATH = re.compile(r'^TILEC_MATH\(\s*(\w+)\s*,\s*"?(\w+)"?\s*,\s*(\d+)\s*\)', re.M)

# Written by hand in Tile.h, or of no use in C++: types, loops, allocations, launches, dicts.
BY_HAND = re.compile(
    r"^(Kernel|Parallel|Pipelined|Persistent|grid|serial|unroll|vectorized|thread_binding|loop_break"
    r"|thread_return"
    r"|Tensor|StridedTensor|ptr|make_tensor|alloc_\w+|empty|const|dynamic|view|reshape|Layout|Fragment"
    r"|annotate_\w+|TensorCoreIntrinEmitter|MatrixCoreIntrinEmitter|determine_fp8_type|emitter\.\w+"
    r"|get_\w+s|Cast|reduce|make_linear_layout|get_e_\w+|comm_reducer|attr|tvm_thread_allreduce|import_source"
    r"|access_ptr|address_of|While|match_buffer|make_fully\w+|ptx_cp_async|Ramp|Broadcast|Shuffle|extract_lane"
    r"|vector(low|high|combine)|(add|sub|mul|max|min|fma|abs)2|(ld|st)g\d+)$")
RENAMED = {"Select": "select", "And": "And", "Or": "Or", "Not": "Not"}
# Functions that the evaluator computes, but not of numbers: of the launch, of memory, of random states.
OF_THREADS = re.compile(r"^(get_|make_|tvm_|rng_|__ldg|evaluate|let$)")
HEAD = """\
{first}
//
// Written by tools/dev/tile_functions.py from the tables of the language
// (include/tilec/Script/Intrinsics.def, Math.def); a test compares. What each one does
// is in docs/language/README.md. Options that are left out have the defaults named there.
// Include tilec/Tile.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Tile.h"

namespace tilec::tile {{
"""
FIRST = {"TileFunctions.h": "what `T.` does with tiles and threads, for C++",
         "TileMath.h": "what `T.` computes with numbers, for C++"}


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
    """The text of each header."""
    texts = {}
    for name, subject in FIRST.items():
        first = f"//===- tilec/{name} - {subject} "
        texts[name] = HEAD.format(first=first + "-" * (75 - len(first)) + "===//")
    known = set()

    def add(header, name, signature):
        text = function(name, signature)
        texts[header] += text
        known.update(re.findall(r"inline Value (\w+)\(", text))

    for _, name, kind, signature in ROW.findall((INCLUDE / "Script/Intrinsics.def").read_text()):
        if BY_HAND.match(name) or kind == "Hint":
            continue
        is_of_numbers = kind in python_table.HOST and not OF_THREADS.match(name)
        add("TileMath.h" if is_of_numbers else "TileFunctions.h", name, "".join(re.findall(r'"([^"]*)"', signature)))
    for _, name, arity in MATH.findall((INCLUDE / "Script/Math.def").read_text()):
        if camel(name) not in known:
            add("TileMath.h", name, ", ".join("xyz"[:int(arity)]))
    for name, text in texts.items():
        texts[name] = subprocess.run(["clang-format-22", f"--assume-filename={INCLUDE / name}"],
                                     input=text + "\n} // namespace tilec::tile\n", text=True,
                                     capture_output=True, check=True).stdout
    return texts


def main():
    for name, text in generate().items():
        path = INCLUDE / name
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)} is not what tools/dev/tile_functions.py writes: run it")
        print(f"{name}: {text.count('inline Value')} functions")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/tilec/language/_table.py and __init__.pyi: the functions of `T.` for Python, one a row
of the tables of the language. What each does is taken from the pages of docs/language.

usage: python_table.py [--check]
"""

import pathlib
import re
import sys

import check_pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "python/tilec/language"
SCRIPT = ROOT / "include/tilec/Script"
ROW = re.compile(r'^TILEC_INTRINSIC\(\s*(\w+)\s*,\s*"([^"]+)"\s*,\s*(\w+)\s*,\s*((?:"[^"]*"\s*)*)\)', re.M)
ALIAS = re.compile(r'^TILEC_INTRINSIC_ALIAS\("([^"]+)",\s*"([^"]+)"\)', re.M)
MATH = re.compile(r'^TILEC_MATH\(\s*(\w+)\s*,\s*"(\w+)"\s*,\s*(\d+)\s*\)', re.M)
REFUSED = re.compile(r'^TILEC_INTRINSIC_REFUSED\("([^"]+)",\s*((?:"[^"]*"\s*)+)\)', re.M)
MATH_ALIASES = re.compile(r'\{"(\w+)", "(\w+)"\}')
KINDS = {
    "Stmt": "A statement of a kernel.",
    "Value": "A statement of a kernel that has a result.",
    "Pure": "An expression of a kernel.",
    "Host": "Evaluated while the kernel is compiled.",
    "Library": "A function in the tile language.",
    "Hint": "A hint: taken note of, then dropped.",
}
# Who evaluates a function while the kernel is compiled is nobody's business in Python.
HOST = {"Launch", "Loop", "Alloc", "Scalar", "Compat"}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""The functions of `T.`: written by tools/dev/python_table.py from include/tilec/Script; a test compares."""

# fmt: off
'''


def joined(text):
    return "".join(re.findall(r'"([^"]*)"', text))


def sentences():
    """Name -> (what its row of a table in docs/language says, the page)."""
    found = {}
    for name in ("statements", "kernels", "expressions", "threads", "hints"):
        page = ROOT / f"docs/language/{name}.md"
        for group in check_pages.paragraphs(page.read_text().splitlines()):
            line = " ".join([group[0], *(line.strip() for line in group[1:])])
            # A paragraph about functions: **`T.copy(src, dst)`** copies a tile.
            if head := re.match(r"(?:[-*] )?\*\*(`T\..*?`)\*\*:? (.+)", line):
                text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head[2])
                for name in re.findall(r"`T\.(\w+)", head[1]):
                    found.setdefault(name, (re.match(r".*?(?:\.(?= |$)|$)", text)[0], page.name))
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) < 2:
                continue
            for name in re.findall(r"`T\.(\w+)", cells[0]):
                found.setdefault(name, ("; ".join(c for c in cells[1:] if c), page.name))
    return found


def rows():
    text = (SCRIPT / "Intrinsics.def").read_text()
    out = {name: ("Host" if kind in HOST else kind, joined(signature)) for _, name, kind, signature in ROW.findall(text)}
    for name, target in ALIAS.findall(text):
        out[name] = out[target]
    math = {name: int(n) for _, name, n in MATH.findall((SCRIPT / "Math.def").read_text())}
    table = (ROOT / "lib/Script/IntrinsicTable.cpp").read_text()
    aliases = table[table.index("mathAliases") :]
    for name, other in MATH_ALIASES.findall(aliases[: aliases.index("};")]):
        math[name] = math[other]
    for name, arity in math.items():
        out.setdefault(name, ("Pure", ", ".join("xyz"[:arity])))
    return {k: out[k] for k in sorted(out) if "." not in k}


def table(functions, refused, said):
    lines = [HEAD, "FUNCTIONS = {\n"]
    for name, (kind, signature) in functions.items():
        doc, page = said.get(name, (KINDS[kind], "README.md"))
        lines.append(f"    {name!r}: ({kind!r}, {signature!r}, {doc + f' (docs/language/{page})'!r}),\n")
    lines.append("}\nREFUSED = {\n")
    lines += [f"    {name!r}: {instead!r},\n" for name, instead in refused.items()]
    lines.append("}\n")
    return "".join(lines)


def stub(functions, said):
    """`buffer, *axes, dim=-1` as a Python signature of Any."""
    lines = [
        "# Written by tools/dev/python_table.py; a test compares.\n",
        "from typing import Any\n\n",
        "from tilec._dtypes import dtype as dtype\n",
        "from tilec._jit import PrimFunc as PrimFunc, macro as macro, prim_func as prim_func\n",
        "from tilec.language._functions import GemmWarpPolicy as GemmWarpPolicy\n\n",
    ]
    for name in sorted(__import__("ast").literal_eval(DTYPES)):
        lines.append(f"{name}: dtype\n")
    lines.append("\n")
    for name, (kind, signature) in functions.items():
        parts = []
        for part in filter(None, (p.strip() for p in split(signature))):
            if part == "*":
                parts.append("*")
                continue
            own, _, default = part.partition("=")
            parts.append(f"{own}: Any" + (f" = {default}" if default else ""))
        doc = said.get(name, (KINDS[kind], ""))[0].replace("\\", "\\\\").replace('"""', "'''")
        lines.append(f"def {name}({', '.join(parts)}) -> Any:\n    \"\"\"{doc}\"\"\"\n")
    return "".join(lines)


DTYPES = (
    '["bool", "int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64",'
    ' "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",'
    ' "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn", "float", "half", "int", "uint"]'
)


def split(signature):
    """At commas outside of quotes."""
    return re.split(r",\s*(?![^']*'(?:[^']*'[^']*')*[^']*$)", signature)


def main():
    functions = rows()
    refused = {n: joined(i) for n, i in REFUSED.findall((SCRIPT / "Refused.def").read_text())}
    said = sentences()
    files = {OUT / "_table.py": table(functions, refused, said), OUT / "__init__.pyi": stub(functions, said)}
    for path, text in files.items():
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text() != text:
                sys.exit(f"{path.relative_to(ROOT)} is old: run tools/dev/python_table.py")
        else:
            path.write_text(text)


if __name__ == "__main__":
    main()

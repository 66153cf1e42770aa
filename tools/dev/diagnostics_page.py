#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/diagnostics.md: every message of tilec by its id, each with an example.

The ids, severities and texts are the rows of include/tilec/Base/Diagnostics/*.def; the examples
are the scripts and commands of test/lit/Diagnostics, whose messages that test compares with the tools'.

  diagnostics_page.py           writes the page
  diagnostics_page.py --check   fails where the page is not current
"""

import argparse
import collections
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/diagnostics.md"
sys.path.insert(0, str(ROOT / "test/tools"))
from check_coverage import NO_SCRIPT_KNOWN, PLANTED  # noqa: E402
from check_diagnostics import split  # noqa: E402

ROW = re.compile(r'^TILEC_DIAG\(\s*(\w+)\s*,\s*(\w+)\s*,\s*"((?:[^"\\]|\\.)*)"\)(?:[ \t]*//\s*(.*))?$', re.M)
CHAPTERS = {
    "Script": "The script: syntax, names, values",
    "Import": "Tile operations: shapes, dtypes, places",
    "Compile": "What a program does, what a target has, and the tools",
}
INTRO = """# Diagnostics

<!-- Written by tools/dev/diagnostics_page.py from the rows of include/tilec/Base/Diagnostics and
     the tests of test/lit/Diagnostics. Do not edit. -->

Every message has an id, in brackets behind its first line: `script.py:3:5: error: text [Id]`. Below
is each of them, with a script or a command that gives it. An **error** ends the compile or the run; a **warning**
is about code that may be wrong or slow; a **remark** (`--remarks`) is about code that is right, and
what the compiler made of it; a **note** belongs to the message in front of it.

## For programs: `--diagnostics=json`

With `--diagnostics=json` the tools (`tilec`, `tilec layout`, `tilec-run`, `tilec-sim`, `tilec-report`,
`tilec-launch`, `tilec-reduce`, `tilec-diff`) print their messages to standard error as JSON: one object
a line, in the order of the text form. What is no message (tables, stages) goes to standard output as
always. `tilec-opt` and `tilec-translate` run single stages and print MLIR's messages as they are.

```
{"id":"GemmK","severity":"error","text":"A has 64 columns and B has 32 rows; they are ...","fix":"they are ...","file":"gemm.py","line":9,"column":13,"end_line":9,"end_column":28,"notes":[...]}
```

| field | is |
|---|---|
| `id` | the id; it stays when the text changes |
| `severity` | `error`, `warning`, `remark`; of notes `note` |
| `text` | the message without place and id |
| `fix` | what the message says to do: its part behind the last semicolon. Absent where it says nothing |
| `file`, `line`, `column` | where it is; counted from 1, columns in bytes. Absent for messages about no place |
| `end_line`, `end_column` | behind the last byte of that place |
| `notes` | objects with the same fields. Absent where there are none |

A C program gets the same from `tilec_binary_diagnostic` (include/tilec-c/Compile.h).
"""


def rows(root):
    """[(chapter, [(id, severity, text, comment)])]"""
    folder = root / "include/tilec/Base/Diagnostics"
    for name in CHAPTERS:
        text = (folder / f"{name}.def").read_text()
        yield name, [(i, s, t.replace('\\"', '"').replace("\\\\", "\\"), c) for i, s, t, c in ROW.findall(text)]


def id_of(part):
    """The id that a part shows; remarks that carry MLIR's text print none."""
    name = part.name.split("-")[0]
    if name[:1].isupper():
        return name
    return "IrRemark" if re.search(r": remark: .*[^\]]$", (part.expected or [""])[0]) else ""


def examples(root):
    """For each id the script, or the commands, with the fewest lines, and the files that the commands use."""
    found, files = {}, {}
    for file in sorted((root / "test/lit/Diagnostics").glob("*.test")):
        text = file.read_text()
        if "check_diagnostics.py" not in text:
            continue
        for part in split(text)[1]:
            name = id_of(part)
            if part.file:
                files[part.file] = part.script
            elif name and part.expected:
                best = found.get(name)
                if best is None or len(part.script) < len(best.script):
                    found[name] = part
    return found, files


def readable(text):
    """A row's text with names for what is filled in."""
    text = text.replace("{{", "\0").replace("}}", "\1")
    text = re.sub(r"\{(\d+)\}", "…", text)
    return text.replace("\0", "{").replace("\1", "}").replace("\\n", " ")


def wrapped(text):
    return textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False)


def commands(part, files, shared):
    """The lines of a part's commands, in front of them the files that only these use."""
    lines = []
    for file, script in files.items():
        if any(file in line for line in part.script) and file not in shared:
            lines += [f"{file}:", "", "```", *script, "```", ""]
    return lines + ["```", *(f"$ {line}" for line in part.script), *part.expected, "```", ""]


def entry(name, severity, text, comment, part, files, shared):
    lines = [f"### {name}", ""]
    if text == "{0}":
        lines += [wrapped(f"{severity}: in words of its own{': ' + comment if comment else ''}."), ""]
    else:
        lines += [wrapped(f"{severity}: {readable(text)}"), ""]
    if part is None:
        if name in PLANTED:
            file = PLANTED[name]
            lines += [f"A test plants it: [{pathlib.Path(file).name}](../../{file}).", ""]
        elif name in NO_SCRIPT_KNOWN:
            lines += ["No program that gives it is known.", ""]
        return lines
    if part.kind == "sh":
        return lines + commands(part, files, shared)
    if part.options.strip():
        lines += [f"With `{part.options.strip()}`:", ""]
    longest = 40
    script = part.script if len(part.script) <= longest else part.script[:longest] + ["..."]
    lines += ["```", *script, "```", "", "```", *part.expected, "```", ""]
    return lines


def page(root):
    shown, files = examples(root)
    uses = collections.Counter(file for part in shown.values() if part.kind == "sh" for file in files
                               if any(file in line for line in part.script))
    shared = [file for file in files if uses[file] > 1]
    lines = [INTRO]
    for chapter, list_of in rows(root):
        lines += [f"## {CHAPTERS[chapter]}", ""]
        if chapter == "Compile":
            for file in shared:
                lines += [f"Several commands of this chapter use {file}:", "", "```", *files[file], "```", ""]
        notes = [(i, t) for i, s, t, _ in list_of if s == "Note" and t != "{0}"]
        for name, severity, text, comment in list_of:
            if severity != "Note":
                lines += entry(name, severity, text, comment, shown.get(name), files, shared)
        if notes:
            lines += ["Notes that stand behind these messages:", "", "| id | text |", "|---|---|"]
            lines += [f"| {i} | {readable(t).replace('|', chr(92) + '|')} |" for i, t in notes]
            lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = page(ROOT)
    if not options.check:
        PAGE.write_text(text)
    elif not PAGE.is_file() or PAGE.read_text() != text:
        print(f"{PAGE.relative_to(ROOT)} is not current: run tools/dev/diagnostics_page.py")
        sys.exit(1)


if __name__ == "__main__":
    main()

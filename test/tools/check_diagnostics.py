#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the scripts of a test of test/lit/Diagnostics and compares every line of the messages.

A script begins with `#--- NAME.py OPTIONS` and ends with the messages that it gives, `#| ` before
each line: place, text and id, the source line, the caret, the notes. NAME is the id of the first
message (`Id-2.py` for a second script); a name in lower case is for messages without an id.

Messages of the tools come from commands: `#--- NAME.sh`, and then a shell's lines, run where the
tools are in the path, and all that they print, a message of this id with it. `#--- FILE name` is a file that the commands use.

  check_diagnostics.py TEST TILEC [--update]

--update writes what the compiler says into the test: read the difference before it is committed.
"""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HEAD = re.compile(r"^#--- (?:FILE (?P<file>[\w.-]+)|(?P<name>[\w-]+)\.(?P<kind>py|sh)(?P<options>.*))$")


class Part:
    def __init__(self, head):
        self.file, self.kind = head["file"], head["kind"] or "file"
        self.name, self.options = head["name"] or self.file, head["options"] or ""
        self.script, self.expected = [], []

    def head(self):
        return f"#--- FILE {self.file}" if self.file else f"#--- {self.name}.{self.kind}{self.options}"


def split(text):
    """The lines before the first script, and the scripts."""
    intro, parts = [], []
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            parts.append(Part(head))
        elif not parts:
            intro.append(line)
        elif line.startswith("#|"):
            parts[-1].expected.append(line[3:])
        else:
            parts[-1].script.append(line)
    return intro, parts


def join(intro, parts):
    lines = list(intro)
    for part in parts:
        lines.append(part.head())
        lines += part.script
        lines += [f"#| {line}".rstrip() for line in part.expected]
    return "\n".join(lines) + "\n"


def run_commands(part, tilec, folder):
    tool = shutil.which(tilec)
    path = os.pathsep.join([str(pathlib.Path(tool).parent), os.environ["PATH"]])
    run = subprocess.run(["sh", "-c", "\n".join(part.script)], cwd=folder, env=os.environ | {"PATH": path},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return run.returncode, [line.rstrip() for line in run.stdout.splitlines()]


def compile_part(part, tilec, folder):
    if part.kind == "sh":
        return run_commands(part, tilec, folder)
    (folder / f"{part.name}.py").write_text("\n".join(part.script) + "\n")
    command = [tilec, f"{part.name}.py", "--remarks", "-o", "out"] + shlex.split(part.options)
    if "--target" not in part.options:
        command.append("--target=gfx950")
    run = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=60)
    return run.returncode, [line.rstrip() for line in (run.stdout + run.stderr).splitlines()]


def complaints(part, code, actual):
    first = actual[0] if actual else ""
    file = r"[\w.-]+" if part.kind == "sh" else rf"{re.escape(part.name)}\.py|<entry>|<define[^>]*>"
    place = re.match(rf"(({file}):\d+:\d+|tilec[a-z -]*): (error|warning|remark): ", first)
    if not place:
        yield "the first line is no message of this script or of tilec"
    elif (code != 0) != any(re.match(r"([^ ]+:\d+:\d+|tilec[a-z -]*): error: ", line) for line in actual):
        yield f"exit code {code}"
    said = actual if part.kind == "sh" else [first]  # a tool may say first for what it wanted the script
    if part.name[0].isupper() and not any(line.endswith(f" [{part.name.split('-')[0]}]") for line in said):
        yield f"the first message is no {part.name}"
    expected = [line.rstrip() for line in part.expected]
    if actual != expected:
        yield "\n".join(difflib.unified_diff(expected, actual, "expected", "actual", lineterm=""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("test", type=pathlib.Path)
    parser.add_argument("tilec")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    intro, parts = split(options.test.read_text())
    failed = not parts
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            if part.file:
                (pathlib.Path(folder) / part.file).write_text("\n".join(part.script) + "\n")
        for part in parts:
            if part.file:
                continue
            code, actual = compile_part(part, options.tilec, pathlib.Path(folder))
            if options.update:
                part.expected = actual
            for complaint in complaints(part, code, actual):
                print(f"{options.test.name}: {part.name}: {complaint}")
                failed = True
    if options.update:
        options.test.write_text(join(intro, parts))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

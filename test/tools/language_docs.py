#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes the language reference: docs/language/*.md.

usage: language_docs.py examples --bin FOLDER [--jobs N] [--only PATTERN]
       language_docs.py names

`examples` runs every fenced `python` block. What follows the word `python` says how:

    run ENTRY      the block is a file; ENTRY (may be absent) is its --entry
    body           statements of a kernel, put into the page's `template body` block at its `...`
    eval           compile-time statements, put into the `template eval` block; those that mention
                   neither T nor tilelang also run under the Python that runs this script
    template NAME  defines a template; it is not executed
    gap            something that is not supported yet: the block must fail; when it works, it must
                   become an ordinary example
    only=X,Y       run on these of cpu, gfx942, gfx950, sm_90a; without it: on all
    --OPTION ...   further words go to tilec-run

A block must run on the cpu device and agree with it on the simulators (gfx942, gfx950; sm_90a as PTX),
without any error or warning but those that its comments announce. A comment
`# error: TEXT`, `# warning: TEXT`, `# remark: TEXT` at the end of a line means that a message with
TEXT in it (its id counts) is reported at this line, `# entry error: TEXT` that one points into the
entry; `# stops: TEXT` that the run stops there: the cpu device says so, the simulated kernel ends
with an error. A python block without such words is a
fault, so nothing on the pages is left unexecuted.

`names` checks that every function of Intrinsics.def (and of Refused.def) stands in a `signature` block as its row says,
that aliases, refused functions and the functions of Math.def occur as `T.NAME`, that all but the
refused ones are called by an example, that the pages name every diagnostic id (as [`ID`], or
in a comment of an example) and none that does not exist, and that they list the evaluator's
built-in functions, methods and modules (the string tables of lib/Script).
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEVICES = ("cpu", "gfx942", "gfx950", "sm_90a")
FENCE = re.compile(r"^```(\S*)[ ]*(.*)$")
EXPECTED = re.compile(r"#\s*(error|warning|remark|stops|entry error):\s*(.*?)\s*$")
MESSAGE = re.compile(r"(?:^|: )(\S+\.py|<entry>):(\d+):\d+: "
                     r"(?:(error|warning|remark|note): )?(.*)$")
TIMEOUT_S = 120
ENTRY_LINE = -1  # of a message that points into the entry


def pages(root):
    return sorted((root / "docs/language").glob("*.md"))


@dataclasses.dataclass
class Block:
    page: str
    line: int
    language: str
    tags: str
    text: str

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    """The fenced blocks of a page, in order."""
    out, lines = [], text.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        at += 1
        if not opening:
            continue
        start = at
        while at < len(lines) and lines[at].strip() != "```":
            at += 1
        body = "\n".join(lines[start:at]) + "\n"
        out.append(Block(page, start, opening[1], opening[2].strip(), body))
        at += 1
    return out


@dataclasses.dataclass
class Example:
    place: str
    text: str
    entry: str = ""
    devices: tuple = DEVICES
    options: tuple = ()
    python: str = ""  # also runs under Python itself
    is_gap: bool = False

    def expected(self, kind):
        """(line, text) of the announced messages of a kind."""
        out = []
        for number, line in enumerate(self.text.splitlines(), 1):
            found = EXPECTED.search(line)
            if found and found[1].removeprefix("entry ") == kind:
                out.append((ENTRY_LINE if found[1] == "entry error" else number, found[2]))
        return out


class BadTag(Exception):
    pass


def fill(template, body):
    """Puts `body` where the template has a line `...`."""
    out = []
    for line in template.splitlines():
        if line.strip() != "...":
            out.append(line)
            continue
        indent = line[:len(line) - len(line.lstrip())]
        out += [indent + b if b else b for b in body.splitlines()]
    return "\n".join(out) + "\n"


def example_of(block, templates):
    words = shlex.split(block.tags)
    if not words or words[0] not in ("run", "body", "eval"):
        raise BadTag("a python block must be tagged `run`, `body`, `eval` or `template`")
    kind, rest = words[0], words[1:]
    entry, devices, options, is_gap = [], DEVICES, [], False
    for word in rest:
        if word == "gap":
            is_gap = True
        elif word.startswith("only="):
            devices = tuple(word[5:].split(","))
            if any(d not in DEVICES for d in devices):
                raise BadTag(f"`{word}` names no device")
        elif word.startswith("--") or options:
            options.append(word)
        else:
            entry.append(word)
    if entry and kind != "run":
        raise BadTag(f"`{kind}` takes no entry")
    text = block.text
    if kind != "run":
        if kind not in templates:
            raise BadTag(f"no page has a `template {kind}` block")
        text = fill(templates[kind], text)
    if kind == "body" and re.search(r"\bn\b", re.sub(r"#.*", "", block.text)):
        options += ["--arg", "n=40"]
    # A compile-time example makes the same kernel everywhere: one device is enough.
    if kind == "eval":
        devices = devices[:1]
    is_plain = kind == "eval" and not re.search(r"\bT\b|tilelang|# error:", block.text)
    return Example(block.place, text, " ".join(entry), devices, tuple(options),
                   block.text if is_plain else "", is_gap)


class Runner:
    def __init__(self, bin_folder, folder):
        self.bin, self.folder = bin_folder, pathlib.Path(folder)

    def command(self, tool, file, example, *words):
        entry = ["--entry", example.entry] if example.entry else []
        return [str(self.bin / tool), file.name, *entry, *words, "--remarks"]

    def call(self, command):
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                                  timeout=TIMEOUT_S, errors="replace")
        except subprocess.TimeoutExpired:
            return 124, f"no end after {TIMEOUT_S} s"
        return done.returncode, done.stdout + done.stderr

    def on(self, device, file, example):
        kind = "cpu" if device == "cpu" else "ptx" if device == "sm_90a" else "sim"
        where = [f"--device={kind}"] + ([] if kind == "cpu" else [f"--target={device}"])
        # A run that stops is judged alone: the check would stop at the cpu reference.
        if device != "cpu" and not example.expected("stops"):
            where.append("--check")
        return self.call(self.command("tilec-run", file, example, *where, *example.options))

    def check(self, number, example):
        """What is wrong with an example, as text; empty when nothing is."""
        file = self.folder / f"example{number}.py"
        file.write_text(example.text)
        faults = ""
        if example.python:
            code, output = self.call([sys.executable, "-c", "import math\n" + example.python])
            if code:
                faults += f"{example.place} under Python: {output}\n"
        for device in example.devices:
            code, output = self.on(device, file, example)
            fault = compare(example, device, code, output)
            if fault:
                faults += f"{example.place} on {device}: {fault}\n"
        if example.is_gap:
            return "" if faults else (f"{example.place}: this works now: make it an ordinary "
                                      "example, and mend what the page says about it\n")
        if faults:
            numbered = "".join(f"{i:4} {line}\n"
                               for i, line in enumerate(example.text.splitlines(), 1))
            faults += numbered
        return faults


def compare(example, device, code, output):
    reported = []
    for text in output.splitlines():
        found = MESSAGE.search(text)
        if found:
            line = ENTRY_LINE if found[1] == "<entry>" else int(found[2])
            reported.append((line, found[3] or "stops", found[4]))
        elif re.match(r"(tilec|tilec-run): (error|warning|remark): ", text):
            reported.append((0, text.split(": ")[1], text))
    fails, stops = example.expected("error"), example.expected("stops")
    for kind in ("error", "warning", "remark", "stops"):
        if kind == "stops" and device != "cpu":
            continue  # elsewhere the kernel only ends with an error
        for line, text in example.expected(kind):
            if not any(l == line and k == kind and text in t for l, k, t in reported):
                return f"line {line} should give {kind}: {text}\n{output}"
        for line, k, text in reported:
            known = any(line == l and t in text for l, t in example.expected(kind))
            if k == kind and kind != "remark" and not known and not (stops and line == 0):
                return f"unannounced {kind} in line {line}: {text}\n{output}"
    if fails or stops:
        return "" if code == 1 else f"exit status {code} instead of 1\n{output}"
    if code != 0:
        return f"exit status {code}\n{output}"
    if device != "cpu" and "PASS" not in output:
        return f"does not agree with the cpu device\n{output}"
    return ""


def load(root):
    """(examples, complaints) of all pages."""
    blocks = [b for page in pages(root)
              for b in blocks_of(str(page.relative_to(root)), page.read_text())]
    templates, examples, complaints = {}, [], []
    for block in blocks:
        if block.language == "python" and block.tags.startswith("template "):
            templates[block.tags.split()[1]] = block.text
    for block in blocks:
        if block.language != "python" or block.tags.startswith("template "):
            continue
        try:
            examples.append(example_of(block, templates))
        except BadTag as e:
            complaints.append(f"{block.place}: {e}")
    return examples, complaints


def run_examples(options):
    examples, complaints = load(options.root)
    if options.only:
        examples = [e for e in examples if options.only in e.place]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.bin.resolve(), folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults = list(pool.map(runner.check, range(len(examples)), examples))
    complaints += [f for f in faults if f]
    for complaint in complaints:
        print(complaint)
    print(f"{len(examples)} examples, {len(complaints)} faults")
    return 1 if complaints or not examples else 0


# Names -----------------------------------------------------------------------------------------

ROW = re.compile(r'^TILEC_INTRINSIC\(\s*(\w+)\s*,\s*"([^"]+)"\s*,\s*(\w+)\s*,((?:\s*"[^"]*")+)\s*\)',
                 re.M)
ALIAS = re.compile(r'^TILEC_INTRINSIC_ALIAS\(\s*"([^"]+)"\s*,\s*"([^"]+)"', re.M)
REFUSED = re.compile(r'^TILEC_INTRINSIC_REFUSED\(\s*"([^"]+)"', re.M)
MATH = re.compile(r'^TILEC_MATH\(\s*\w+\s*,\s*"([^"]+)"', re.M)
DIAGNOSTIC = re.compile(r"^TILEC_DIAG\(\s*(\w+)\s*,\s*(\w+)", re.M)
# The evaluator's tables of Python's names, by how each begins: lists of names, or rows that begin with one.
PYTHON_TABLES = {
    "Builtins.cpp": ("exceptions[] =", "TypeRow rows[] ="),
    "BuiltinCalls.cpp": ("BuiltinCall::pythons() {",),
    "Attributes.cpp": ("attributeRows[] =", "MethodCall::rowsOf(ValueKind kind) {"),
    "SequenceMethods.cpp": ("MethodCall::ofTuple() {", "MethodCall::ofList() {", "MethodCall::ofDict() {",
                            "MethodCall::ofSet() {"),
    "StringMethods.cpp": ("MethodCall::ofStr() {",),
    "Libraries.cpp": ("MathCall::rows() {",),
    "Modules.cpp": ("scheduleFunctions[] =",),
}
ROW_NAME = re.compile(r'^\s*(?:static const Row \w+\[\] = \{)?(?:\{|\w+\()\s*(?:ValueKind::\w+,\s*)?"(\w+)"', re.M)


def written(name):
    """How a script writes the function: emitter.mma and schedule.setprio are no members of T."""
    return name if name.startswith(("emitter.", "schedule.")) else "T." + name


def functions(script):
    """(name, signature) of the rows, and the names of aliases, math functions, refused ones."""
    table = (script / "Intrinsics.def").read_text()
    rows = []
    for _, name, _, parameters in ROW.findall(table):
        joined = "".join(re.findall(r'"([^"]*)"', parameters))
        joined = joined.removeprefix("emitter, ") if name.startswith("emitter.") else joined
        rows.append((written(name), f"{written(name)}({joined})"))
    math = MATH.findall((script / "Math.def").read_text())
    aliases = [name for name, _ in ALIAS.findall(table)]
    refused = REFUSED.findall((script / "Refused.def").read_text())
    return rows, [written(n) for n in aliases + math], [written(n) for n in refused]


def called_names(examples):
    """What the examples call, as `T.NAME`; names may also be imported from tilelang's modules."""
    code = "\n".join(re.sub(r"#.*", "", e.text) for e in examples)
    names = set(re.findall(r"\b(?:T|emitter|schedule)\.\w+", code))
    names.update("T." + n for n in re.findall(r"tilelang\.layout\.(\w+)", code))
    names.update("T." + n for n in re.findall(r"from tilelang\.\w+ import (\w+)", code))
    return names


def check_diagnostics(root, text, examples):
    rows = {}
    for file in (root / "include/tilec/Base/Diagnostics").glob("*.def"):
        rows.update(DIAGNOSTIC.findall(file.read_text()))
    tools = root / "docs/start/running.md"  # what is said by the tools, not of the language
    if tools.is_file():
        text += tools.read_text()
    cited = set(re.findall(r"\[`(\w+)`\]", text))
    complaints = [f"[`{name}`] is no diagnostic" for name in sorted(cited - set(rows))]
    comments = "\n".join(c for e in examples for _, c in
                         e.expected("error") + e.expected("warning") + e.expected("remark"))
    cited.update(re.findall(r"\w+", comments))
    # Notes belong to another message; rows that pass on another library's text print no id.
    return complaints + [f"no page says when [`{name}`] is reported" for name, severity in
                         sorted(rows.items())
                         if severity != "Note" and not name.startswith("Ir") and name not in cited]


def names_of_table(source, begin):
    """The names that a table has whose text begins so; nothing when there is none."""
    at = source.find(begin)
    if at < 0:
        return []
    start = end = source.index("{", at) + 1
    depth = 1
    while depth and end < len(source):
        depth += {"{": 1, "}": -1}.get(source[end], 0)
        end += 1
    body = source[start:end - 1]
    return (ROW_NAME if "{" in body else re.compile(r'"(\w+)"')).findall(body)


def check_python(root, text):
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", text))))
    complaints = []
    for name, tables in PYTHON_TABLES.items():
        source = (root / "lib/Script" / name).read_text()
        for table in tables:
            names = names_of_table(source, table)
            if not names:
                complaints.append(f"lib/Script/{name} has no table {table}")
            complaints += [f"no page lists `{word}` (lib/Script/{name})" for word in names if word not in listed]
    return complaints


def check_kinds(root):
    """The page on adding a function has every kind that a row has, and no other."""
    page = root / "docs/contribute/adding-an-intrinsic.md"
    if not page.is_file():
        return []
    used = {kind for _, _, kind, _ in ROW.findall((root / "include/tilec/Script/Intrinsics.def").read_text())}
    told = {kind for cell in re.findall(r"^\| ((?:`[A-Z]\w+`(?:, )?)+) \|", page.read_text(), re.M) for kind in re.findall(r"\w+", cell)}
    return [f"{page.relative_to(root)} does not have kind `{k}`" for k in sorted(used - told)] + \
           [f"{page.relative_to(root)}: no row has kind `{k}`" for k in sorted(told - used)]


def check_names(root):
    rows, others, refused = functions(root / "include/tilec/Script")
    texts = [(page.name, page.read_text()) for page in pages(root)]
    text = "\n".join(t for _, t in texts)
    signatures = {line.strip() for name, t in texts for b in blocks_of(name, t)
                  if b.language == "signature" for line in b.text.splitlines() if line.strip()}
    wanted = {signature for _, signature in rows}
    complaints = [f"no `signature` block of docs/language/ has {s}"
                  for s in sorted(wanted - signatures)]
    complaints += [f"a `signature` block has {s}, which is no row of Intrinsics.def"
                   for s in sorted(signatures - wanted)]
    named = set(re.findall(r"\b(?:T|emitter|schedule)\.\w+", text))
    complaints += [f"no page mentions {name}" for name in others + refused if name not in named]
    examples, _ = load(root)
    called = called_names(examples)
    complaints += [f"no example calls {name}" for name in [n for n, _ in rows] + others
                   if name not in called]
    complaints += check_diagnostics(root, text, examples) + check_kinds(root)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    complaints += check_python(root, re.sub(r"\s*\n", " ", prose))
    return complaints, len(rows) + len(others) + len(refused)


def run_names(options):
    complaints, count = check_names(options.root)
    for complaint in complaints:
        print(complaint)
    if not complaints:
        print(f"{count} functions are on the pages")
    return 1 if complaints else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    commands = parser.add_subparsers(dest="command", required=True)
    examples = commands.add_parser("examples")
    examples.add_argument("--bin", type=pathlib.Path, required=True)
    examples.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    examples.add_argument("--only", default="", help="part of PAGE:LINE")
    commands.add_parser("names")
    options = parser.parse_args()
    sys.exit(run_examples(options) if options.command == "examples" else run_names(options))


if __name__ == "__main__":
    main()

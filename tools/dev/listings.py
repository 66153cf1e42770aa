#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the listings of the pages, or checks that they are what the tools print today.

usage: listings.py [--bin FOLDER] [--check] [PAGE...]

A comment in front of a fenced block says where the block comes from:

    <!-- listing: COMMAND -->   what COMMAND prints (bash; its lines may go on in further lines)
    <!-- console -->            lines `$ COMMAND`, each followed by what it prints
    <!-- file: NAME -->         the block is the file NAME of the commands behind it
    <!-- picture: COMMAND -->   in front of `![...](FILE.svg)` instead: FILE.svg is what COMMAND prints

Commands run in a folder of the page's own, in which examples and test are those of the repository, with
FOLDER (build/bin) first in PATH.
A command that fails is a fault, but for one whose line ends in `# fails`. Without --check the pages are
written anew: read the difference before it is committed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = re.compile(r"^<!-- (listing|file|picture): ?(.*)$|^<!-- (console) -->$")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.svg)\)")


class Fault(Exception):
    pass


class Runner:
    def __init__(self, bin_folder, folder):
        self.folder = pathlib.Path(folder)
        self.pictures = {}  # as the page names them -> what they are today
        for name in ("examples", "test"):
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}", LC_ALL="C",
                                TILEC_CACHE_DIR=str(self.folder / ".cache"))

    def output(self, command):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, text=True,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if bool(done.returncode) != command.endswith("# fails"):
            raise Fault(f"exit status {done.returncode} of: {command}\n{done.stdout}")
        return [line.rstrip() for line in done.stdout.expandtabs(8).replace(str(ROOT) + "/", "").splitlines()]

    def console(self, body):
        out = []
        for line in body:
            if line.startswith("$ "):
                out += [line, *self.output(line[2:])]
        if not out:
            raise Fault("a console block without a line `$ COMMAND`")
        return out

    def block(self, kind, argument, body):
        if kind == "console":
            return self.console(body)
        if kind == "file":
            (self.folder / argument).write_text("\n".join(body) + "\n")
            return body
        return self.output(argument)


def marker(lines, at):
    """(kind, argument, line behind it) of a comment that begins at `at`, else None."""
    found = MARK.match(lines[at])
    if not found:
        return None
    if found[3]:
        return "console", "", at + 1
    text = [found[2]]
    while not text[-1].endswith("-->"):
        at += 1
        if at == len(lines):
            raise Fault("a comment without end")
        text.append(lines[at].strip())
    return found[1], " ".join(text).removesuffix("-->").strip(), at + 1


def renewed(text, runner):
    """The page with its listings made anew, and how many it has."""
    lines, out, count, at, fence = text.splitlines(), [], 0, 0, False
    while at < len(lines):
        mark = None if fence else marker(lines, at)
        if mark is None:
            fence ^= lines[at].startswith("```")
            out.append(lines[at])
            at += 1
            continue
        kind, argument, behind = mark
        if kind == "picture":
            while behind < len(lines) and not lines[behind]:
                behind += 1
            link = PICTURE.match(lines[behind]) if behind < len(lines) else None
            if not link:
                raise Fault(f"line {at + 1}: no picture follows")
            runner.pictures[link[1]] = "\n".join(runner.output(argument)) + "\n"
            out += lines[at:behind + 1]
            at, count = behind + 1, count + 1
            continue
        if behind >= len(lines) or not lines[behind].startswith("```"):
            raise Fault(f"line {at + 1}: no fenced block follows")
        end = next(i for i in range(behind + 1, len(lines)) if lines[i] == "```")
        try:
            body = runner.block(kind, argument, lines[behind + 1:end])
        except Fault as fault:
            raise Fault(f"line {at + 1}: {fault}") from None
        out += [*lines[at:behind + 1], *body, "```"]
        at, count = end + 1, count + 1
    return "\n".join(out) + "\n", count


def pages_with_listings():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "*.md"], capture_output=True, text=True).stdout
    names = listed.split() or [str(p.relative_to(ROOT)) for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]]
    return [n for n in names if (ROOT / n).is_file() and re.search(MARK.pattern, (ROOT / n).read_text(), re.M)]


def handle(page, options):
    """What is wrong with a page, as text."""
    file = ROOT / page
    text = file.read_text()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.bin.resolve(), folder)
        try:
            new, count = renewed(text, runner)
        except Fault as fault:
            return f"{page}: {fault}"
    for name, content in runner.pictures.items():
        path = file.parent / name
        if not path.is_file() or path.read_text() != content:
            if options.check:
                return f"{page}: {name} is another picture today: tools/dev/listings.py {page}"
            path.write_text(content)
            print(f"{path.relative_to(ROOT)}: written")
    if new == text:
        print(f"{page}: {count} listings")
    elif not options.check:
        file.write_text(new)
        print(f"{page}: written")
    else:
        number, old, now = next((n, a, b) for n, (a, b) in
                                enumerate(zip(text.splitlines() + [""], new.splitlines() + [""]), 1) if a != b)
        return (f"{page}:{number}: the tools print something else: tools/dev/listings.py {page}\n"
                f"  the page  {old}\n  today     {now}")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    faults = [f for f in (handle(p, options) for p in options.pages or pages_with_listings()) if f]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

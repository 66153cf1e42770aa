#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the pages (all tracked .md files), or with --wrap wraps their long lines.

usage: check_pages.py [--wrap [PAGE...]]

1. A link leads to a tracked file or a folder with tracked files, and its `#anchor` to a heading there.
2. Every page is reached by links from docs/README.md, the index; it links those of docs itself.
3. A page or record that a source, test or script names (`docs/...md`, `docs/decisions/0001`) exists.
4. A file of ours that a page names (`lib/Driver/Pipelines.cpp`, `Pipelines.cpp`, `lib/Sim`) exists; an option
   (`--emit`) stands in some source, and so do what it prints (`--emit=wave`), passes (`tile-check`), variables
   (`TILEC_SEEDS`), names of code in backticks (`auditShared`) and verbs (`./dev site`).
5. A page of docs/numbers says when it was measured (2026-11-22) and links what was printed (test/bench/results); and
   whatever is kept there is named by a page.
6. Lines of text are at most 120 columns wide. Code blocks, tables, headings and pages that tools write
   are left alone, and so is what cannot be broken: code spans and links.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = "docs/README.md"
RESULTS = "test/bench/results/"
LIMIT, WIDTH = 120, 110  # what is refused; what --wrap fills
GENERATED = tuple(f"docs/reference/{name}.md" for name in ("tile-ir", "wave-ir", "diagnostics"))
# Listings that nobody follows, pages of others that sources cite, planted faults.
NOT_SEARCHED = ("test/replay/", "test/data/", "test/bench/results/", "test/tools/pages_test.py")

FENCE = re.compile(r"^\s*(```+|~~~+)")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
MENTION = re.compile(r"(?<![\w/.-])docs/(?:[\w-]+/)*[\w-]+\.md\b")
RECORD = re.compile(r"(?<![\w/.-])docs/decisions/(\d{4})(?![\w-])")
NAMED = re.compile(r"(?<![\w/.$%<>-])(?:lib|include|test|tools|cmake)/(?!(?:\w+/)*[A-Z]{4,}\b)[\w./*-]*\w")
SOURCE = re.compile(r"`(?:[\w-]+/)*([\w-]+\.(?:cpp|h|td|def|inc))`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
ITEM = re.compile(r"^(\s*)((?:[-*+]|\d+[.)])\s+)")


def tracked(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [f for f in listed.stdout.split("\0") if f and (root / f).is_file()]
    # A copy without git: all but what is built.
    made = re.compile(r"build|\.(git|cache|ccache)$|gpu-pack|__pycache__")
    names = [f.relative_to(root) for f in root.rglob("*") if f.is_file()]
    return sorted(str(n) for n in names if not made.match(n.parts[0]) and "__pycache__" not in n.parts)


def prose(text):
    """(number, line) of what is outside of fenced blocks."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = None if fence else mark[1]
        elif fence is None:
            yield number, line


def links(text):
    """(line, target) of the links of a page; a link may go over the end of a line."""
    lines = list(prose(text))
    joined = re.sub(r"<!--.*?-->|`[^`]*`", lambda code: re.sub(r"[^\n]", "x", code[0]),
                    "\n".join(line for _, line in lines), flags=re.S)
    for link in LINK.finditer(joined):
        yield lines[joined.count("\n", 0, link.start())][0], link[1]


def anchors(text):
    """What GitHub calls the headings of a page."""
    seen, out = {}, set()
    for _, line in prose(text):
        out.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        if heading := HEADING.match(line):
            words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[2])
            slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            count = seen[slug] = seen.get(slug, -1) + 1
            out.add(f"{slug}-{count}" if count else slug)
    return out


def resolve(page, target):
    """The path in the repository that a link of a page names, without its anchor."""
    path = target.partition("#")[0]
    parts = list(pathlib.PurePosixPath(page).parent.parts) if path else list(pathlib.PurePosixPath(page).parts)
    for part in pathlib.PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def check_links(pages, files):
    """(complaints, page -> pages that it links)"""
    folders = {str(p) for f in files for p in pathlib.PurePosixPath(f).parents}
    complaints, leads = [], {}
    for page, text in pages.items():
        leads[page] = set()
        for line, target in links(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, anchor = resolve(page, target), target.partition("#")[2]
            if path not in files and path not in folders:
                complaints.append(f"{page}:{line}: there is no `{target}`")
                continue
            leads[page].add(path if path in files else f"{path}/README.md")
            if anchor and path in pages and anchor not in anchors(pages[path]):
                complaints.append(f"{page}:{line}: {path} has no heading `#{anchor}`")
    return complaints, leads


def check_reach(pages, leads):
    reached, todo = set(), [INDEX]
    while todo:
        page = todo.pop()
        if page in leads and page not in reached:
            reached.add(page)
            todo += leads[page]
    return [f"{page}: no link leads here: add it to its section of {INDEX}" for page in sorted(pages)
            if page not in reached or (page.startswith("docs/") and page != INDEX and page not in leads[INDEX])]


def check_mentions(root, files):
    complaints = []
    records = {m[1] for f in files if (m := re.match(r"docs/decisions/(\d{4})-", f))}
    for file in files:
        if file.startswith(NOT_SEARCHED):
            continue
        try:
            text = (root / file).read_text()
        except UnicodeDecodeError:
            continue
        if "docs/" not in text:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            # `owner/project docs/page.md` is a page of somebody else, `--out docs/page.md` one that is made.
            own = [m for m in MENTION.finditer(line) if not re.search(r"([\w-]+/[\w-]+|--out) $", line[:m.start()])]
            complaints += [f"{file}:{number}: there is no {m[0]}" for m in own if m[0] not in files]
            complaints += [f"{file}:{number}: there is no record {n}" for n in RECORD.findall(line)
                           if n not in records]
    return complaints


def lines_on_tools(text):
    """(number, line) of prose, and of the commands of ours in fenced blocks."""
    outside = dict(prose(text))
    for number, line in enumerate(text.splitlines(), 1):
        if number in outside or re.match(r"\s*(\$ )?(build/bin/)?(tilec|\./dev|tools/|test/)", line):
            yield number, line


def check_options(root, pages, files):
    """An option that is gone from all tools is a page that nobody has read since."""
    sources = [f for f in files if f.startswith(("lib/", "tools/", "test/", "include/", "python/", "cmake/", "examples/"))
               and not f.startswith(("test/replay/", "test/bench/results/", "test/data/")) and not f.endswith(".md")]
    known = {"--mlir-print-ir-after-all"}
    for file in [*sources, "dev"]:
        if (root / file).is_file():
            known.update(OPTION.findall((root / file).read_text(errors="replace")))
    own = {page: text for page, text in pages.items() if not page.startswith("test/")}
    return [f"{page}:{number}: no tool has an option {option}" for page, text in own.items()
            for number, line in lines_on_tools(text) for option in OPTION.findall(line) if option not in known]


# Names of others, and examples of names.
FOREIGN_NAMES = {"docs/start/from-", "docs/language/upstream.md", "docs/contribute/style.md", *GENERATED}
FOREIGN = {"InstrEmitter", "MergeSharedMemoryAllocations", "ThreadSync"}
PASS = re.compile(r"(?<![\w-])(?:tile|wave)-[a-z][a-z0-9-]+(?![\w-])")
VARIABLE = re.compile(r"\bTILEC_[A-Z0-9_]+\b")
STAGE = re.compile(r"--emit=([a-z][a-z.-]*[a-z])")
VERB = re.compile(r"\./dev ([a-z][a-z-]*)")
CODE_NAME = re.compile(r"`(?:\w+::)*([A-Za-z][a-z0-9]+[A-Z][A-Za-z0-9]+)(?:\(\))?`")


def check_words(root, pages, files):
    """Passes, stages, variables, verbs and names of code that pages write and no source has."""
    sources = [f for f in files if f.startswith(("lib/", "tools/", "test/", "include/", "python/", "cmake/", "examples/"))
               and not f.startswith(("test/replay/", "test/bench/results/")) and not f.endswith(".md")]
    text = "\n".join((root / f).read_text(errors="replace") for f in sources)
    dev = (root / "dev").read_text() if (root / "dev").is_file() else ""
    text += dev + ((root / ".ci/run").read_text() if (root / ".ci/run").is_file() else "")
    known = {word for form in (r"\w+", r"[A-Za-z_][\w-]*", r"[a-z][a-z-]*(?:\.[a-z]+)+") for word in re.findall(form, text)}
    verbs = {verb for case in re.findall(r"^  ([a-z |-]+)\)", dev, re.M) for verb in case.split(" | ")}
    complaints = []
    for page, shown in pages.items():
        for number, line in enumerate(re.sub(r"<!--.*?-->", lambda c: "\n" * c[0].count("\n"), shown, flags=re.S)
                                      .splitlines(), 1):
            words = [*PASS.findall(line), *VARIABLE.findall(line), *STAGE.findall(line)]
            if not page.startswith(tuple(FOREIGN_NAMES)):
                words += [w for w in CODE_NAME.findall(line) if w not in FOREIGN]
            complaints += [f"{page}:{number}: no source has {w}" for w in words if w not in known]
            complaints += [f"{page}:{number}: ./dev has no verb {v}" for v in VERB.findall(line) if v not in verbs]
    return complaints


def check_numbers(pages, files):
    """Numbers have dates and what was printed, and nothing is kept that no page is about."""
    complaints, named = [], "\n".join(pages.values())
    for page, text in pages.items():
        if page.startswith("docs/numbers/"):
            if not re.search(r"\b20\d\d-\d\d-\d\d\b", text):
                complaints.append(f"{page}: no date: say when its numbers were measured")
            if RESULTS not in text:
                complaints.append(f"{page}: no raw output: keep what was printed in {RESULTS} and link it")
    return complaints + [f"{file}: no page names it: link it where its numbers are, or remove it" for file in sorted(files)
                         if file.startswith(RESULTS) and pathlib.PurePosixPath(file).name not in named]


def check_named(pages, files):
    """Files and folders that pages name; a name without suffix may be that of a script or a class."""
    folders = {str(p) for f in files for p in pathlib.PurePosixPath(f).parents}
    stems = {str(pathlib.PurePosixPath(f).with_suffix("")) for f in files}
    names = {pathlib.PurePosixPath(f).name for f in files}
    complaints = []
    for page, text in pages.items():
        if page in GENERATED or page.startswith("docs/decisions/"):
            continue
        # What a tool makes of a page stands in comments: `<!-- made: gpu FILE -->`, of a file that may be still to come.
        shown = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
        for number, line in enumerate(shown.splitlines(), 1):
            for name in NAMED.findall(line):
                known = name in files or name in folders or name in stems
                if not known and not any(pathlib.PurePosixPath(f).match(name) for f in files):
                    complaints.append(f"{page}:{number}: there is no {name}")
            complaints += [f"{page}:{number}: there is no file {name}" for name in SOURCE.findall(line)
                           if name not in names]
    return complaints


# Wrapping ----------------------------------------------------------------------------------------


def is_text(line):
    """Whether a line may be filled: no table, heading, HTML, quote or indented code."""
    return not re.match(r"\s*(\||#{1,6} |<|>|\[[^\]]+\]: |---)", line) and not line.startswith("    " * 3)


def words_of(text):
    """Words at which a line may end: code spans and the targets of links stay whole."""
    return re.findall(r"(?:`[^`]*`|\]\([^)]*\)|\S)+", text)


def starts_block(word):
    return bool(re.match(r"([-*+]|\d+[.)]|#{1,6}|>|\|.*|=+|-+)$", word))


def filled(first, rest, text):
    """A paragraph, its first line behind `first` and the others behind `rest`."""
    out, line = [], first
    for word in words_of(text):
        fits = len(line) + len(word) + (not line.endswith(" ") and line != "") <= WIDTH
        if line in (first, rest) or fits or starts_block(word):
            line += word if line in (first, rest) else " " + word
        else:
            out.append(line)
            line = rest + word
    return out + [line]


def paragraphs(lines):
    """Groups of lines that are one paragraph or item; a group of one other line otherwise."""
    group, fence = [], None
    for line in lines:
        mark = FENCE.match(line)
        other = fence or mark or not line.strip() or not is_text(line)
        if group and (other or ITEM.match(line) or group[-1].endswith("  ")):
            yield group
            group = []
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = None if fence else mark[1]
        if other:
            yield [line]
        else:
            group.append(line)
    if group:
        yield group


def wrap(text):
    out, fence = [], None
    for group in paragraphs(text.splitlines()):
        mark = FENCE.match(group[0])
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = None if fence else mark[1]
        if fence or mark or not is_text(group[0]) or max(map(len, group)) <= LIMIT:
            out += group
            continue
        item = ITEM.match(group[0])
        first = item[0] if item else re.match(r"\s*", group[0])[0]
        rest = " " * len(first)
        hard = "  " if group[-1].endswith("  ") else ""
        body = " ".join([group[0][len(first):].strip(), *(line.strip() for line in group[1:])])
        lines = filled(first, rest, body)
        out += [*lines[:-1], lines[-1] + hard]
    return "\n".join(out) + "\n"


def check_width(pages):
    complaints = []
    for page, text in pages.items():
        if page in GENERATED:
            continue
        wrapped = wrap(text)
        if wrapped == text:
            continue
        wide = next(n for n, (a, b) in enumerate(zip(text.splitlines(), wrapped.splitlines()), 1) if a != b)
        complaints.append(f"{page}:{wide}: wider than {LIMIT} columns: tools/dev/check_pages.py --wrap {page}")
    return complaints


def check(root):
    files = set(tracked(root))
    pages = {f: (root / f).read_text() for f in sorted(files) if f.endswith(".md")}
    if INDEX not in pages:
        return [f"there is no {INDEX}"], len(pages)
    complaints, leads = check_links(pages, files)
    complaints += check_reach(pages, leads)
    complaints += check_mentions(root, sorted(files)) + check_named(pages, files)
    complaints += check_options(root, pages, sorted(files)) + check_words(root, pages, sorted(files))
    complaints += check_numbers(pages, files)
    return complaints + check_width(pages), len(pages)


def main():
    if "--wrap" in sys.argv:
        named = sys.argv[sys.argv.index("--wrap") + 1:]
        for page in named or [f for f in tracked(ROOT) if f.endswith(".md") and f not in GENERATED]:
            text = (ROOT / page).read_text()
            if (wrapped := wrap(text)) != text:
                (ROOT / page).write_text(wrapped)
                print(page)
        return 0
    complaints, count = check(ROOT)
    for complaint in complaints:
        print(complaint)
    print(f"{count} pages, {len(complaints)} faults")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What corpus.py compiles of upstream's files: which files, which entries, on which targets.

An entry is a kernel of a file at some sizes, written as tilec's --entry takes it:

    those of the table entries.txt, when it names the file: a line is `FILE | ENTRY | OPTIONS`, with
    small sizes, so that simulators can run them;
    else what the file says itself: its tests and its `main`, with the first values of
    `parametrize`. tilec evaluates such a function up to the kernel that it makes.

Targets are those on which upstream supports the entry: `on=gfx942,gfx950` in the table, the
decorators of a test (`requires_rocm`, `requires_cuda_compute_version_ge(9, 0)`). A test whose
hardware is none of ours (Metal, Blackwell, sm_75) is no entry, and one from which no `T.Kernel` can
be reached is none either: it tests upstream's compiler.
"""

import ast
import collections
import dataclasses
import re

TARGETS = ("gfx942", "gfx950", "sm_80", "sm_90a")
VERSIONS = {"sm_80": (8, 0), "sm_90a": (9, 0)}
COMPARISONS = {"ge": lambda a, b: a >= b, "gt": lambda a, b: a > b, "le": lambda a, b: a <= b,
               "lt": lambda a, b: a < b, "eq": lambda a, b: a == b}
LAUNCHERS = ("Kernel", "ClusterKernel", "CUDASourceCodeKernel")
LAUNCHES = re.compile(r"\b(?:T|tl|language|tilelang\.language)\.(?:Cluster|CUDASourceCode)?Kernel\(")


@dataclasses.dataclass(frozen=True)
class Entry:
    file: str
    call: str
    options: tuple = ()
    targets: tuple = TARGETS
    is_open: bool = False  # writes its output in an order that is left open
    must_fail: bool = False  # upstream expects an error
    is_small: bool = False  # of the table: simulators can run it
    hardware: str = ""  # another than ours that it is for
    kernel: str = ""  # of several kernels that the entry makes, the one that counts


@dataclasses.dataclass
class Corpus:
    files: list
    entries: list
    no_kernel: int = 0  # tests from which no kernel can be reached
    other_hardware: int = 0  # tests for hardware that tilec has not


def first_row(decorator, constants=None):
    """The names of a `parametrize`, and the first value of each as text. `constants` has the lists
    of the module level."""
    if len(decorator.args) < 2:
        return {}
    names, rows = decorator.args[:2]
    if isinstance(names, (ast.List, ast.Tuple)):
        names = [e.value for e in names.elts if isinstance(e, ast.Constant)]
    elif isinstance(names, ast.Constant):
        names = [n.strip() for n in str(names.value).split(",")]
    else:
        return {}
    named = (constants or {}).get(rows.id) if isinstance(rows, ast.Name) else None
    if isinstance(named, (ast.List, ast.Tuple)) and "param(" in ast.unparse(named):
        rows = named
    if not isinstance(rows, (ast.List, ast.Tuple)):  # made elsewhere in the file
        first = f"({ast.unparse(rows)})[0]"
        return {n: first if len(names) == 1 else f"{first}[{i}]" for i, n in enumerate(names)}
    if not rows.elts:
        return {}
    first = rows.elts[0]
    if isinstance(first, ast.Call) and ast.unparse(first.func).endswith("param"):  # pytest.param(...)
        row = first.args
    else:
        row = [first] if len(names) == 1 else getattr(first, "elts", [])
    return dict(zip(names, map(ast.unparse, row)))


def numbers_of(call):
    return tuple(a.value for a in call.args
                 if isinstance(a, ast.Constant) and isinstance(a.value, int))


def targets_of(function):
    """The targets that a test's decorators ask for."""
    targets = set(TARGETS)
    for d in function.decorator_list:
        text = ast.unparse(d)
        name = text.split("(")[0].rsplit(".", 1)[-1]
        if name in ("requires_metal", "requires_metal4"):
            return ()
        if name in ("requires_rocm", "requires_cdna"):
            targets &= {"gfx942", "gfx950"}
        elif name == "requires_gfx950":
            targets &= {"gfx950"}
        elif name == "requires_cuda":
            targets &= set(VERSIONS)
        elif name.startswith("requires_cuda_compute_version") and isinstance(d, ast.Call):
            mode = name[len("requires_cuda_compute_version_"):] or "ge"
            wanted = (numbers_of(d) + (0,))[:2]
            targets &= {t for t, v in VERSIONS.items() if COMPARISONS[mode](v, wanted)}
        elif name == "skipif" and "hopper" in text.lower():
            targets &= {"sm_90a"}
    return tuple(t for t in TARGETS if t in targets)


def reaches_kernel(function, functions, seen=None):
    """Whether the function, or one of the file that it names, launches a kernel."""
    seen = seen if seen is not None else set()
    seen.add(function.name)
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in LAUNCHERS:
            return True
        name = node.id if isinstance(node, ast.Name) else None
        if name in functions and name not in seen:
            if reaches_kernel(functions[name], functions, seen):
                return True
    return False


def own_entries(name, text, corpus):
    """What a file says itself: tests and `main`, as calls."""
    tree = ast.parse(text)
    functions = {f.name: f for f in tree.body if isinstance(f, (ast.FunctionDef, ast.ClassDef))}
    for f in tree.body:
        if not isinstance(f, ast.FunctionDef) or not (f.name == "main" or f.name.startswith("test")):
            continue
        if f.name != "main" and not reaches_kernel(f, functions):
            corpus.no_kernel += 1
            continue
        targets = targets_of(f)
        if not targets:
            corpus.other_hardware += 1
            continue
        values = {}
        for d in f.decorator_list:
            if isinstance(d, ast.Call) and getattr(d.func, "attr", "") == "parametrize":
                values.update(first_row(d))
        arguments = [a.arg for a in f.args.args]
        required = arguments[:len(arguments) - len(f.args.defaults)]
        if all(a in values for a in required):
            given = ", ".join(f"{a}={values[a]}" for a in arguments if a in values)
            corpus.entries.append(Entry(name, f"{f.name}({given})", targets=targets,
                                        must_fail="raises" in ast.dump(f)))


def read_table(path):
    rows = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.strip() for p in line.split("|")]
        words = parts[2].split() if len(parts) > 2 else []
        on = [w for w in words if w.startswith("on=")]
        rows[parts[0]].append(Entry(
            parts[0], parts[1], tuple(w for w in words if w.startswith("--")),
            tuple(on[0][3:].split(",")) if on else TARGETS, "open" in words, is_small=True))
    return rows


def is_tile_kernels(upstream):
    return (upstream / "tile_kernels").is_dir()


def read_tile_kernels(upstream, table, only):
    """The files with kernels of TileKernels, each of which the table names."""
    rows = read_table(table)
    files = [p.relative_to(upstream).as_posix()
             for p in sorted((upstream / "tile_kernels").rglob("*.py")) if LAUNCHES.search(p.read_text())]
    files = [name for name in files if only in name]
    return Corpus(files, [entry for name in files for entry in rows[name]])


def read_corpus(upstream, table, part, only):
    """Every file that counts, and what is compiled of it."""
    if is_tile_kernels(upstream):
        return read_tile_kernels(upstream, table, only)
    folders = {"examples": ["examples"], "tests": ["testing/python"],
               "all": ["examples", "testing/python"]}[part]
    rows = read_table(table)
    corpus = Corpus([], [])
    for folder in folders:
        for path in sorted((upstream / folder).rglob("*.py")):
            name = path.relative_to(upstream).as_posix()
            text = path.read_text()
            if only and only not in name or not LAUNCHES.search(text):
                continue
            before = len(corpus.entries)
            if name in rows:
                corpus.entries += rows[name]
            else:
                own_entries(name, text, corpus)
            # A test file of which nothing is an entry does not count; an example always does.
            if folder == "examples" or len(corpus.entries) > before:
                corpus.files.append(name)
    return corpus

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Upstream's testing/python counted by kernels: each function at module level that holds one.

A function at module level that is no test and in whose text a kernel is launched is one entry. Its
arguments are the first with which the file calls it: literals and module-level names stay as they
are written, parameters of the calling function stand for the first row of its `parametrize`, its
defaults or its own caller's values, and names that it assigns once for what they are assigned. What
is left after that, such as a tensor, is made by a test: then the entry is the test, and the kernel
that it makes of this function; so it is where the function gives another one that wants arguments. A
function that nothing in its file calls with values is none. An entry that is only used where an error
is expected (`with pytest.raises(...)`) is wrong on purpose, and counts when it is refused with a
place. What upstream has for Hopper and newer (barriers in memory, TMA, wgmma, clusters) is an entry of
sm_90a alone, and what needs tensor memory is marked as Blackwell's.
`python3 corpus_kernels.py UPSTREAM` lists the entries.
"""

import ast
import pathlib
import re
import sys

import corpus_entries
from corpus_entries import LAUNCHERS, LAUNCHES, TARGETS, Entry, first_row, targets_of

FOLDER = "testing/python"
# What a user gives for names of modules that are not below the file's folder.
FACTOR = "--define=examples.gemm_sp.sparse_utils.get_e_factor=T.get_e_factor"
OPTIONS = {"test_tilelang_issue_2928.py": (FACTOR,), "test_tilelang_tilelibrary_gemm_sp.py": (FACTOR,), "test_compress_utils.py": (FACTOR,)}
HOPPER = re.compile(r"\.(?:alloc_barrier|alloc_cluster_barrier|copy_cluster|tma_copy|tma_gather4|wgmma_\w+|cluster_\w+)\(")
BLACKWELL = re.compile(r"tcgen05|tmem|clc_|_2cta")
KEY_ONLY = "_parse_phase1_key"  # of a call: asks for the key of a cache, makes no kernel
DEPTH = 6  # callers of callers; tests of upstream are at most three deep


def holds_kernel(function):
    return any(isinstance(n, ast.Attribute) and n.attr in LAUNCHERS for n in ast.walk(function))


def is_eager(function):
    """A kernel whose launch stands in the function itself: its parameters are tensors."""
    return any(isinstance(s, ast.With) and
               any(isinstance(i.context_expr, ast.Call) and
                   getattr(i.context_expr.func, "attr", "") in LAUNCHERS for i in s.items)
               for s in function.body)


def asks_tensors(function):
    """Whether dimensions of the kernel come from the tensors of a call."""
    return any(isinstance(n, ast.Attribute) and n.attr == "const" for n in ast.walk(function))


def makes_another(function):
    """Whether the function gives a jit function that wants arguments of its own."""
    for f in function.body:
        if not isinstance(f, ast.FunctionDef) or is_eager(f) or not holds_kernel(f):
            continue
        is_jit = any("jit" in ast.unparse(d) for d in f.decorator_list)
        if is_jit and len(f.args.args) > len(f.args.defaults):
            return True
        # One that a tuner calls.
        if not f.decorator_list and any(ast.unparse(d) == "None" for d in f.args.defaults):
            return True
    return False


class Values(ast.NodeTransformer):
    """Puts values for the names of a function that a caller cannot see."""

    def __init__(self, local):
        self.local = local  # name: an expression in module scope, or None where there is none
        self.is_whole = True

    def visit_Name(self, node):
        if node.id not in self.local:
            return node
        value = self.local[node.id]
        if value is None:
            self.is_whole = False
            return node
        return value


class File:
    def __init__(self, text):
        self.tree = ast.parse(text)
        self.constants = {s.targets[0].id: s.value for s in self.tree.body
                          if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)}
        self.functions = {f.name: f for f in self.tree.body if isinstance(f, ast.FunctionDef)}
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.calls = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                called = node.func
                if isinstance(called, ast.Attribute) and called.attr in ("compile", "get_tir", KEY_ONLY):
                    called = called.value  # jitted.compile(...) takes the same arguments
                if isinstance(called, ast.Attribute) and called.attr == "func":
                    called = called.value
                if isinstance(called, ast.Name) and called.id in self.functions:
                    self.calls.setdefault(called.id, []).append(node)

    def caller_of(self, node):
        """The function at module level around a node; None at module level itself."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.FunctionDef) and self.parents.get(node) is self.tree:
                return node
        return None

    def locals_of(self, function, depth):
        """Values of a function's parameters and of the names that it assigns once."""
        parameters = [a.arg for a in function.args.args + function.args.kwonlyargs]
        values = dict.fromkeys(parameters)
        values.update(self.arguments_of(function, depth - 1) or {})
        assigned = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    pairs(target, node.value, assigned)
            elif isinstance(node, (ast.For, ast.comprehension)):
                pairs(node.target, part_of(node.iter, 0), assigned)
            elif isinstance(node, (ast.FunctionDef, ast.With, ast.ImportFrom)) and node is not function:
                for name in bound_by(node):
                    assigned.setdefault(name, []).append(None)
        for name, found in list(assigned.items()):
            values[name] = self.in_module(found[0], values) if len(found) == 1 else None
        return values

    @staticmethod
    def in_module(expression, values):
        """The expression as the module's scope can read it, or None."""
        if expression is None:
            return None
        visitor = Values(values)
        copied = ast.parse(ast.unparse(expression), mode="eval").body
        result = visitor.visit(copied)
        return result if visitor.is_whole else None

    def defaults_of(self, function):
        a = function.args
        values = dict(zip([p.arg for p in a.args[len(a.args) - len(a.defaults):]], a.defaults))
        values.update({p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
        return values

    def arguments_of(self, function, depth=DEPTH):
        """Arguments by name that make the function's call; None where there are none."""
        names = [a.arg for a in function.args.args + function.args.kwonlyargs]
        required = [n for n in names if n not in self.defaults_of(function)]
        rows = {}
        for d in function.decorator_list:
            if isinstance(d, ast.Call) and getattr(d.func, "attr", "") == "parametrize":
                rows.update({n: ast.parse(v, mode="eval").body
                             for n, v in first_row(d, self.constants).items()})
        if rows and all(n in rows for n in required):
            return {n: v for n, v in rows.items() if n in names}
        for call in self.calls.get(function.name, []) if depth > 0 else []:
            if any(isinstance(a, ast.Starred) for a in call.args):
                given = self.all_of_a_list(call, depth)
                if given is not None:
                    return given
                continue
            given = dict(zip(names, call.args))
            given.update({k.arg: k.value for k in call.keywords if k.arg in names})
            caller = self.caller_of(call)
            local = self.locals_of(caller, depth) if caller and caller is not function else {}
            bound = {n: self.in_module(v, local) for n, v in given.items()}
            if all(bound.get(n) is not None for n in required):
                return {n: v for n, v in bound.items() if v is not None}
        return {} if not required else None

    def all_of_a_list(self, call, depth):
        """Of `f(*values)`: the values, under the name `*`."""
        caller = self.caller_of(call)
        if len(call.args) != 1 or call.keywords or caller is None:
            return None
        value = self.in_module(call.args[0].value, self.locals_of(caller, depth))
        return {"*": value} if value is not None else None

    def within_raises(self, node):
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.With) and any("raises" in ast.unparse(i) for i in node.items):
                return True
        return False

    def fails_at(self, node, caller):
        """Whether an error is expected of this use: it, or the name that it is assigned to, stands
        where one is."""
        if self.within_raises(node):
            return True
        while node in self.parents and not isinstance(node, ast.stmt):
            node = self.parents[node]
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            return False
        uses = [n for n in ast.walk(caller) if isinstance(n, ast.Name) and n.id == node.targets[0].id
                and isinstance(n.ctx, ast.Load)]
        return bool(uses) and all(self.within_raises(n) for n in uses)

    def must_fail(self, name, seen=()):
        uses = [n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and n.id == name]
        uses = [(n, self.caller_of(n)) for n in uses]
        uses = [(n, c) for n, c in uses if c is not None and c.name not in (name, *seen)]
        return bool(uses) and all(
            self.fails_at(n, c) or (not c.name.startswith("test") and c.name != "main"
                                    and self.must_fail(c.name, (*seen, name))) for n, c in uses)

    def users_of(self, name, seen=()):
        """The tests, and `main`, from which a function is called or named."""
        found = []
        for node in ast.walk(self.tree):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            caller = self.caller_of(node)
            if caller is None or caller.name in (name, *seen):
                continue
            if caller.name.startswith("test") or caller.name == "main":
                found.append(caller)
            else:
                found += self.users_of(caller.name, (*seen, name))
        return list(dict.fromkeys(found))


def part_of(value, index):
    """The expression of an element of what `value` is."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return value.elts[index] if index < len(value.elts) else None
    return ast.Subscript(value, ast.Constant(index), ast.Load()) if value is not None else None


def pairs(target, value, assigned):
    if isinstance(target, ast.Name):
        assigned.setdefault(target.id, []).append(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for i, t in enumerate(target.elts):
            pairs(t, part_of(value, i), assigned)


def bound_by(node):
    if isinstance(node, ast.ImportFrom):
        return [a.asname or a.name for a in node.names]
    if isinstance(node, ast.FunctionDef):
        return [node.name, *(a.arg for a in node.args.args)]
    return [i.optional_vars.id for i in node.items if isinstance(i.optional_vars, ast.Name)]


def written(function, arguments):
    given = ", ".join(f"*{ast.unparse(value)}" if name == "*" else f"{name}={ast.unparse(value)}"
                      for name, value in arguments.items())
    return f"{function.name}({given})"


def entry_of(file, name, function):
    """The function's entry; None where nothing in the file says how to call it."""
    users = file.users_of(function.name)
    targets = {t for user in users for t in targets_of(user)}
    options = OPTIONS.get(name.rsplit("/", 1)[-1], ())
    text = ast.unparse(function)
    if HOPPER.search(text):
        targets = {"sm_90a"}
    common = {"options": options, "targets": tuple(t for t in TARGETS if t in targets) or TARGETS,
              "must_fail": file.must_fail(function.name),
              "hardware": "Blackwell" if BLACKWELL.search(text) else ""}
    if any(ast.unparse(d).endswith(".prim_func") for d in function.decorator_list):
        return Entry(name, function.name, **common)
    asks_key = bool(users) and all(KEY_ONLY in ast.unparse(u) for u in users)
    arguments = None if is_eager(function) and not asks_key else file.arguments_of(function)
    if not asks_key and (arguments is None or asks_tensors(function) or makes_another(function)):
        for user in users:
            made = file.arguments_of(user)
            if made is not None:
                return Entry(name, written(user, made), kernel=function.name, **common)
    return Entry(name, written(function, arguments), **common) if arguments is not None else None


def entries_of(name, text):
    file = File(text)
    found = [entry_of(file, name, f) for f in file.functions.values()
             if not f.name.startswith("test") and holds_kernel(f)]
    return [e for e in found if e], found.count(None)


def read_kernels(upstream, only=""):
    corpus = corpus_entries.Corpus([], [])
    for path in sorted((upstream / FOLDER).rglob("*.py")):
        name = path.relative_to(upstream).as_posix()
        text = path.read_text()
        if only in name and LAUNCHES.search(text):
            found, unknown = entries_of(name, text)
            corpus.files += [name] if found else []
            corpus.entries += found
            corpus.no_kernel += unknown
    return corpus


def main():
    for e in read_kernels(pathlib.Path(sys.argv[1]), *sys.argv[2:]).entries:
        print(e.file, "|", e.call, "|", e.kernel, ",".join(e.targets), "raises" if e.must_fail else "")


if __name__ == "__main__":
    main()

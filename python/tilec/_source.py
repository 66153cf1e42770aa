# SPDX-License-Identifier: Apache-2.0
"""The text of functions, with the lines and columns that they have in their files."""

import ast
import linecache
import types

from .errors import SourceError

_known = {}


class FunctionText:
    """The lines of one function, indented as in its file."""

    __slots__ = ("name", "file", "line", "lines", "node", "names", "body_line")

    def __init__(self, name, file, line, lines):
        self.name = name
        self.file = file
        self.line = line
        self.lines = lines
        # `if 1:` stands on the line before, where there is an indentation.
        tree = ast.parse("if 1:\n" + "".join(lines) if self.is_indented else "\n" + "".join(lines))
        nodes = tree.body[0].body if self.is_indented else tree.body
        self.node = nodes[0] if nodes else None
        is_def = isinstance(self.node, (ast.FunctionDef, ast.AsyncFunctionDef))
        #: Of `def`, behind the decorators; counted from 0 in `lines`.
        self.body_line = self.node.lineno - 2 if is_def else 0
        self.names = {n.id for n in ast.walk(self.node) if isinstance(n, ast.Name)} if self.node else set()

    @property
    def is_indented(self):
        return self.lines[0][:1] in " \t"

    def text(self, with_decorators=True, more=""):
        """The function as it stands, on lines counted from its own first one."""
        lines = list(self.lines)
        if not with_decorators:
            lines[: self.body_line] = ["\n"] * self.body_line
        text = "".join(lines)
        if not text.endswith("\n"):
            text += "\n"
        return text + more

    def module(self, with_decorators=True, more=""):
        """A text in which the function has the lines that it has in its file."""
        text = self.text(with_decorators, more)
        if not self.is_indented:
            return "\n" * (self.line - 1) + text
        return "\n" * max(0, self.line - 2) + "if 1:\n" + text


def text_of(function):
    """The FunctionText of a Python function. SourceError where there is none."""
    code = function.__code__
    found = _known.get(code)
    if found is None:
        found = _known[code] = _read(function, code)
    if isinstance(found, SourceError):
        raise found
    return found


def _read(function, code):
    import inspect

    name = function.__name__
    linecache.checkcache(code.co_filename)
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, IndentationError, SyntaxError):
        lines = None
    found = _lambda_text(code) if name == "<lambda>" else None
    if found is not None:
        return found
    if not lines:
        return SourceError(
            f"the source of `{name}` is not known (made at {code.co_filename}:{code.co_firstlineno}); "
            "tilec compiles the text of a function: define it in a file or in a notebook's cell"
        )
    try:
        return FunctionText(name, code.co_filename, first, lines)
    except SyntaxError:
        return SourceError(f"the lines of `{name}` cannot be read on their own ({code.co_filename}:{first})")


def _lambda_text(code):
    """A lambda as a statement that binds it, on the lines and columns of its file: it may stand in the midst of a call.
    None where it cannot be told from others on its line."""
    lines = linecache.getlines(code.co_filename)
    tree = _trees.get(code.co_filename)
    if tree is None or tree[0] != len(lines):
        try:
            tree = _trees[code.co_filename] = (len(lines), ast.parse("".join(lines)))
        except SyntaxError:
            return None
    found = [n for n in ast.walk(tree[1]) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    if len(found) > 1:
        found = [n for n in found if _is_code_of(n, code)]
    if len(found) != 1:
        return None
    node = found[0]
    text = lines[node.lineno - 1 : node.end_lineno]
    text[-1] = text[-1].encode()[: node.end_col_offset].decode() + ")\n"
    column = len(text[0].encode()[: node.col_offset].decode())
    # `f=(` and spaces where the rest of the line was.
    text[0] = "f=(" + " " * max(0, column - 3) + text[0][column:]
    return FunctionText("<lambda>", code.co_filename, node.lineno, text)


_trees = {}


def _is_code_of(node, code):
    """Whether the code has an instruction for the whole of the lambda's body (CPython 3.11 and newer say where each is)."""
    body = node.body
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return place in set(getattr(code, "co_positions", tuple)())


def plain_function(value):
    """The function under bound methods and wrappers that keep it."""
    while not isinstance(value, types.FunctionType):
        value = getattr(value, "__func__", None) or getattr(value, "__wrapped__", None)
        if value is None:
            return None
    return value

# SPDX-License-Identifier: Apache-2.0
"""Which functions and classes a header declares, and which a source defines, by their names; for check_includes.py.

Read by pattern, at namespace scope: templates, inline functions and what macros or TableGen write are not seen. A
class is seen by the methods that are defined outside of it, and is called `class NAME`.
"""

import re

NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                     re.DOTALL | re.MULTILINE)
NAMED_NAMESPACE = re.compile(r"(inline\s+)?namespace\s+[\w:]+$|extern$")
NO_FUNCTION = re.compile(r"(using|typedef|static|constexpr|inline|template|friend|enum|namespace)\b")
CLASS = re.compile(r"(?:class|struct)\s+(?:\w+\s+)?(\w+)(?:\s+final)?\s*(?::|$)")


def statements(text):
    """(text, end) of each statement of a named namespace; the end is `;`, or `{` of a body, which is left out."""
    text = NO_CODE.sub("", text)
    begin, depth = 0, 0  # depth: of braces in a body
    for match in re.finditer(r"[;{}]", text):
        end = match.group()
        if depth:
            depth += (end == "{") - (end == "}")
            begin = match.end()
            continue
        statement = text[begin:match.start()].strip()
        begin = match.end()
        if end == "{" and not NAMED_NAMESPACE.match(statement):
            depth = 1
        if end != "}" and statement and statement != "namespace":
            yield statement, end


def function_of(statement):
    """The name of the function that a statement declares or defines, with its class; None for others."""
    depth = 0  # of template arguments
    if NO_FUNCTION.match(statement):
        return None
    for i, char in enumerate(statement):
        depth += (char == "<") - (char == ">")
        if char == "=" and depth == 0:
            return None
        if char == "(" and depth <= 0:
            name = re.search(r"[\w:~]+\s*$", statement[:i])
            # A constructor has no type before it; other names without one are macros.
            typed = name and (re.search(r"[\s*&]", statement[:name.start()]) or "::" in name.group())
            return name.group().strip() if typed else None
    return None


def declared(header):
    """Names of a header's text."""
    names = set()
    for statement, end in statements(header):
        found = CLASS.match(statement)
        if end == ";":
            names.add(function_of(statement))
        elif found:
            names.add("class " + found.group(1))
    return names - {None}


def defined(source):
    """Names of a source's text."""
    names = {function_of(statement) for statement, end in statements(source) if end == "{"} - {None}
    return names | {"class " + name.split("::")[-2] for name in names if "::" in name}

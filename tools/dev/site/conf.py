# SPDX-License-Identifier: Apache-2.0
"""Sphinx on the repository's own pages: `./dev site` (docs/README.md is the index and the order)."""

import pathlib
import re

from docutils import nodes
from pygments.lexers.python import PythonLexer
from pygments.lexers.special import TextLexer

project = "tilec"
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = ["docs/*.md", "docs/**/*.md", "*.md", "examples/*.md", "examples/**/*.md", "python/*.md", "test/data/mfma_layouts/*.md"]
exclude_patterns = ["build*", ".cache", ".git"]
myst_heading_anchors = 6
# What a page says of a listing (tools/dev/listings.py) is a comment for whoever reads the source.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
highlight_language = "text"  # of blocks that name none
html_theme = "furo"
html_title = "tilec"
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"

LINK = re.compile(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)")


def contents(text):
    """The index's sections as the site's contents: each page where the index names it first."""
    out, seen = [], set()
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        pages = [p for p in LINK.findall(section) if not (p in seen or seen.add(p))]
        if pages:
            out += ["```{toctree}", ":hidden:", f":caption: {section.splitlines()[0]}", "", *pages, "```", ""]
    return "\n".join(out)


def add_contents(app, name, source):
    if name == root_doc:
        source[0] += "\n" + contents(source[0])


def link_folders(app, tree):
    """A link to a folder has nothing to show: its text stays."""
    for link in list(tree.findall(lambda n: n.tagname == "pending_xref" and "reftarget" in n)):
        target = pathlib.Path(app.env.doc2path(app.env.docname)).parent / link["reftarget"]
        if target.is_dir():
            link.replace_self(nodes.inline("", "", *link.children))


def setup(app):
    app.add_lexer("signature", PythonLexer)
    app.add_lexer("mlir", TextLexer)
    app.connect("source-read", add_contents)
    app.connect("doctree-read", link_folders)

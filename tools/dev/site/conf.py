# SPDX-License-Identifier: Apache-2.0
"""Sphinx on the repository's own pages: `./dev site` (docs/README.md is the index and the order)."""

import pathlib
import re
import sys

from docutils import nodes
from pygments.lexers.python import PythonLexer
from pygments.lexers.special import TextLexer

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/dev"))
import check_pages  # noqa: E402

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


def pages_of(page, text):
    """The pages that a page links, in order; a folder is its README."""
    for _, target in check_pages.links(text):
        path = None if ":" in target else check_pages.resolve(page, target)
        if path and (ROOT / path).is_dir():
            path += "/README.md"
        if path and path.endswith(".md") and (ROOT / path).is_file():
            yield path


def contents(text):
    """The index's sections as the site's contents: a page where it is named first, behind it what only it names."""
    index = f"{root_doc}.md"
    seen, out = {index, *pages_of(index, text)}, []

    def add(page):
        yield page
        for other in pages_of(page, (ROOT / page).read_text()):
            if other not in seen:
                seen.add(other)
                yield from add(other)

    placed = set()
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        pages = [p for p in pages_of(index, section) if p != index and not (p in placed or placed.add(p))]
        if pages:
            out += ["```{toctree}", ":hidden:", f":caption: {section.splitlines()[0]}", ""]
            out += [f"/{other}" for page in pages for other in add(page)] + ["```", ""]
    return "\n".join(out)


def prepare(app, name, source):
    page, text = f"{name}.md", source[0]
    for _, target in check_pages.links(text):
        path = None if ":" in target else check_pages.resolve(page, target)
        if path and (ROOT / path / "README.md").is_file():
            text = text.replace(f"]({target})", f"]({target.rstrip('/')}/README.md)")
    source[0] = text + "\n" + contents(source[0]) if name == root_doc else text


def link_folders(app, tree):
    """A link to a folder has nothing to show: its text stays."""
    for link in list(tree.findall(lambda n: n.tagname == "pending_xref" and "reftarget" in n)):
        target = pathlib.Path(app.env.doc2path(app.env.docname)).parent / link["reftarget"]
        if target.is_dir():
            link.replace_self(nodes.inline("", "", *link.children))


def setup(app):
    app.add_lexer("signature", PythonLexer)
    app.add_lexer("mlir", TextLexer)
    app.connect("source-read", prepare)
    app.connect("doctree-read", link_folders)

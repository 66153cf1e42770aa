#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/dev/check_pages.py, listings.py, check_sizes.py and check_heads.py with planted faults."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
import check_heads  # noqa: E402
import check_pages  # noqa: E402
import check_sizes  # noqa: E402
import listings  # noqa: E402


class Pages(unittest.TestCase):
    INDEX = "# Documents\n\n* [one](one.md), [two](a/two.md)\n"

    def complaints(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            tree = {"docs/README.md": self.INDEX, "docs/one.md": "# One\n", "docs/a/two.md": "## Its `T.x` part\n",
                    "lib/Sim/Ds.cpp": "// docs/one.md\n"}
            tree.update({k.replace("__", "/").replace("_", "."): v for k, v in files.items()})
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check_pages.check(root)[0]

    def test_a_good_tree_passes(self):
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.complaints(docs__one_md="[two](a/two.md#its-tx-part) [x](https://x.y) `lib/Sim/Ds.cpp`\n"
                                                      "```\n[no](link.md)\n```\n`[no](link.md)`\n"), [])

    def test_links(self):
        self.assertEqual(self.complaints(docs__one_md="a\n[gone](gone.md)\n"), ["docs/one.md:2: there is no `gone.md`"])
        self.assertEqual(self.complaints(docs__one_md="[a long\ntext](../gone.md)\n"),
                         ["docs/one.md:1: there is no `../gone.md`"])
        self.assertEqual(self.complaints(docs__one_md="[x](a/two.md#part)\n"),
                         ["docs/one.md:1: docs/a/two.md has no heading `#part`"])
        self.assertEqual(self.complaints(docs__one_md="# A\n# A\n[x](#a-1) [y](#a-2)\n"),
                         ["docs/one.md:3: docs/one.md has no heading `#a-2`"])
        self.assertEqual(self.complaints(docs__one_md="[out](../../../x.md)\n"),
                         ["docs/one.md:1: there is no `../../../x.md`"])

    def test_pages_that_nothing_links(self):
        self.assertEqual(self.complaints(docs__new_md="[me](new.md)\n"),
                         ["docs/new.md: no link leads here: add it to its section of docs/README.md"])
        self.assertEqual(len(self.complaints(docs__one_md="[new](new.md)\n", docs__new_md="# New\n")), 1)
        self.assertEqual(self.complaints(docs__one_md="[t](../test/new.md)\n", test__new_md="# New\n"), [])

    def test_names_of_pages_and_files(self):
        self.assertEqual(self.complaints(lib__A_h="\n// docs/old.md\n"), ["lib/A.h:2: there is no docs/old.md"])
        self.assertEqual(self.complaints(lib__A_h="// somebody/project docs/old.md\n"), [])
        self.assertEqual(self.complaints(lib__A_h="// docs/decisions/0042\n"), ["lib/A.h:1: there is no record 0042"])
        self.assertEqual(self.complaints(docs__one_md="lib/Sim, lib/Old\n"), ["docs/one.md:1: there is no lib/Old"])
        self.assertEqual(self.complaints(docs__one_md="`Ds.cpp` `Old.cpp`\n"),
                         ["docs/one.md:1: there is no file Old.cpp"])

    def test_dates(self):
        index = self.INDEX + "* [n](numbers/n.md)\n"
        raw = "[raw](../../test/bench/results/n.txt)"
        tree = {"docs__README_md": index, "test__bench__results__n_txt": "2 us\n"}
        self.assertEqual(self.complaints(**tree, docs__numbers__n_md=f"2 us {raw}\n"),
                         ["docs/numbers/n.md: no date: say when its numbers were measured"])
        self.assertEqual(self.complaints(**tree, docs__numbers__n_md=f"2026-11-22: 2 us {raw}\n"), [])
        self.assertEqual(self.complaints(**tree, docs__numbers__n_md="2026-11-22: 2 us\n"),
                         ["docs/numbers/n.md: no raw output: keep what was printed in test/bench/results/ and link it",
                          "test/bench/results/n.txt: no page names it: link it where its numbers are, or remove it"])

    def test_options(self):
        self.assertEqual(self.complaints(docs__one_md="`--old=1`\n"), ["docs/one.md:1: no tool has an option --old"])
        self.assertEqual(self.complaints(docs__one_md="`--old=1`\n", tools__a_py='add("--old")\n'), [])

    def test_words(self):
        for word in ("`tile-gone`", "TILEC_GONE", "`--emit=gone`", "`goneName`", "`a::goneName()`"):
            self.assertEqual(len(self.complaints(docs__one_md=word + "\n")), 1 + ("--emit" in word), word)
        self.assertEqual(self.complaints(docs__one_md="`./dev gone`\n"), ["docs/one.md:1: ./dev has no verb gone"])
        known = 'add("--emit", "gone", "tile-gone", TILEC_GONE, goneName())\n'
        self.assertEqual(self.complaints(docs__one_md="`tile-gone` TILEC_GONE `--emit=gone` `goneName`\n", lib__a_cpp=known), [])
        self.assertEqual(self.complaints(docs__one_md="`./dev site`\n", dev="  site) site ;;\n"), [])

    def test_wide_lines(self):
        wide = "word " * 30 + "\n"
        self.assertEqual(self.complaints(docs__one_md="a\n\n" + wide),
                         ["docs/one.md:3: wider than 120 columns: tools/dev/check_pages.py --wrap docs/one.md"])
        for other in ("| " + wide, "# " + wide, "```\n" + wide + "```\n", "`" + wide.strip() + "`\n"):
            self.assertEqual(self.complaints(docs__one_md=other), [], other)


class Wrapping(unittest.TestCase):
    def test_items_keep_their_indent_and_words_their_order(self):
        text = "* " + "ab `c d` [e f](g.md) " * 12 + "\n  - " + "1. - # x " * 30 + "\n\nshort\n"
        out = check_pages.wrap(text)
        self.assertLessEqual(max(map(len, out.splitlines())), check_pages.LIMIT + 3)
        self.assertEqual(out.split(), text.split())
        self.assertTrue(out.splitlines()[1].startswith("  "))
        self.assertEqual(check_pages.wrap(out), out)
        self.assertFalse([line for line in out.splitlines() if line.lstrip().startswith(("1.", "#"))])

    def test_short_paragraphs_stay(self):
        text = "a\nb\n* c\n  d\n\n| x |\n"
        self.assertEqual(check_pages.wrap(text), text)


class Listings(unittest.TestCase):
    def renewed(self, text):
        with tempfile.TemporaryDirectory() as folder:
            return listings.renewed(text, listings.Runner(ROOT, folder))[0]

    def test_blocks_are_what_commands_print(self):
        page = "<!-- listing: printf 'a\\n' |\n     tr a b -->\n```\nold\n```\nrest\n"
        self.assertEqual(self.renewed(page), page.replace("old", "b"))
        page = "<!-- file: f.txt -->\n```\nx\n```\n<!-- console -->\n```console\n$ cat f.txt\nold\n$ false # fails\n```\n"
        self.assertEqual(self.renewed(page), page.replace("old", "x"))

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = listings.Runner(ROOT, folder)
            page = "<!-- picture: printf '<svg/>' -->\n\n![a](b/c.svg)\n"
            self.assertEqual(listings.renewed(page, runner), (page, 1))
            self.assertEqual(runner.pictures, {"b/c.svg": "<svg/>\n"})

    def test_faults(self):
        for page in ("<!-- picture: true -->\ntext\n","<!-- listing: false -->\n```\n```\n", "<!-- listing: true # fails -->\n```\n```\n",
                     "<!-- listing: true -->\n\n```\n```\n", "<!-- console -->\n```\nls\n```\n"):
            with self.assertRaises(listings.Fault, msg=page):
                self.renewed(page)

    def test_comments_in_code_are_no_listings(self):
        page = "```\n<!-- listing: false -->\n```\n"
        self.assertEqual(self.renewed(page), page)


class Sizes(unittest.TestCase):
    def complaints(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            names = [f"{letter}.cpp" for letter, _ in zip("abcdefgh", texts)]
            for name, text in zip(names, texts):
                (pathlib.Path(folder) / name).write_text(text)
            return check_sizes.check(pathlib.Path(folder), names)[0]

    def test_most_functions_are_short(self):
        short, long = "void f() {\n" + "  x();\n" * 8 + "}\n", "void g() {\n" + "  x();\n" * 38 + "}\n"
        self.assertEqual(self.complaints(*[short * 39 + long] * 4), [])
        self.assertEqual(self.complaints(*[short * 36 + long * 4] * 4),
                         ["5 of 100 functions have 40 lines or more, 39 at most: cut some"])

    def test_lengths(self):
        def function(inner, margin=""):
            return f"{margin}void f() {{\n" + f"{margin}  x();\n" * inner + f"{margin}}}\n"

        self.assertEqual(self.complaints(function(98) * 8), [])
        self.assertEqual(self.complaints("\n" + function(99)), ["a.cpp:2: 101 lines, 100 at most: void f() {"])
        inside = "struct A {\n" + function(20, "  ") * 6 + function(99, "  ") + "};\n"
        self.assertEqual(len(self.complaints(inside)), 1)
        self.assertEqual(self.complaints("const int table[] = {\n" + "    1,\n" * 200 + "};\n"), [])
        self.assertEqual(self.complaints("namespace a {\n" + "int x;\n" * 200 + "}\n"), [])
        self.assertEqual(self.complaints("//\n" * 801), ["a.cpp: 801 lines, 800 at most: cut it by subject"])


class Heads(unittest.TestCase):
    GOOD = "//===- A.cpp - letters ----===//\n//\n// Takes a, gives b.\n//\n// SPDX-License-Identifier: Apache-2.0\n//===---===//\n"

    def test_heads(self):
        self.assertIsNone(check_heads.complaint("lib/A.cpp", self.GOOD))
        self.assertIsNone(check_heads.complaint("A.h", "/*===- A.h - c ---===*\\\n *\n * Takes a.\n * SPDX-License-Identifier: "
                                                "Apache-2.0\n *===---===*/\n"))
        for broken in (self.GOOD.replace("A.cpp", "B.cpp"), self.GOOD.replace("// Takes a, gives b.\n", ""),
                       self.GOOD.replace("b.\n//\n// SPDX", "b. SPDX"), self.GOOD.replace("// Takes", "Takes"), "int a;\n", ""):
            self.assertIsNotNone(check_heads.complaint("lib/A.cpp", broken), broken)


if __name__ == "__main__":
    unittest.main()

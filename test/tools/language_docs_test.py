#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of language_docs.py: faults that are planted in pages and tables must be found."""

import pathlib
import tempfile
import unittest

import language_docs as docs

TEMPLATES = {"body": "def main():\n    with kernel:\n        ...\n", "eval": "import math\n...\n"}


def block(tags, text="x = 1\n", language="python"):
    return docs.Block("page.md", 1, language, tags, text)


class Tags(unittest.TestCase):
    def test_every_python_block_needs_a_tag(self):
        for tags in ("", "show", "body main()", "run only=tpu"):
            with self.assertRaises(docs.BadTag, msg=tags):
                docs.example_of(block(tags), TEMPLATES)

    def test_blocks_end_at_their_fence(self):
        page = "text\n```python run main(1)\na\nb\n```\n```signature\nT.f()\n```\n"
        found = docs.blocks_of("p", page)
        self.assertEqual([(b.language, b.tags, b.text) for b in found],
                         [("python", "run main(1)", "a\nb\n"), ("signature", "", "T.f()\n")])

    def test_statements_stand_in_the_template(self):
        e = docs.example_of(block("body only=cpu --seed 3", "a\nb(n)\n"), TEMPLATES)
        self.assertEqual(e.text, "def main():\n    with kernel:\n        a\n        b(n)\n")
        self.assertEqual((e.devices, e.options), (("cpu",), ("--seed", "3", "--arg", "n=40")))

    def test_plain_python_runs_under_python_too(self):
        self.assertEqual(docs.example_of(block("eval", "a = 1\n"), TEMPLATES).python, "a = 1\n")
        self.assertEqual(docs.example_of(block("eval", "a = T.x\n"), TEMPLATES).python, "")


class Messages(unittest.TestCase):
    def fault(self, text, code, output, device="cpu"):
        return docs.compare(docs.Example("p:1", text), device, code, output)

    ERROR = "e.py:2:5: error: A has 3 columns [GemmK]\n"

    def test_announced_errors_must_come_at_their_line(self):
        text = "a\nb  # error: GemmK\n"
        self.assertEqual(self.fault(text, 1, self.ERROR), "")
        self.assertIn("should give", self.fault(text, 0, ""))
        self.assertIn("should give", self.fault("a # error: GemmK\nb\n", 1, self.ERROR))
        self.assertIn("should give", self.fault("a\nb # error: GemmRank\n", 1, self.ERROR))
        self.assertIn("exit status 0", self.fault(text, 0, self.ERROR))

    def test_unannounced_messages_are_faults(self):
        self.assertIn("unannounced error", self.fault("a\nb\n", 1, self.ERROR))
        self.assertIn("unannounced warning", self.fault("a\n", 0, "e.py:1:1: warning: slow\n"))
        self.assertIn("unannounced error", self.fault("a\n", 1, "tilec: error: no place\n"))
        self.assertEqual(self.fault("a\n", 0, "e.py:1:1: remark: slow\n"), "")
        self.assertIn("should give", self.fault("a # remark: fast\n", 0, "e.py:1:1: remark: slow\n"))

    def test_errors_in_the_entry(self):
        output = "<entry>:1:1: error: no kernel [EntryNotKernel]\n"
        self.assertEqual(self.fault("# entry error: EntryNotKernel\n", 1, output), "")
        self.assertIn("unannounced", self.fault("a\n", 1, output))

    def test_a_run_that_stops(self):
        text = "a # stops: outside\n"
        stop = "tilec-run: error: e.py:1:3: tile.load: index 9 is outside\n"
        self.assertEqual(self.fault(text, 1, stop), "")
        self.assertIn("should give", self.fault(text, 0, ""))
        self.assertIn("exit status 0", self.fault(text, 0, "", "gfx942"))
        self.assertIn("exit status 0", self.fault(text, 0, "", "sm_90a"))

    def test_disagreement(self):
        self.assertIn("exit status 1", self.fault("a\n", 1, "result FAIL\n", "gfx950"))
        self.assertIn("does not agree", self.fault("a\n", 0, "", "gfx950"))
        self.assertEqual(self.fault("a\n", 0, "result PASS\n", "gfx950"), "")


class Names(unittest.TestCase):
    TABLE = ('TILEC_INTRINSIC(Copy, "copy", Stmt,\n                "src, "\n                "dst")\n'
             'TILEC_INTRINSIC_ALIAS("copy2", "copy")\n')
    REFUSED = 'TILEC_INTRINSIC_REFUSED("tma", "x")\n'

    def complaints(self, page):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            tables = {f"lib/Script/{file}": "".join(
                (f'{t} {{"len",\n "listed"}};\n' if t.endswith("=") else
                 f'{t}\n  one("len", [] {{ f("x"); }}),\n  {{"row"}},\n}}\n') for t in tables)
                for file, tables in docs.PYTHON_TABLES.items()}
            for path, text in (*tables.items(), ("include/tilec/Script/Intrinsics.def", self.TABLE),
                               ("include/tilec/Script/Refused.def", self.REFUSED),
                               ("include/tilec/Script/Math.def", 'TILEC_MATH(Exp, "exp", 1)\n'),
                               ("include/tilec/Base/Diagnostics/A.def", "TILEC_DIAG(Bad, Error, x)\n"),
                               ("docs/language/README.md", page)):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return docs.check_names(root)[0]

    def test_kinds(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "include/tilec/Script").mkdir(parents=True)
            (root / "docs/contribute").mkdir(parents=True)
            (root / "include/tilec/Script/Intrinsics.def").write_text(self.TABLE)
            page = root / "docs/contribute/adding-an-intrinsic.md"
            page.write_text("| `Stmt` | x |\n")
            self.assertEqual(docs.check_kinds(root), [])
            page.write_text("| `Value`, `Pure` | x |\n")
            self.assertEqual(len(docs.check_kinds(root)), 3)

    PAGE = ("```signature\nT.copy(src, dst)\n```\nT.copy2 T.tma T.exp [`Bad`]\n"
            "```python run\nT.copy(T.exp(1), T.copy2)\n```\n`len listed row`\n")

    def test_complete_pages_pass(self):
        self.assertEqual(self.complaints(self.PAGE), [])

    def test_what_is_missing_is_named(self):
        self.assertEqual(self.complaints(self.PAGE.replace("T.tma", "")),
                         ["no page mentions T.tma"])
        self.assertEqual(self.complaints(self.PAGE.replace("T.exp", "")),
                         ["no page mentions T.exp", "no example calls T.exp"])
        self.assertEqual(self.complaints(self.PAGE.replace(", T.copy2", "")),
                         ["no example calls T.copy2"])
        self.assertEqual(len(self.complaints(self.PAGE.replace("src, dst", "src"))), 2)
        self.assertEqual(self.complaints(self.PAGE + "[`Worse`]"), ["[`Worse`] is no diagnostic"])
        self.assertEqual(set(self.complaints(self.PAGE.replace(" row", ""))),
                         {f"no page lists `row` (lib/Script/{file})" for file, tables in docs.PYTHON_TABLES.items()
                          if any(t.endswith("{") for t in tables)})
        self.assertEqual(self.complaints(self.PAGE.replace("[`Bad`]", "")),
                         ["no page says when [`Bad`] is reported"])
        self.assertEqual(self.complaints(self.PAGE.replace("[`Bad`]", "") +
                                         "```python run\nf()  # error: Bad\n```\n"), [])


if __name__ == "__main__":
    unittest.main()

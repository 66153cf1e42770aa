#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gallery.py must find wrong with a page, and that it mends what can be mended. usage: gallery_test.py --bin TOOLS"""
import argparse
import sys
import tempfile
import types
import unittest
from pathlib import Path

import gallery

SCRIPT = """import tilelang.language as T

def add(n, off=0):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(n):
                C[i] = A[i + off] + 1
    return main
"""


class Pages(unittest.TestCase):
    bin = None

    def faults(self, text, update=False):
        """(faults, the page afterwards)"""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "README.md"
            page.write_text(text)
            (Path(folder) / "add.py").write_text(SCRIPT)
            options = types.SimpleNamespace(bin=self.bin, jobs=2, only=None, update=update)
            return gallery.check_page(page, options), page.read_text()

    def one(self, text, what):
        found, _ = self.faults(text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(what, found[0])

    def test_a_right_page_has_no_faults(self):
        text = "```sh\ntilec-run add.py --entry 'add(50)' --target=gfx950 --check\n```\n"
        self.assertEqual(self.faults(text)[0], [])

    def test_commands_run_on_every_device(self):
        runs = gallery.expanded("tilec-run add.py --entry 'add(50)' --target=gfx950 --check", "")
        self.assertEqual([c.split("--device=")[1].split()[0] for c, _, _ in runs], ["cpu", "sim", "sim", "ptx"])

    def test_a_command_that_fails(self):
        self.one("```sh\ntilec nothing.py --target=gfx950 -o /dev/null\n```\n", "nothing.py")

    def test_a_failure_that_does_not_come(self):
        self.one("```sh\ntrue  # fails: something\n```\n", "exit status 0")

    def test_a_failure_for_another_reason(self):
        self.one("```sh\necho no && false  # fails: something\n```\n", "does not say `something`")

    def test_a_gpu_line_must_compile(self):
        found, _ = self.faults("```sh\ntilec-run add.py --entry 'sub(50)' --device=cuda --target=sm_90a --bench\n```\n")
        self.assertIn("sub", found[0])

    def test_what_a_gpu_times_has_a_rival(self):
        alone = [command for page in (gallery.REPO / "examples").glob("*/README.md")
                 for command, note in gallery.commands_of(page.read_text())
                 if gallery.is_measured(command) and "--vs=" not in command and not gallery.beside(note)]
        self.assertEqual(alone, [])

    def test_a_table_of_a_gpu_names_the_rivals(self):
        rival = {"name": "Triton", "median_us": 3.0, "ratio": 1.5, "ratio_low": 1.4, "ratio_high": 1.6, "agrees": True}
        row = {"us": 2.0, "rivals": [rival, {**rival, "name": "a copy of the same bytes", "agrees": None}]}
        self.assertEqual(gallery.gpu_rows(["`add(64)`", "2.00", ""], row),
                         [["`add(64)`", "2.00", "", "Triton: 3.00", "1.500 [1.400 1.600]"],
                          ["", "", "", "a copy of the same bytes: 3.00", "1.500 [1.400 1.600]"]])
        wrong = gallery.gpu_rows([], {"us": 2.0, "rivals": [{**rival, "agrees": False}]})
        self.assertIn("another result", wrong[0][0])

    def test_python_that_is_wrong(self):
        found, _ = self.faults(f"```python run \"add(50, m)\"\n{SCRIPT}```\n")
        self.assertTrue(found)

    def test_a_stale_listing_is_found_and_made(self):
        text = "<!-- made: output echo 41 -->\n```\n$ echo 41\n42\n```\n<!-- end made -->\n"
        self.assertIn("+41", self.faults(text)[0][0])
        found, page = self.faults(text, update=True)
        self.assertEqual(found, [])
        self.assertIn("\n41\n", page)
        self.assertEqual(self.faults(page)[0], [])

    def test_a_source_that_is_gone(self):
        self.one("<!-- made: source add.py sub -->\n<!-- end made -->\n", "add.py has no sub")

    def test_a_table_has_a_row_for_each_chip(self):
        _, page = self.faults("<!-- made: machine\nadd | add.py | add(64)\n-->\n<!-- end made -->\n", update=True)
        self.assertRegex(page, r"\| add \| gfx950 \|.*\n\| add \| gfx942 \|")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    Pages.bin = parser.parse_args().bin
    unittest.main(argv=sys.argv[:1])

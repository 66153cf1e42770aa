#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/dev/replay: what its listings say, and that it finds what has changed.

usage: replay_test.py BUILD
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("replay", str(ROOT / "tools/dev/replay"))
sys.dont_write_bytecode = True  # beside a file without a suffix
replay = importlib.util.module_from_spec(importlib.util.spec_from_loader("replay", LOADER))
LOADER.exec_module(replay)


def row(code, registers="-"):
    return {"hash": code, "registers": registers, "spills": "-", "loop": "-"}


class Replay(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def run_main(self, *arguments):
        """(exit code, what is printed)"""
        out = io.StringIO()
        with unittest.mock.patch.object(sys, "argv", ["replay", *arguments]), contextlib.redirect_stdout(out):
            return replay.main(), out.getvalue()

    def test_the_target_is_no_part_of_the_code(self):
        ptx = "//\n.version {}\n.target {}\n.address_size 64\n{}\n"
        plain = replay.code_of(ptx.format("8.3", "sm_80", "x").encode())
        self.assertEqual(plain, replay.code_of(ptx.format("8.4", "sm_89", "x").encode() + b"\0"))
        self.assertNotEqual(plain, replay.code_of(ptx.format("8.3", "sm_80", "y").encode()))

    def test_targets_are_those_of_the_compiler(self):
        for target in ("gfx942", "sm_80", "sm_120"):
            self.assertIn(target, replay.TARGETS)
        self.assertEqual(replay.REFERENCES[0], "sm_80")

    def test_rows_refer_to_equal_code(self):
        rows = {("a", "sm_80"): row("1", "40"), ("a", "sm_89"): row("1"), ("a", "sm_90"): row("2", "50"),
                ("b", "sm_80"): row("refused:X"), ("b", "sm_89"): row("refused:X"), ("a", "gfx942"): row("1"),
                ("c", "sm_89"): row("3")}
        lines = {target: list(replay.lines_of(rows, target)) for target in replay.TARGETS}
        self.assertEqual(lines["sm_80"], ["a\t1\t40\t-\t-", "b\trefused:X\t-\t-\t-"])
        self.assertEqual(lines["sm_89"], ["a\t= sm_80", "b\trefused:X\t-\t-\t-", "c\t3\t-\t-\t-"])
        self.assertEqual(lines["sm_90"], ["a\t2\t50\t-\t-"])
        self.assertEqual(lines["gfx942"], ["a\t1\t-\t-\t-"])
        for target, text in lines.items():
            if text:
                (self.folder / f"{target}.tsv").write_text("# kernel\n" + "\n".join(text) + "\n")
        self.assertEqual(replay.read_listing(self.folder), rows)
        one = replay.read_listing(self.folder / "sm_89.tsv")
        self.assertEqual(one, {key: columns for key, columns in rows.items() if key[1] == "sm_89"})

    def test_changes_are_found(self):
        kernels = ["--only", r"examples/cast_copy.py --entry=cast\(300\)", "--jobs", "2"]
        targets = "gfx942,gfx950"  # a report needs no ptxas
        status, text = self.run_main("--renew", str(self.folder), BUILD, "--targets", targets, *kernels)
        self.assertEqual(status, 0, text)
        status, text = self.run_main(str(self.folder), BUILD, "--targets", targets, *kernels)
        self.assertEqual((status, text), (0, "replay: 2 kernels, 0 changed (gfx942 0, gfx950 0), 0 gone\n"))
        listing = self.folder / "gfx950.tsv"
        name, code, *rest = listing.read_text().splitlines()[1].split("\t")
        listing.write_text("\n".join(["\t".join([name, "0" * 16, *rest]), "gone cast(300)\t1\t-\t-\t-\n"]))
        status, text = self.run_main(str(self.folder), BUILD, "--targets", targets, "--only", r"cast\(300\)")
        self.assertEqual(status, 1)
        self.assertIn(f"gfx950 {name}\n  code      {'0' * 16} -> {code}\n", text)
        self.assertTrue(text.endswith("1 changed (gfx942 0, gfx950 1), 1 gone\n"), text)

    def test_contracts_are_checked_and_broken_ones_counted(self):
        kernels = ["--only", r"examples/cast_copy.py --entry=cast\(300\)", "--targets", "gfx950"]
        self.run_main("--renew", str(self.folder), BUILD, *kernels)
        status, text = self.run_main(str(self.folder), BUILD, *kernels, "--verify")
        self.assertEqual((status, text), (0, "replay: 1 kernels, 0 changed (gfx950 0), 0 gone\n"))
        broken = self.folder / "broken"
        broken.mkdir()
        text = (self.folder / "gfx950.tsv").read_text()
        code = text.splitlines()[1].split("\t")[1]
        (broken / "gfx950.tsv").write_text(text.replace(code, replay.FAULT))
        status, text = self.run_main(str(self.folder), str(broken), *kernels)
        self.assertTrue(text.endswith("1 changed (gfx950 1), 0 gone, 1 internal errors\n"), text)

    def test_two_builds_are_compared_on_all_targets(self):
        status, text = self.run_main(BUILD, BUILD, "--only", "examples/gemm.py|07-grouped-gemm/check.py")
        self.assertEqual(status, 0, text)
        self.assertIn(", 0 changed (" + ", ".join(f"{target} 0" for target in replay.TARGETS) + ")", text)

    def test_a_process_that_dies_is_replaced(self):
        build = replay.Build(pathlib.Path(BUILD).resolve())
        kernel = ("examples/gemm.py", (), set())
        code = build.hash(kernel, "sm_80")
        build.servers[0].process.kill()
        self.assertEqual(build.hash(kernel, "sm_80"), code)  # by the command line
        self.assertEqual(build.hash(kernel, "sm_80"), code)
        self.assertEqual(build.hash(("examples/none.py", (), set()), "sm_80"), "refused:CannotRead")
        build.close()


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()

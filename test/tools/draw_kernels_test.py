#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of draw_kernels.py: what counts as a failure, with a compiler that is a script, and the files that it writes.

usage: draw_kernels_test.py [--bin TOOLS]     with TOOLS these are compiled as well
"""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import draw_kernels

TOOLS = None


def call(*arguments):
    """(exit code, what it prints)"""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["draw_kernels.py", *map(str, arguments)]), contextlib.redirect_stdout(said):
        return draw_kernels.main(), said.getvalue()


class Verdicts(unittest.TestCase):
    def verdict(self, script, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "tilec-run"
            tool.write_text(f"#!/bin/sh\n{script}\n")
            tool.chmod(0o755)
            return call(folder, "rows", "--seeds", "0-1", "--targets", "gfx950,sm_90a", "--jobs", 1, *arguments)

    def test_all_pass(self):
        self.assertEqual(self.verdict("exit 0"), (0, "4 runs, 0 failed, 0 without room\n"))

    def test_one_fails(self):
        code, said = self.verdict('case "$*" in *sm_90a*) echo differs; exit 1;; esac')
        self.assertEqual((code, said), (1, "seed 0 sm_90a\nexit code 1\ndiffers\nseed 1 sm_90a\nexit code 1\ndiffers\n"
                                           "4 runs, 2 failed, 0 without room\n"))

    def test_a_crash_that_says_nothing_is_a_failure(self):
        code, said = self.verdict("kill -SEGV $$")
        self.assertEqual((code, said.splitlines()[-1]), (1, "4 runs, 4 failed, 0 without room"))

    def test_without_room(self):
        script = 'echo "error: too much [SharedMemoryFull]" >&2; seq 1000 >&2; exit 1'
        self.assertEqual(self.verdict(f'case "$*" in *sm_90a*) {script};; esac'), (0, "4 runs, 0 failed, 2 without room\n"))
        self.assertEqual(self.verdict(script), (1, "4 runs, 0 failed, 4 without room\n"))  # all of them: nothing was tested


class Kernels(unittest.TestCase):
    def test_every_seed_is_a_script(self):
        for name, family in draw_kernels.FAMILIES.items():
            for large in (False, True):
                scripts = [text for seed in range(40) if (text := family.drawn(seed, large))]
                self.assertGreater(len(scripts), 15)
                self.assertEqual(len(scripts), len(set(scripts)), name)
                for text in scripts:
                    compile(text, name, "exec")
                    self.assertFalse(large and "schedule" in text, name)

    def test_files_for_timing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in draw_kernels.FAMILIES:
                code, _ = call("write", folder, name, "--seeds", "0-11")
                self.assertEqual(code, 0)
            files = sorted(pathlib.Path(folder).iterdir())
            self.assertGreater(len(files), 4 * 4)
            for file in files:
                text = file.read_text()
                compile(text, str(file), "exec")
                self.assertEqual(text.count("T.Tensor("), text.count("torch.") - text.count("dtype=torch.") - text.count(".to(torch."))
            for file in files[::9] if TOOLS else []:
                command = [TOOLS / "tilec", file, "--entry=kernel()", "--target=sm_90a", "--emit=ptx", "-o", f"{file}.ptx"]
                subprocess.run(command, check=True)


if __name__ == "__main__":
    if "--bin" in sys.argv:
        at = sys.argv.index("--bin")
        TOOLS = pathlib.Path(sys.argv[at + 1]).resolve()
        del sys.argv[at:at + 2]
    unittest.main()

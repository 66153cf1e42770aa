#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of corpus.py and corpus_entries.py on a small tree in upstream's shape."""

import argparse
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import corpus
import corpus_entries

TESTS = '''
import tilelang.testing

def make(M, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype)):
        with T.Kernel(1) as b:
            A[0] = 0
    return main

@pytest.mark.parametrize("M, dtype", [(8, T.int8), (9, T.int16)])
@tilelang.testing.requires_cuda_compute_version_ge(9, 0)
def test_hopper(M, dtype):
    make(M, dtype)

@tilelang.testing.requires_cuda_compute_version(10)
def test_blackwell():
    make(8)

@tilelang.testing.requires_rocm
def test_amd():
    with pytest.raises(ValueError):
        make(8)

def test_layout():
    assert Layout(3).size == 3

def test_needs_a_fixture(tmp_path):
    make(8)
'''


class Corpus(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)
        for folder in ("examples", "testing/python/amd", "testing/python/layout"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "testing/python/amd/test_a.py").write_text(TESTS)
        (self.root / "testing/python/layout/test_b.py").write_text("def test_b():\n    pass\n")
        (self.root / "examples/a.py").write_text("with T.Kernel(1) as b:\n    pass\n")
        (self.root / "examples/b.py").write_text("with T.Kernel(1) as b:\n    pass\n")
        self.table = self.root / "entries.txt"
        self.table.write_text("examples/a.py | f(1) | open on=gfx942,sm_80 --dim=n=4\n")

    def read(self):
        return corpus_entries.read_corpus(self.root, self.table, "all", "")

    def test_entries_are_on_the_hardware_that_a_test_asks_for(self):
        found = self.read()
        self.assertEqual(found.files, ["examples/a.py", "examples/b.py", "testing/python/amd/test_a.py"])
        table, hopper, amd = found.entries
        self.assertEqual((table.call, table.targets, table.options, table.is_open),
                         ("f(1)", ("gfx942", "sm_80"), ("--dim=n=4",), True))
        self.assertEqual((hopper.call, hopper.targets), ("test_hopper(M=8, dtype=T.int8)", ("sm_90a",)))
        self.assertEqual((amd.targets, amd.must_fail), (("gfx942", "gfx950"), True))
        self.assertEqual((found.no_kernel, found.other_hardware), (1, 1))

    def results(self, rows):
        path = self.root / "r.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in rows) + '{"file": "cut')
        return path

    def row(self, entry, target, **fields):
        return {"file": entry.file, "call": entry.call, "options": list(entry.options),
                "target": target, "build": "b", "compile": "ok", "check": "none", **fields}

    def test_a_file_counts_where_every_entry_does(self):
        found = self.read()
        table, hopper, amd = found.entries
        rows = [self.row(table, "gfx942"), self.row(table, "sm_80"), self.row(hopper, "sm_90a"),
                self.row(amd, "gfx942", compile="refused", message=":3 no"),
                self.row(amd, "gfx950")]
        table_of = lambda rows, folder: corpus.section(
            found, corpus.read_results(self.results(rows)), folder)
        figures, bad = table_of(rows, "testing/python")
        self.assertEqual(bad, [])
        self.assertEqual(dict(figures)["of them wholly good"], 1)
        _, bad = table_of(rows, "examples")
        self.assertEqual([b[0] for b in bad], ["b.py"])  # nothing says how to call it
        rows[2] = self.row(hopper, "sm_90a", check="fail", check_message="differs")
        rows[3] = self.row(amd, "gfx942", compile="failed", message="crash")
        _, bad = table_of(rows, "testing/python")
        self.assertEqual(bad, [("amd/test_a.py", "0/1 1/1 0/0 0/1", "", "sm_90a: differs")])
        _, bad = table_of(rows[1:], "examples")
        self.assertEqual(bad[0], ("a.py", "0/1 0/0 1/1 0/0", "", "gfx942: not run"))

    def test_a_run_goes_on_where_it_was(self):
        found = self.read()
        table, hopper, _ = found.entries
        path = self.results([self.row(table, "gfx942"), self.row(hopper, "sm_90a", build="old")])
        path.write_text(path.read_text() + "\n")
        options = argparse.Namespace(
            upstream=self.root, bin=self.root, results=path, part="all", only="", check="small",
            jobs=1, timeout=1, targets=",".join(corpus_entries.TARGETS))
        asked = []
        with mock.patch.object(corpus, "TABLE", self.table), \
                mock.patch.object(corpus, "build_of", lambda _: "b"), \
                mock.patch.object(corpus, "measure", lambda e, t, o: asked.append((e.call, t))
                                  or self.row(e, t)), \
                mock.patch("builtins.print"):
            corpus.run(options)
        self.assertEqual(asked, [("f(1)", "sm_80"), ("test_hopper(M=8, dtype=T.int8)", "sm_90a"),
                                 ("test_amd()", "gfx942"), ("test_amd()", "gfx950")])


if __name__ == "__main__":
    unittest.main()

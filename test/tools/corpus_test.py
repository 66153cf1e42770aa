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
import corpus_kernels

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


KERNELS = """
CASES = [pytest.param(T.float16, 32, id="half"), pytest.param(T.float32, 64, id="single")]
WIDTHS = {"wide": 128}
NAMES = ["wide", "narrow"]

def factory(M, dtype="float16", block=64):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype)):
        with T.Kernel(1) as b:
            A[0] = 0
    return main

def cases(dtype, width):
    return factory2(dtype, width)

def factory2(dtype, width):
    with_kernel = lambda: T.Kernel(1)

def run(M, dtype):
    block = 32
    factory(M, dtype=dtype, block=block)

def test_run():
    M = N = 256
    run(M, T.bfloat16)

@pytest.mark.parametrize("dtype,width", CASES)
@tilelang.testing.requires_cuda
def test_cases(dtype, width):
    cases(dtype, width)

@tilelang.jit
def eager(A, width):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    with T.Kernel(1) as b:
        A[0] = 0

@pytest.mark.parametrize("name", NAMES)
def test_eager(name):
    eager(torch.randn(64), WIDTHS[name])

def wrong(n=0):
    with T.Kernel(n) as b:
        pass

def test_wrong():
    with pytest.raises(ValueError):
        wrong()

def with_a_fixture(size):
    T.Kernel(size)

def test_with_a_fixture(tmp_path):
    with_a_fixture(len(tmp_path))

def nobody_calls(size):
    T.Kernel(size)
"""


class Kernels(unittest.TestCase):
    def test_functions_are_called_as_their_file_does(self):
        found, unknown = corpus_kernels.entries_of("a.py", KERNELS)
        self.assertEqual(
            [(e.call, e.kernel) for e in found],
            [("factory(M=256, dtype=T.bfloat16, block=32)", ""),
             ("factory2(dtype=T.float16, width=32)", ""),
             ("test_eager(name=NAMES[0])", "eager"), ("test_wrong()", "wrong")])
        self.assertEqual([e.must_fail for e in found], [False, False, False, True])
        self.assertEqual(found[1].targets, ("sm_80", "sm_90a"))
        self.assertEqual(unknown, 2)

    def test_an_error_is_expected_of_what_stands_where_one_is(self):
        text = """
def make():
    with T.Kernel(1):
        pass

def beside():
    with T.Kernel(1):
        T.alloc_barrier(1)

def later():
    with T.Kernel(1):
        T.alloc_tmem((1,), "float32")

def tuned():
    def kernel(block=None):
        @T.prim_func
        def main():
            with T.Kernel(block):
                pass
        return main
    return kernel

def helper():
    beside()
    made = later()
    with pytest.raises(ValueError):
        compile(made)
    with pytest.raises(ValueError):
        make()

def test_them():
    helper()

def test_tuned():
    tuned()(32)
"""
        found, _ = corpus_kernels.entries_of("a.py", text)
        self.assertEqual([(e.call, e.kernel, e.must_fail, e.hardware) for e in found],
                         [("test_them()", "make", True, ""), ("test_them()", "beside", False, ""),
                          ("test_them()", "later", True, "Blackwell"),
                          ("test_tuned()", "tuned", False, "")])
        self.assertEqual(found[1].targets, ("sm_90a",))

    def test_figures_tell_what_is_wrong_on_purpose(self):
        entry = lambda name, **more: corpus_entries.Entry("t/a.py", f"{name}()", targets=("sm_80",), **more)
        found = corpus_entries.Corpus(["t/a.py"], [
            entry("f"), entry("g", must_fail=True), entry("h", must_fail=True), entry("k"),
            entry("m", hardware="Blackwell")])
        rows = {("t/a.py", f"{n}()", (), "sm_80"): {"compile": c, "message": m} for n, c, m in (
            ("f", "ok", ""), ("g", "ok", ""), ("h", "refused", ":1 no"),
            ("k", "refused", ":2 `x` is read [NotInitialised]"), ("m", "refused", ":3 no"))}
        other, figures = corpus.kernel_figures(found, rows)
        figures = dict(figures)
        self.assertEqual([e.call for e, _ in other], ["k()", "m()"])
        self.assertEqual(figures["both"], "3 of 5 (60.0 %)")
        self.assertEqual(figures["both, without kernels for Blackwell's tensor memory"], "3 of 4 (75.0 %)")
        self.assertEqual(figures["with these"], "4 of 5 (80.0 %)")

    def test_the_page_groups_what_fails_by_cause(self):
        entry = lambda name: corpus_entries.Entry("t/a.py", f"{name}()", targets=("sm_80",))
        found = corpus_entries.Corpus(["t/a.py"], [entry("f"), entry("g"), entry("h")])
        rows = {("t/a.py", "f()", (), "sm_80"): {"compile": "ok", "check": "none"}}
        for name, line in (("g", 3), ("h", 8)):
            rows["t/a.py", f"{name}()", (), "sm_80"] = {
                "compile": "refused", "check": "none",
                "message": f":{line} `T.alloc_tmem` is not supported; no Blackwell [RefusedIntrinsic]"}
        text = "\n".join(corpus.kernels_page(found, rows))
        self.assertIn("compile on every target | 1 of 3 (33.3 %) |", text)
        self.assertIn("Blackwell's tensor memory | 1 of 3 (33.3 %) |", text)
        self.assertIn("| 2 | `T.alloc_tmem` [RefusedIntrinsic] | Blackwell | a.py g, a.py h |", text)


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

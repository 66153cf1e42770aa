#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of test/bench/hopper/tables.py without a GPU: the cases, what a tuning file changes, packing with a compiler that
is a script, and a run whose timing process is one, too: it dies, hangs and comes back. And of test/bench/record.py.

usage: bench_tables_test.py [--bin TOOLS]     with TOOLS one case is packed by the real compiler as well
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ROOT / "test/bench/hopper/tables.py"
sys.path[:0] = [str(TABLES.parent), str(ROOT / "test/bench")]
import record  # noqa: E402
import tables  # noqa: E402
import variants  # noqa: E402

TOOLS = None

# Answers as bench.py does: the second case takes the process along the first time, the third is no number.
WORKER = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
names = sys.argv[sys.argv.index("--cases") + 1].split(",")
rounds = int(sys.argv[sys.argv.index("--rounds") + 1])
say = lambda value: print(json.dumps(value), flush=True)
print("something else")
say({"ready": True, "versions": {"gpu": "none"}})
sys.stdin.readline()
for name in names:
    say({"start": name})
    if "8192" in name:
        sys.exit(3)
    if name.endswith("nn"):
        say({"case": name, "result": {"error": "no such thing"}})
        continue
    samples = {"ours": [2.0] * rounds, "cublasGemmEx": [3.0] * rounds, "cublasLt": [2.0] * rounds}
    rivals = {r: {"us": v[0], "ratio": v[0] / 2, "ratio_low": v[0] / 2, "ratio_high": v[0] / 2}
              for r, v in samples.items() if r != "ours"}
    say({"case": name, "result": {
        "agrees": {"ours": True, "cublasGemmEx": True, "cublasLt": False}, "chosen": {"cublasLt": {"best": "3", "of": {"3": 2}}},
        "rounds": rounds, "samples": samples, "seconds": [0, 0],
        "rows": [{"launch": "plain", "us": 2.0, "tflops": 500.0, "rivals": rivals}]}})
"""


class Cases(unittest.TestCase):
    def test_every_table_is_whole(self):
        names = [case["name"] for case in tables.all_cases()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len([n for n in names if n.startswith("gemm") and "fp8" not in n]), 5 * 2 * 2)
        self.assertEqual(len([n for n in names if "fp8" in n]), 5)
        self.assertEqual(len([n for n in names if n.startswith("attention")]), 3 * 4 * 2 + 4 * 2)
        self.assertEqual(len(names), 20 + 5 + 32 + 20 + 2)

    def test_what_has_the_highest_floor_comes_first(self):
        order = [case["name"] for case in tables.all_cases()]
        self.assertTrue(order[0].startswith("attention-d128"))
        for early, late in [("gemm-8192-float16-nn", "gemm-1024-bfloat16-nt"), ("gemm-1024-bfloat16-nt", "attention-d64-s2048"),
                            ("attention-d64-s2048", "attention-d256-s2048")]:
            self.assertLess(order.index(early), order.index(late))

    def test_the_tuning_file_wins(self):
        case = next(case for case in tables.all_cases("gemm-4096-float16-nn"))
        record = {"script": "gemm.py", "entry": "gemm(4096,4096, 4096, tb=False)", "target": "sm_90a",
                  "best": {"block_M": "64", "schedule": "ping_pong"}}
        plain = tables.finished(case, [])
        self.assertEqual((plain["schedule"], plain["from"]), ("auto", "tables.py"))
        tuned = tables.finished(case, [record])
        self.assertEqual(tuned["entry"], 'gemm(4096, 4096, 4096, block_M=64, dtype="float16", out="float16", tb=False)')
        self.assertEqual((tuned["schedule"], tuned["from"]), ("ping_pong", "tuning file"))
        own = {**record, "entry": 'gemm(4096, 4096, 4096, dtype="float16", out="float16", tb=False)', "best": {}}
        self.assertEqual(tables.finished(case, [own, record])["entry"], own["entry"])
        # Tiles of NT may be none for NN.
        nt = next(case for case in tables.all_cases("gemm-4096-float16-nt"))
        self.assertEqual(tables.finished(nt, [record])["from"], "tables.py")
        self.assertEqual(tables.finished(nt, [{**record, "entry": "gemm(4096, 4096, 4096)"}])["from"], "tuning file")
        for other in [{"target": "gfx950"}, {"entry": "gemm(4096, 4096, 4096)"}, {"script": "fa.py"}, {"entry": "gemm(1,1,1)"}, {"best": None}]:
            self.assertEqual(tables.finished(case, [{**record, **other}])["from"], "tables.py")


class Variants(unittest.TestCase):
    def test_a_list_is_cases(self):
        cases = variants.cases_of("# all\n8192 nt bfloat16 auto: block_M=64, panel=8 # fast\n\n8192 nt bfloat16 ping_pong: stages=4\n"
                                  "2048 nn float16 auto: stages=3\n")
        self.assertEqual(cases, {(8192, "nt", "bfloat16"): [("auto", "block_M=64, panel=8"), ("ping_pong", "stages=4")],
                                 (2048, "nn", "float16"): [("auto", "stages=3")]})
        self.assertEqual(variants.entry_of(64, "nn", "float16", "stages=3"),
                         ("gemm.py", 'gemm(64, 64, 64, stages=3, dtype="float16", out="float16", tb=False)'))
        committed = variants.cases_of((TABLES.parent / "variants.txt").read_text())
        self.assertGreater(sum(len(case) for case in committed.values()), 10)

    def test_one_that_does_not_compile_is_said(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "tilec").write_text('#!/bin/sh\necho "x.py:1:1: error: too large" >&2; exit 1\n')
            (folder / "tilec").chmod(0o755)
            (folder / "list").write_text("64 nt bfloat16 auto: stages=3\n")
            done = subprocess.run([sys.executable, str(TABLES.parent / "variants.py"), "pack", str(folder), str(folder / "out"),
                                   str(folder / "list")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("too large", done.stderr)


class Runs(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name) / "packed"
        self.tools = pathlib.Path(self.temporary.name) / "tools"
        self.tools.mkdir()
        # A compiler that refuses one case.
        (self.tools / "tilec").write_text('#!/bin/sh\ncase "$*" in *16384*) echo "x.py:1:1: error: too large" >&2; exit 1;; esac\n')
        (self.tools / "tilec").chmod(0o755)

    def tearDown(self):
        self.temporary.cleanup()

    def pack(self, tools, only):
        subprocess.run([sys.executable, str(TABLES), "pack", str(tools), str(self.folder), "--only", only, "--jobs", "2"],
                       check=True, capture_output=True)
        return json.loads((self.folder / "cases.json").read_text())

    def test_a_run_survives_its_process(self):
        cases = self.pack(self.tools, "gemm-.*bfloat16")
        self.assertEqual([case["name"] for case in cases if case["error"]],
                         ["gemm-16384-bfloat16-nt", "gemm-16384-bfloat16-nn"])
        (self.folder / "bench.py").write_text(WORKER)
        done = subprocess.run([sys.executable, str(self.folder / "tables.py"), "run", str(self.folder), "--against",
                               "cublas,cublaslt", "--rounds", "5"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        kept = json.loads((self.folder / "out/results.json").read_text())
        results = {case["name"]: case["result"] for case in kept["results"]}
        self.assertEqual(len(results), len(cases))
        self.assertIn("too large", results["gemm-16384-bfloat16-nt"]["error"])
        self.assertIn("the process ended", results["gemm-8192-bfloat16-nt"]["error"])
        self.assertEqual(results["gemm-4096-bfloat16-nn"]["error"], "no such thing")
        self.assertEqual(results["gemm-2048-bfloat16-nt"]["rows"][0]["us"], 2.0)
        text = (self.folder / "out/tables.md").read_text()
        self.assertIn("| 2048 | bfloat16 | NT | plain | 2.00 | 500 | 1.500 [1.500 1.500] | "
                      "1.000 [1.000 1.000] **results differ** |  |", text)
        self.assertLess(text.index("| 1024 |"), text.index("| 2048 |"))
        raw = (self.folder / "out/raw.txt").read_text()
        self.assertIn("gemm-1024-bfloat16-nt: gemm(1024, 1024, 1024, block_M=", raw)
        self.assertIn("  cublasGemmEx 3 3 3 3 3\n", raw)
        shown = subprocess.run([sys.executable, str(TABLES), "show", str(self.folder / "out/results.json")],
                               capture_output=True, text=True, check=True)
        self.assertEqual(shown.stdout.strip(), text.strip())

    def test_time_runs_out(self):
        self.pack(self.tools, "gemm-1024-bfloat16")
        (self.folder / "bench.py").write_text(WORKER)
        done = subprocess.run([sys.executable, str(self.folder / "tables.py"), "run", str(self.folder), "--against", "cublas",
                               "--seconds", "0"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no time was left for gemm-1024-bfloat16-nt", done.stdout)

    def test_a_folder_is_whole(self):
        if TOOLS is None:
            self.skipTest("no compiler")
        case, = self.pack(TOOLS, "gemm-1024-fp8")
        self.assertEqual(case["error"], "")
        manifest = json.loads((self.folder / "gemm-1024-fp8-nt.bin.json").read_text())
        self.assertEqual([p["name"] for p in manifest["launches"][0]["params"] if p["kind"] == "tensor"],
                         ["A", "B", "SA", "SB", "C"])
        for name in tables.SOURCES:
            compile((self.folder / name).read_text(), name, "exec")


class Records(unittest.TestCase):
    """What a benchmark prints is kept, and stands on its page."""

    def test_a_record_replaces_the_one_before(self):
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            page, results = root / "docs/numbers/compile-time.md", root / "test/bench/results"
            page.parent.mkdir(parents=True)
            results.mkdir(parents=True)
            old = "compile-time-2020-01-02.txt"
            for name in (old, "other-2020-01-02.txt"):
                (results / name).write_text("old")
            page.write_text(f"# T\n\n<!-- compile-time -->\n[raw](../../test/bench/results/{old})\n<!-- end compile-time -->\nrest\n")
            record.record("compile-time", pathlib.Path("tools"), root, lambda tools, command: f"{tools}: {len(command)} words\n")
            new, = [f for f in results.iterdir() if f.name.startswith("compile-time")]
            self.assertTrue((results / "other-2020-01-02.txt").exists())
            self.assertNotEqual(new.name, old)
            printed = ("$ test/bench/compile_time.py build/bin\ntools: 1 words\n\n$ test/bench/compile_time.py build/bin "
                       '--amd test/bench/amd/gemm.py --entry "gemm(8192, 8192, 8192)"\ntools: 5 words\n\n$ test/bench/threads.sh')
            for text in (new.read_text(), page.read_text()):
                self.assertIn(printed, text)
                self.assertIn("load average", text)
            self.assertIn(f"[raw](../../test/bench/results/{new.name})", page.read_text())
            self.assertNotIn(old, page.read_text())
            self.assertTrue(page.read_text().startswith("# T\n\n<!-- compile-time -->\n"))
            self.assertTrue(page.read_text().endswith("```\n<!-- end compile-time -->\nrest\n"))

    def test_every_record_has_its_page(self):
        for name in record.RECORDS:
            record.with_record((ROOT / f"docs/numbers/{name}.md").read_text(), name, "")
        with self.assertRaises(ValueError):
            record.with_record("<!-- a -->\n", "a", "")


class Driver(unittest.TestCase):
    """driver.py on a driver that remembers what it was asked to launch."""

    def test_attributes_of_a_launch(self):
        driver = types.ModuleType("driver")
        source = (TABLES.parent / "driver.py").read_text().replace('ctypes.CDLL("libcuda.so.1")', "Fake()")
        seen = []

        class Fake:
            def __getattr__(self, name):
                return lambda *arguments: seen.append((name, arguments)) or 0

        driver.Fake = Fake
        exec(compile(source, "driver.py", "exec"), driver.__dict__)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "k.bin"
            path.write_bytes(b"")
            pathlib.Path(f"{path}.json").write_text(json.dumps({"launches": [{
                "symbol": "k", "grid": ["ceildiv(m, 4)", 1, 1], "block": [384, 1, 1], "cluster": [2, 1, 1], "early": True,
                "shared_bytes": 1024, "params": [{"kind": "tensor", "name": "A"},
                                                 {"kind": "dim", "name": "m", "dtype": "int32"}]}]}))
            program = driver.Program(str(path))
            for early, ids in [(False, [4]), (True, [4, 6])]:
                program.bind({"A": 4096}, 7, {"m": 9}, early=early)()
                name, (config, *_) = seen[-1]
                config = config._obj
                self.assertEqual(name, "cuLaunchKernelEx")
                self.assertEqual(list(config.grid) + list(config.block) + [config.shared, config.stream],
                                 [3, 1, 1, 384, 1, 1, 1024, 7])
                self.assertEqual([config.attributes[i].id for i in range(config.count)], ids)
                self.assertEqual(list(config.attributes[0].dims[:3]), [2, 1, 1])


if __name__ == "__main__":
    if "--bin" in sys.argv:
        at = sys.argv.index("--bin")
        TOOLS = pathlib.Path(sys.argv[at + 1]).resolve()
        del sys.argv[at:at + 2]
    unittest.main()

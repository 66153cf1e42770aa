#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/dev/check_includes.py, check_coverage.py, check_targets.py and check_attrs.py on small trees with planted faults."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
import check_attrs  # noqa: E402
import check_coverage  # noqa: E402
import check_includes  # noqa: E402
import check_targets  # noqa: E402

CMAKE = """
set(TILEC_LEVEL_Base 0)
set(TILEC_LEVEL_Support 1)
set(TILEC_LEVEL_IR 2)
set(TILEC_LEVEL_Sim 2)
set(TILEC_LEVEL_Transforms 3)
set(TILEC_MLIR_FOLDERS IR)
set(TILEC_PLAIN_FOLDERS Base)
"""


class Tree(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name)
        self.write("cmake/TilecLibrary.cmake", CMAKE)
        self.write("lib/Transforms/CMakeLists.txt", "set(TILEC_TRANSFORMS_ORDER Layouts\n  Roles ToWave)")

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


class Includes(Tree):
    def complaint(self, path, included):
        self.write(path, f'#pragma once\n#include "{included}"\n')
        complaints, _ = check_includes.check(self.root)
        (self.root / path).unlink()
        return complaints[0] if complaints else None

    def test_lower_levels_and_own_folder_are_fine(self):
        self.assertIsNone(self.complaint("lib/IR/A.cpp", "tilec/Support/S.h"))
        self.assertIsNone(self.complaint("lib/IR/Tile/A.cpp", "tilec/IR/Wave/W.h"))
        self.assertIsNone(self.complaint("lib/IR/A.cpp", "mlir/IR/Builders.h"))
        self.assertIsNone(self.complaint("lib/Sim/A.cpp", "llvm/MC/MCInst.h"))
        self.assertIsNone(self.complaint("lib/IR/Tile/A.cpp", "../Common.h"))

    def test_the_source_of_a_pass_sees_the_dialects_that_it_depends_on(self):
        self.write("include/tilec/Transforms/Passes.td",
                   'def OnePass : Pass<"one"> {\n  let dependentDialects = ["::mlir::math::MathDialect"];\n}\n')
        source, define = "lib/Transforms/Roles/A.cpp", "#define GEN_PASS_DEF_ONEPASS\n"
        self.write("cmake/TilecLibrary.cmake", CMAKE.replace("FOLDERS IR", "FOLDERS IR Transforms"))
        self.write(source, define)
        self.assertIn("depends on the dialect Math", check_includes.check(self.root)[0][0])
        self.write(source, '#include "mlir/Dialect/Math/IR/Math.h"\n' + define)
        self.assertEqual(check_includes.check(self.root)[0], [])
        self.write("lib/Transforms/Roles/H.h", '#pragma once\n#include "mlir/Dialect/Math/IR/Math.h"\n')
        self.write(source, '#include "Roles/H.h"\n' + define)
        self.assertEqual(check_includes.check(self.root)[0], [])

    def test_sub_folders_of_transforms_have_levels(self):
        self.assertIsNone(self.complaint("lib/Transforms/Roles/A.cpp", "Layouts/L.h"))
        self.assertIsNone(self.complaint("lib/Transforms/Roles/A.cpp", "Roles/Strategies/S.h"))
        self.assertIsNone(self.complaint("lib/Transforms/ToWave/A.cpp", "tilec/IR/I.h"))
        self.assertIn("Layouts may not use Roles", self.complaint("lib/Transforms/Layouts/A.h", "Roles/R.h"))
        self.assertIn("Roles may not use ToWave", self.complaint("lib/Transforms/Roles/S/A.cpp", "ToWave/T.h"))
        self.assertIn("sub-folder New is not in", self.complaint("lib/Transforms/New/A.cpp", "Layouts/L.h"))

    def test_only_used_libraries_are_included(self):
        self.write("lib/Sim/CMakeLists.txt", "tilec_library(Sim SOURCES S.cpp USES Support) # USES IR")
        self.write("lib/Support/CMakeLists.txt", "tilec_library(Support SOURCES S.cpp USES Base)")
        self.write("lib/Transforms/CMakeLists.txt", "set(TILEC_TRANSFORMS_ORDER Roles)\nset(more Sim)\n"
                   "tilec_library(Transforms TOGETHER\n  SOURCES A.cpp\n  USES IR ${more}\n  LINK MLIRPass)")
        self.assertIsNone(self.complaint("include/tilec/Sim/A.h", "tilec/Support/S.h"))
        self.assertIsNone(self.complaint("lib/Sim/A.cpp", "tilec/Base/B.h"))
        self.assertIsNone(self.complaint("lib/Transforms/Roles/A.cpp", "tilec/Base/B.h"))
        self.write("lib/Sim/CMakeLists.txt", "tilec_library(Sim SOURCES S.cpp USES Base)")
        for path in ("include/tilec/Sim/A.h", "lib/Sim/A.cpp", "lib/Transforms/Roles/A.cpp"):
            self.assertIn("Support is not among the USES", self.complaint(path, "tilec/Support/S.h"))

    def test_public_headers_have_the_level_of_their_functions(self):
        self.write("include/tilec/Transforms/Plan.h", "namespace tilec {\nstruct Plan {\n  int f();\n};\n/// Why; how.\n"
                   "std::string textOf(const Plan &plan);\n}\n")
        self.write("lib/Transforms/Roles/R.h", '#include "tilec/Transforms/Plan.h"\n')
        self.write("lib/Transforms/Roles/R.cpp", '#include "Roles/R.h"\nnamespace tilec {\nint Plan::f() { return 1; }\n}\n')
        self.assertIsNone(self.complaint("lib/Transforms/Roles/A.cpp", "tilec/Transforms/Plan.h"))
        self.assertIsNone(self.complaint("lib/Transforms/ToWave/A.cpp", "tilec/Transforms/Plan.h"))
        self.assertIn("Layouts may not use Roles, where", self.complaint("lib/Transforms/Layouts/A.h", "tilec/Transforms/Plan.h"))
        text = '#include "tilec/Transforms/Plan.h"\nstd::string textOf(const Plan &plan) {\n  return "{";\n}\n'
        self.write("lib/Transforms/ToWave/T.cpp", text)
        self.assertIn("Plan.h:1: its functions are in lib/Transforms/Roles and lib/Transforms/ToWave",
                      self.complaint("lib/Sim/A.cpp", "vector"))

    def test_functions_are_in_the_folder_of_their_header(self):
        self.write("include/tilec/Support/S.h", "namespace tilec {\nint number(int);\ninline int other() { return 1; }\n}\n")
        self.write("lib/Support/S.cpp", "static int number() { return 1; }\n")
        for text in ("int number(int n) { return n; }", '#include "tilec/Support/S.h"\nint number(int n);',
                     '#include "tilec/Support/S.h"\nnamespace {\nint number(int n) { return n; }\n}',
                     '#include "tilec/Support/S.h"\nint a() { return number(1); }'):
            self.write("lib/IR/A.cpp", text)
            self.assertIsNone(self.complaint("lib/Sim/A.cpp", "vector"), text)
        self.write("lib/IR/A.cpp", '#include "tilec/Support/S.h"\nint tilec::number(int n) { return n; }\n'
                   'int number(int n) { return n; }\n')
        self.assertEqual(self.complaint("lib/Sim/A.cpp", "vector"), "include/tilec/Support/S.h:1: `number` is defined in lib/IR: "
                         "a header's functions are in its folder")

    def test_faults_are_found_with_their_line(self):
        found = self.complaint("include/tilec/Support/S.h", "tilec/IR/I.h")
        self.assertEqual(found, 'include/tilec/Support/S.h:2: "tilec/IR/I.h": '
                                "Support (level 1) may not use IR (level 2)")
        self.assertIn("may not use Sim", self.complaint("lib/IR/A.cpp", "tilec/Sim/S.h"))
        self.assertIn("without LLVM", self.complaint("lib/Base/A.cpp", "llvm/ADT/StringRef.h"))
        self.assertIn("no MLIR folder", self.complaint("lib/Sim/A.cpp", "mlir/IR/Value.h"))
        self.assertIn("kept out", self.complaint("lib/IR/A.cpp", "mlir/Dialect/LLVMIR/LLVMDialect.h"))
        self.assertIn("kept out", self.complaint("lib/IR/A.cpp", "mlir/Dialect/LLVMIR/NVVMDialect.h"))
        self.assertIn("may not know", self.complaint("lib/IR/Wave/A.cpp", "tilec/IR/Tile/T.h"))
        self.assertIn("leaves its folder", self.complaint("lib/IR/A.cpp", "../Sim/Private.h"))
        self.assertIn("has no level", self.complaint("lib/Other/A.cpp", "vector"))


class Targets(Tree):
    def complaint(self, text, path="lib/Transforms/Roles/A.cpp"):
        self.write(path, text)
        found = check_targets.complaints(self.root)
        (self.root / path).unlink()
        return found[0] if found else None

    def test_questions_and_citations_are_fine(self):
        self.assertIsNone(self.complaint("if (target.keepsOrder)\n  registers = 64; // docs/machine-code/hopper.md\n"))
        self.assertIsNone(self.complaint("int x; // Amdahl; 132 rows\n"))
        self.assertIsNone(self.complaint("vendor = Vendor::Amd;\n", "lib/IR/Wave/AMDGPU/A.cpp"))
        self.assertIsNone(self.complaint("Vendor::Amd\n", "lib/Lower/A.cpp"))

    def test_chips_vendors_and_their_numbers_are_found(self):
        for text in ("if (target.vendor == x)", "Arch::Sm90a", "// on NVIDIA", "// ds_read_b128", 'run("gfx950")', "mfma()"):
            self.assertIn("Roles/A.cpp:2: names", self.complaint("x\n" + text + "\n"), text)
        self.assertIn("holds 132", self.complaint("constexpr int most = 132;\n"))
        self.assertIn("A.td:1: names", self.complaint("// sm_90a\n", "include/tilec/IR/Wave/A.td"))
        self.assertIn("names `Hopper`", self.complaint("", "lib/Transforms/Hopper/A.cpp"))

    def test_constants_with_a_unit_are_found(self):
        for text, name in (("constexpr int64_t sectorBytes = 32; // of L2", "sectorBytes"),
                           ("  constexpr int64_t fewest = 2,\n      clocksOfMeeting = 700;", "clocksOfMeeting"),
                           ("static constexpr unsigned lanes = 8 * 4;", "lanes"),
                           ("const int64_t mostBytes = int64_t(1) << 20;", "mostBytes"),
                           ("constexpr int64_t threadsPerGroup = 0x80;", "threadsPerGroup")):
            self.assertIn(f"A.cpp:2: `{name}` is a number", self.complaint("x\n" + text + "\n"), text)
        for text in ("constexpr int64_t mostRounds = 16;", "const int64_t bytes = target.accessBytes;", "int64_t bytes = 0;",
                     "// constexpr int64_t bytes = 4;", "constexpr int64_t pieceBytes = 4 * width;"):
            self.assertIsNone(self.complaint(text + "\n"), text)
        self.assertIsNone(self.complaint("constexpr int64_t otherRegisters = 40;\n", "lib/Transforms/Roles/RingSlots.cpp"))


class Attrs(Tree):
    def complaint(self, text, path="lib/Transforms/Roles/A.cpp"):
        self.write("include/tilec/IR/Tile/TileOps.td", "let arguments = (ins Index:$count, OptionalAttr<I64Attr>:$place,\n"
                   "  UnitAttr:$async);")
        self.write("include/tilec/IR/Wave/WaveOps.td", "let arguments = (ins StrAttr:$name);")
        self.write(path, text)
        found = check_attrs.complaints(self.root)
        (self.root / path).unlink()
        return found[0] if found else None

    def test_setters_and_declared_names_are_fine(self):
        self.assertIsNone(self.complaint("loop.setAsync(true);\nop.setPlaceAttr(nullptr);\n"))
        self.assertIsNone(self.complaint('op->getAttrOfType<StringAttr>("name");\nop->hasAttr("async");\n'))
        self.assertIsNone(self.complaint("op->setAttr(withFlags.getFastMathAttrName(), x);\n"))
        self.assertIsNone(self.complaint('state.addAttribute("async", x);\n', "lib/IR/Tile/A.cpp"))
        self.assertIsNone(self.complaint('// op->setAttr("x", y);\n'))

    def test_undeclared_names_are_found(self):
        for text in ('op->setAttr("async", x);', "op->setAttr(asyncName, x);", 'op->removeAttr("place");', 'op.setAttr(\n"x", y);',
                     'op->setDiscardableAttr("x", y);'):
            self.assertIn("Roles/A.cpp:2: sets", self.complaint("x\n" + text + "\n"), text)
        for text in ('op->hasAttr("planned")', "op->hasAttr(asyncName)", 'op->getAttrOfType<IntegerAttr>("slot")',
                     'op->getAttr("count")', 'op->getDiscardableAttr("x")'):
            self.assertIn("Roles/A.cpp:2: asks for", self.complaint("x\n" + text + ";\n"), text)
        self.assertIn("A.cpp:1: adds", self.complaint('state.addAttribute("async", x);\n'))


class Coverage(Tree):
    def check(self, tests):
        self.write("include/tilec/Base/Diagnostics/A.def", self.ROWS)
        self.write("test/lit/Diagnostics/a.test", tests)
        return check_coverage.check(self.root)[0]

    ROWS = ('TILEC_DIAG(IrRemark, Remark, "{0}")\nTILEC_DIAG(Bad, Error, "x")\n'
            'TILEC_DIAG(\n    Slow, Remark, "y")\nTILEC_DIAG(Why, Note, "z")\n')
    BAD = "#--- Bad.py\nx\n#| Bad.py:1:1: error: x [Bad]\n"
    SLOW = "#--- Slow-2.py --entry f\ny\n#| Slow-2.py:1:1: remark: y [Slow]\n#| y\n"

    def test_shown_ids_are_fine(self):
        self.assertEqual(self.check(self.BAD + self.SLOW), [])
        self.assertEqual(self.check(self.BAD + "#--- Slow.sh\ntilec y\n#| tilec: remark: y [Slow]\n"), [])

    def test_ids_without_a_script_are_named(self):
        missing = ["Slow: nothing in test/lit/Diagnostics shows this remark"]
        self.assertEqual(self.check(self.BAD), missing)
        self.assertEqual(self.check(self.BAD + "#--- Slow.py\ny\n"), missing)
        self.assertEqual(self.check(self.BAD + self.SLOW.replace("[Slow]", "[Bad]")), missing)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every diagnostic has a test that shows it whole.

Every error, warning and remark of include/tilec/Base/Diagnostics/*.def must have a script or a
command in a test of test/lit/Diagnostics: a part that begins with `#--- Id.py` or `#--- Id.sh` and
whose expected messages (`#| ` lines, compared by test/tools/check_diagnostics.py) have one that
ends in `[Id]`. Notes belong to another message, and remarks that pass on MLIR's texts print no
id: both are exempt. What nothing can provoke is planted by another test, which must name the id;
NO_SCRIPT_KNOWN lists what has none.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\s*TILEC_DIAG\(\s*(\w+)\s*,\s*(\w+)\s*,\s*"([^"]*)"', re.M)


# What no script and no command gives: faults that a test plants, and where it is (tools/dev/diagnostics_page.py names it).
PLANTED = {
    "CompilerStopped": "test/unit/Capi/FatalErrorTest.cpp",
    "IrMachineCode": "test/lit/Isa/sm_90a/clean-loops.test",
    "InternalError": "test/unit/Driver/InternalErrorsTest.cpp",
    "PlanNotKept": "test/unit/Support/DiagnosticsTest.cpp",
    "RecordedCall": "test/unit/Capi/TileTest.cpp",
    "RecordedNotEnded": "test/unit/Capi/TileTest.cpp",
    "SimulatorFinding": "test/lit/Sim/verdict.test",
}

# Contracts between passes, which no script is known to break, and LLVM's own warnings. A script that gives one belongs
# into test/lit/Diagnostics.
NO_SCRIPT_KNOWN = {"IrWarning", "MeetingInValue", "MeetingOperand", "MeetingStep", "NoMatrixInstruction", "NotOnTarget",
                   "OrderNotKept", "UpdateNoReduction"}

# Of passes, which print no id.
WITHOUT_ID = {"IrRemark"}


def declared(root):
    ids = {}
    for file in sorted((root / "include/tilec/Base/Diagnostics").glob("*.def")):
        for name, severity, text in ROW.findall(file.read_text()):
            ids[name] = severity
    return ids


def shown_in_tests(root):
    names = set()
    for file in (root / "test/lit/Diagnostics").glob("*.test"):
        for part in re.split(r"^#--- ", file.read_text(), flags=re.M)[1:]:
            name = re.match(r"(\w+)", part)
            if name and re.search(rf"^#\| .*\[{name[1]}\]$", part, re.M):
                names.add(name[1])
    return names


def check(root):
    ids = declared(root)
    if not ids:
        return ["no TILEC_DIAG rows found"], 0
    wanted = {name for name, severity in ids.items() if severity != "Note"} - WITHOUT_ID
    shown = shown_in_tests(root)
    shown |= {name for name, file in PLANTED.items()
              if (root / file).is_file() and name in (root / file).read_text()}
    shown |= NO_SCRIPT_KNOWN
    return [f"{name}: nothing in test/lit/Diagnostics shows this {ids[name].lower()}"
            for name in sorted(wanted - shown)], len(wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    complaints, count = check(options.root)
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(1)
    print(f"{count} diagnostics have a script or a command that shows them")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that test/data/script/values.txt says what this Python says."""

import pathlib
import sys
import warnings

DATA = pathlib.Path(__file__).resolve().parents[1] / "data/script"


def main():
    warnings.simplefilter("ignore")  # `1 is True` and the like are meant
    names = {}
    exec((DATA / "module.py").read_text(), names)
    rows = [line.rpartition(" -> ") for line in (DATA / "values.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    wrong = 0
    for expression, _, value in rows:
        actual = repr(eval(expression, dict(names)))
        if actual != value:
            print(f"{expression}: {actual}, the table says {value}")
            wrong += 1
    if wrong or not rows:
        sys.exit(1)
    print(f"{len(rows)} values agree with Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()

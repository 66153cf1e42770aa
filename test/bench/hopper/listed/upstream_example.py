# SPDX-License-Identifier: Apache-2.0
"""Functions of upstream's example files, for the files beside this one."""

import os
import pathlib
import runpy
import sys


def of(path):
    """What upstream's `examples/PATH` defines; its main() does not run."""
    file = pathlib.Path(os.environ["UPSTREAM"]) / "examples" / path
    sys.path.insert(0, str(file.parent))
    try:
        return runpy.run_path(str(file), run_name="example")
    finally:
        sys.path.remove(str(file.parent))

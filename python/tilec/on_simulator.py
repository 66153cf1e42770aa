# SPDX-License-Identifier: Apache-2.0
"""`python -m tilec.on_simulator gfx950 FILE ARGUMENTS`: runs a script as `python FILE` on a simulated GPU.

torch's random numbers begin with seed 0, so that a script that sets none gets the same inputs in each run."""

import os
import runpy
import sys

from . import testing


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    target, file = sys.argv[1:3]
    sys.argv = sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.abspath(file))
    with testing.on_simulator(target):
        torch = sys.modules.get("torch")
        if torch:
            torch.manual_seed(0)
        runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":
    main()

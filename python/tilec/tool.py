# SPDX-License-Identifier: Apache-2.0
"""`python -m tilec.tool tilec-run ARGUMENTS`: the command-line tools `tilec` and `tilec-run`."""

import sys


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("tilec", "tilec-run"):
        sys.exit(__doc__)
    from . import _compiler

    sys.exit(_compiler.tool(sys.argv[1], sys.argv[2:]))


if __name__ == "__main__":
    main()

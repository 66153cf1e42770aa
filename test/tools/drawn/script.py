# SPDX-License-Identifier: Apache-2.0
"""What the families of drawn kernels share: chance, lines of a script, and the script around a kernel's body."""

import random


class Draw(random.Random):
    """Random numbers of a seed, the same with every version of Python."""

    def chance(self, part):
        return self.random() < part


class Lines:
    def __init__(self):
        self.text = []

    def add(self, level, *lines):
        self.text += ["    " * level + line for line in lines]

    def each(self, level, shape, *lines):
        """A loop over all elements of a tile of one, two or three dimensions."""
        indices = ", ".join("ijk"[: len(shape)])
        self.add(level, f"for {indices} in T.Parallel({', '.join(map(str, shape))}):", *("    " + line for line in lines))


def ceildiv(a, b):
    return -(-a // b)


def pipelined(rounds, stages):
    return f"T.Pipelined({rounds}, num_stages={stages})"


def script(parameters, grid, threads, blocks, body, schedules):
    """The script of a kernel.

    A parameter is (name, shape, dtype); `blocks` are the names of a block's indices; with `schedules` the body may name
    schedules of tilec.
    """
    out = Lines()
    out.add(0, "import tilelang.language as T", *(["from tilec import schedule"] if schedules else []), "", "", "def kernel():")
    tensors = ", ".join(f'{name}: T.Tensor({shape}, "{dtype}")' for name, shape, dtype in parameters)
    out.add(1, "@T.prim_func", f"def main({tensors}):")
    out.add(2, f"with T.Kernel({grid}, threads={threads}) as {blocks}:")
    out.text += body.text
    out.add(0, "")
    out.add(1, "return main")
    return "\n".join(out.text) + "\n"

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Assembles what `tilec --emit=asm` prints of every kernel of docs/numbers/performance-amd.md with llvm-mc.

usage: amd_assembly.py --bin TOOLS --llvm LLVM_TOOLS

The .text must be that of `--emit=object`, byte for byte. The kernels are those that test/bench/amd/performance.py
compiles for its tables.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench/amd"))
import performance  # noqa: E402

FEWEST = 20  # fewer: the tables are not understood any more


class Assembler(performance.Bench):
    """Compares instead of compiling, and gives the tables numbers that mean nothing."""

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.done, self.differ = set(), []

    def run(self, *command):
        subprocess.run(command, check=True, cwd=self.folder)

    def text_of(self, name):
        self.run(f"{self.options.llvm}/llvm-objcopy", "-O", "binary", "--only-section=.text", name, "text")
        return (self.folder / "text").read_bytes()

    def compile(self, script, target, entry, *options):
        case = (script, target, entry, *options)
        if case in self.done:
            return None
        self.done.add(case)
        for what, name in (("asm", "kernel.s"), ("object", "object.o")):
            self.run(f"{self.options.bin}/tilec", str(performance.REPO / script), f"--target={target}", "--entry", entry,
                     *options, "--no-debug", f"--emit={what}", "-o", name)
        self.run(f"{self.options.llvm}/llvm-mc", "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}", "-filetype=obj",
                 "kernel.s", "-o", "assembled.o")
        if self.text_of("assembled.o") != self.text_of("object.o") or not self.text_of("object.o"):
            self.differ.append(" ".join(case))
        return None

    def simulate(self, *_, **__):
        return {"cu_clk": 1, "kernel_us": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True)
    parser.set_defaults(aiter=None, triton=None)
    with tempfile.TemporaryDirectory() as folder:
        bench = Assembler(parser.parse_args(), folder)
        performance.steps_table(bench)
        performance.attention_table(bench)
        performance.narrow_table(bench)
        performance.sizes_table(bench, [1024, 16384])
    for case in bench.differ:
        print(f"another .text: {case}")
    print(f"{len(bench.done)} kernels, {len(bench.differ)} differ")
    return bool(bench.differ) or len(bench.done) < FEWEST


if __name__ == "__main__":
    sys.exit(main())

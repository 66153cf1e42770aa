#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks compiled kernels, a wait or a barrier at a time, and looks at what the simulator says.

usage: planted_faults.py --bin BUILD/bin [--every N] [--verbose]

Each s_waitcnt of a kernel is left out, and each of its fields weakened by one and left out; each s_barrier is left out. Every fault is
run in eager and in strict mode. A fault that eager mode reports must be reported in strict mode, too, or show in the result; and one that
changes a result must be reported in the mode that shows it. A wait may be more than is needed, so not every fault is found; how many are is
printed, and fewer than FLOOR of them fail, so that the checks cannot fall silent.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

REPO = pathlib.Path(__file__).resolve().parents[2]
KERNELS = [
    ("gemm", "examples/gemm.py", "gemm(256, 128, 192)", []),
    ("gemm-single", "examples/gemm.py", "gemm(128, 128, 128)", ["--schedule=single"]),
    ("layernorm", "test/e2e/kernels.py", "layernorm(16, 256)", []),
    ("cumsum", "test/e2e/kernels.py", "cumsum(16, 40)", []),
    ("transpose", "test/e2e/kernels.py", "transpose(96, 64)", []),
]
TARGETS = ["gfx942", "gfx950"]
NOP, BARRIER, WAIT = 0xBF800000, 0xBF8A0000, 0xBF8C0000  # SOPP (CDNA3 ISA)
FLOOR = 0.25


def text_words(image):
    """(offset in the file, word) of the code of an ELF file."""
    sections, = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    for i in range(count):
        _, kind, flags, _, offset, length = struct.unpack_from("<IIQQQQ", image, sections + i * size)
        if kind == 1 and flags & 4:
            for at in range(offset, offset + length - 3, 4):
                yield at, struct.unpack_from("<I", image, at)[0]


def weaker(word):
    """(what, word) for the ways to break a wait or a barrier."""
    if word == BARRIER:
        yield "no s_barrier", NOP
    if word & 0xFFFF0000 != WAIT:
        return
    vm, lgkm, rest = (word & 15) | (word >> 10 & 48), word >> 8 & 15, word & 0x70
    make = lambda v, l: WAIT | (v & 15) | rest | l << 8 | (v >> 4) << 14  # noqa: E731
    for name, vm2, lgkm2 in (("vmcnt + 1", vm + 1, lgkm), ("lgkmcnt + 1", vm, lgkm + 1), ("no vmcnt", 63, lgkm), ("no lgkmcnt", vm, 15)):
        if vm2 <= 63 and lgkm2 <= 15 and (vm2, lgkm2) != (vm, lgkm):
            yield name, make(vm2, lgkm2)
    yield "no s_waitcnt", NOP


def element_bytes(dtype, count, rng):
    """Small integers: their sums are exact in any order."""
    values = [rng.randrange(-3, 4) for _ in range(count)]
    if dtype == "bfloat16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    code = {"float16": "e", "float32": "f", "int32": "i", "int8": "b"}[dtype]
    return struct.pack(f"<{count}{code}", *values)


class Kernel:
    def __init__(self, tools, folder, target, name, script, entry, options):
        self.tools, self.name = tools, f"{name} {target}"
        self.folder = folder / f"{name}-{target}"
        self.folder.mkdir()
        path = self.folder / "kernel.hsaco"
        subprocess.run([tools / "tilec", REPO / script, f"--target={target}", "--entry", entry, "-o", path, *options], check=True)
        self.image = path.read_bytes()
        launch, = json.loads(path.with_suffix(".hsaco.json").read_text())["launches"]
        rng = random.Random(7)
        self.command = ["--grid", ",".join(map(str, launch["grid"])), "--block", ",".join(map(str, launch["block"])), "--threads", "1", "--quiet"]
        self.outputs = []
        for number, param in enumerate(launch["params"]):
            count = 1
            for extent in param["shape"]:
                count *= extent
            data = self.folder / f"arg{number}"
            data.write_bytes(element_bytes(param["dtype"], count, rng))
            self.command += ["--arg", f"raw:{data}"]
            if "w" in param["access"]:
                self.outputs.append(number)

    def faults(self):
        for at, word in text_words(self.image):
            for what, changed in weaker(word):
                yield at, what, changed

    def run(self, tag, image, mode):
        """(reported, results)"""
        path = self.folder / f"{tag}-{mode}"
        path.write_bytes(image)
        saves = [f"--save={n}={path}.out{n}" for n in self.outputs]
        done = subprocess.run([self.tools / "tilec-sim", path, *self.command, f"--memory={mode}", *saves], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{self.name}: {done.stderr}")
        results = []
        for n in self.outputs:
            file = pathlib.Path(f"{path}.out{n}")
            results.append(file.read_bytes())
            file.unlink()
        path.unlink()
        return done.returncode == 1, results, done.stderr

    def judge(self, fault):
        at, what, changed = fault
        image = bytearray(self.image)
        struct.pack_into("<I", image, at, changed)
        tag = f"{at:x}-{what.replace(' ', '')}"
        eager, eager_result, eager_text = self.run(tag, image, "eager")
        strict, strict_result, _ = self.run(tag, image, "strict")
        wrong = []
        if eager and not strict and strict_result == self.expected:
            wrong.append("eager mode reports it, strict mode is silent and right: " + eager_text.split("\n")[0])
        for mode, reported, result in (("eager", eager, eager_result), ("strict", strict, strict_result)):
            if not reported and result != self.expected:
                wrong.append(f"{mode} mode gives a wrong result and no report")
        return eager or strict, [f"{self.name} at file offset 0x{at:x}, {what}: {text}" for text in wrong]

    def prepare(self):
        results = [self.run("sound", self.image, mode) for mode in ("eager", "strict")]
        self.expected = results[0][1]
        return [f"{self.name}: the sound kernel is reported: {text}" for reported, _, text in results if reported] + \
            ([f"{self.name}: strict mode gives another result"] if results[0][1] != results[1][1] else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="take only every N-th fault")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    bad, count, found = [], 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for target in TARGETS:
            for kernel in KERNELS:
                broken = Kernel(args.bin, pathlib.Path(folder), target, *kernel)
                bad += broken.prepare()
                faults = list(broken.faults())[::args.every]
                for is_found, wrong in pool.map(broken.judge, faults):
                    count, found, bad = count + 1, found + is_found, bad + wrong
                if args.verbose:
                    print(f"{broken.name}: {len(faults)} faults; so far {found} of {count} found", flush=True)
    if found < FLOOR * count:
        bad.append("too few faults are found")
    print("\n".join(bad))
    print(f"{count} faults, {found} found, {len(bad)} mistakes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

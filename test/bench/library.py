#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of the libraries and the time to the first kernel, in a process that has just begun.

usage: library.py [--lib FOLDER] [--rounds N]

Each round is a new process: it loads libtilec.so, makes a compiler without a cache, compiles gemm(1024, 1024, 1024) of
examples/gemm.py, and compiles it again. Medians in milliseconds. Sizes in MB.
"""
import argparse
import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

REPO = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "test/unit/Capi"))
import beside_test  # noqa: E402

TARGETS = ("gfx942", "gfx950", "sm_80", "sm_90a")


def one_round(library, target):
    start = time.perf_counter()
    tilec = ctypes.CDLL(library)
    compiler, program = ctypes.c_void_p(), ctypes.c_void_p()
    options = beside_test.CompilerOptions(ctypes.sizeof(beside_test.CompilerOptions), b"")
    assert tilec.tilec_compiler_create(ctypes.byref(options), ctypes.byref(compiler)) == 0
    loaded = time.perf_counter()
    script = str(REPO / "examples/gemm.py").encode()
    assert tilec.tilec_program_from_file(compiler, script, ctypes.byref(program)) == 0
    times = []
    for _ in range(2):
        before = time.perf_counter()
        binary = ctypes.c_void_p()
        options = beside_test.Options(ctypes.sizeof(beside_test.Options), target.encode(), b"gemm(1024, 1024, 1024)",
                                      None, b"none")
        assert tilec.tilec_compile(program, ctypes.byref(options), ctypes.byref(binary)) == 0
        times.append(time.perf_counter() - before)
    print(1e3 * (loaded - start), *(1e3 * t for t in times))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lib", default=str(REPO / "build/lib"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--strip", default="strip")
    parser.add_argument("--target", help="one round in this process")
    options = parser.parse_args()
    library = f"{options.lib}/libtilec.so"
    if options.target:
        return one_round(library, options.target)
    print("| library | MB | stripped |\n|---|---|---|")
    for name in ("libtilec.so", "libtilec-runtime.so"):
        path = pathlib.Path(options.lib, name).resolve()
        with tempfile.NamedTemporaryFile() as stripped:
            subprocess.run([options.strip, "-o", stripped.name, str(path)], check=True)
            print(f"| {name} | {path.stat().st_size / 1e6:.1f} | {pathlib.Path(stripped.name).stat().st_size / 1e6:.1f} |")
    print("\n| ms | load and make a compiler | first kernel | the next one |\n|---|---|---|---|", flush=True)
    for target in TARGETS:
        rounds = [[float(w) for w in subprocess.run([sys.executable, __file__, "--lib", options.lib, "--target", target],
                                                     check=True, capture_output=True, text=True).stdout.split()]
                  for _ in range(options.rounds)]
        print(f"| {target} | " + " | ".join(f"{statistics.median(column):.1f}" for column in zip(*rounds)) + " |",
              flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

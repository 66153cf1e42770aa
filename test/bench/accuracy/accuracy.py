#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How accurate the functions of T are: ours, ROCm's ocml and CUDA's libdevice, in ulp.

usage: accuracy.py [--target CHIP] [--device sim|ptx|cuda|hip] [--count N | --every [STEP]] [--only NAMES] [--bin TOOLS]

Each function runs over N arguments (2^20): edges and specials, every power of two with its neighbours, numbers of every
magnitude and of the range where the function is interesting. Three kinds: f64 of the library, f32 of the library
(--math=libs), f32 of our own. The reference is the host's long double (ulp.cpp). Prints Markdown.

--every is for GPUs: f32 of the library and our own over every float (over every STEPth with an odd STEP), judged on the
device (every.py) by the library's f64, whose own error the table of N arguments has.
"""
import argparse
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REPO = HERE.parents[2]
FUNCTIONS = ("exp exp2 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh erf "
             "rsqrt").split()
KINDS = [("f64, library", "f64", "default"), ("f32, library", "f32", "libs"), ("f32, ours", "f32", "default")]
SCRIPT = """import tilelang.language as T

def function(f, dtype, n):
    @T.prim_func
    def main(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, 1024), threads=256) as bx:
            for i in T.Parallel(1024):
                Y[bx * 1024 + i] = f(X[bx * 1024 + i])
    return main
"""


def arguments(kind, count):
    """Bits of `count` arguments, the same in every run."""
    code, size, word, mantissa, bias = ("d", 8, "Q", 52, 1023) if kind == "f64" else ("f", 4, "I", 23, 127)
    bits = [0, 1, 2, (1 << mantissa) - 1]                       # zero, denormals
    for exponent in range(1, 2 * bias + 2):                     # powers of two and their neighbours; infinity, NaN
        power = exponent << mantissa
        bits += [power - 1, power, power + 1]
    sign = 1 << (8 * size - 1)
    bits += [b | sign for b in bits]
    numbers = random.Random(20)
    while len(bits) < count // 2:                               # every magnitude
        bits.append(numbers.getrandbits(8 * size))
    text = struct.pack(f"<{len(bits)}{word}", *bits)
    values = [numbers.uniform(-1, 1) * 2.0 ** numbers.randint(-12, 10) for _ in range(count - len(bits))]
    return text + struct.pack(f"<{len(values)}{code}", *values)


def npy(data, kind, count):
    head = f"{{'descr': '<{kind[0]}{int(kind[1:]) // 8}', 'fortran_order': False, 'shape': ({count},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def run(options, folder, script, entry, math, *arguments):
    subprocess.run([f"{options.bin}/tilec-run", script, "--entry", entry, f"--target={options.target}",
                    f"--device={options.device}", f"--math={math}", *arguments],
                   check=True, cwd=folder, stdout=subprocess.DEVNULL)


def values(file, code):
    whole = file.read_bytes()
    data = whole[10 + int.from_bytes(whole[8:10], "little"):]
    return struct.unpack(f"<{len(data) // 4}{code}", data)


def every(options, folder):
    """The table over every float: each block of every.py gives its worst error, where that is, and how many specials are wrong."""
    print("| function | " + " | ".join(label for label, kind, _ in KINDS if kind == "f32") + " |")
    print("|---" * 3 + "|", flush=True)
    bad = 0
    rows, blocks = (1 << 20, 4096) if options.every == 1 else (-(-(1 << 20) // options.every), 16)
    for function in options.only.split(","):
        cells = []
        for math in [math for _, kind, math in KINDS if kind == "f32"]:
            run(options, folder, str(HERE / "every.py"),
                f"every(T.{function}, {rows // blocks}, {blocks}, {options.every})", math,
                *(f"--save={name}={name}.npy" for name in ("Error", "At", "Wrong")))
            errors, at, wrong = (values(folder / f"{name}.npy", code)
                                 for name, code in (("Error", "f"), ("At", "I"), ("Wrong", "i")))
            worst = max(range(len(errors)), key=lambda block: errors[block])
            argument = struct.unpack("<f", struct.pack("<I", at[worst]))[0]
            bad += sum(wrong)
            cells.append(f"{errors[worst]:.2f} at {argument:.6g}" +
                         (f", {sum(wrong)} specials wrong" if any(wrong) else ""))
        print(f"| {function} | " + " | ".join(cells) + " |", flush=True)
    return 0 if bad == 0 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="gfx950")
    parser.add_argument("--device", default="sim")
    parser.add_argument("--count", type=int, default=1 << 20)
    parser.add_argument("--every", type=int, nargs="?", const=1, metavar="STEP")
    parser.add_argument("--only", default=",".join(FUNCTIONS))
    parser.add_argument("--bin", default=str(REPO / "build/bin"))
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.every:
            return every(options, folder)
        (folder / "f.py").write_text(SCRIPT)
        subprocess.run([options.cxx, "-O2", "-std=c++17", str(HERE / "ulp.cpp"), "-o", "ulp"], check=True, cwd=folder)
        print("| function | " + " | ".join(label for label, _, _ in KINDS) + " |")
        print("|---" * (len(KINDS) + 1) + "|", flush=True)
        data = {kind: arguments(kind, options.count) for kind in ("f64", "f32")}
        bad = 0
        for function in options.only.split(","):
            cells = []
            for _, kind, math in KINDS:
                (folder / "x.npy").write_bytes(npy(data[kind], kind, options.count))
                (folder / "x.bin").write_bytes(data[kind])
                run(options, folder, "f.py",
                    f"function(T.{function}, '{'float' + kind[1:]}', {options.count})", math,
                    "--arg=X=x.npy", "--save=Y=y.npy")
                whole = (folder / "y.npy").read_bytes()
                (folder / "y.bin").write_bytes(whole[10 + int.from_bytes(whole[8:10], "little"):])
                done = subprocess.run(["./ulp", function, kind, "x.bin", "y.bin"], check=True, cwd=folder,
                                      stdout=subprocess.PIPE, text=True)
                error, at, wrong = done.stdout.split()
                bad += int(wrong)
                cells.append(f"{error} at {float(at):.6g}" + (f", {wrong} specials wrong" if int(wrong) else ""))
            print(f"| {function} | " + " | ".join(cells) + " |", flush=True)
    return 0 if bad == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

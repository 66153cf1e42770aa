#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every row of lib/Target's tables of matrix instructions, on its chip: a product that wants it is compiled, shows the
instruction in its machine code, and is right on the chip's simulator.

Rows that no gemm takes (those of 4 bits and with scales) are multiplied by test/unit/Sim/NarrowAtomsTest.cpp.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": "float64", "I8": "int8", "U8": "uint8",
          "I32": "int32", "E4M3FN": "float8_e4m3fn", "E5M2": "float8_e5m2", "E4M3FNUZ": "float8_e4m3fnuz",
          "E5M2FNUZ": "float8_e5m2fnuz"}
PTX = {"BF16": "bf16", "F16": "f16", "F32": "f32", "I8": "s8", "U8": "u8", "I32": "s32", "E4M3FN": "e4m3", "E5M2": "e5m2"}
# The sections of a table, and the chips whose files (lib/Target/<vendor>) take them.
SECTIONS = {
    "AMDGPU/Mfma.def": {"GFX942": ["gfx942"], "GFX950": ["gfx950"]},
    "NVPTX/MmaSync.def": {"MMA_SM80": ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_120"], "MMA_SM89": ["sm_89", "sm_120"],
                          "WGMMA_SM90A": ["sm_90a"]},
}
LEFT_OUT = {"GFX950_NARROW"}
KERNEL = '''import tilelang.language as T


@T.prim_func
def product(A: T.Tensor(({m}, {k}), "{a}"), B: T.Tensor(({n}, {k}), "{b}"), C: T.Tensor(({m}, {n}), "{c}")):
    with T.Kernel(1, threads={threads}) as bx:
        left = T.alloc_shared(({m}, {tile}), {left})
        right = T.alloc_shared(({n}, {tile}), {right})
        sums = T.alloc_fragment(({m}, {n}), "{c}")
        T.clear(sums)
        for k in T.serial({k} // {tile}):
            T.copy(A[0, k * {tile}], left)
            T.copy(B[0, k * {tile}], right)
            T.gemm(left, right, sums, transpose_B=True)
        T.copy(sums, C)
'''


def rows():
    """(chip, row's name, fields of the kernel, what its machine code shows)."""
    for file, sections in SECTIONS.items():
        text = (ROOT / "lib/Target" / file).read_text()
        found = set(re.findall(r"^#ifdef (\w+)", text, re.M))
        if found != set(sections) | LEFT_OUT & found:
            sys.exit(f"{file} has sections {sorted(found)}: atom_matrix.py knows {sorted(sections)}")
        for section, chips in sections.items():
            body = re.search(rf"^#ifdef {section}\n(.*?)^#undef {section}", text, re.M | re.S)[1]
            for kind, row in re.findall(r"^(\w+)\((.*)\)$", body, re.M):
                fields = [field.strip().strip('"') for field in row.split(",")]
                for chip in chips:
                    for columns in columns_of(kind, fields):
                        product, words = product_of(kind, fields, columns)
                        named = f" of {columns} columns" if columns else ""
                        yield chip, f"{chip} {kind}({row}){named}", product, words


def columns_of(kind, fields):
    """Those that a row is tried with, where it leaves them open."""
    return [int(fields[-1]), 64, 256] if kind.startswith("WGMMA") else [None]


def product_of(kind, fields, columns):
    tfloat32 = kind.endswith("_TFLOAT32")
    if kind == "MFMA":
        name, _, a, b, c, edge, k, _ = fields
        mnemonic, _, modifiers = name.partition(" ")
        # The wave's rows of A are the instruction's B: the table's order is that of the instruction.
        a, b, words = b, a, [f"v_mfma_{mnemonic}", *modifiers.split()]
        # Tiles that those of other edges do not fill.
        m = n = 48 if int(edge) == 16 else 2 * int(edge)
        threads, tile = 64, int(k)
    elif kind in ("MMA_SYNC", "MMA_TFLOAT32"):
        name, _, a, b, c, k = fields if not tfloat32 else [*fields[:2], "F32", "F32", "F32", fields[2]]
        m, n, threads, tile, words = 32, 32, 32, int(k), [f"mma.sync.aligned.{name}"]
    elif kind in ("WGMMA", "WGMMA_TFLOAT32"):
        a, b, c, k, _ = fields if not tfloat32 else ["F32", "F32", "F32", *fields]
        m, n, threads, tile = 64, columns, 128, 2 * int(k)
        types = "f32.tf32.tf32" if tfloat32 else f"{PTX[c]}.{PTX[a]}.{PTX[b]}"
        words = [f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{types}"]
    else:
        sys.exit(f"rows of {kind}: atom_matrix.py does not know them")
    left, right = ("T.tfloat32",) * 2 if tfloat32 else (f'"{DTYPES[a]}"', f'"{DTYPES[b]}"')
    return dict(m=m, n=n, k=2 * tile, tile=tile, threads=threads, a=DTYPES[a], b=DTYPES[b], c=DTYPES[c], left=left,
                right=right), words


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def check(bin_folder, folder, number, case):
    chip, name, fields, words = case
    script = pathlib.Path(folder) / f"{number}.py"
    script.write_text(KERNEL.format(**fields))
    code, text = run([f"{bin_folder}/tilec", str(script), f"--target={chip}", "--emit=asm"])
    if code != 0:
        return f"{name}: is not compiled:\n{text}"
    line = next((line for line in text.splitlines() if words[0] in line), None)
    if line is None or any(word not in line for word in words[1:]):
        return f"{name}: {' '.join(words)} is not in its code"
    others = [word for word in re.findall(r"(?:cbsz|blgp):\d", line) if word not in words]
    if others:
        return f"{name}: is said to be {' '.join(others)}"
    device = "sim" if chip.startswith("gfx") else "ptx"
    code, text = run([f"{bin_folder}/tilec-run", str(script), f"--target={chip}", f"--device={device}", "--check"])
    return f"{name}: is not right:\n{text}" if code != 0 or "PASS" not in text else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    options = parser.parse_args()
    cases = [case for case in rows() if options.only in case[1]]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [x for x in pool.map(lambda i: check(options.bin, folder, i, cases[i]), range(len(cases))) if x]
    for line in found:
        print(line)
    print(f"{len(cases) - len(found)} of {len(cases)} rows are chosen, shown and right")
    return 1 if found or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

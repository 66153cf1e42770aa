#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layouts and the ways of products that are chosen for a dozen kernels on four targets are those of test/data/layouts.

usage: chosen_layouts.py --bin TOOLS [--update]

Lines for each buffer of stage tile-laid-out, its name, type and layout, and for each product, what it multiplies and
how (`#tile.mma`). A change of lib/Transforms/Layouts that
means to choose otherwise renews the files with --update; read the difference.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parents[2]
STORED = REPO / "test/data/layouts"
TARGETS = ("gfx942", "gfx950", "sm_80", "sm_90a")
FORMS = "test/e2e/gemm-forms.py"
KERNELS = {
    "product": ("examples/gemm.py", ""),
    "product-nt": (FORMS, "gemm(128, 128, 64, 64, 64, 32, 'nt', 'bfloat16', 3, 128)"),
    "product-tt": (FORMS, "gemm(128, 128, 64, 64, 64, 32, 'tt', 'bfloat16', 4, 256)"),
    "product-large": (FORMS, "gemm(256, 128, 192, 128, 128, 64, 'nt', 'float16', 3, 256)"),
    "product-ragged": (FORMS, "gemm(65, 63, 100, 64, 64, 32, 'nn', 'bfloat16', 3, 128)"),
    "product-int8": ("test/e2e/gemm-transposed.py", "gemm(128, 128, 512, 128, 128, 64, 'tn', 'int8', 'int32', 256)"),
    "attention": ("test/e2e/attention.py", "attention(1, 1, 1, 64, 64, 64, 64, 128)"),
    "attention-causal": ("test/e2e/attention.py", "attention(1, 2, 1, 256, 64, 128, 64, 256, causal=True)"),
    "elementwise": ("examples/elementwise_add.py", "add(M=100, N=77)"),
    "cast": ("examples/cast_copy.py", "cast(300)"),
    "scan": ("test/e2e/constructs.py", "cumsum_frag(32, 48)"),
    "transposed": ("test/e2e/layouts.py", "transpose_add(96)"),
}
BUFFER = re.compile(r'tile\.alloc "([^"]+)" layout\((#tile\.\w+<.*?>)\).* : !tile\.buffer<(.*)>')
PRODUCT = re.compile(r'tile\.gemm %(\w+), %(\w+), %(\w+).*\bmma = (#tile\.mma<.*?>)')


def chosen(tools, script, entry, target):
    command = [str(tools / "tilec"), str(REPO / script), f"--target={target}", "--emit=tile-laid-out"]
    run = subprocess.run(command + (["--entry", entry] if entry else []), capture_output=True, text=True)
    if run.returncode != 0:
        return f"tilec fails: {run.stderr}"
    found = BUFFER.findall(run.stdout)
    products = PRODUCT.findall(run.stdout)
    return "".join(f"  {name}: {kind}\n    {layout}\n" for name, layout, kind in found) + "".join(
        f"  {a} x {b} into {c}\n    {way}\n" for a, b, c, way in products)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    different = 0
    for target in TARGETS:
        text = "".join(f"{name}: {script} {entry}".rstrip() + f"\n{chosen(options.bin, script, entry, target)}\n"
                       for name, (script, entry) in KERNELS.items())
        stored = STORED / f"{target}.txt"
        if options.update:
            stored.parent.mkdir(exist_ok=True)
            stored.write_text(text)
        old = stored.read_text() if stored.is_file() else ""
        lines = list(difflib.unified_diff(old.splitlines(), text.splitlines(), str(stored), target, lineterm=""))
        print("\n".join(lines), end="\n" if lines else "")
        different += bool(lines)
        if "tilec fails" in text or text.count("<shape") < len(KERNELS):
            sys.exit(f"{target}: kernels do not compile, or have no layouts")
    if different:
        sys.exit(f"other layouts are chosen on {different} targets; renew with --update if that is meant")
    print(f"the layouts of {len(KERNELS)} kernels on {len(TARGETS)} targets are as stored")


if __name__ == "__main__":
    main()

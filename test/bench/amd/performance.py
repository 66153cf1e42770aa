#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance-amd.md: our bf16 kernel, the hand-written one and Triton's, attention and products
of 8-bit floats in the timing simulator. Every number is simulated; no AMD GPU takes part.

usage: performance.py [--bin TOOLS] [--aiter HSA] [--triton PYTHON] [--sizes 1024,2048,...] [--markdown FILE]

--aiter is the folder hsa of ROCm/aiter (github.com/ROCm/aiter), for its 256x256 object; --triton a python
that has the package triton (triton_gemm.py compiles the kernel). What is not given is left out.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
PLANS = [("interleave, 8 waves", "interleave", 512), ("ping_pong, 8 waves", "ping_pong", 512),
         ("interleave, 4 waves", "interleave", 256), ("single, 8 waves (copy, wait, multiply in turn)", "single", 512)]


# Attention of test/bench/hopper/fa.py, D 128, B16 H16 S4096: rows and keys of a tile, threads.
ATTENTION = {"gfx950": (128, 64, 256), "gfx942": (128, 32, 256)}
FORMS = [("NT", False, True), ("NN", False, False), ("TT", True, True), ("TN", True, False)]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)

    def simulate(self, image, grid, threads, args, extra=()):
        report = self.folder / "timing.json"
        command = [str(Path(self.options.bin) / "tilec-sim"), str(image), "--grid", grid, "--block", str(threads),
                   "--timing", "--checks=none", "--timing-json", str(report), *[f"--arg={a}" for a in args], *extra]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return json.loads(report.read_text())

    def compile(self, script, target, entry, *options):
        image = self.folder / "kernel.hsaco"
        subprocess.run([str(Path(self.options.bin) / "tilec"), str(REPO / script), f"--target={target}", "--entry",
                        entry, *options, "-o", str(image)], check=True)
        return image

    def ours(self, target, schedule, threads, m, n, k, panel=8):
        entry = f"gemm({m}, {n}, {k}, block_K={64 if target == 'gfx950' else 32}, threads={threads}, panel={panel})"
        image = self.compile("test/bench/amd/gemm.py", target, entry, f"--schedule={schedule}")
        return self.simulate(image, f"{n // 256},{m // 256}", threads,
                             [f"zeros:{m * k * 2}", f"zeros:{n * k * 2}", f"zeros:{m * n * 2}"])

    def attention(self, target, causal, heads=16, length=4096, dim=128):
        rows, keys, threads = ATTENTION[target]
        entry = (f"fa(B={heads}, H={heads}, S={length}, D={dim}, block_M={rows}, block_N={keys}, stages=2, "
                 f"threads={threads}, causal={causal})")
        image = self.compile("test/bench/hopper/fa.py", target, entry)
        size = heads * heads * length * dim * 2
        run = self.simulate(image, f"{heads},{length // rows},{heads}", threads, 4 * [f"zeros:{size}"])
        operations = 4 * heads * heads * length * length * dim // (2 if causal else 1)
        return operations / run["kernel_us"] * 1e-6

    def narrow(self, trans_a, trans_b, n=8192):
        image = self.compile("test/lit/Isa/gfx950/gemm-f8f6f4.py", "gfx950",
                             f"gemm({n}, {n}, {n}, ta={trans_a}, tb={trans_b})")
        run = self.simulate(image, f"{n // 256},{n // 256}", 512, [f"zeros:{n * n}", f"zeros:{n * n}", f"zeros:{2 * n * n}"])
        return 2 * n**3 / run["kernel_us"] * 1e-6

    def form(self, trans_a, trans_b, dtype, n=8192):
        """A form of gfx942's products in 16 or 8 bits."""
        image, size = self.folder / "form.hsaco", 2 if dtype == "bfloat16" else 1
        subprocess.run([str(Path(self.options.bin) / "tilec"), str(REPO / "test/lit/Isa/gfx950/gemm-f8f6f4.py"),
                        "--target=gfx942", "--entry", f"gemm({n}, {n}, {n}, ta={trans_a}, tb={trans_b}, dtype='{dtype}', "
                        f"block_K={64 // size})", "-o", str(image)], check=True)
        run = self.simulate(image, f"{n // 256},{n // 256}", 512,
                            [f"zeros:{size * n * n}", f"zeros:{size * n * n}", f"zeros:{2 * n * n}"])
        return 2 * n**3 / run["kernel_us"] * 1e-6

    def hand_written(self, target, m, n, k):
        path = Path(self.options.aiter or "/nonexistent") / "gfx950/bf16gemm/bf16gemm_bf16_tn_256x256.co"
        if target != "gfx950" or not path.exists():
            return None
        # D, C, A, B, alpha, beta, four pairs of strides in bytes, M, N, K, split, bf16 out, bias,
        # add_bias, semaphore: slots of 16 bytes (aiter, csrc/py_itfs_cu/asm_gemm_a16w16.cu).
        args = [f"zeros:{m * n * 2}", "u64:0", f"zeros:{m * k * 2}", f"zeros:{n * k * 2}", "f32:1", "f32:0",
                *[f"u32:{v}" for v in (n * 2, 0, n * 2, 0, k * 2, 0, k * 2, 0, m, n, k, 1, 1)],
                "u64:0", "u32:0", "u64:0"]
        slots = ",".join(str(16 * i) for i in range(len(args)))
        return self.simulate(path, f"{n // 256},{m // 256}", 256, args, ["--kernarg", slots])

    def triton(self, target, m, n, k):
        if not self.options.triton:
            return None
        image = self.folder / "triton.hsaco"
        done = subprocess.run([self.options.triton, str(HERE / "triton_gemm.py"), target, str(m), str(n), str(k),
                               str(image)], capture_output=True, text=True, check=True)
        shared = done.stdout.split()[-1]
        return self.simulate(image, str(m // 256 * (n // 256)), 512,
                             [f"zeros:{m * k * 2}", f"zeros:{n * k * 2}", f"zeros:{m * n * 2}", "u64:0", "u64:0"],
                             ["--dynamic-lds", shared])


def clocks_per_step(run):
    """Of K steps of 64, from two lengths: what a kernel does once drops out. None without the object."""
    short, long = run(1024), run(2048)
    return (long["cu_clk"] - short["cu_clk"]) / (1024 / 64) if short and long else None


def steps_table(bench):
    kernels = [(name, lambda k, s=schedule, t=threads: bench.ours("gfx950", s, t, 4096, 4096, k))
               for name, schedule, threads in PLANS]
    kernels += [("hand-written (aiter bf16gemm_bf16_tn_256x256)", lambda k: bench.hand_written("gfx950", 4096, 4096, k)),
                ("Triton 3.9, 8 waves, 2 stages", lambda k: bench.triton("gfx950", 4096, 4096, k))]
    clocks = [(name, clocks_per_step(run)) for name, run in kernels]
    anchor = clocks[len(PLANS)][1]
    lines = ["| kernel | clocks a K step | against the hand-written one |", "|---|---|---|"]
    for name, value in clocks:
        if value:
            lines.append(f"| {name} | {value:.0f} | {f'{value / anchor:.3f}' if anchor else '-'} |")
    return lines


def sizes_table(bench, sizes):
    lines = ["| M = N = K | " + " | ".join(map(str, sizes)) + " |", "|---" * (len(sizes) + 1) + "|"]
    for target in ("gfx950", "gfx942"):
        kernels = [("ours", lambda n: min((bench.ours(target, "interleave", 512, n, n, n, panel) for panel in (8, 16)),
                                          key=lambda r: r["kernel_us"])),
                   ("hand-written", lambda n: bench.hand_written(target, n, n, n)),
                   ("Triton", lambda n: bench.triton(target, n, n, n))]
        for name, run in kernels:
            results = [run(n) for n in sizes]
            if results[0]:
                rates = [f"{2 * n**3 / r['kernel_us'] * 1e-6:.0f}" for n, r in zip(sizes, results)]
                lines.append(f"| {target} {name} | " + " | ".join(rates) + " |")
                print(lines[-1], flush=True)
    return lines


def attention_table(bench):
    lines = ["| | tile, threads | full | causal |", "|---|---|---|---|"]
    for target, (rows, keys, threads) in ATTENTION.items():
        full, causal = bench.attention(target, False), bench.attention(target, True)
        lines.append(f"| {target} | {rows} x {keys}, {threads} | {full:.0f} | {causal:.0f} |")
    return lines


def narrow_table(bench):
    rates = [f"{bench.narrow(a, b):.0f}" for _, a, b in FORMS]
    return ["| " + " | ".join(name for name, _, _ in FORMS) + " |", "|---" * len(FORMS) + "|",
            "| " + " | ".join(rates) + " |"]


def forms_table(bench):
    lines = ["| gfx942 | " + " | ".join(name for name, _, _ in FORMS) + " |", "|---" * (len(FORMS) + 1) + "|"]
    for dtype, name in (("bfloat16", "bf16, 256 x 256 x 32"), ("float8_e4m3fnuz", "e4m3 (fnuz), 256 x 256 x 64")):
        lines.append(f"| {name} | " + " | ".join(f"{bench.form(a, b, dtype):.0f}" for _, a, b in FORMS) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=str(REPO / "build/bin"))
    parser.add_argument("--aiter")
    parser.add_argument("--triton")
    parser.add_argument("--sizes", default="1024,2048,4096,8192,16384")
    parser.add_argument("--markdown", help="replace the tables of this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        steps = steps_table(bench)
        print("\n".join(steps), flush=True)
        attention, narrow = attention_table(bench), narrow_table(bench)
        forms = forms_table(bench)
        print("\n".join(attention + narrow + forms), flush=True)
        sizes = sizes_table(bench, [int(s) for s in options.sizes.split(",")])
    if options.markdown:
        path = Path(options.markdown)
        text = path.read_text()
        for mark, lines in (("steps", steps), ("sizes", sizes), ("attention", attention), ("narrow", narrow),
                            ("forms", forms)):
            begin, end = f"<!-- {mark} -->\n", f"<!-- end {mark} -->"
            head, _, rest = text.partition(begin)
            text = head + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2]
        path.write_text(text)


if __name__ == "__main__":
    main()

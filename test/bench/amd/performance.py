#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/numbers/performance-amd.md: our bf16 kernel, the hand-written one and Triton's, attention and products
of 8-bit floats in the timing simulator. Every number is simulated; no AMD GPU takes part.

usage: performance.py [--bin TOOLS] [--aiter HSA] [--triton PYTHON] [--upstream TILELANG] [--seeds FOLDER]
                      [--tables steps,attention,...] [--sizes 1024,2048,...] [--markdown FILE]
       performance.py --tune        searches the tiles of attention and prints them (tilec-run --tune on the model's clock)

--aiter is the folder hsa of ROCm/aiter (github.com/ROCm/aiter), for its 256x256 object; --triton a python
that has the package triton (triton_gemm.py compiles the kernel); --upstream a checkout of tile-ai/tilelang, whose
examples are compiled as they are; --seeds what test/tools/extract_seeds.py wrote. What is not given is left out.
"""
import argparse
import array
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
PLANS = [("interleave, 8 waves", "interleave", 512), ("ping_pong, 8 waves", "ping_pong", 512),
         ("interleave, 4 waves", "interleave", 256), ("single, 8 waves (copy, wait, multiply in turn)", "single", 512)]


# Attention of test/bench/hopper/fa.py: rows and keys of a tile, threads; --tune searches them.
ATTENTION = "fa(B={}, H={}, S=4096, D=128, {}causal={})"
TILES = {("gfx950", False): (128, 64, 256), ("gfx950", True): (128, 32, 256),
         ("gfx942", False): (128, 32, 256), ("gfx942", True): (128, 32, 256)}
AXES = ["block_M=64,128", "block_N=32,64", "threads=128,256"]
TARGETS = ("gfx950", "gfx942")
FORMS = [("NT", False, True), ("NN", False, False), ("TT", True, True), ("TN", True, False)]


def normal_numbers(folder, size, seed, different=1 << 23):
    """A file of normal numbers in bf16."""
    path = folder / f"numbers-{seed}-{size}.bin"
    if not path.exists():
        generator = random.Random(seed)
        words = array.array("f", (generator.gauss(0, 1) for _ in range(different))).tobytes()
        upper = bytearray(2 * different)
        upper[0::2], upper[1::2] = words[2::4], words[3::4]
        path.write_bytes((bytes(upper) * (size // len(upper) + 1))[:size])
    return path


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

    def tune(self):
        for target in TARGETS:
            for causal in (False, True):
                subprocess.run([str(Path(self.options.bin) / "tilec-run"), str(REPO / "test/bench/hopper/fa.py"),
                                "--device=sim", f"--target={target}", "--entry", ATTENTION.format(16, 16, "", causal),
                                "--tune-timeout=600",
                                *[f"--tune={axis}" for axis in AXES]], check=True)

    def attention(self, target, causal, random_numbers=False, length=4096, dim=128):
        """TFLOP/s."""
        rows, keys, threads = TILES[target, causal]
        batch = heads = 16
        tile = f"block_M={rows}, block_N={keys}, threads={threads}, "
        image = self.compile(REPO / "test/bench/hopper/fa.py", target, ATTENTION.format(batch, heads, tile, causal))
        size = batch * heads * length * dim * 2
        args = [f"raw:{normal_numbers(self.folder, size, seed)}" if random_numbers else f"zeros:{size}" for seed in (1, 2, 2)]
        args.append(f"zeros:{size}")
        run = self.simulate(image, f"{heads},{length // rows},{batch}", threads, args)
        operations = 4 * batch * heads * length * length * dim // (2 if causal else 1)
        return operations / run["kernel_us"] * 1e-6

    def of_script(self, script, target, entry, grid, sizes, kernel=None):
        """Microseconds of a kernel, by default the first, with arguments of so many bytes."""
        image = self.compile(script, target, entry)
        extra = ["--kernel", kernel] if kernel else []
        launches = json.loads(Path(f"{image}.json").read_text())["launches"]
        threads = next(launch["block"][0] for launch in launches if kernel in (None, launch["symbol"]))
        return self.simulate(image, grid, threads, [f"zeros:{size}" for size in sizes], extra)["kernel_us"]

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
    lines = ["| | tile, threads | zeros | random numbers |", "|---" * 4 + "|"]
    for target in TARGETS:
        for causal in (False, True):
            rows, keys, threads = TILES[target, causal]
            cells = [f"{bench.attention(target, causal, numbers):.0f}" for numbers in (False, True)]
            lines.append(f"| {target} {'causal' if causal else 'full'} | {rows} x {keys}, {threads} | "
                         + " | ".join(cells) + " |")
    return lines


def rows_table(bench, n=8192):
    """Kernels of rows, and how much of the time the vector units are busy: with buffers in the Infinity Cache, and in a first run."""
    square, heads = n * n * 2, 4 * 4096 * 16 * 128 * 2
    rows = [("softmax 8192 x 8192 f16 (test/bench/hopper/rows.py)", REPO / "test/bench/hopper/rows.py",
             f"softmax({n}, {n}, dtype='float16')", str(n), 256, [square, square]),
            ("softmax 8192 x 8192 bf16", REPO / "test/bench/hopper/rows.py", f"softmax({n}, {n})", str(n), 256, [square, square]),
            ("rotary 262144 x 128 bf16, angles computed (test/lit/Isa/gfx950/pairs.py)", REPO / "test/lit/Isa/gfx950/pairs.py",
             f"turn(M={heads // 256})", str(heads // 256 // 16), 256, [heads, heads]),
            ("copy of what softmax reads and writes (test/bench/amd/copies.py)", HERE / "copies.py",
             f"rows({n}, {n})", str(n), 256, [square, square]),
            ("copy of what online_softmax does", HERE / "copies.py", f"rows_twice({n}, {n})", str(n), 128, [square, square]),
            ("copy of what rotary does", HERE / "copies.py", f"halves({heads // 256})", str(heads // 256 // 16), 256, [heads, heads])]
    online = Path(bench.options.upstream or "/nonexistent") / "examples/online_softmax/online_softmax.py"
    if online.exists(): # 8192 x 8192
        rows += [(f"upstream online_softmax, 8192 x 8192 {name}", online, f"softmax_kernel(dtype='{dtype}')", str(n), 128,
                  [square, square]) for dtype, name in (("float16", "f16"), ("bfloat16", "bf16"))]
    lines = ["| kernel | gfx950 us | vector unit busy | first run | gfx942 us | vector unit busy | first run |", "|---" * 7 + "|"]
    for label, script, entry, grid, threads, sizes in rows:
        cells = []
        for target in TARGETS:
            image = bench.compile(script, target, entry)
            for again in (True, False):
                run = bench.simulate(image, grid, threads, [f"zeros:{size}" for size in sizes], [] if again else ["--cold"])
                busy = f"{100 * run['valu_utilisation']:.0f} %"
                cells += [f"{run['kernel_us']:.1f}", busy] if again else [f"{run['kernel_us']:.1f} us, {busy}"]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return lines


def examples_table(bench):
    """Attention as others wrote it, B16 H16 S4096 D128: their text, as it stands."""
    size, operations = 4 * [16 * 4096 * 16 * 128 * 2], 4 * 256 * 4096**2 * 128
    upstream, seeds = Path(bench.options.upstream or "/nonexistent") / "examples", Path(bench.options.seeds or "/nonexistent")
    rows = [("upstream amd/example_amd_flash_attn_fwd.py, 128 x 64, 256 threads", upstream / "amd/example_amd_flash_attn_fwd.py",
             "fast_flashattn(16, 16, 4096, 128, {}, 1, 128, 64, 64, 256, 0, True, 2, 8, 8, 4)", "64,256"),
            ("upstream flash_attention/example_mha_fwd_bshd.py, 64 x 64, 128 threads", upstream / "flash_attention/example_mha_fwd_bshd.py",
             "flashattn(16, 16, 4096, 128, {})", "64,16,16"),
            ("the seed's text, 64 x 32, 128 threads", seeds / "000_01.py", "flash_attention_v2(16, 16, 4096, 128, 64, 32)", "64,16,16")]
    lines = ["| | gfx950 full | causal | gfx942 full | causal |", "|---|---|---|---|---|"]
    for label, script, entry, grid in rows:
        if not script.exists():
            continue
        rates = []
        for target in TARGETS:
            for causal in (False, True):
                if causal and "{}" not in entry:
                    rates.append("-")
                    continue
                us = bench.of_script(script, target, entry.format(causal), grid, size)
                rates.append(f"{operations / (2 if causal else 1) / us * 1e-6:.0f}")
        lines.append(f"| {label} | " + " | ".join(rates) + " |")
    return lines


def decode_table(bench, batch=64, keys=8192, dim=512, rope=64, splits=4):
    """Decode of latent attention, upstream's two examples: the kernel over the splits."""
    folder = Path(bench.options.upstream or "/nonexistent") / "examples/deepseek_mla"
    generic = (folder / "example_mla_decode.py", f"flashattn({batch}, {{h}}, 1, {keys}, {dim}, {rope}, {{n}}, {{b}}, {splits}, {1 / 24})")
    amd = (folder / "amd/benchmark_mla_decode_amd_tilelang.py",
           f"flashmla_decode({batch}, {{h}}, 1, {keys}, {dim}, {rope}, {{n}}, {{b}}, {splits}, threads=128)")
    rows = [("generic", generic, "gfx950", 128, 64, 64), ("generic", generic, "gfx950", 64, 64, 64),
            ("generic", generic, "gfx950", 16, 64, 16), ("generic", generic, "gfx942", 16, 32, 16),
            *[("amd", amd, target, heads, 32, min(heads, 64)) for target in TARGETS for heads in (128, 16)]]
    lines = ["| example | chip | heads | tile | us | TFLOP/s |", "|---|---|---|---|---|---|"]
    for name, (script, entry), target, heads, block, block_heads in rows:
        if not script.exists():
            continue
        sizes = [2 * batch * heads * dim, 2 * batch * heads * rope, 2 * batch * keys * dim, 2 * batch * keys * rope,
                 2 * batch * heads * splits, 2 * batch * heads * splits * dim]
        us = bench.of_script(script, target, entry.format(h=heads, n=block, b=block_heads),
                             f"{batch},{heads // block_heads},{splits}", sizes, "main_split_0")
        rate = 2 * batch * heads * keys * (2 * dim + rope) / us * 1e-6
        lines.append(f"| {name} | {target} | {heads} | {block_heads} x {block} | {us:.0f} | {rate:.0f} |")
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
    parser.add_argument("--upstream")
    parser.add_argument("--seeds")
    parser.add_argument("--tune", action="store_true", help="search the tiles of attention; makes no table")
    parser.add_argument("--tables", default="steps,attention,examples,decode,rows,narrow,forms,sizes")
    parser.add_argument("--sizes", default="1024,2048,4096,8192,16384")
    parser.add_argument("--markdown", help="replace the tables of this file")
    options = parser.parse_args()
    sizes = [int(s) for s in options.sizes.split(",")]
    makers = {"steps": steps_table, "attention": attention_table, "examples": examples_table, "decode": decode_table, "rows": rows_table,
              "narrow": narrow_table, "forms": forms_table, "sizes": lambda bench: sizes_table(bench, sizes)}
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        if options.tune:
            return bench.tune()
        for name in options.tables.split(","):
            tables[name] = makers[name](bench)
            print("\n".join(tables[name]), flush=True)
    if options.markdown:
        path = Path(options.markdown)
        text = path.read_text()
        for mark, lines in tables.items():
            begin, end = f"<!-- {mark} -->\n", f"<!-- end {mark} -->"
            head, _, rest = text.partition(begin)
            text = head + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2]
        path.write_text(text)


if __name__ == "__main__":
    main()

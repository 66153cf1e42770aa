#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention kernels drawn by chance, run on a device and compared with the CPU reference.

usage: draw_attention.py TOOLS [--seeds A-B] [--targets LIST] [--jobs N] [--print SEED]

What authors vary: tiles, threads, stages, policies and schedules; masks, biases, gathered keys and rounds under a
condition; which intermediate tiles and rows lie in shared memory; what is written in a round. tilec-diff draws
statements, and seldom two products with as much between them. Runs are on the simulator of the target, which finds
races and hangs as well. A kernel for which the target has no room is passed over. Exit code 1: one failed.
"""

import argparse
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile

NO_ROOM = ("[SharedMemoryFull]", "[RegistersRunOut]")
SECONDS = 400


class Lines:
    def __init__(self):
        self.text = []

    def add(self, level, *lines):
        self.text += ["    " * level + line for line in lines]


def drawn(seed):
    """The kernel of a seed, as a script."""
    draw = random.Random(seed)

    def chance(part):
        return draw.random() < part

    D, dtype, heads = draw.choice([32, 64, 64, 80, 96, 128]), draw.choice(["float16", "bfloat16"]), draw.choice([1, 2])
    DV = draw.choice([D, D, D, 64, 32])
    M, N = draw.choice([64, 64, 128, 128, 192]), draw.choice([32, 64, 64, 96, 128])
    threads = draw.choice([128, 384]) if M == 192 else draw.choice([128, 128, 256, 256, 384])
    rows, keys = draw.choice([2 * M, 2 * M + 40, 3 * M]), draw.choice([3 * N, 4 * N, 5 * N + 24])
    policies = [draw.choice(["FullRow", "FullRow", "FullRow", "Square", "FullCol"])]
    policies.append(draw.choice([policies[0], policies[0], "FullRow"]))
    causal, turned, stages = chance(0.4), chance(0.2), draw.choice([0, 1, 2, 2, 2, 3, 4])
    has = {name: chance(part) for name, part in [("bias", 0.25), ("gathered", 0.2), ("condition", 0.2), ("lengths", 0.2),
                                                 ("scores", 0.2), ("sums", 0.15), ("lse", 0.3), ("scaled", 0.2), ("early", 0.5)]}
    shared = {name: "shared" if chance(part) else "fragment" for name, part in [("weights", 0.5), ("top", 0.15), ("factor", 0.2)]}
    loop = "T.serial({})" if chance(0.15) else f"T.Pipelined({{}}, num_stages={stages})"
    if "Pipelined" in loop:
        loop = draw.choice(["{}", "{}", "{}", "schedule.ping_pong({})", "schedule.producer_consumer({})"]).format(loop)
    end = f"T.ceildiv(T.min((bx + 1) * {M}, {keys}), {N})" if causal else "Rounds[0]" if has["lengths"] else f"T.ceildiv({keys}, {N})"

    params = {"Q": ((heads, rows, D), dtype), "K": ((heads, keys, D), dtype),
              "V": ((heads, DV, keys) if turned else (heads, keys, DV), dtype)}
    params |= {"Bias": ((rows, keys), dtype)} if has["bias"] else {}
    params |= {"Index": ((keys,), "int32")} if has["gathered"] else {}
    params |= {"Taken": ((-(-rows // M), -(-keys // N)), "int32")} if has["condition"] else {}
    params |= {"Rounds": ((1,), "int32")} if "Rounds" in end else {}
    params |= {"Scores": ((heads, rows, keys), "float32")} if has["scores"] else {}
    params |= {"Sums": ((keys,), "float32")} if has["sums"] else {}
    params |= {"Lse": ((heads, rows), "float32")} if has["lse"] else {}
    params["Out"] = ((heads, rows, DV), dtype)

    out = Lines()
    out.add(0, "import tilelang.language as T", "from tilec import schedule", "", "", "def kernel():")
    out.add(1, "@T.prim_func", "def main(" + ", ".join(f'{n}: T.Tensor({s}, "{t}")' for n, (s, t) in params.items()) + "):")
    out.add(2, f"with T.Kernel(T.ceildiv({rows}, {M}), {heads}, threads={threads}) as (bx, by):")
    for name, scope, shape, kind in [
            ("q", "shared", (M, D), dtype), ("k", "shared", (N, D), dtype), ("v", "shared", (DV, N) if turned else (N, DV), dtype),
            ("s", "fragment", (M, N), "float32"), ("p", shared["weights"], (M, N), dtype), ("o", "fragment", (M, DV), "float32"),
            ("b", "shared", (M, N), dtype), ("top", shared["top"], (M,), "float32"), ("factor", shared["factor"], (M,), "float32"),
            *((name, "fragment", (M,), "float32") for name in ("before", "row", "total"))]:
        if name != "b" or has["bias"]:
            out.add(3, f'{name} = T.alloc_{scope}({shape}, "{kind}")')
    out.add(3, f"T.copy(Q[by, bx * {M}, 0], q)")
    if has["scaled"]:
        out.add(3, f"for i, j in T.Parallel({M}, {D}):", "    q[i, j] = q[i, j] * 0.5")
    out.add(3, "T.clear(o)", "T.clear(total)", "T.fill(top, -1e30)", f"for r in {loop.format(end)}:")
    level = 4
    if has["condition"]:
        out.add(4, "if Taken[bx, r] != 0:")
        level = 5
    bring_v = f"T.copy(V[by, 0, r * {N}], v)" if turned else f"T.copy(V[by, r * {N}, 0], v)"
    if has["gathered"]:
        out.add(level, f"for i, j in T.Parallel({N}, {D}):",
                f"    k[i, j] = T.if_then_else(r * {N} + i < {keys}, K[by, Index[r * {N} + i], j], 0)")
    else:
        out.add(level, f"T.copy(K[by, r * {N}, 0], k)")
    if has["early"]:
        out.add(level, bring_v)
    if has["bias"]:
        out.add(level, f"T.copy(Bias[bx * {M}, r * {N}], b)")
    tile = f"for i, j in T.Parallel({M}, {N}):"
    out.add(level, "T.clear(s)", f"T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.{policies[0]})")
    if has["bias"]:
        out.add(level, tile, "    s[i, j] = s[i, j] + b[i, j]")
    seen = f"r * {N} + j < {keys}" + (f" and bx * {M} + i >= r * {N} + j" if causal else "")
    out.add(level, tile, f"    s[i, j] = T.if_then_else({seen}, s[i, j] * 0.125, -1e30)")
    if has["scores"]:
        out.add(level, f"T.copy(s, Scores[by, bx * {M}, r * {N}])")
    out.add(level, "T.copy(top, before)")
    each_row = f"for i in T.Parallel({M}):"
    if shared["top"] == "shared":
        out.add(level, "T.reduce_max(s, row, dim=1)", each_row, "    top[i] = T.max(top[i], row[i])")
    else:
        out.add(level, "T.reduce_max(s, top, dim=1, clear=False)")
    out.add(level, each_row, "    factor[i] = T.exp2(before[i] - top[i])", tile, "    s[i, j] = T.exp2(s[i, j] - top[i])",
            "T.reduce_sum(s, row, dim=1)", each_row, "    total[i] = total[i] * factor[i] + row[i]")
    if has["sums"]:
        out.add(level, tile, f"    if r * {N} + j < {keys}:", f"        T.atomic_add(Sums[r * {N} + j], s[i, j])")
    out.add(level, "T.copy(s, p)", f"for i, j in T.Parallel({M}, {DV}):", "    o[i, j] *= factor[i]")
    if not has["early"]:
        out.add(level, bring_v)
    out.add(level, f"T.gemm(p, v, o, transpose_B={turned}, policy=T.GemmWarpPolicy.{policies[1]})")
    out.add(3, f"for i, j in T.Parallel({M}, {DV}):", "    o[i, j] = o[i, j] / T.max(total[i], 1e-20)",
            f"T.copy(o, Out[by, bx * {M}, 0])")
    if has["lse"]:
        out.add(3, each_row, "    total[i] = T.log2(T.max(total[i], 1e-20)) + top[i]", f"T.copy(total, Lse[by, bx * {M}])")
    out.add(0, "")
    out.add(1, "return main")
    return "\n".join(out.text) + "\n"


def run(tools, folder, seed, target):
    """What went wrong; "" where nothing did; nothing where the target has no room."""
    script = folder / f"{seed}.py"
    command = [f"{tools}/tilec-run", str(script), "--entry=kernel()", f"--target={target}", "--check"]
    if target.startswith("sm_"):
        command.append("--device=ptx")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"does not end in {SECONDS} s"
    if done.returncode == 0:
        return ""
    said = done.stdout + done.stderr
    return None if any(text in said for text in NO_ROOM) else said.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("--seeds", default="0-9", help="the first and the last")
    parser.add_argument("--targets", default="gfx942,gfx950,sm_80,sm_90a")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--print", type=int, metavar="SEED", help="the kernel of a seed")
    options = parser.parse_args()
    if options.print is not None:
        print(drawn(options.print), end="")
        return 0
    first, last = map(int, options.seeds.split("-"))
    ran, failed, passed_over = 0, 0, 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(name)
        work = [(seed, target) for seed in range(first, last + 1) for target in options.targets.split(",")]
        for seed in range(first, last + 1):
            (folder / f"{seed}.py").write_text(drawn(seed))
        for (seed, target), wrong in zip(work, pool.map(lambda item: run(options.tools, folder, *item), work)):
            ran += 1
            passed_over += wrong is None
            if wrong:
                failed += 1
                print(f"seed {seed} {target}\n{wrong}")
    print(f"{ran} runs, {failed} failed, {passed_over} without room")
    return 1 if failed or passed_over == ran else 0


if __name__ == "__main__":
    sys.exit(main())

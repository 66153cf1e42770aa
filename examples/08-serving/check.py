#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the kernels of serving.py with plain Python.

usage: check.py [TARGET]
"""
import itertools
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import run  # noqa: E402

SCRIPT = Path(__file__).resolve().parent / "serving.py"
NUMBERS = random.Random(3)


def gauss(count):
    return [NUMBERS.gauss(0, 1) for _ in range(count)]


def report(name, worst, bound):
    print(f"{name}: largest error {worst:.0e}")
    if worst > bound:
        sys.exit(f"{name} is wrong")


def check_norm(target, rows=3, columns=128):
    x, residual, weight = gauss(rows * columns), gauss(rows * columns), gauss(columns)
    given = {"X": (x, (rows, columns)), "Residual": (residual, (rows, columns)), "Weight": (weight, (columns,))}
    added, scales = run(SCRIPT, f"norm_quantise({rows}, {columns}, 64, dtype='float32')", target, given, ["Residual", "Scale"])
    worst = 0.0
    for r in range(rows):
        row = [a + b for a, b in zip(x[r * columns:(r + 1) * columns], residual[r * columns:(r + 1) * columns])]
        norm = math.sqrt(math.fsum(v * v for v in row) / columns + 1e-6)
        largest = max(abs(v / norm * w) for v, w in zip(row, weight))
        worst = max([worst, abs(scales[r] * 448 / largest - 1), *(abs(a - b) for a, b in zip(row, added[r * columns:]))])
    report("norm_quantise", worst, 1e-5)


def check_rope(target, tokens=5, heads=3, kv_heads=2, D=16, pages=4, page=4, positions=64):
    half = D // 2
    angles = [p * 10000.0**(-d / half) for p in range(positions) for d in range(half)]
    cos, sin = [math.cos(a) for a in angles], [math.sin(a) for a in angles]
    q, k, v = gauss(tokens * heads * D), gauss(tokens * kv_heads * D), gauss(tokens * kv_heads * D)
    position = [NUMBERS.randrange(positions) for _ in range(tokens)]
    slot = [*NUMBERS.sample(range(pages * page), tokens - 1), -1]
    cache = (pages, page, kv_heads, D)
    given = {"Q": (q, (tokens, heads, D)), "K": (k, (tokens, kv_heads, D)), "V": (v, (tokens, kv_heads, D)),
             "Cos": (cos, (positions, half)), "Sin": (sin, (positions, half)), "Position": (position, (tokens,)),
             "Slot": (slot, (tokens,)), "KCache": ([0.0] * math.prod(cache), cache), "VCache": ([0.0] * math.prod(cache), cache)}
    turned, keys, values = run(SCRIPT, f"rope_append({tokens}, {heads}, {kv_heads}, {D}, {pages}, {page}, {positions}, 'float32')",
                               target, given, ["Q", "KCache", "VCache"])

    def turn(source, count, t):
        out = []
        for h, d in itertools.product(range(count), range(D)):
            c, s = cos[position[t] * half + d % half], sin[position[t] * half + d % half]
            mine, other = source[(t * count + h) * D + d], source[(t * count + h) * D + (d + half) % D]
            out.append(mine * c + other * (s if d >= half else -s))
        return out

    worst, row = 0.0, kv_heads * D
    for t in range(tokens):
        pairs = [(turned[t * heads * D:], turn(q, heads, t))]
        if slot[t] >= 0:
            pairs += [(keys[slot[t] * row:], turn(k, kv_heads, t)), (values[slot[t] * row:], v[t * row:(t + 1) * row])]
        worst = max([worst, *(abs(a - b) for got, wanted in pairs for a, b in zip(got, wanted))])
    kept = {s * row + i for s in slot if s >= 0 for i in range(row)}
    worst = max([worst, *(abs(x) for i, x in enumerate(keys) if i not in kept)])  # nothing else is touched
    report("rope_append", worst, 1e-5)


def check_top_p(target, rows=24, vocabulary=300, temperature=0.7, p=0.8):
    logits, u = [2 * x for x in gauss(rows * vocabulary)], [NUMBERS.random() for _ in range(rows)]
    tokens, = run(SCRIPT, f"top_p({rows}, {vocabulary}, chunk=128, threads=128)", target,
                  {"Logits": (logits, (rows, vocabulary)), "U": (u, (rows,))}, ["Token"], {"temperature": temperature, "P": p})
    kept_most = 0
    for r in range(rows):
        row = [x / temperature for x in logits[r * vocabulary:(r + 1) * vocabulary]]
        weights = [math.exp(x - max(row)) for x in row]
        order = sorted(range(vocabulary), key=lambda t: -weights[t])
        sums = list(itertools.accumulate(weights[t] for t in order))
        kept = sorted(order[:1 + next(i for i, s in enumerate(sums) if s >= p * sums[-1])])
        wanted, total = u[r] * math.fsum(weights[t] for t in kept), 0.0
        for t in kept:
            total += weights[t]
            if total > wanted:
                break
        kept_most = max(kept_most, len(kept))
        if tokens[r] != t:
            sys.exit(f"top_p: row {r} gives {tokens[r]}, not {t}")
    print(f"top_p: {rows} rows, up to {kept_most} of {vocabulary} tokens kept, all as a sort has it")


def main(target="gfx950"):
    check_norm(target)
    check_rope(target)
    check_top_p(target)


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the four kernels of moe.py behind one another and compares with a mixture of experts in plain Python.

usage: check.py [TARGET]
"""
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import run  # noqa: E402

SCRIPT = Path(__file__).resolve().parent / "moe.py"
TOKENS, EXPERTS, TOP, N, K, BLOCK = 37, 6, 2, 40, 48, 16


def expected(logits, x, w, token):
    """One row of the result."""
    row = logits[token * EXPERTS:(token + 1) * EXPERTS]
    chosen = sorted(range(EXPERTS), key=lambda e: -row[e])[:TOP]
    weights = [math.exp(row[e] - row[chosen[0]]) for e in chosen]
    out = []
    for n in range(N):
        products = [math.fsum(x[token * K + k] * w[(e * N + n) * K + k] for k in range(K)) for e in chosen]
        out.append(sum(p * weight for p, weight in zip(products, weights)) / sum(weights))
    return out


def main(target="gfx950"):
    numbers = random.Random(2)
    # The third expert is liked most and the last not at all: groups of any size, an empty one among them.
    logits = [numbers.gauss(2 if e == 2 else -9 if e == EXPERTS - 1 else 0, 1) for _ in range(TOKENS) for e in range(EXPERTS)]
    x = [numbers.gauss(0, 1) for _ in range(TOKENS * K)]
    w = [numbers.gauss(0, 1) for _ in range(EXPERTS * N * K)]
    rows = (TOKENS * TOP // BLOCK + EXPERTS) * BLOCK

    chosen, weights = run(SCRIPT, f"gate({TOKENS}, {EXPERTS}, {TOP}, block=16)", target,
                          {"Logits": (logits, (TOKENS, EXPERTS))}, ["Chosen", "Weights"])
    place, held, expert = run(SCRIPT, f"plan({TOKENS}, {EXPERTS}, {TOP}, block_M={BLOCK}, chunk=32)", target,
                              {"Chosen": (chosen, (TOKENS * TOP,))}, ["Place", "Rows", "Expert"])
    y, = run(SCRIPT, f"experts_gemm({TOKENS}, {EXPERTS}, {TOP}, {N}, {K}, {BLOCK}, 32, 32, dtype='float32')", target,
             {"X": (x, (TOKENS, K)), "W": (w, (EXPERTS, N, K)), "Rows": (held, (rows,)), "Expert": (expert, (rows // BLOCK,))},
             ["Y"])
    # Tiles behind the last are never written: nobody may read them.
    y = [0.0 if math.isnan(v) else v for v in y]
    out, = run(SCRIPT, f"combine({TOKENS}, {EXPERTS}, {TOP}, {N}, {BLOCK}, dtype='float32')", target,
               {"Y": (y, (rows, N)), "Place": (place, (TOKENS, TOP)), "Weights": (weights, (TOKENS, TOP))}, ["Out"])

    worst = max(abs(a - b) for t in range(TOKENS) for a, b in zip(out[t * N:(t + 1) * N], expected(logits, x, w, t)))
    sizes = [chosen.count(e) for e in range(EXPERTS)]
    print(f"{TOKENS} tokens, assignments of the experts {sizes}, largest error {worst:.0e}")
    if worst > 1e-4:
        sys.exit("the result is wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])

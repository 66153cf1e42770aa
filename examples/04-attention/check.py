#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the gradients of attention.py against differences of the forward pass, in float32 on a simulated chip.

usage: check.py [TARGET]

`tilec-run --check` says that a kernel does what its text says; this says that the text is the gradient: L = sum(O * dO)
is computed here in float64, without the script, with one element of Q, K or V moved up and down.
"""
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import run  # noqa: E402

SCRIPT = Path(__file__).resolve().parent / "attention.py"
S, D = 40, 32


def loss(q, k, v, do, causal):
    total = 0.0
    for i in range(S):
        keys = range(i + 1 if causal else S)
        scores = [math.fsum(q[i * D + d] * k[j * D + d] for d in range(D)) * D**-0.5 for j in keys]
        top = max(scores)
        weights = [math.exp(s - top) for s in scores]
        # sum over d of O[i, d] * dO[i, d], the sums exchanged
        along = (sum(v[j * D + d] * do[i * D + d] for d in range(D)) for j in keys)
        total += math.fsum(w * a for w, a in zip(weights, along)) / math.fsum(weights)
    return total


def gradients(tensors, causal, target):
    """dQ, dK, dV of the script's four kernels."""
    shape, rows = (1, S, 1, D), (1, 1, S)
    given = {name: (values, shape) for name, values in tensors.items()}
    tiles = f"block_M=16, block_N=16, causal={causal}, dtype='float32'"
    entry = f"(1, 1, {S}, {D}, {tiles})"
    out, lse = run(SCRIPT, "forward" + entry, target, {n: given[n] for n in "QKV"}, ["O", "Lse"])
    delta, = run(SCRIPT, f"delta(1, 1, {S}, {D}, dtype='float32')", target, {"O": (out, shape), "dO": given["dO"]}, ["Delta"])
    given |= {"Lse": (lse, rows), "Delta": (delta, rows)}
    return run(SCRIPT, "gradient_q" + entry, target, given, ["dQ"]) + run(SCRIPT, "gradient_kv" + entry, target, given, ["dK", "dV"])


def main(target="gfx950"):
    numbers = random.Random(1)
    tensors = {name: [numbers.gauss(0, 1) for _ in range(S * D)] for name in ("Q", "K", "V", "dO")}
    for causal in (False, True):
        worst, step = 0.0, 1e-4
        for name, gradient in zip("QKV", gradients(tensors, causal, target)):
            for element in numbers.sample(range(S * D), 6):
                ends = []
                for sign in (1, -1):
                    moved = {n: list(v) for n, v in tensors.items()}
                    moved[name][element] += sign * step
                    ends.append(loss(moved["Q"], moved["K"], moved["V"], moved["dO"], causal))
                expected = (ends[0] - ends[1]) / (2 * step)
                worst = max(worst, abs(gradient[element] - expected) / max(1.0, abs(expected)))
        print(f"{'causal' if causal else 'full'}: 18 elements of dQ, dK, dV, largest error {worst:.0e}")
        if worst > 1e-4:
            sys.exit("the gradients are wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])

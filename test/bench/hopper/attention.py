#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention forward against cuDNN, in one process on one GPU.

usage: attention.py BINARY[:causal]... [--rounds N] [--json]

A BINARY is a cubin of tilec with its manifest beside it, whose tensors Q, K, V and the output are [B, S, H, D].
cuDNN is called through PyTorch's scaled_dot_product_attention with only its cuDNN backend allowed, on views of the same
tensors; ours through the driver on PyTorch's stream. Inputs are random, copies of them beyond the L2 cache take
turns, a round is a sample of each side, and the ratio is the median of the rounds' ratios with a 95 % bootstrap interval. All
elements of the two results are compared, and sampled rows with a float64 attention.
"""

import argparse
import json
import random
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import driver

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
L2_BYTES = 50 << 20


def bootstrap(values, resamples=2000, seed=0):
    generator = random.Random(seed)
    medians = sorted(statistics.median(generator.choices(values, k=len(values)))
                     for _ in range(resamples))
    return medians[int(0.025 * resamples)], medians[int(0.975 * resamples)]


def timed(run, runs, offset):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for i in range(runs):
        run(offset + i)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / runs


def reference_rows(q, k, v, causal, rows):
    """Rows (b, h, s) of the exact attention, in float64."""
    out = []
    group = q.shape[2] // k.shape[2]
    for b, h, s in rows:
        last = s + 1 if causal else k.shape[1]
        keys, values = k[b, :last, h // group].double(), v[b, :last, h // group].double()
        weights = torch.softmax(keys @ q[b, s, h].double() / q.shape[3] ** 0.5, dim=0)
        out.append(weights @ values)
    return torch.stack(out)


def compare(binary, causal, options):
    """Times one kernel against cuDNN; the result as a dictionary."""
    torch.manual_seed(options.seed)
    program = driver.Program(binary)
    params = {p["name"]: p for p in program.launch["params"] if p["kind"] == "tensor"}
    written = [name for name, p in params.items() if p["access"] == "w" and len(p["shape"]) == 4]
    if not {"Q", "K", "V"} <= set(params) or len(written) != 1:
        raise ValueError("wants tensors Q, K, V and one output of four dimensions")
    output = written[0]
    dtype = DTYPES[params["Q"]["dtype"]]
    shapes = {name: [driver.evaluate(e, {}) for e in p["shape"]] for name, p in params.items()}
    batch, length, heads, size = shapes["Q"]
    set_bytes = sum(2 * torch.Size(s).numel() for s in shapes.values())
    copies = max(1, min(16, 2 * L2_BYTES // set_bytes + 1))
    stream = torch.cuda.current_stream().cuda_stream
    sets, ours, theirs = [], [], []
    for _ in range(copies):
        tensors = {name: torch.randn(shape, device="cuda", dtype=torch.float32).to(
            DTYPES.get(params[name]["dtype"], torch.float32)) for name, shape in shapes.items()}
        for name, p in params.items():
            if p["access"] == "w":
                tensors[name].fill_(float("nan"))
        sets.append(tensors)
        ours.append(program.bind({n: t.data_ptr() for n, t in tensors.items()}, stream))
        theirs.append([tensors[n].transpose(1, 2) for n in "QKV"])

    def run_ours(i):
        ours[i % copies]()

    def run_theirs(i):
        q, k, v = theirs[i % copies]
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal, enable_gqa=k.shape[1] != q.shape[1])

    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]), torch.no_grad():
        run_ours(0)
        torch.cuda.synchronize()
        mine = sets[0][output].float()
        other = run_theirs(0).transpose(1, 2).float()
        torch.cuda.synchronize()
        distance = (mine - other).abs()
        bound = 2.0 ** -6 * other.pow(2).mean(dim=-1, keepdim=True).sqrt() + other.abs() * 2.0 ** -7
        differing = int((~(distance <= bound)).sum())  # a NaN differs
        generator = random.Random(options.seed)
        rows = [(generator.randrange(batch), generator.randrange(heads), generator.randrange(length))
                for _ in range(64)]
        exact = reference_rows(sets[0]["Q"], sets[0]["K"], sets[0]["V"], causal, rows)
        sampled = torch.stack([mine[b, s, h] for b, h, s in rows]).double()
        scale = exact.pow(2).mean(dim=-1, keepdim=True).sqrt()
        exact_error = float(((sampled - exact).abs() / scale).max())

        for run in (run_ours, run_theirs):  # 50 ms of warm-up each
            spent = i = 0
            while spent < 50:
                spent, i = spent + timed(run, 1, i), i + 1
        once = timed(run_ours, 3, 0)
        runs = max(1, int(4 / once))
        times = ([], [])
        for turn in range(options.rounds):
            for which in ((0, 1), (1, 0))[turn % 2]:
                times[which].append(timed((run_ours, run_theirs)[which], runs, turn))
    ratios = [b / a for a, b in zip(*times)]
    low, high = bootstrap(ratios)
    flops = 4 * batch * heads * length * length * size / (2 if causal else 1)
    mine_ms, other_ms = (statistics.median(t) for t in times)
    agrees = differing == 0 and exact_error < 2.0 ** -5
    return {"shape": [batch, length, heads, size], "causal": causal,
            "median_us": mine_ms * 1e3, "tflops": flops / mine_ms * 1e-9,
            "rivals": [{"name": "cudnn", "median_us": other_ms * 1e3, "ratio": statistics.median(ratios),
                        "ratio_low": low, "ratio_high": high, "agrees": agrees}],
            "rounds": options.rounds, "runs_per_sample": runs, "copies": copies,
            "differing": differing, "exact_error": exact_error,
            "torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}


def describe(result):
    batch, length, heads, size = result["shape"]
    rival = result["rivals"][0]
    verdict = "agrees" if rival["agrees"] else f"DIFFERS in {result['differing']} elements"
    return (f"B{batch} S{length} H{heads} D{size}{' causal' if result['causal'] else ''}: {result['median_us']:.1f} us, "
            f"{result['tflops']:.1f} TFLOP/s; cuDNN {rival['median_us']:.1f} us, ours is {rival['ratio']:.3f} times as fast "
            f"[{rival['ratio_low']:.3f}, {rival['ratio_high']:.3f}] ({result['rounds']} rounds), {verdict}, "
            f"error {result['exact_error']:.1e} of a row")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", nargs="+", metavar="BINARY[:causal]")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.zeros(1, device="cuda")  # makes the context that the driver calls use
    status = 0
    for text in options.binaries:
        binary, _, mask = text.partition(":")
        try:
            result = compare(binary, mask == "causal", options)
        except (RuntimeError, ValueError) as error:
            result = {"error": str(error).splitlines()[0]}
        print(json.dumps(result) if options.json else result.get("error") or describe(result), flush=True)
        status |= "error" in result or not result["rivals"][0]["agrees"]
        torch.cuda.empty_cache()
    return status


if __name__ == "__main__":
    sys.exit(main())

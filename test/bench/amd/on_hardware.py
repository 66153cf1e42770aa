#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comes with a folder of `./dev gpu-pack --amd`. `./dev gpu-run` on a host with the GPU that the folder was made
for checks every kernel's results, times it, prints measured, predicted and (where the Python package aiter is
installed) aiter's time, and writes results.json: the one file to send back.

usage: dev gpu-run [--rounds N] [--device-index N] [--no-rivals] [--output FILE]

Exit code: 0 when every kernel ran and agrees with its reference, 1 otherwise.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ERROR_LINES = 12
CACHE_BYTES = 1 << 30  # four times the Infinity Cache


def conformance():
    """The runtime's own suite on this driver: (passed, text)."""
    env = dict(os.environ, TILEC_CONFORMANCE_DIR=str(HERE))
    done = subprocess.run([HERE / "RuntimeTests", "--gtest_brief=1", "--gtest_filter=*Conformance*/Hip"], env=env,
                          capture_output=True, text=True)
    return done.returncode == 0 and "[  PASSED  ] 0 tests" not in done.stdout, (done.stdout + done.stderr)[-2000:]


def launch(binary, options):
    done = subprocess.run([HERE / "tilec-launch", HERE / binary, *options], cwd=HERE, capture_output=True, text=True)
    return done.returncode, done.stdout, "\n".join((done.stderr or done.stdout).splitlines()[-ERROR_LINES:])


def measure(kernel, options):
    device = ["--device-index", str(options.device_index)]
    code, _, text = launch(kernel["small"], [*kernel["check"], *device])
    result = {"checked": "pass" if code == 0 else "FAIL"}
    if code:
        result["check_error"] = text
    code, out, text = launch(kernel["binary"], ["--bench", "--json", "--rounds", str(options.rounds), *kernel["launch"], *device])
    if code:
        return {**result, "error": text}
    timing = json.loads(out)
    return {**result, **{key: timing[key] for key in ("median_us", "min_us", "max_us") if key in timing}}


def time_call(torch, calls, rounds):
    """Median; the calls differ in their buffers, so that caches hold none of them, as in tilec-launch."""
    for call in calls:
        call()
    samples = []
    for i in range(rounds):
        call = calls[i % len(calls)]
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1000)
    return sorted(samples)[len(samples) // 2]


def rival_call(torch, aiter, r):
    """A call on buffers of its own."""
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
    if r["call"] == "gemm":
        from aiter.tuned_gemm import tgemm
        a, b = make(r["m"], r["k"]), make(r["n"], r["k"])
        return lambda: tgemm.mm(a, b)
    q, k, v = (make(r["b"], r["s"], r["h"], r["d"]) for _ in range(3))
    return lambda: aiter.flash_attn_func(q, k, v, causal=r["causal"])


def rivals(kernels, options):
    """Microseconds of aiter's call for the same work, by kernel; or why there is none."""
    try:
        import torch
        import aiter
    except Exception as error:  # an installed package may fail in many ways
        return {}, f"not installed: {error}"
    torch.cuda.set_device(options.device_index)
    times = {}
    for kernel in kernels:
        r = kernel["rival"]
        if not r:
            continue
        try:
            calls = [rival_call(torch, aiter, r)]
            used = torch.cuda.memory_allocated()
            while len(calls) < min(16, max(1, CACHE_BYTES // used)):
                calls.append(rival_call(torch, aiter, r))
            times[kernel["name"]] = {"us": time_call(torch, calls, options.rounds)}
            del calls
        except Exception as error:
            times[kernel["name"]] = {"error": str(error)[-500:]}
    return times, getattr(aiter, "__version__", "installed, version unknown")


def host():
    facts = {"kernel": platform.release(), "python": platform.python_version()}
    for name, command in (("rocm_smi", ["rocm-smi", "--showproductname", "--showclocks", "--showdriverversion"]),
                          ("rocm", ["cat", "/opt/rocm/.info/version"])):
        try:
            facts[name] = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout[-4000:]
        except (OSError, subprocess.TimeoutExpired):
            facts[name] = "not found"
    return facts


def show(rows):
    print(f"{'kernel':24} {'check':6} {'measured us':>12} {'predicted us':>13} {'m / p':>6} {'TFLOP/s':>8} {'aiter us':>10}")
    for row in rows:
        measured, rival = row.get("median_us"), row.get("rival", {}).get("us")
        cells = [f"{measured:12.1f}" if measured else f"{'-':>12}", f"{row['predicted_us']:13.1f}",
                 f"{measured / row['predicted_us']:6.2f}" if measured else f"{'-':>6}",
                 f"{row['flops'] / measured * 1e-6:8.0f}" if measured and row["flops"] else f"{'-':>8}",
                 f"{rival:10.1f}" if rival else f"{'-':>10}"]
        print(f"{row['name']:24} {row['checked']:6} " + " ".join(cells))
        for key in ("check_error", "error"):
            if key in row:
                print("    " + row[key].replace("\n", "\n    "))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=["gpu-run"])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--device-index", type=int, default=0)
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--output", default=str(HERE / "results.json"))
    options = parser.parse_args()
    pack = json.loads((HERE / "pack.json").read_text())
    passed, text = conformance()
    print(f"runtime conformance: {'pass' if passed else 'FAIL'}")
    if not passed:
        print(text)
    times, aiter = ({}, "not asked for") if options.no_rivals else rivals(pack["kernels"], options)
    rows = []
    for kernel in pack["kernels"]:
        row = {**{k: kernel[k] for k in ("name", "entry", "flops", "predicted_us", "model_clock_ghz")}, **measure(kernel, options)}
        if kernel["name"] in times:
            row["rival"] = times[kernel["name"]]
        rows.append(row)
    show(rows)
    print(f"aiter: {aiter}")
    result = {"version": 1, "target": pack["target"], "compiler": pack["compiler"], "host": host(), "aiter": aiter,
              "conformance": passed, "conformance_text": "" if passed else text, "kernels": rows}
    Path(options.output).write_text(json.dumps(result, indent=1) + "\n")
    print(f"wrote {options.output}: please send it back")
    good = passed and all(row["checked"] == "pass" and "median_us" in row for row in rows)
    print("PASS" if good else "FAIL")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

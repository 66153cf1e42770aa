#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether compile time is linear: kernels of 100 and 1000 statements, large fragments, local arrays.

usage: statements.py TOOLS [KIND ...]

Each row is a kind of statement and a target: processor seconds of the whole `tilec` process, script to
object or PTX (ptxas is not counted), for 100 and 1000 statements, and how many times as long the latter
takes. The goal is at most 15. Times are the best of three runs of 100 statements and of up to three of 1000,
as many as a row needs to reach the goal: other load only slows. Rows below are single kernels with their own limit of 2 seconds.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

TARGETS = ["gfx942", "gfx950", "sm_80", "sm_90a"]
MOST_RATIO, MOST_SECONDS = 15, 2.0
RUNS = 3

HEAD = """import tilelang.language as T
@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), H: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
"""

# Statements before, the n-th statement, and statements behind.
KINDS = {
    "scalar": ([], ["C[{row}, {column}] = A[{row}, {column}] * {n}.5"], []),
    "variable": (["v = T.alloc_var('float32')", "v = A[0, 0]"], ["v = v * {n}.5 + A[{row}, {column}]"],
                 ["C[0, 0] = v"]),
    "parallel": ([], ["for i, j in T.Parallel(64, 64):", "    C[i, j] = A[i, j] * {n}.5"], []),
    "fragment": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"],
                 ["for i, j in T.Parallel(64, 64):", "    f[i, j] = f[i, j] * {n}.5 + 1.0"], ["T.copy(f, C)"]),
    "shared": (["s = T.alloc_shared((64, 64), 'float32')", "T.copy(A, s)"],
               ["for i, j in T.Parallel(64, 64):", "    s[i, j] = s[i, j] * {n}.5 + 1.0"], ["T.copy(s, C)"]),
    "copy": (["s = T.alloc_shared((64, 64), 'float32')"], ["T.copy(A, s)", "T.copy(s, C)"], []),
    "transpose": (["s = T.alloc_shared((64, 64), 'float16')", "t = T.alloc_shared((64, 64), 'float16')", "T.copy(A, s)"],
                  ["T.transpose(s, t)", "T.transpose(t, s)"], ["T.copy(s, C)"]),
    "reduce": (["f = T.alloc_fragment((64, 64), 'float32')", "r = T.alloc_fragment((64,), 'float32')", "T.copy(A, f)",
                "T.clear(r)"], ["T.reduce_sum(f, r, dim=1, clear=False)"], ["T.copy(r, C[0:64, 0])"]),
    "gemm": (["s = T.alloc_shared((64, 64), 'float16')", "c = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, s)",
              "T.clear(c)"], ["T.gemm(s, s, c)"], ["T.copy(c, C)"]),
    "atomic": ([], ["T.atomic_add(C[{row}, {column}], A[{row}, {column}])"], []),
    "if": ([], ["if A[{row}, {column}] > {n}.5:", "    C[{row}, {column}] = {n}.0"], []),
    "loop": ([], ["for i in T.serial(8):", "    C[{row}, {column}] += A[i, {column}]"], []),
    "local": (["v = T.alloc_local((64,), 'float32')", "T.clear(v)"],
              ["v[{column}] = v[{column}] * {n}.5 + A[{row}, {column}]"], ["for i in T.serial(64):", "    C[0, i] = v[i]"]),
    "scan": (["s = T.alloc_shared((64, 64), 'float32')", "T.copy(A, s)"], ["T.cumsum(s, dim=1)"], ["T.copy(s, C)"]),
    "cummax": (["s = T.alloc_shared((64, 64), 'float32')", "T.copy(A, s)"], ["T.cummax(s, dim=1)"], ["T.copy(s, C)"]),
    "uniform": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)", "v = T.alloc_var('float32')", "v = A[0, 0]"],
                ["for i, j in T.Parallel(64, 64):", "    f[i, j] = f[i, j] * v + {n}.5"], ["T.copy(f, C)"]),
    "nested": ([], ["if A[{row}, {column}] > {n}.5:", "    if A[{column}, {row}] > 0.5:", "        C[{row}, {column}] = {n}.0",
                    "    else:", "        C[{row}, {column}] = A[0, 0]"], []),
    "tiles": (["s = T.alloc_shared((64, 64), 'float32')"],
              ["for k in T.serial(4):", "    T.copy(A[k * 16:k * 16 + 16, 0:64], s[0:16, 0:64])", "    C[{row}, k] = s[k, {column}]"],
              []),
    "two": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"],
            ["for i, j in T.Parallel(64, 64):", "    f[i, j] = f[i, j] * {n}.5", "    C[i, j] = f[i, j] + A[i, j]"], []),
    "swap": (["s = T.alloc_shared((128,), 'float32')", "t = T.get_thread_binding()", "s[t] = A[0, t % 64]"],
             ["if t % 2 == {n} % 2 and t < 127:", "    if s[t] > s[t + 1]:", "        v = s[t]", "        s[t] = s[t + 1]",
              "        s[t + 1] = v", "T.sync_threads()"], ["C[t // 64, t % 64] = s[t]"]),
    "threads": (["t = T.get_thread_binding()"],
                ["if t == {n} % 128:", "    C[{row} % 32 + t // 64 * 32, t % 64] = A[{row}, {column}]", "else:", "    if t > {n} % 64:",
                 "        C[{row} % 32 + t // 64 * 32, t % 64] = {n}.5"], []),
    "mixed": (["f = T.alloc_fragment((64, 64), 'float32')", "r = T.alloc_fragment((64,), 'float32')",
               "s = T.alloc_shared((64, 64), 'float32')", "T.copy(A, f)", "T.clear(r)"],
              ["T.copy(f, s)", "for i, j in T.Parallel(64, 64):", "    f[i, j] = s[j, i] * {n}.5",
               "T.reduce_max(f, r, dim=1, clear=False)", "for i in T.Parallel(64):", "    T.atomic_add(C[0, i], r[i])",
               "for k in T.serial(4):", "    C[k, {column}] += A[k, {row}]"], ["T.copy(f, C)"]),
    "math": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"],
             ["for i, j in T.Parallel(64, 64):", "    f[i, j] = T.exp(f[i, j] * {n}.5)"], ["T.copy(f, C)"]),
    "choose": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"],
               ["for i, j in T.Parallel(64, 64):",
                "    f[i, j] = T.if_then_else(f[i, j] > {n}.0, f[i, j] * 0.5, f[i, j] + {n}.0)"], ["T.copy(f, C)"]),
    "chooserows": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"],
                   ["for i, j in T.Parallel(64, 64):",
                    "    f[i, j] = T.if_then_else(i > {n} % 64, f[i, j], f[i, j] * 0.5)"], ["T.copy(f, C)"]),
    "smallbuffers": ([], ["s{n} = T.alloc_shared((8,), 'float32')", "for i in T.Parallel(8):", "    s{n}[i] = A[{row}, i]",
                          "for i in T.Parallel(8):", "    C[{row}, i] = s{n}[i] * 2.0"], []),
    "results": (["s = T.alloc_shared((64, 64), 'float16')", "c = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, s)"],
                ["T.clear(c)", "T.gemm(s, s, c)", "T.copy(c, C)"], []),
    "columns": (["s = T.alloc_shared((64, 64), 'float32')", "T.copy(A, s)"], ["T.cumsum(s, dim=0)"], ["T.copy(s, C)"]),
    "rounds": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"],
               ["for k in T.serial({n} % 3 + 2):", "    for i, j in T.Parallel(64, 64):",
                "        f[i, j] = f[i, j] * 0.5 + {n}.0"], ["T.copy(f, C)"]),
    "maxima": (["f = T.alloc_fragment((64, 64), 'float32')", "r = T.alloc_fragment((64,), 'float32')", "T.copy(A, f)"],
               ["T.reduce_max(f, r, dim=1)", "for i in T.Parallel(64):", "    C[i, {column}] = r[i]"], []),
    "dims": (["f = T.alloc_fragment((64, 64), 'float32')", "r = T.alloc_fragment((64,), 'float32')",
              "q = T.alloc_fragment((64,), 'float32')", "T.copy(A, f)", "T.clear(q)"],
             ["T.reduce_sum(f, r, dim={n} % 2)", "for i in T.Parallel(64):", "    q[i] = q[i] * 0.5 + r[i]"],
             ["T.copy(q, C[0:64, 0])"]),
    "halves": (["f = T.alloc_fragment((64, 64), 'float32')", "h = T.alloc_fragment((64, 64), 'float16')", "T.copy(A, f)"],
               ["T.copy(f, h)", "for i, j in T.Parallel(64, 64):", "    f[i, j] = h[i, j] * T.float16({n}.5)"],
               ["T.copy(f, C)"]),
    "quarters": (["f = T.alloc_fragment((64, 64), 'float32')", "q = T.alloc_fragment((64, 64), 'float8_e4m3')",
                  "T.copy(A, f)"], ["T.copy(f, q)", "T.copy(q, f)"], ["T.copy(f, C)"]),
    "vars": ([], ["v{n} = T.alloc_var('float32')", "v{n} = A[{row}, {column}]", "C[{column}, {row}] = v{n} * {n}.5"], []),
    "clear": (["f = T.alloc_fragment((64, 64), 'float32')"],
              ["T.clear(f)", "for i, j in T.Parallel(64, 64):", "    f[i, j] += A[i, j] * {n}.5", "T.copy(f, C)"], []),
    "arrays": (["t = T.get_thread_binding()", "v = T.alloc_local((8,), 'float32')"],
               ["for k in T.vectorized(8):", "    v[k] = A[t // 8, t % 8 * 8 + k]", "for k in T.serial(8):",
                "    C[t // 8, t % 8 * 8 + k] += v[k] * {n}.5"], []),
    "turned": (["f = T.alloc_fragment((64, 64), 'float32')", "s = T.alloc_shared((64, 64), 'float32')", "T.copy(A, f)"],
               ["T.copy(f, s)", "for i, j in T.Parallel(64, 64):", "    f[i, j] = s[j, i] + {n}.0"], ["T.copy(f, C)"]),
    "slices": (["s = T.alloc_shared((64, 64), 'float32')", "t = T.alloc_shared((64, 64), 'float32')", "T.copy(A, s)"],
               ["T.copy(s[0:16, 0:64], t[{n} % 48:{n} % 48 + 16, 0:64])",
                "T.copy(t[16:32, 0:64], s[{n} % 32:{n} % 32 + 16, 0:64])"], ["T.copy(t, C)"]),
    "pipelined": (["s = T.alloc_shared((16, 64), 'float32')", "f = T.alloc_fragment((16, 64), 'float32')", "T.clear(f)"],
                  ["for k in T.Pipelined(4, num_stages=2):", "    T.copy(A[k * 16:k * 16 + 16, 0:64], s)",
                   "    for i, j in T.Parallel(16, 64):", "        f[i, j] = f[i, j] * 0.5 + s[i, j]"],
                  ["T.copy(f, C[0:16, 0:64])"]),
    "rings": (["f = T.alloc_fragment((16, 64), 'float32')", "T.clear(f)"],
              ["s{n} = T.alloc_shared((16, 64), 'float32')", "for k in T.Pipelined(4, num_stages=2):",
               "    T.copy(A[k * 16:k * 16 + 16, 0:64], s{n})", "    for i, j in T.Parallel(16, 64):",
               "        f[i, j] = f[i, j] * 0.5 + s{n}[i, j]"], ["T.copy(f, C[0:16, 0:64])"]),
    "products": (["c = T.alloc_fragment((64, 64), 'float32')", "T.clear(c)"],
                 ["a{n} = T.alloc_shared((64, 32), 'float16')", "for k in T.Pipelined(2, num_stages=2):",
                  "    T.copy(H[0:64, k * 32:k * 32 + 32], a{n})", "    T.gemm(a{n}, a{n}, c, transpose_B=True)"], ["T.copy(c, C)"]),
    "unstaged": (["s = T.alloc_shared((16, 64), 'float32')"],
                 ["for k in T.Pipelined(4):", "    T.copy(A[k * 16:k * 16 + 16, 0:64], s)",
                  "    T.copy(s, C[k * 16:k * 16 + 16, 0:64])"], []),
    "whiles": (["v = T.alloc_var('int32', init=0)"], ["while v < {n}:", "    v += 1"], ["C[0, 0] = v"]),
    "searches": (["v = T.alloc_var('int32', init=0)"], ["while v < A[0, {column}]:", "    v += 1"], ["C[0, 0] = v"]),
    "rowscale": (["f = T.alloc_fragment((64, 64), 'float32')", "r = T.alloc_fragment((64,), 'float32')", "T.copy(A, f)",
                  "T.copy(A[0:64, 0], r)"],
                 ["for i, j in T.Parallel(64, 64):", "    f[i, j] = f[i, j] * r[i] + {n}.0"], ["T.copy(f, C)"]),
    "sharedsums": (["s = T.alloc_shared((64, 64), 'float32')", "r = T.alloc_fragment((64,), 'float32')", "T.copy(A, s)",
                    "T.clear(r)"], ["T.reduce_sum(s, r, dim=1, clear=False)"], ["T.copy(r, C[0:64, 0])"]),
    "fragmax": (["f = T.alloc_fragment((64, 64), 'float32')", "T.copy(A, f)"], ["T.cummax(f, dim=1)"], ["T.copy(f, C)"]),
}

FRAGMENT = """import tilelang.language as T
@T.prim_func
def main(A: T.Tensor(({0}, {0}), "float32"), C: T.Tensor(({0}, {0}), "float32")):
    with T.Kernel(1, threads=256):
        f = T.alloc_fragment(({0}, {0}), "float32")
        T.copy(A, f)
        for i, j in T.Parallel({0}, {0}):
            f[i, j] = T.exp(f[i, j]) + T.sin(f[i, j])
        T.copy(f, C)
"""

LOCAL = """import tilelang.language as T
@T.prim_func
def main(A: T.Tensor((128, 128), "float16"), B: T.Tensor((128, 128), "float16"), C: T.Tensor((128, 128), "float16")):
    with T.Kernel(128 // {0}, 128 // {0}) as (bx, by):
        a = T.alloc_local(({0}, 8), "float16")
        b = T.alloc_local((8, {0}), "float16")
        c = T.alloc_local(({0}, {0}), "float32")
        T.clear(c)
        for ko in T.serial(16):
            T.copy(A[by * {0}, ko * 8], a)
            T.copy(B[ko * 8, bx * {0}], b)
            for i, j, k in T.grid({0}, {0}, 8):
                c[i, j] += a[i, k] * b[k, j]
        T.copy(c, C[by * {0}, bx * {0}])
"""

SINGLE = {"fragment 256x256": FRAGMENT.format(256), "fragment 512x512": FRAGMENT.format(512),
          "local 32x32": LOCAL.format(32), "local 128x128": LOCAL.format(128)}


def kernel(kind, count):
    before, statement, behind = KINDS[kind]
    lines = list(before)
    for n in range(count):
        lines += [line.format(n=n, row=n // 64 % 64, column=n % 64) for line in statement]
    return HEAD + "".join(f"        {line}\n" for line in lines + behind)


def processor_seconds(tilec, text, target, folder):
    script = pathlib.Path(folder) / "kernel.py"
    script.write_text(text)
    form = "object" if target.startswith("gfx") else "ptx"
    command = [tilec, str(script), f"--target={target}", "--no-cache", f"--emit={form}", "-o", os.devnull]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return None if status else usage.ru_utime + usage.ru_stime


def statements_seconds(tilec, kind, target, folder):
    """The best seconds of 100 and of 1000 statements; None: one is refused."""
    small, large = [], []
    for _ in range(RUNS):
        for count, times in ((100, small), (1000, large)):
            if times is large and large and min(large) <= MOST_RATIO * min(small):
                continue
            times.append(processor_seconds(tilec, kernel(kind, count), target, folder))
            if times[-1] is None:
                return None
    return min(small), min(large)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tilec, kinds = str(pathlib.Path(sys.argv[1]) / "tilec"), sys.argv[2:] or list(KINDS) + list(SINGLE)
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            for target in TARGETS:
                if kind in SINGLE:
                    seconds = processor_seconds(tilec, SINGLE[kind], target, folder)
                    good = seconds is not None and seconds <= MOST_SECONDS
                    told = "refused" if seconds is None else f"{seconds:.2f} s"
                else:
                    times = statements_seconds(tilec, kind, target, folder)
                    good = times is not None and times[1] <= MOST_RATIO * times[0]
                    told = "refused" if times is None else (f"100: {times[0]:.2f} s   1000: {times[1]:.2f} s   "
                                                            f"{times[1] / times[0]:.1f} times")
                missed += not good
                print(f"{kind:18} {target:8} {told}{'' if good else '   MISSED'}", flush=True)
    sys.exit(f"{missed} rows miss their goal" if missed else 0)


if __name__ == "__main__":
    main()

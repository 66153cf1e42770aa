#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random lockstep kernels, run on the simulators of both vendors and compared with the cpu reference.

usage: thread_programs.py TILEC_RUN FIRST LAST

Programs FIRST to LAST - 1 are made from their number. Each thread has two integers, and the block
some shared tiles; statements update them by votes, shuffles, reductions, exchanges through shared
memory, tile operations and atomics, in branches and loops that only some threads take. Barriers
stand wherever one thread reads what another one wrote, so each program has one result. A program
that fails is left in the working folder.
"""

import pathlib
import random
import subprocess
import sys

TARGETS = {"gfx942": "sim", "gfx950": "sim", "sm_90a": "ptx", "sm_80": "ptx"}


class Program:
    def __init__(self, number):
        self.r = random.Random(number)
        self.threads = self.r.choice([32, 64, 96, 100, 128, 192])
        self.lines, self.names = [], 0

    def emit(self, depth, *lines):
        self.lines += ["    " * (depth + 2) + line for line in lines]

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def condition(self):
        r = self.r
        return r.choice([
            f"tx < {r.randrange(1, self.threads)}",
            f"tx % {r.randrange(2, 6)} == {r.randrange(2)}",
            f"v % {r.randrange(2, 5)} == 1",
            "(k + tx) % 3 != 0",
            f"tx == {r.randrange(self.threads)}",
            "L[bx] > 0",
            f"tx >= {r.randrange(1, self.threads)}",
            "v > k",
        ])

    def shuffle(self, depth):
        # A value counts only where the thread that it comes from is there.
        here, other, lane = self.name("here"), self.name("other"), self.r.randrange(32)
        self.emit(depth, f"{here} = T.ballot(v > -1000000)",
                  f"{other} = T.shfl_sync(v, {lane}, width=32)",
                  f"bit = T.get_lane_idx() // 32 * 32 + {lane}",
                  f"isThere = (({here} >> T.cast(bit, {here}.dtype)) & 1) == 1",
                  f"v += T.if_then_else(isThere, {other} % 31, 3)")

    def statement(self, depth, loops):
        r, n = self.r, self.threads
        kinds = ["scalar", "exchange", "ballot", "reduce", "count", "shuffle", "vote", "copy",
                 "store", "own copy", "own loop", "atomic"]
        nests = ["if", "if", "for"] if loops < 2 else ["if", "if"]
        kind = r.choice(kinds + (nests if depth < 3 else []))
        if kind == "scalar":
            self.emit(depth, f"v = (v * {r.randrange(2, 9)} + tx + {r.randrange(50)}) % 1009",
                      f"k = (k + v + {r.randrange(9)}) % 17")
        elif kind == "exchange":
            self.emit(depth, "s[tx] = v", "T.sync_threads()",
                      f"v += s[(tx + {r.randrange(n)}) % {n}] % 101", "T.sync_threads()")
        elif kind == "ballot":
            self.emit(depth, f"v += T.cast(T.popcount(T.ballot({self.condition()})), 'int32')")
        elif kind == "reduce":
            fold = r.choice(["sum", "max", "min", "bitor", "bitand"])
            self.emit(depth, f"v += T.warp_reduce_{fold}(k + v % 7) % 97")
        elif kind == "count":
            fold = r.choice(["count", "and", "or"])
            self.emit(depth, f"k += T.syncthreads_{fold}({self.condition()}) % 5")
        elif kind == "shuffle":
            self.shuffle(depth)
        elif kind == "vote":
            fold = r.choice(["any", "all"])
            self.emit(depth, f"v += T.if_then_else(T.{fold}_sync({self.condition()}), 5, 2)")
        elif kind == "copy":
            self.emit(depth, f"T.copy(X[bx, 0:{n}], t)", f"v += t[tx * 3 % {n}]")
        elif kind == "store":
            self.emit(depth, "s[tx] = v", "T.copy(s, t)", f"k += t[(tx + 7) % {n}] % 3")
        elif kind == "own copy":
            self.emit(depth, "T.copy(X[bx, tx : tx + 1], w[0:1])", "v += w[0] + w[1]")
        elif kind == "own loop":
            self.emit(depth, "for q in T.Parallel(2):", "    w[q] = (v + q) % 5")
        elif kind == "atomic":
            self.emit(depth, "T.atomic_add(h[(v + 4096) % 8], 1)")
        elif kind == "if":
            self.emit(depth, f"if {self.condition()}:")
            self.block(depth + 1, r.randrange(1, 4), loops)
            if r.random() < 0.5:
                self.emit(depth, "else:")
                self.block(depth + 1, r.randrange(1, 3), loops)
        else:
            rounds = r.choice([str(r.randrange(1, 4)), f"tx % {r.randrange(2, 5)}", "k % 3"])
            i = self.name("i")
            self.emit(depth, f"for {i} in T.serial({rounds}):")
            self.block(depth + 1, r.randrange(1, 3), loops + 1)
            self.emit(depth + 1, f"v += {i}")

    def block(self, depth, count, loops):
        self.emit(depth, f"v += {self.r.randrange(9)}")
        for _ in range(count):
            self.statement(depth, loops)

    def text(self):
        self.block(0, self.r.randrange(4, 9), 0)
        n = self.threads
        head = f'''import tilelang.language as T

@T.prim_func
def main(X: T.Tensor((2, {n}), "int32"), L: T.Tensor((2,), "int32"), Y: T.Tensor((2, {n}), "int32"),
         K: T.Tensor((2, {n}), "int32"), H: T.Tensor((2, 8), "int32")):
    with T.Kernel(2, threads={n}) as bx:
        s = T.alloc_shared(({n},), "int32")
        t = T.alloc_shared(({n},), "int32")
        h = T.alloc_shared((8,), "int32")
        w = T.alloc_local((2,), "int32")
        tx = T.get_thread_binding()
        v = T.alloc_var("int32")
        k = T.alloc_var("int32")
        for tile in [s, t, h, w]:
            T.clear(tile)
        v = X[bx, tx]
        k = (tx + L[bx] + 8) % 5
'''
        tail = '''
        T.sync_threads()
        Y[bx, tx] = v + s[tx] + t[tx] + w[0] * 3 + w[1]
        K[bx, tx] = k
        if tx < 8:
            H[bx, tx] = h[tx]
'''
        return head + "\n".join(self.lines) + tail


def main():
    tool, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    failures = 0
    for number in range(first, last):
        target = list(TARGETS)[number % len(TARGETS)]
        file = pathlib.Path(f"thread-program-{number}.py")
        file.write_text(Program(number).text())
        run = subprocess.run([tool, file, f"--target={target}", f"--device={TARGETS[target]}", "--check",
                              f"--seed={number}", f"--sim-interleave={number}"],
                             capture_output=True, text=True, timeout=300)
        if run.returncode == 0 and "PASS" in run.stdout:
            file.unlink()
            continue
        failures += 1
        print(f"{file} on {target}:\n{run.stdout}{run.stderr}")
    print(f"{last - first - failures} of {last - first} programs agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

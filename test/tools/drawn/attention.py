# SPDX-License-Identifier: Apache-2.0
"""Attention: two products with a softmax between them.

Drawn are tiles, threads, stages, policies and schedules; masks, biases, gathered keys and rounds under a condition; which
intermediate tiles and rows lie in shared memory; what is written in a round.
"""

from drawn.script import Draw, Lines, ceildiv, pipelined, script


class Attention:
    def __init__(self, draw, large):
        self.large = large
        self.D, self.dtype = draw.choice([32, 64, 64, 80, 96, 128]), draw.choice(["float16", "bfloat16"])
        self.heads = draw.choice([16, 32] if large else [1, 2])
        self.DV = draw.choice([self.D, self.D, self.D, 64, 32])
        self.M = draw.choice([64, 64, 128, 128] if large else [64, 64, 128, 128, 192])
        self.N = draw.choice([32, 64, 64, 96, 128])
        M, N = self.M, self.N
        self.threads = draw.choice([128, 384] if M == 192 else [128, 128, 256, 256] if large else [128, 128, 256, 256, 384])
        self.rows = draw.choice([2048, 2048, 4096, 2000] if large else [2 * M, 2 * M + 40, 3 * M])
        self.keys = draw.choice([2048, 2048, 4096, 2000] if large else [3 * N, 4 * N, 5 * N + 24])
        policy = draw.choice(["FullRow", "FullRow", "FullRow", "Square", "FullCol"])
        self.policies = [policy, draw.choice([policy, policy, "FullRow"])]
        self.causal, self.turned = draw.chance(0.4), draw.chance(0.2)
        stages = draw.choice([0, 1, 2, 2, 2, 3, 4])
        parts = {"bias": 0.25, "gathered": 0.15 if large else 0.2, "condition": 0.2, "lengths": 0.2, "scores": 0.08 if large else 0.2,
                 "sums": 0.08 if large else 0.15, "lse": 0.3, "scaled": 0.2, "early": 0.5}
        self.has = {name: draw.chance(part) for name, part in parts.items()}
        self.scope = {name: "shared" if draw.chance(part) else "fragment" for name, part in [("p", 0.5), ("top", 0.15), ("factor", 0.2)]}
        self.loop = self.draw_loop(draw, stages)

    def draw_loop(self, draw, stages):
        last = f"T.min((bx + 1) * {self.M}, {self.keys})" if self.causal else self.keys
        rounds = "Rounds[0]" if self.has["lengths"] and not self.causal else f"T.ceildiv({last}, {self.N})"
        if draw.chance(0.05 if self.large else 0.15):
            return f"T.serial({rounds})"
        loop = pipelined(rounds, stages)
        if not self.large:
            loop = draw.choice(["{}", "{}", "{}", "schedule.ping_pong({})", "schedule.producer_consumer({})"]).format(loop)
        return loop

    def parameters(self):
        heads, rows, keys, has = self.heads, self.rows, self.keys, self.has
        values = (heads, self.DV, keys) if self.turned else (heads, keys, self.DV)
        taken = (ceildiv(rows, self.M), ceildiv(keys, self.N))
        every = [
            ("Q", (heads, rows, self.D), self.dtype, True),
            ("K", (heads, keys, self.D), self.dtype, True),
            ("V", values, self.dtype, True),
            ("Bias", (rows, keys), self.dtype, has["bias"]),
            ("Index", (keys,), "int32", has["gathered"]),
            ("Taken", taken, "int32", has["condition"]),
            ("Rounds", (1,), "int32", "Rounds" in self.loop),
            ("Scores", (heads, rows, keys), "float32", has["scores"]),
            ("Sums", (keys,), "float32", has["sums"]),
            ("Lse", (heads, rows), "float32", has["lse"]),
            ("Out", (heads, rows, self.DV), self.dtype, True),
        ]
        return [(name, shape, dtype) for name, shape, dtype, used in every if used]

    def tiles(self):
        """Name, scope, shape and dtype of each tile."""
        M, N, scope = self.M, self.N, self.scope
        yield "q", "shared", (M, self.D), self.dtype
        yield "k", "shared", (N, self.D), self.dtype
        yield "v", "shared", (self.DV, N) if self.turned else (N, self.DV), self.dtype
        yield "s", "fragment", (M, N), "float32"
        yield "p", scope["p"], (M, N), self.dtype
        yield "o", "fragment", (M, self.DV), "float32"
        if self.has["bias"]:
            yield "b", "shared", (M, N), self.dtype
        yield "top", scope["top"], (M,), "float32"
        yield "factor", scope["factor"], (M,), "float32"
        for name in ("before", "row", "total"):
            yield name, "fragment", (M,), "float32"

    def scores(self, out, level):
        """Keys (values as well where they are read early), the first product, bias and mask."""
        M, N, has = self.M, self.N, self.has
        if has["gathered"]:
            key = f"r * {N} + i"
            out.each(level, (N, self.D), f"k[i, j] = T.if_then_else({key} < {self.keys}, K[by, Index[{key}], j], 0)")
        else:
            out.add(level, f"T.copy(K[by, r * {N}, 0], k)")
        if has["early"]:
            out.add(level, self.read_values())
        if has["bias"]:
            out.add(level, f"T.copy(Bias[bx * {M}, r * {N}], b)")
        out.add(level, "T.clear(s)", f"T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.{self.policies[0]})")
        if has["bias"]:
            out.each(level, (M, N), "s[i, j] = s[i, j] + b[i, j]")
        seen = f"r * {N} + j < {self.keys}" + (f" and bx * {M} + i >= r * {N} + j" if self.causal else "")
        out.each(level, (M, N), f"s[i, j] = T.if_then_else({seen}, s[i, j] * 0.125, -1e30)")
        if has["scores"]:
            out.add(level, f"T.copy(s, Scores[by, bx * {M}, r * {N}])")

    def softmax(self, out, level):
        """Weights of a round in `p`; the output and the totals scaled by what the greatest score has grown."""
        M, N = self.M, self.N
        out.add(level, "T.copy(top, before)")
        if self.scope["top"] == "shared":
            out.add(level, "T.reduce_max(s, row, dim=1)")
            out.each(level, (M,), "top[i] = T.max(top[i], row[i])")
        else:
            out.add(level, "T.reduce_max(s, top, dim=1, clear=False)")
        out.each(level, (M,), "factor[i] = T.exp2(before[i] - top[i])")
        out.each(level, (M, N), "s[i, j] = T.exp2(s[i, j] - top[i])")
        out.add(level, "T.reduce_sum(s, row, dim=1)")
        out.each(level, (M,), "total[i] = total[i] * factor[i] + row[i]")
        if self.has["sums"]:
            key = f"r * {N} + j"
            out.each(level, (M, N), f"if {key} < {self.keys}:", f"    T.atomic_add(Sums[{key}], s[i, j])")
        out.add(level, "T.copy(s, p)")
        out.each(level, (M, self.DV), "o[i, j] *= factor[i]")

    def read_values(self):
        return f"T.copy(V[by, 0, r * {self.N}], v)" if self.turned else f"T.copy(V[by, r * {self.N}, 0], v)"

    def body(self):
        out, M, has = Lines(), self.M, self.has
        for name, scope, shape, dtype in self.tiles():
            out.add(3, f'{name} = T.alloc_{scope}({shape}, "{dtype}")')
        out.add(3, f"T.copy(Q[by, bx * {M}, 0], q)")
        if has["scaled"]:
            out.each(3, (M, self.D), "q[i, j] = q[i, j] * 0.5")
        out.add(3, "T.clear(o)", "T.clear(total)", "T.fill(top, -1e30)", f"for r in {self.loop}:")
        level = 4
        if has["condition"]:
            out.add(4, "if Taken[bx, r] != 0:")
            level = 5
        self.scores(out, level)
        self.softmax(out, level)
        if not has["early"]:
            out.add(level, self.read_values())
        out.add(level, f"T.gemm(p, v, o, transpose_B={self.turned}, policy=T.GemmWarpPolicy.{self.policies[1]})")
        out.each(3, (M, self.DV), "o[i, j] = o[i, j] / T.max(total[i], 1e-20)")
        out.add(3, f"T.copy(o, Out[by, bx * {M}, 0])")
        if has["lse"]:
            out.each(3, (M,), "total[i] = T.log2(T.max(total[i], 1e-20)) + top[i]")
            out.add(3, f"T.copy(total, Lse[by, bx * {M}])")
        return out


def drawn(seed, large=False):
    """The kernel of a seed, as a script; `large`: in sizes for timing, and as TileLang takes it, too."""
    kernel = Attention(Draw(seed), large)
    grid = f"T.ceildiv({kernel.rows}, {kernel.M}), {kernel.heads}"
    return script(kernel.parameters(), grid, kernel.threads, "(bx, by)", kernel.body(), schedules=not large)

# SPDX-License-Identifier: Apache-2.0
"""Matrix products, with what authors put around them.

Operands changed in place or in registers, scaled, gathered, dequantised from int8 or int4; rounds under a condition; two
products that share an operand, a second product behind the first; sums that are scaled, split over blocks or read in each
round; bias, residual, activation, maxima of rows.
"""

from drawn.script import Draw, Lines, ceildiv, pipelined, script

FORMS = ["plain", "plain", "int8", "int4", "gathered", "scaled_a", "in_place", "gated", "chained", "row_sums", "fragment_a", "condition",
         "split", "scaled_sums"]
SPLITS = 2  # blocks that share the depth of one tile
CHAINED_COLUMNS = 64


class Product:
    def __init__(self, draw, large):
        self.large = large
        self.M = draw.choice([64, 128, 128, 128, 256] if large else [64, 128, 128, 192, 256])
        self.N = draw.choice([64, 64, 128, 128, 256] if large else [32, 64, 96, 128, 128])
        self.K = draw.choice([32, 32, 64, 64, 128])
        M, N, K = self.M, self.N, self.K
        self.threads = draw.choice([128, 128, 256, 256] if large else [128, 128, 256, 256, 384])
        self.rows = draw.choice([2048, 4096, 4096, 3072, 3000] if large else [M, 2 * M, 2 * M + 8, M + 40])
        self.columns = draw.choice([2048, 4096, 4096, 2560, 2000] if large else [N, 2 * N, 2 * N + 16, N + 8])
        self.depth = draw.choice([1024, 2048, 2048, 4096, 1536] if large else [3 * K, 4 * K, 6 * K, 5 * K + 8, K])
        self.dtype, stages = draw.choice(["float16", "bfloat16"]), draw.choice([0, 1, 2, 2, 3, 3, 4])
        self.transpose_a, self.transpose_b = draw.chance(0.2), draw.chance(0.5)
        self.form = draw.choice(FORMS)
        self.policy = draw.choice(["Square", "Square", "FullRow", "FullCol"])
        self.result = draw.choice([self.dtype, "float32"])
        parts = [("bias", 0.3), ("activation", 0.3), ("residual", 0.2), ("shared_result", 0.25), ("row_max", 0.25)]
        self.has = {name: draw.chance(part) for name, part in parts}
        serial = draw.chance(0.05 if large else 0.1)
        schedule = None if large else draw.choice([None, None, None, None, "producer_consumer", "ping_pong"])
        self.adapt()
        rounds = f"T.ceildiv({self.depth}, {self.K * (SPLITS if self.form == 'split' else 1)})"
        loop = pipelined(rounds, stages)
        self.loop = f"T.serial({rounds})" if serial else f"schedule.{schedule}({loop})" if schedule else loop
        self.round = f"(bz * {rounds} + r)" if self.form == "split" else "r"
        self.a = (K, M) if self.transpose_a else (M, K)
        self.b = (N, K) if self.transpose_b else (K, N)
        self.operand_scope = self.draw_operand_scope(draw)

    def adapt(self):
        """What a form does not go with."""
        if self.form == "gathered":
            self.transpose_a = False
        if self.form == "int4":
            self.transpose_b = True
            if self.depth % 16:
                self.depth = 4 * self.K
        if self.form == "split":
            self.result, self.has["row_max"] = "float32", False

    def draw_operand_scope(self, draw):
        """Where the operand lies that a form makes: the dequantised one, or what is multiplied again."""
        may_be_fragment = self.form in ("int4", "chained") or (self.form == "int8" and self.transpose_b)
        return "fragment" if may_be_fragment and draw.chance(0.4) else "shared"

    def row(self):
        """A row of memory that is there, for what is read without a copy."""
        return f"T.min(by * {self.M} + i, {self.rows - 1})"

    def column(self, index="j"):
        return f"T.min(bx * {self.N} + {index}, {self.columns - 1})"

    def parameters(self):
        form, has, rows, columns, depth, dtype = self.form, self.has, self.rows, self.columns, self.depth, self.dtype
        row_tiles, rounds = ceildiv(columns, self.N), ceildiv(depth, self.K)
        b = (columns, depth // 2 if form == "int4" else depth) if self.transpose_b else (depth, columns)
        every = [
            ("A", (depth, rows) if self.transpose_a else (rows, depth), dtype, True),
            ("B", b, {"int8": "int8", "int4": "uint8"}.get(form, dtype), True),
            ("Scale", (columns,), "float32", form in ("int8", "int4")),
            ("Gate", b, dtype, form == "gated"),
            ("Index", (rows,), "int32", form == "gathered"),
            ("ScaleA", (rows, rounds), "float32", form in ("scaled_a", "scaled_sums")),
            ("Taken", (rounds,), "int32", form == "condition"),
            ("W", (self.N, CHAINED_COLUMNS), dtype, form == "chained"),
            ("Bias", (columns,), "float32", has["bias"]),
            ("Residual", (rows, columns), dtype, has["residual"]),
            ("RowSums", (rows, row_tiles), "float32", form == "row_sums"),
            ("RowMax", (rows, row_tiles), "float32", has["row_max"]),
            ("C", (rows, row_tiles * CHAINED_COLUMNS if form == "chained" else columns), self.result, True),
        ]
        return [(name, shape, dtype) for name, shape, dtype, used in every if used]

    def tiles(self):
        """Name, scope, shape and dtype of each tile."""
        M, N, form, dtype = self.M, self.N, self.form, self.dtype
        yield "a", "shared", self.a, dtype
        if form in ("int8", "int4"):
            quantised = (N, self.K // 2) if form == "int4" else self.b
            yield "quantised", "shared", quantised, "uint8" if form == "int4" else "int8"
        yield "b", self.operand_scope if form in ("int8", "int4") else "shared", self.b, dtype
        if form == "gated":
            yield "gate", "shared", self.b, dtype
            yield "gate_sums", "fragment", (M, N), "float32"
        if form == "fragment_a":
            yield "a_fragment", "fragment", self.a, dtype
        yield "c", "fragment", (M, N), "float32"
        if form == "scaled_sums":
            yield "part", "fragment", (M, N), "float32"
        if form == "row_sums":
            yield "kept", "fragment", (M,), "float32"
            yield "row", "fragment", (M,), "float32"
        if self.has["row_max"]:
            yield "row_max", "fragment", (M,), "float32"
        if self.has["shared_result"]:
            yield "c_shared", "shared", (M, N), self.result
        if form == "chained":
            yield "h", self.operand_scope, (M, N), dtype
            yield "w", "shared", (N, CHAINED_COLUMNS), dtype
            yield "o", "fragment", (M, CHAINED_COLUMNS), "float32"

    def read_a(self, out, level):
        M, K, k = self.M, self.K, self.round
        if self.form == "gathered":
            inside = f"by * {M} + i < {self.rows} and {k} * {K} + j < {self.depth}"
            out.each(level, (M, K), f"a[i, j] = T.if_then_else({inside}, A[Index[{self.row()}], {k} * {K} + j], 0)")
        else:
            at = f"{k} * {K}, by * {M}" if self.transpose_a else f"by * {M}, {k} * {K}"
            out.add(level, f"T.copy(A[{at}], a)")

    def read_b(self, out, level):
        N, K, k, form = self.N, self.K, self.round, self.form
        at = f"bx * {N}, {k} * {K // 2 if form == 'int4' else K}" if self.transpose_b else f"{k} * {K}, bx * {N}"
        out.add(level, f"T.copy(B[{at}], {'quantised' if form in ('int8', 'int4') else 'b'})")
        if form == "gated":
            out.add(level, f"T.copy(Gate[{at}], gate)")
        if form == "int8":
            scale = f"Scale[{self.column('i' if self.transpose_b else 'j')}]"
            out.each(level, self.b, f'b[i, j] = T.cast(quantised[i, j], "float32") * {scale}')
        if form == "int4":
            bits = '(quantised[i, j // 2] >> T.cast((j % 2) * 4, "uint8")) & 15'
            out.each(level, self.b, f'b[i, j] = (T.cast({bits}, "float32") - 8) * Scale[{self.column("i")}]')

    def change_a(self, out, level):
        if self.form == "in_place":
            out.each(level, self.a, "a[i, j] = T.max(a[i, j], 0)")
        if self.form == "scaled_a":
            row = f"T.min(by * {self.M} + {'j' if self.transpose_a else 'i'}, {self.rows - 1})"
            out.each(level, self.a, f"a[i, j] = a[i, j] * ScaleA[{row}, {self.round}]")
        if self.form == "fragment_a":
            out.add(level, "T.copy(a, a_fragment)")
            out.each(level, self.a, "a_fragment[i, j] = a_fragment[i, j] * 2")

    def gemm(self, a, b, c, transposed=True):
        forms = f"transpose_A={self.transpose_a}, transpose_B={self.transpose_b}, " if transposed else ""
        return f"T.gemm({a}, {b}, {c}, {forms}policy=T.GemmWarpPolicy.{self.policy})"

    def multiply(self, out, level):
        M, N, form = self.M, self.N, self.form
        if form == "scaled_sums":
            out.add(level, "T.clear(part)")
        out.add(level, self.gemm("a_fragment" if form == "fragment_a" else "a", "b", "part" if form == "scaled_sums" else "c"))
        if form == "scaled_sums":
            out.each(level, (M, N), f"c[i, j] += part[i, j] * ScaleA[{self.row()}, r]")
        if form == "gated":
            out.add(level, self.gemm("a", "gate", "gate_sums"))
        if form == "row_sums":
            out.add(level, "T.reduce_sum(c, row, dim=1)")
            out.each(level, (M,), "kept[i] = kept[i] * 0.5 + row[i] * 0.125")

    def epilogue(self, out):
        M, N, form, has = self.M, self.N, self.form, self.has
        if form == "gated":
            out.each(3, (M, N), "c[i, j] = c[i, j] * (1 / (1 + T.exp(T.min(T.max(-gate_sums[i, j], -20), 20))))")
        if has["bias"]:
            out.each(3, (M, N), f"c[i, j] += Bias[{self.column()}]")
        if has["activation"]:
            out.each(3, (M, N), "c[i, j] = T.max(c[i, j], 0)")
        if has["residual"]:
            out.each(3, (M, N), f"c[i, j] += Residual[{self.row()}, {self.column()}]")
        row = f"by * {M} + i"
        if has["row_max"]:
            out.add(3, "T.reduce_max(c, row_max, dim=1)")
            out.each(3, (M,), f"if {row} < {self.rows}:", f"    RowMax[{row}, bx] = row_max[i]")
        if form == "row_sums":
            out.each(3, (M,), f"if {row} < {self.rows}:", f"    RowSums[{row}, bx] = kept[i]")

    def write(self, out):
        M, N = self.M, self.N
        if self.form == "chained":
            out.add(3, "T.copy(W, w)", "T.copy(c, h)", "T.clear(o)", self.gemm("h", "w", "o", transposed=False),
                    f"T.copy(o, C[by * {M}, bx * {CHAINED_COLUMNS}])")
        elif self.form == "split":
            row, column = f"by * {M} + i", f"bx * {N} + j"
            out.each(3, (M, N), f"if {row} < {self.rows} and {column} < {self.columns}:", f"    T.atomic_add(C[{row}, {column}], c[i, j])")
        elif self.has["shared_result"]:
            out.add(3, "T.copy(c, c_shared)", f"T.copy(c_shared, C[by * {M}, bx * {N}])")
        else:
            out.add(3, f"T.copy(c, C[by * {M}, bx * {N}])")

    def body(self):
        out = Lines()
        for name, scope, shape, dtype in self.tiles():
            out.add(3, f'{name} = T.alloc_{scope}({shape}, "{dtype}")')
        sums = ["c", *(["gate_sums"] if self.form == "gated" else []), *(["kept"] if self.form == "row_sums" else [])]
        out.add(3, *(f"T.clear({name})" for name in sums), f"for r in {self.loop}:")
        level = 4
        if self.form == "condition":
            out.add(4, "if Taken[r] != 0:")
            level = 5
        self.read_a(out, level)
        self.read_b(out, level)
        self.change_a(out, level)
        self.multiply(out, level)
        self.epilogue(out)
        self.write(out)
        return out


def drawn(seed, large=False):
    """The kernel of a seed, as a script; `large`: in sizes for timing, and as TileLang takes it, too."""
    kernel = Product(Draw(seed), large)
    splits = SPLITS if kernel.form == "split" else 1
    grid = f"T.ceildiv({kernel.columns}, {kernel.N}), T.ceildiv({kernel.rows}, {kernel.M}), {splits}"
    return script(kernel.parameters(), grid, kernel.threads, "(bx, by, bz)", kernel.body(), schedules=not large)

# SPDX-License-Identifier: Apache-2.0
"""Kernels that read and write whole rows: softmax, norms, quantisation, sums, activations, with a residual before them."""

from drawn.script import Draw, Lines, ceildiv, script

FORMS = ["softmax", "rms_norm", "layer_norm", "int8", "sums", "activation", "float8_groups"]
ACTIVATIONS = ["x[i, j] / (1 + T.exp(-x[i, j]))", "T.max(x[i, j], 0)", "x[i, j] * 0.5 * (1 + T.erf(x[i, j] * 0.70710678))", "T.tanh(x[i, j])"]
GROUP = 128            # elements with a scale of their own
MOST_ELEMENTS = 16384  # of a tile


class Rows:
    def __init__(self, draw, large):
        self.draw = draw
        self.columns = draw.choice([512, 1024, 2048, 4096, 5120, 8192, 1000, 3072] if large else [64, 128, 256, 384, 512, 1024, 1000, 200])
        self.rows = draw.choice([4096, 8192, 16384] if large else [16, 32, 33, 50])
        self.height = draw.choice([1, 1, 2, 4, 8, 16])  # of a tile
        while self.height * self.columns > MOST_ELEMENTS:
            self.height //= 2
        self.threads = draw.choice([128, 128, 256, 512])
        self.dtype = draw.choice(["float16", "bfloat16", "float32"])
        self.shape = (self.height, self.columns)
        self.parameters, self.tiles, self.body = [], Lines(), Lines()

    def tensor(self, name, shape, dtype):
        self.parameters.append((name, shape, dtype))

    def tile(self, name, scope, shape, dtype="float32"):
        self.tiles.add(3, f'{name} = T.alloc_{scope}({shape}, "{dtype}")')

    def add(self, *lines):
        self.body.add(3, *lines)

    def each(self, *lines):
        self.body.each(3, self.shape, *lines)

    def each_row(self, *lines):
        self.body.each(3, (self.height,), *lines)

    def place(self, tensor):
        return f"{tensor}[by * {self.height}, 0]"

    def read(self):
        self.tensor("X", (self.rows, self.columns), self.dtype)
        self.tile("x", "fragment", self.shape)
        if self.draw.chance(0.5):
            self.tile("x_shared", "shared", self.shape, self.dtype)
            self.add(f"T.copy({self.place('X')}, x_shared)", "T.copy(x_shared, x)")
        else:
            self.add(f"T.copy({self.place('X')}, x)")
        if self.draw.chance(0.35):
            self.tensor("Residual", (self.rows, self.columns), self.dtype)
            self.tile("residual", "fragment", self.shape, self.dtype)
            self.add(f"T.copy({self.place('Residual')}, residual)")
            self.each("x[i, j] = x[i, j] + residual[i, j]")
            if self.draw.chance(0.5):
                self.tensor("Sum", (self.rows, self.columns), self.dtype)
                self.add(f"T.copy(x, {self.place('Sum')})")

    # What is done with a row; the tiles `total`, `top` hold one element a row.

    def softmax(self):
        self.add("T.reduce_max(x, top, dim=1)")
        self.each("x[i, j] = T.exp(x[i, j] - top[i])")
        self.add("T.reduce_sum(x, total, dim=1)")
        self.each("x[i, j] = x[i, j] / total[i]")

    def rms_norm(self):
        self.tile("squares", "fragment", self.shape)
        self.each("squares[i, j] = x[i, j] * x[i, j]")
        self.add("T.reduce_sum(squares, total, dim=1)")
        self.each_row(f"total[i] = T.rsqrt(total[i] / {self.columns} + 1e-6)")
        self.each("x[i, j] = x[i, j] * total[i]")

    def layer_norm(self):
        self.tile("squares", "fragment", self.shape)
        self.add("T.reduce_sum(x, top, dim=1)")
        self.each_row(f"top[i] = top[i] / {self.columns}")
        self.each("squares[i, j] = (x[i, j] - top[i]) * (x[i, j] - top[i])")
        self.add("T.reduce_sum(squares, total, dim=1)")
        self.each_row(f"total[i] = T.rsqrt(total[i] / {self.columns} + 1e-5)")
        self.each("x[i, j] = (x[i, j] - top[i]) * total[i]")

    def int8(self):
        self.tensor("Scale", (self.rows,), "float32")
        self.add("T.reduce_absmax(x, top, dim=1)")
        self.each_row("total[i] = T.max(top[i], 1e-6) / 127")
        self.each("x[i, j] = T.round(x[i, j] / total[i])")
        self.add(f"T.copy(total, Scale[by * {self.height}])")

    def float8_groups(self):
        groups = self.columns // GROUP
        self.tensor("Scale", (self.rows, groups), "float32")
        self.tile("scale", "fragment", (self.height, groups))
        self.tiles.add(3, f"x_groups = T.reshape(x, ({self.height}, {groups}, {GROUP}))")
        self.add("T.reduce_absmax(x_groups, scale, dim=2)")
        self.body.each(3, (self.height, groups), "scale[i, j] = T.max(scale[i, j], 1e-4) / 448")
        self.body.each(3, (self.height, groups, GROUP), "x_groups[i, j, k] = x_groups[i, j, k] / scale[i, j]")
        self.add(f"T.copy(scale, {self.place('Scale')})")

    def sums(self):
        self.tensor("Sums", (self.rows,), "float32")
        self.add("T.reduce_sum(x, total, dim=1)", f"T.copy(total, Sums[by * {self.height}])")

    def activation(self):
        self.each(f"x[i, j] = {self.draw.choice(ACTIVATIONS)}")

    def write(self, dtype):
        self.tensor("Y", (self.rows, self.columns), dtype)
        if self.draw.chance(0.3):
            self.tile("y_shared", "shared", self.shape, dtype)
            self.add("T.copy(x, y_shared)", f"T.copy(y_shared, {self.place('Y')})")
        else:
            self.add(f"T.copy(x, {self.place('Y')})")

    def script(self):
        self.read()
        form = self.draw.choice(FORMS[:-1] if self.columns % GROUP else FORMS)
        for name in ("total", "top"):
            self.tile(name, "fragment", (self.height,))
        if form != "activation":
            getattr(self, form)()
        if form in ("rms_norm", "layer_norm", "activation") and self.draw.chance(0.4):
            self.tensor("Weight", (self.columns,), self.dtype)
            self.each("x[i, j] = x[i, j] * Weight[j]")
        # What is quantised stays so: one ulp before a step is another integer behind it.
        if form == "activation" or (form not in ("int8", "float8_groups") and self.draw.chance(0.2)):
            self.activation()
        floats = self.draw.choice([self.dtype, self.dtype, "float32"])
        self.write({"int8": "int8", "float8_groups": "float8_e4m3"}.get(form, floats))
        body = Lines()
        body.text = self.tiles.text + self.body.text
        return script(self.parameters, ceildiv(self.rows, self.height), self.threads, "by", body, schedules=False)


def drawn(seed, large=False):
    """The kernel of a seed, as a script; `large`: in sizes for timing."""
    return Rows(Draw(seed), large).script()

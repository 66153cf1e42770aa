# SPDX-License-Identifier: Apache-2.0
"""Loops of several products, with any flow of data between them.

Before the loop and in its rounds tiles are read (copied, gathered, converted from int8, into registers). Steps drawn by
chance multiply them, make operands of products, mask, scale, reduce, store and add up. Sums that a round carries to the
next are written behind the loop, some through one more product. round_tiles.py has the tiles and how they are read.
"""

from drawn.round_tiles import RoundTiles, Tile, bounded
from drawn.script import Draw, Lines, pipelined, script

STEPS = (["multiply"] * 5 + ["make_operand"] * 4
         + ["mask", "multiply_elements", "reduce", "scale", "store", "read_more", "read_row", "add_operand", "add_to_memory"])


class Rounds(RoundTiles):
    # The steps of a round. One for which there is nothing to take does nothing.

    def read_more(self):
        self.read(self.draw.choice(["nd", "ne", "mn"]), self.body, self.level)

    def read_row(self):
        dim, name, source = self.draw.choice("mnd"), self.name("row"), self.name("Row")
        self.tensor(source, dim, "float32")
        scope = self.draw.choice(["fragment", "shared"])
        self.tile(name, dim, scope, "float32")
        self.body.add(self.level, f"T.copy({self.place(source, dim)}, {name})")
        self.vectors.append(Tile(name, dim, scope))

    def multiply(self):
        def common(x, y):
            return [dim for dim in x.dims if dim in y.dims]

        pairs = [(x, y) for x in self.operands for y in self.operands if x is not y and y.scope == "shared" and len(common(x, y)) == 1]
        if not pairs:
            return
        x, y = self.draw.choice(pairs)
        (depth,) = common(x, y)
        dims = x.dims.replace(depth, "") + y.dims.replace(depth, "")
        if x.scope == "fragment" and x.dims[0] == depth:
            return
        policy = self.draw.choice(["Square", "Square", "FullRow", "FullCol"]) if self.draw.chance(0.5) else None
        options = f"transpose_A={x.dims[0] == depth}, transpose_B={y.dims[1] == depth}"
        options += f", policy=T.GemmWarpPolicy.{policy}" if policy else ""
        same = [value for value in self.sums if value.dims == dims and value.open]
        if same and self.draw.chance(0.5):
            value = self.draw.choice(same)
        else:
            value = Tile(self.name("v"), dims)
            value.carried = "n" not in dims and self.draw.chance(0.8)
            self.tile(value.name, dims, "fragment", "float32")
            self.sums.append(value)
            if value.carried:
                self.clears.add(self.base, f"T.clear({value.name})")
            elif self.draw.chance(0.7):
                self.body.add(self.level, f"T.clear({value.name})")
            else:
                options += ", clear_accum=True"
        self.body.add(self.level, f"T.gemm({x.name}, {y.name}, {value.name}, {options})")

    def bound(self, value, out, level):
        self.each(out, level, value.dims, f"{value.name}[i, j] = {bounded(f'{value.name}[i, j]', 0.0625, 2)}")

    def make_operand(self):
        finished = [value for value in self.sums if not value.carried]
        if not finished:
            return
        value = self.draw.choice(finished)
        self.bound(value, self.body, self.level)
        value.open = False
        operand = Tile(self.name("p"), value.dims, self.draw.choice(["shared", "shared", "fragment"]))
        self.tile(operand.name, operand.dims, operand.scope, self.dtype)
        self.body.add(self.level, f"T.copy({value.name}, {operand.name})")
        self.operands.append(operand)
        if operand.scope == "shared" and self.draw.chance(0.15):
            target = self.name("Out")
            if "n" in operand.dims and "m" in operand.dims:
                self.tensor(target, operand.dims, self.dtype)
                self.body.add(self.level, f"T.copy({operand.name}, {self.place(target, operand.dims)})")

    def mask(self):
        if self.sums:
            value = self.draw.choice(self.sums)
            row, column = (self.position(dim, i) for dim, i in zip(value.dims, "ij"))
            self.each_element(value, f"{value.name}[i, j] = T.if_then_else({row} >= {column}, {value.name}[i, j], 0)")

    def multiply_elements(self):
        if len(self.sums) > 1:
            value, other = self.draw.sample(self.sums, 2)
            if value.dims == other.dims:
                factors = [bounded(f"{tile.name}[i, j]", 0.125, 4) for tile in (value, other)]
                self.each_element(value, f"{value.name}[i, j] = {factors[0]} * {factors[1]}")

    def reduce(self):
        if not self.sums:
            return
        value, dim = self.draw.choice(self.sums), self.draw.choice([1, 1, 0])
        row = Tile(self.name("row"), value.dims[1 - dim])
        self.tile(row.name, row.dims, "fragment", "float32")
        self.body.add(self.level, f"T.reduce_{self.draw.choice(['sum', 'max', 'absmax'])}({value.name}, {row.name}, dim={dim})")
        if self.draw.chance(0.5) and row.dims != "n":
            kept = Tile(self.name("acc"), row.dims, carried=True)
            self.tile(kept.name, kept.dims, "fragment", "float32")
            self.clears.add(self.base, f"T.clear({kept.name})")
            self.each_element(row, f"{kept.name}[i] = {kept.name}[i] * 0.5 + {bounded(f'{row.name}[i]', 0.125, 1)}")
            self.vectors.append(kept)
        self.vectors.append(row)

    def scale(self):
        if self.sums and self.vectors:
            value, vector = self.draw.choice(self.sums), self.draw.choice(self.vectors)
            if vector.dims in value.dims:
                factor = bounded(f"{vector.name}[{'ij'[value.dims.index(vector.dims)]}]", 0.125, 1)
                self.each_element(value, f"{value.name}[i, j] = {value.name}[i, j] * {factor}")

    def add_operand(self):
        pairs = [(value, x) for value in self.sums for x in self.operands if value.dims == x.dims]
        if pairs:
            value, x = self.draw.choice(pairs)
            self.each_element(value, f"{value.name}[i, j] = {value.name}[i, j] + {x.name}[i, j]")

    def store(self):
        if self.sums:
            value = self.draw.choice(self.sums)
            if sorted(value.dims) == ["m", "n"]:
                target = self.name("Out")
                self.tensor(target, value.dims, "float32")
                self.body.add(self.level, f"T.copy({value.name}, {self.place(target, value.dims)})")

    def add_to_memory(self):
        value = self.draw.choice(self.sums) if self.sums else None
        if not value or value.carried or "n" not in value.dims:
            return
        target = self.name("Sum")
        self.tensor(target, value.dims, "float32")
        self.bound(value, self.body, self.level)
        if self.draw.chance(0.5):
            self.body.add(self.level, f"T.atomic_add({self.place(target, value.dims)}, {value.name})")
        else:
            at = ", ".join(self.head + [self.position(dim, i) for dim, i in zip(value.dims, "ij")])
            self.each_element(value, f"if {self.inside(value.dims)}:", f"    T.atomic_add({target}[{at}], {value.name}[i, j])")

    # The loop and what is behind it.

    def draw_round(self):
        if self.draw.chance(0.2):
            self.parameters.append(("Taken", (self.blocks, self.rounds), "int32"))
            self.body.add(self.level, "if Taken[bx, r] != 0:")
            self.level += 1
        reads = self.draw.choice([["nd"], ["nd", "ne"], ["nd", "ne"], ["nd", "ne", "mn"], ["ne", "mn"]])
        late = [] if self.draw.chance(0.6) else [reads.pop()]
        for dims in reads:
            self.read(dims, self.body, self.level)
        for _ in range(self.draw.randint(5, 14)):
            if late and self.draw.chance(0.3):
                self.read(late.pop(), self.body, self.level)
            getattr(self, self.draw.choice(STEPS))()

    def last_product(self, value):
        """The product of a sum with a tile that is read behind the loop, or nothing."""
        across = value.dims[1]
        weights = Tile(self.name("w"), across + ("e" if across != "e" else "d"), "shared")
        if sorted(weights.dims) == sorted(value.dims):
            return []
        self.tensor("W", weights.dims, self.dtype)
        self.tile(weights.name, weights.dims, "shared", self.dtype)
        operand = Tile(self.name("p"), value.dims, self.draw.choice(["shared", "fragment"]))
        self.tile(operand.name, operand.dims, operand.scope, self.dtype)
        self.bound(value, self.after, self.base)
        result = Tile(self.name("v"), value.dims[0] + weights.dims[1])
        self.tile(result.name, result.dims, "fragment", "float32")
        self.after.add(self.base, f"T.copy({self.place('W', weights.dims)}, {weights.name})", f"T.copy({value.name}, {operand.name})",
                       f"T.gemm({operand.name}, {weights.name}, {result.name}, clear_accum=True)")
        return [result]

    def write(self, results):
        """Tiles with rows of the block's own to their rows, others and vectors to one place a block."""
        for tile in results:
            target = self.name("Out")
            if "m" in tile.dims and len(tile.dims) == 2:
                self.tensor(target, tile.dims, self.draw.choice([self.dtype, "float32"]))
                self.after.add(self.base, f"T.copy({tile.name}, {self.place(target, tile.dims)})")
            else:
                self.parameters.append((target, (self.blocks,) + self.heads + self.shape(tile.dims), "float32"))
                self.after.add(self.base, f"T.copy({tile.name}, {target}[{', '.join(['bx', *self.head, *('0' for _ in tile.dims)])}])")

    def loop(self):
        count = self.draw.choice(["static", "static", "ceildiv", "tensor"])
        rounds = {"static": self.rounds, "ceildiv": f"T.ceildiv({self.total['n']}, {self.size['n']})",
                  "tensor": f"T.min(T.max(Count[0], 0), {self.rounds})"}[count]
        if count == "tensor":
            self.parameters.append(("Count", (1,), "int32"))
        if self.serial:
            return f"T.serial({rounds})"
        loop = pipelined(rounds, self.stages)
        return f"schedule.producer_consumer({loop})" if not self.large and self.draw.chance(0.15) else loop

    def script(self):
        for dims in self.draw.choice([["md"], ["md"], ["md", "me"], ["de"], ["md", "de"]]):
            self.read(dims, self.before, self.base)
        self.draw_round()
        results = [value for value in self.sums if value.carried]
        if not results:
            return None
        if self.draw.chance(0.25):
            results += self.last_product(self.draw.choice(results))
        self.write(results + [vector for vector in self.vectors if vector.carried])
        body = Lines()
        body.text = self.tiles.text
        if self.heads:
            body.add(3, "for h in T.serial(2):")
        body.text += self.before.text + self.clears.text
        body.add(self.base, f"for r in {self.loop()}:")
        body.text += self.body.text + self.after.text
        return script(self.parameters, self.blocks, self.threads, "bx", body, schedules=not self.large)


def drawn(seed, large=False):
    """The kernel of a seed, as a script, or None; `large`: in sizes for timing, and as TileLang takes it, too."""
    return Rounds(Draw(seed), large).script()

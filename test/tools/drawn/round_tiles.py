# SPDX-License-Identifier: Apache-2.0
"""The tiles of drawn rounds (rounds.py): their sizes, names and places in memory, and how they are read.

A tile's dimensions are letters: m rows of the block, n what a round goes on by, d and e whole rows of memory.
"""

from drawn.script import Lines


class Tile:
    """`carried`: a sum that a round takes over from the one before; `open`: products may still be added to it."""

    def __init__(self, name, dims, scope="fragment", carried=False):
        self.name, self.dims, self.scope, self.carried, self.open = name, dims, scope, carried, True


def bounded(value, factor, bound):
    """A value that stays in range however often it is multiplied."""
    return f"T.max(T.min({value} * {factor}, {bound}), -{bound})"


class RoundTiles:
    def __init__(self, draw, large):
        self.draw, self.large = draw, large
        self.size = {"m": draw.choice([64, 64, 128]), "n": draw.choice([32, 64, 64, 128]),
                     "d": draw.choice([32, 64, 64, 96, 128]), "e": draw.choice([32, 64, 64, 128])}  # of a tile
        self.dtype = draw.choice(["float16", "bfloat16"])
        self.threads = draw.choice([128, 128, 256] if large else [128, 128, 256, 256, 384])
        self.rounds = draw.choice([16, 32] if large else [2, 3, 4, 5])
        ragged = draw.choice([0, 0, 0, 8] if large else [0, 0, 0, 8, 16, 24])
        self.blocks = draw.choice([132, 264, 264] if large else [1, 2])
        rows = self.size["m"] * self.blocks - (0 if large else draw.choice([0, 0, 24]))
        self.total = {**self.size, "m": rows, "n": self.size["n"] * self.rounds - ragged}  # of a tensor
        heads = 0 if large else draw.choice([0, 0, 0, 2])
        self.heads, self.head = ((heads,), ["h"]) if heads else ((), [])
        self.stages, self.serial = draw.choice([0, 1, 2, 2, 2, 3, 4]), draw.chance(0.12)
        self.parameters, self.names = [], 0
        self.operands, self.sums, self.vectors = [], [], []
        self.tiles, self.before, self.clears, self.body, self.after = (Lines() for _ in range(5))
        self.base = 4 if heads else 3  # the level of the loop
        self.level = self.base + 1     # and of what a round does

    # Names, places and loops.

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def shape(self, dims):
        return tuple(self.size[dim] for dim in dims)

    def tile(self, name, dims, scope, dtype):
        self.tiles.add(3, f'{name} = T.alloc_{scope}({self.shape(dims)}, "{dtype}")')

    def tensor(self, name, dims, dtype):
        self.parameters.append((name, self.heads + tuple(self.total[dim] for dim in dims), dtype))

    def start(self, dim):
        return {"m": f"bx * {self.size['m']}", "n": f"r * {self.size['n']}"}.get(dim, "0")

    def position(self, dim, index):
        """Where an element of a tile is in memory."""
        return f"{self.start(dim)} + {index}" if dim in "mn" else index

    def inside(self, dims):
        return " and ".join(f"{self.position(dim, index)} < {self.total[dim]}" for dim, index in zip(dims, "ij"))

    def place(self, tensor, dims):
        return f"{tensor}[{', '.join(self.head + [self.start(dim) for dim in dims])}]"

    def each(self, out, level, dims, *lines):
        out.each(level, self.shape(dims), *lines)

    def each_element(self, tile, *lines):
        """A loop of the round over all elements of a tile."""
        self.each(self.body, self.level, tile.dims, *lines)

    # Reads.

    def read(self, dims, out, level):
        """A tile from memory, on its side now and then, as an operand of products."""
        if self.draw.chance(0.3):
            dims = dims[::-1]
        tile, source = Tile(self.name("t"), dims, "shared"), self.name("In")
        if out is self.before:
            ways = ["copy", "copy", "copy", "scaled"] + ([] if self.large else ["fragment"])
        else:
            ways = ["copy"] * 8 + ["int8"] if self.large else ["copy"] * 6 + ["gather", "int8", "fragment"]
        way = self.draw.choice(ways)
        self.tensor(source, dims, "int8" if way == "int8" else self.dtype)
        if way == "gather":
            self.tile(tile.name, dims, "shared", self.dtype)
            self.gather(tile, source, out, level)
        elif way == "int8":
            self.convert(tile, source, out, level)
        elif way == "fragment":
            tile.scope = "fragment"
            self.tile(tile.name, dims, "fragment", self.dtype)
            self.read_fragment(tile, source, out, level)
        else:
            self.tile(tile.name, dims, "shared", self.dtype)
            out.add(level, f"T.copy({self.place(source, dims)}, {tile.name})")
            if way == "scaled":
                self.each(out, level, dims, f"{tile.name}[i, j] = {tile.name}[i, j] * 0.5")
        self.operands.append(tile)

    def gather(self, tile, source, out, level):
        index = self.name("Index")
        self.parameters.append((index, (self.total["n"],), "int32"))
        at = [self.position(dim, i) for dim, i in zip(tile.dims, "ij")]
        at = [f"{index}[{place}]" if dim == "n" else place for dim, place in zip(tile.dims, at)]
        element = f"{source}[{', '.join(self.head + at)}]"
        self.each(out, level, tile.dims, f"{tile.name}[i, j] = T.if_then_else({self.inside(tile.dims)}, {element}, 0)")

    def convert(self, tile, source, out, level):
        whole = self.name("q")
        self.tile(whole, tile.dims, "shared", "int8")
        self.tile(tile.name, tile.dims, "shared", self.dtype)
        out.add(level, f"T.copy({self.place(source, tile.dims)}, {whole})")
        self.each(out, level, tile.dims, f'{tile.name}[i, j] = T.cast({whole}[i, j], "float32") * 0.015625')

    def read_fragment(self, tile, source, out, level):
        place = self.place(source, tile.dims)
        if self.draw.chance(0.5):
            between = self.name("q")
            self.tile(between, tile.dims, "shared", self.dtype)
            out.add(level, f"T.copy({place}, {between})")
            place = between
        out.add(level, f"T.copy({place}, {tile.name})")

# SPDX-License-Identifier: Apache-2.0
"""Lists of tile sizes to try, largest tiles first: fixed ones, cut to the shape and the device's shared memory."""

import dataclasses


@dataclasses.dataclass
class Hint:
    block: list
    warp: list
    rstep: list
    pipeline_stage: int = 2
    rasterization_plan: object = None
    use_async: bool = True

    def __post_init__(self):
        from ..roller.rasterization import NoRasterization

        self.rasterization_plan = self.rasterization_plan or NoRasterization()


class _Template:
    """What is computed, and on which device."""

    arch = None

    def with_arch(self, arch):
        self.arch = arch
        return self

    def equivalent_function(self):
        """A kernel that computes it, plainly."""
        raise NotImplementedError

    def hints(self, topk=10):
        raise NotImplementedError

    def recommend_hints(self, topk=10):
        return self.hints(topk)


@dataclasses.dataclass
class MatmulTemplate(_Template):
    M: int = None
    N: int = None
    K: int = None
    trans_A: bool = False
    trans_B: bool = True
    in_dtype: str = "float16"
    out_dtype: str = "float16"
    accum_dtype: str = "float16"

    def equivalent_function(self):
        from . import _functions

        return _functions.matmul(self.M, self.N, self.K, self.in_dtype, self.out_dtype, self.accum_dtype,
                                 self.trans_A, self.trans_B)  # fmt: skip

    def hints(self, topk=10):
        from ...._dtypes import dtype

        found = []
        size = dtype(self.in_dtype).bytes
        capacity = self.arch.smem_cap if self.arch else 65536
        for m, n in ((128, 256), (256, 128), (128, 128), (64, 256), (256, 64), (128, 64), (64, 128), (64, 64),
                     (32, 64), (64, 32), (32, 32), (16, 64), (16, 32)):  # fmt: skip
            for k in (64, 32, 128):
                for stages in (3, 2):
                    fits = (m + n) * k * size * stages <= capacity
                    useful = all(not isinstance(x, int) or b <= max(x, 16) for b, x in ((m, self.M), (n, self.N), (k, self.K)))
                    if fits and useful:
                        found.append(Hint([m, n], [max(16, m // 2), max(16, n // 2)], [k], stages))
        return found[:topk]


def _rows(shape, steps, topk):
    """Tiles of 2048 elements down to 64: the last dimensions whole as far as they go, or halves of that."""
    found = []
    for elements in (2048, 1024, 512, 256, 128, 64):
        block, rest = [], elements
        for n in reversed(shape):
            part = 1 << (min(rest, n).bit_length() - 1)
            block.insert(0, part)
            rest = max(1, rest // part)
        for step in steps:
            hint = Hint(block, block, [step] if step else [])
            if hint not in found:
                found.append(hint)
    return found[:topk]


@dataclasses.dataclass
class GEMVTemplate(_Template):
    N: int = None
    K: int = None
    trans_B: bool = True
    in_dtype: str = "float16"
    out_dtype: str = "float16"
    accum_dtype: str = "float16"

    def equivalent_function(self):
        from . import _functions

        return _functions.gemv(self.N, self.K, self.in_dtype, self.out_dtype, self.accum_dtype, self.trans_B)

    def hints(self, topk=10):
        return _rows([self.N], [k for k in (512, 256, 128, 64) if k <= max(self.K, 64)], topk)


@dataclasses.dataclass
class GeneralReductionTemplate(_Template):
    """Sums over the dimensions for which `structure` has an R: "SSR"."""

    structure: str
    shape: list
    dtype: str = "float16"

    def __post_init__(self):
        if len(self.structure) != len(self.shape) or set(self.structure) - {"S", "R"}:
            raise ValueError(f"{self.structure!r} has no S or R for each of the {len(self.shape)} dimensions of {self.shape}")

    def equivalent_function(self):
        from . import _functions

        return _functions.reduction(self.structure, list(self.shape), self.dtype)

    def hints(self, topk=10):
        kept = [n for n, kind in zip(self.shape, self.structure) if kind == "S"]
        summed = [n for n, kind in zip(self.shape, self.structure) if kind == "R"]
        steps = [k for k in (256, 128, 64, 32) if summed and k <= max(summed[-1], 32)] or [None]
        return _rows(kept or [1], steps, topk)


@dataclasses.dataclass
class ElementwiseTemplate(_Template):
    shape: list
    dtype: str = "float16"

    def equivalent_function(self):
        from . import _functions

        return _functions.elementwise(list(self.shape), self.dtype)

    def hints(self, topk=10):
        return _rows(list(self.shape), [None], topk)

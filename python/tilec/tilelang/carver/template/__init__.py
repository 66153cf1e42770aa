# SPDX-License-Identifier: Apache-2.0
"""Lists of tile sizes to try: MatmulTemplate as a fixed list, largest tiles first."""

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


class MatmulTemplate:
    def __init__(self, M=None, N=None, K=None, in_dtype="float16", out_dtype="float16", accum_dtype="float16",
                 trans_A=False, trans_B=True, **_):  # fmt: skip
        self.M, self.N, self.K, self.in_dtype = M, N, K, in_dtype
        self.arch = None

    def with_arch(self, arch):
        self.arch = arch
        return self

    def equivalent_function(self):
        return None

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

    recommend_hints = hints


class GEMVTemplate(MatmulTemplate):
    pass

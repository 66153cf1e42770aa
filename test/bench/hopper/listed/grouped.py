# SPDX-License-Identifier: Apache-2.0
"""Upstream's grouped product in several configurations, beside torch._grouped_mm (bf16; ours and TileLang's in f16)."""

import torch

import upstream_example

CONFIGURATIONS = [  # rows of the groups, block_M, block_N, block_K, stages, threads
    ((63, 77, 111, 280), 64, 64, 64, 2, 128),
    ((100, 200, 300, 400), 64, 128, 64, 2, 128),
    ((256, 384, 512, 640), 128, 128, 64, 3, 256),
    ((256, 384, 512, 640), 128, 128, 64, 3, 128),
    ((256, 384, 512, 640), 128, 128, 64, 5, 256),
    ((256, 384, 512, 640), 128, 256, 64, 3, 256),
]


def main():
    example = upstream_example.of("grouped_gemm/example_grouped_gemm_fwd.py")
    for rows, bm, bn, bk, stages, threads in CONFIGURATIONS:
        inputs = example["construct_inputs"](list(rows), 8192, 8192, False, bm, "cuda", torch.float16)
        example["grouped_gemm"](*inputs, rows, bm, bn, bk, False, stages, threads)


def rival(name, a, b, sizes, *_):
    a, b = a.bfloat16(), b.bfloat16()
    ends = torch.cumsum(sizes, 0).int()
    return lambda: torch._grouped_mm(a, b, ends)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Upstream's product, attention, softmax and addition at shapes drawn by a seed (DRAWN_SEED)."""

import os
import random

import torch

import upstream_example

PARTS = 5
draw = random.Random(int(os.environ.get("DRAWN_SEED", "2811")) * 64 + int(os.environ["PART"]))


def halves(*shape):
    return torch.randn(*shape, device="cuda").half()


def a_product():
    matmul = upstream_example.of("gemm/example_gemm.py")["matmul"]
    m, n, k = (8 * round(2 ** draw.uniform(5, 10)) for _ in range(3))
    matmul(halves(m, k), halves(k, n), draw.choice([64, 128]), draw.choice([64, 128]), draw.choice([32, 64]))


def an_attention():
    flash = upstream_example.of("flash_attention/example_mha_fwd_bshd.py")["flashattn"]
    batch, heads, length, dim = draw.choice([1, 2, 4]), draw.choice([4, 8, 16]), 64 * draw.randint(4, 64), draw.choice([64, 128])
    kernel = flash(batch, heads, length, dim, draw.random() < 0.5)
    kernel(*(halves(batch, length, heads, dim) for _ in range(3)))


def a_softmax():
    softmax = upstream_example.of("online_softmax/online_softmax.py")["softmax_kernel"]
    softmax(halves(64 * draw.randint(8, 256), 8 * draw.randint(64, 2048)), 1, draw.choice([2048, 4096, 8192]))


def an_addition():
    add = upstream_example.of("elementwise/example_elementwise_add.py")["elementwise_add"]
    m, n = 32 * draw.randint(16, 256), 32 * draw.randint(16, 256)
    x, y = (torch.randn(m, n, device="cuda") for _ in range(2))
    add(x, y, 32, 32, "float32", "float32", 128)


def main():
    for _ in range(6):
        draw.choices([a_product, an_attention, a_softmax, an_addition], [5, 2, 2, 1])[0]()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Upstream's split-K products, few tiles and a long K among them, beside cublasGemmEx."""

import torch

import upstream_example

SHAPES = [(512, 512, 16384), (4096, 4096, 4096), (1024, 512, 8192)]


def main():
    for file in ("example_tilelang_gemm_splitk.py", "example_tilelang_gemm_splitk_vectorize_atomicadd.py"):
        matmul = upstream_example.of(f"gemm_splitk/{file}")["matmul"]
        for m, n, k in SHAPES if "vectorize" not in file else SHAPES[:1]:
            a, b = torch.randn(m, k, device="cuda").half(), torch.randn(k, n, device="cuda").half()
            matmul(a, b, torch.zeros(m, n, device="cuda"), 128, 128, 32, 4)


def rival(name, a, b, c):
    return lambda: torch.mm(a, b)


if __name__ == "__main__":
    main()

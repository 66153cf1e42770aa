# SPDX-License-Identifier: Apache-2.0
"""Upstream's kernels that memory bounds, at larger sizes, beside the library's where there is one."""

import torch

import upstream_example


def main():
    gemv = upstream_example.of("gemv/example_gemv.py")
    for n, k in ((16384, 16384), (4096, 11008)):
        x, w = torch.randn(k, device="cuda").half(), torch.randn(n, k, device="cuda").half()
        gemv["splitk_gemv_vectorized"](x, w, 2, 32)
    norm = upstream_example.of("norm/rms_norm.py")
    x = torch.randn(8192, 8192, device="cuda")
    norm["rms_norm_splitk"](x, 1, 512)
    norm["rms_norm"](x, 1)
    softmax = upstream_example.of("online_softmax/online_softmax.py")["softmax_kernel"]
    softmax(torch.randn(8192, 8192, device="cuda").half())


def rival(name, x, *more):
    if name.startswith("splitk_gemv"):
        return lambda: torch.mv(more[0], x)
    return None


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a bf16 matrix product, C = A * B^T, with Triton for an AMD chip; no GPU is needed.

usage: triton_gemm.py CHIP M N K OUT.hsaco     (python with the package triton; `pip install triton`)

The kernel is the textbook one: tiles of 256 x 256 x 64, eight waves, two stages, blocks in groups of rows.
All sizes and strides are compile-time constants, as they are in the kernels that it is compared with. The
last line printed is `symbol shared_bytes`.
"""
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def gemm(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
         BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    per_group = GROUP * (N // BN)
    first = pid // per_group * GROUP
    rows = min(M // BM - first, GROUP)
    pid_m = first + pid % per_group % rows
    pid_n = pid % per_group // rows
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = a + m[:, None] * K + k[None, :]
    b_at = b + n[None, :] * K + k[:, None]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += BK
        b_at += BK
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.bfloat16))


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    chip, out = sys.argv[1], sys.argv[5]
    m, n, k = map(int, sys.argv[2:5])
    # gfx942 has 64 KiB of LDS.
    constants = {"M": m, "N": n, "K": k, "BM": 256, "BN": 256, "BK": 64 if chip == "gfx950" else 32, "GROUP": 8}
    signature = {"a": "*bf16", "b": "*bf16", "c": "*bf16", **{name: "constexpr" for name in constants}}
    divisible = {(i,): [["tt.divisibility", 16], ["tt.pointer_range", 32]] for i in range(3)}
    source = ASTSource(fn=gemm, signature=signature, constexprs=constants, attrs=divisible)
    kernel = triton.compile(source, target=GPUTarget("hip", chip, 64),
                            options={"num_warps": 8, "num_stages": 2, "waves_per_eu": 2, "matrix_instr_nonkdim": 16})
    with open(out, "wb") as file:
        file.write(kernel.asm["hsaco"])
    print(kernel.metadata.name, kernel.metadata.shared)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Files of kernels that natural.py writes: what a kernel's file is made of, and its tensors as (name, shape, dtype, how
torch makes it)."""
import textwrap

FILES = {}  # name: text


def kernel(name, body, args, prefix=""):
    sig_s = ", ".join(f"{n}: T.Tensor({s}, \"{d}\")" for n, s, d, _ in args)
    call = ",\n        ".join(a[3] for a in args)
    FILES[f"{prefix}{name}.py"] = f'''import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main({sig_s}):
{textwrap.indent(textwrap.dedent(body).strip(), "        ")}

    return main


def main():
    kernel()(
        {call},
    )


if __name__ == "__main__":
    main()
'''


def rn(name, shape, dtype="float16", scale=None):
    return (name, shape, dtype, f'torch.randn({shape}, device="cuda", dtype=torch.{dtype})' + (f" * {scale}" if scale else ""))


def ri(name, shape, dtype, low, high):
    return (name, shape, dtype, f'torch.randint({low}, {high}, {shape}, device="cuda", dtype=torch.{dtype})')


def f8(name, shape):
    return (name, shape, "float8_e4m3fn", f'torch.randn({shape}, device="cuda").to(torch.float8_e4m3fn)')


def out(name, shape, dtype):
    return (name, shape, dtype, f'torch.empty({shape}, device="cuda", dtype=torch.{dtype})')

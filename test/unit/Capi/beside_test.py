#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libtilec.so in one process with PyTorch and Triton, which bring an LLVM of their own.

usage: beside_test.py LIBTILEC SCRIPT [PYTHON]

Loads them before and after libtilec.so, with their names for all to see, and compiles for both vendors; Triton's own
compiler parses a module before and after. Where PYTHON (this one) has neither package the test is skipped (77).
"""
import ctypes
import os
import subprocess
import sys

SKIPPED = 77
ORDERS = ("tilec,torch,triton", "torch,triton,tilec", "triton,tilec,torch")


class Str(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Options(ctypes.Structure):  # the first fields of tilec_compile_options; `size` says that they are all
    _fields_ = [("size", ctypes.c_size_t), ("target", ctypes.c_char_p), ("entry", ctypes.c_char_p),
                ("schedule", ctypes.c_char_p), ("ptx_assembler", ctypes.c_char_p)]


class CompilerOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cache_dir", ctypes.c_char_p)]


def compile_kernels(library, script):
    tilec = ctypes.CDLL(library)
    for function in ("tilec_binary_image", "tilec_binary_log"):
        getattr(tilec, function).restype = Str
    compiler, program = ctypes.c_void_p(), ctypes.c_void_p()
    options = CompilerOptions(ctypes.sizeof(CompilerOptions), b"")
    assert tilec.tilec_compiler_create(ctypes.byref(options), ctypes.byref(compiler)) == 0
    assert tilec.tilec_program_from_file(compiler, script.encode(), ctypes.byref(program)) == 0
    for target in ("gfx950", "sm_90a"):
        binary = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), target.encode(), b"gemm(256, 256, 256)", None, b"none")
        status = tilec.tilec_compile(program, ctypes.byref(options), ctypes.byref(binary))
        assert status == 0, tilec.tilec_binary_log(binary).data
        assert tilec.tilec_binary_image(binary).size > 1000
        tilec.tilec_binary_release(binary)
    tilec.tilec_program_release(program)
    tilec.tilec_compiler_release(compiler)


def use_triton():
    from triton._C import libtriton
    context = libtriton.ir.context()
    libtriton.ir.load_dialects(context)
    libtriton.llvm.init_targets()


def run_order(order, library, script):
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    for name in order.split(","):
        if name == "tilec":
            compile_kernels(library, script)
        elif name == "torch":
            import torch
            assert int(torch.ones(8).sum()) == 8
        else:
            use_triton()
    compile_kernels(library, script)
    if "triton" in order:
        use_triton()
    print(f"{order}: done", flush=True)


def main(library, script, python=sys.executable, order=None):
    if order:
        return run_order(order, library, script)
    found = [name for name in ("torch", "triton")
             if subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode == 0]
    if not found:
        print("no torch and no triton here")
        return SKIPPED
    for order in ORDERS:
        order = ",".join(name for name in order.split(",") if name == "tilec" or name in found)
        subprocess.run([python, __file__, library, script, python, order], check=True, timeout=300)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

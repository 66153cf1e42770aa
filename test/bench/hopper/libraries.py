# SPDX-License-Identifier: Apache-2.0
"""The vendor's libraries as contenders: cublasGemmEx, cublasLt, and cuDNN through PyTorch.

cuBLAS is called through ctypes, the library that PyTorch has loaded; numbers are those of cublas_api.h, cublasLt.h and
library_types.h (CUDA 11.8 to 13), as in lib/Runtime/CublasAbi.h. Row-major C = A B is C^T = B^T A^T to cuBLAS: its first
matrix is B.
"""

import ctypes
import glob
import os

import torch

TYPES = {torch.float32: 0, torch.float16: 2, torch.bfloat16: 14, torch.float8_e4m3fn: 28, torch.float8_e5m2: 29}
COMPUTE_F32 = 68
TRANSA, TRANSB, SCALE_A, SCALE_B, FAST_ACCUMULATION = 3, 4, 17, 18, 25
MAX_WORKSPACE = 1
EX_WORKSPACE, LT_WORKSPACE = 32 << 20, 64 << 20  # NVIDIA's advice for Hopper; more only widens Lt's choice
MOST_ALGORITHMS = 24


class Heuristic(ctypes.Structure):
    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("status", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def library(name):
    """The one that is loaded, by its soname, else the newest that PyTorch's packages or the toolkit have."""
    folders = [os.path.join(os.path.dirname(torch.__path__[0]), "nvidia/*/lib"), "/usr/local/cuda*/lib64"]
    files = [path for folder in folders for path in sorted(glob.glob(f"{folder}/{name}.so.*"), reverse=True)]
    for place in [f"{name}.so.13", f"{name}.so.12", *files, f"{name}.so"]:
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    raise RuntimeError(f"{name} was not found")


def checked(code, what):
    if code:
        raise RuntimeError(f"{what} failed with code {code}")


def pointer(value):
    return ctypes.c_void_p(value.data_ptr() if isinstance(value, torch.Tensor) else value)


def workspace(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def extents(a, b, nt):
    m, k = a.shape
    return m, b.shape[0] if nt else b.shape[1], k


class GemmEx:
    """cublasGemmEx, its default algorithm."""

    def __init__(self, stream):
        self.api, self.handle = library("libcublas"), ctypes.c_void_p()
        self.memory = workspace(EX_WORKSPACE)
        checked(self.api.cublasCreate_v2(ctypes.byref(self.handle)), "cublasCreate")
        checked(self.api.cublasSetStream_v2(self.handle, ctypes.c_void_p(stream)), "cublasSetStream")
        checked(self.api.cublasSetWorkspace_v2(self.handle, pointer(self.memory), ctypes.c_size_t(EX_WORKSPACE)),
                "cublasSetWorkspace")
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)

    def product(self, a, b, c, nt):
        m, n, k = extents(a, b, nt)
        arguments = [self.handle, int(nt), 0, n, m, k, ctypes.byref(self.one), pointer(b), TYPES[b.dtype], k if nt else n,
                     pointer(a), TYPES[a.dtype], k, ctypes.byref(self.zero), pointer(c), TYPES[c.dtype], n, COMPUTE_F32, -1]
        return lambda: checked(self.api.cublasGemmEx(*arguments), "cublasGemmEx")


class Lt:
    """cublasLtMatmul: what its heuristics propose for one product."""

    def __init__(self, stream):
        self.api, self.handle, self.stream = library("libcublasLt"), ctypes.c_void_p(), ctypes.c_void_p(stream)
        self.memory = workspace(LT_WORKSPACE)
        checked(self.api.cublasLtCreate(ctypes.byref(self.handle)), "cublasLtCreate")
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)

    def made(self, function, *arguments):
        handle = ctypes.c_void_p()
        checked(getattr(self.api, function)(ctypes.byref(handle), *arguments), function)
        return handle

    def describe(self, a, b, c, nt, scales):
        """Description and layouts; scales are (of A, of B), tensors of one f32, or None."""
        m, n, k = extents(a, b, nt)
        desc = self.made("cublasLtMatmulDescCreate", COMPUTE_F32, TYPES[torch.float32])

        def put(attribute, value):
            checked(self.api.cublasLtMatmulDescSetAttribute(desc, attribute, ctypes.byref(value),
                                                            ctypes.c_size_t(ctypes.sizeof(value))), "cublasLt attribute")

        def layout(tensor, rows, columns):
            return self.made("cublasLtMatrixLayoutCreate", TYPES[tensor.dtype], ctypes.c_uint64(rows),
                             ctypes.c_uint64(columns), ctypes.c_int64(rows))

        put(TRANSA, ctypes.c_int32(int(nt)))
        put(TRANSB, ctypes.c_int32(0))
        if a.dtype.itemsize == 1:
            put(FAST_ACCUMULATION, ctypes.c_int8(1))  # as wgmma itself adds fp8 products
        if scales:
            put(SCALE_A, pointer(scales[1]))
            put(SCALE_B, pointer(scales[0]))
        return desc, layout(b, k if nt else n, n if nt else k), layout(a, k, m), layout(c, n, m)

    def proposals(self, description):
        desc, first, second, result = description
        preference, count = self.made("cublasLtMatmulPreferenceCreate"), ctypes.c_int()
        limit = ctypes.c_size_t(LT_WORKSPACE)
        checked(self.api.cublasLtMatmulPreferenceSetAttribute(preference, MAX_WORKSPACE, ctypes.byref(limit),
                                                              ctypes.c_size_t(8)), "cublasLt preference")
        found = (Heuristic * MOST_ALGORITHMS)()
        checked(self.api.cublasLtMatmulAlgoGetHeuristic(self.handle, desc, first, second, result, result, preference,
                                                        MOST_ALGORITHMS, found, ctypes.byref(count)), "cublasLt heuristics")
        return [found[i] for i in range(count.value) if found[i].status == 0]

    def product(self, a, b, c, description, heuristic):
        desc, first, second, result = description
        arguments = [self.handle, desc, ctypes.byref(self.one), pointer(b), first, pointer(a), second,
                     ctypes.byref(self.zero), pointer(c), result, pointer(c), result, ctypes.byref(heuristic),
                     pointer(self.memory), ctypes.c_size_t(LT_WORKSPACE), self.stream]
        return lambda: checked(self.api.cublasLtMatmul(*arguments), "cublasLtMatmul")


def cudnn_attention(q, k, v, causal):
    """cuDNN's attention on [B, S, H, D]; the result is [B, H, S, D]."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    views = [t.transpose(1, 2) for t in (q, k, v)]

    def run():
        with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]), torch.no_grad():
            return torch.nn.functional.scaled_dot_product_attention(*views, is_causal=causal,
                                                                    enable_gqa=k.shape[2] != q.shape[2])

    return run

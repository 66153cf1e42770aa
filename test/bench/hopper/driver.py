# SPDX-License-Identifier: Apache-2.0
"""Launches a compiled kernel from Python through the CUDA driver, next to PyTorch in one process.

What examples/cuda-host does in C++: reads the launch manifest, packs the parameters, encodes tensor
maps. Needs nothing but ctypes; tensors are given as (address, shape).
"""

import ctypes
import json
import math
import re

CU_FUNC_MAX_DYNAMIC_SHARED = 8
CLUSTER_ATTRIBUTE = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
CLOCK, MULTIPROCESSORS, MEMORY_CLOCK, MEMORY_BITS = 13, 16, 36, 37  # CU_DEVICE_ATTRIBUTE_...
EARLY_ATTRIBUTE = 6    # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
NUMBERS = {"int8": ctypes.c_int8, "int32": ctypes.c_int32, "int64": ctypes.c_int64, "uint8": ctypes.c_uint8,
           "uint32": ctypes.c_uint32, "float32": ctypes.c_float, "float64": ctypes.c_double}


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("dims", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)),
                ("count", ctypes.c_uint)]


cuda = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{what}: {code} {(text.value or b'').decode()}")


def device_attribute(which):
    """Of the device."""
    value = ctypes.c_int()
    check(cuda.cuDeviceGetAttribute(ctypes.byref(value), which, 0), "cuDeviceGetAttribute")
    return value.value


def evaluate(expression, names):
    """A size of the manifest: an integer, or Python's + - * // % with ceildiv, min and max."""
    if isinstance(expression, int):
        return expression
    if not re.fullmatch(r"[\w\s+\-*/%(),]*", expression):
        raise ValueError(f"no size: {expression}")
    functions = {"ceildiv": lambda a, b: -(-a // b), "min": min, "max": max, "__builtins__": {}}
    return eval(expression, functions, dict(names))


def tensor_map_type(dtype):
    table = {"uint16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5, "float16": 6,
             "float32": 7, "float64": 8, "bfloat16": 9}
    return table.get(dtype, 0)  # bytes: fp8, int8


def bits_of(dtype):
    return int(re.match(r"[a-z]+(\d+)", dtype.replace("bfloat", "float")).group(1))


def encode_map(param, address, dims):
    size = bits_of(param["dtype"]) // 8
    extents = [evaluate(e, dims) for e in param["dims"]]
    strides = [evaluate(e, dims) * size for e in param["strides"]]
    rank = len(extents)
    storage = ctypes.create_string_buffer(128 + 128)
    aligned = (ctypes.addressof(storage) + 127) // 128 * 128
    swizzle = {0: 0, 32: 1, 64: 2, 128: 3}[param["swizzle"]]
    promotion = {0: 0, 64: 1, 128: 2, 256: 3}[evaluate(param.get("l2_promotion", 256), dims)]
    tensor = (ctypes.c_void_p(aligned), tensor_map_type(param["dtype"]), rank, ctypes.c_void_p(address),
              (ctypes.c_uint64 * rank)(*extents), (ctypes.c_uint64 * max(rank - 1, 1))(*strides))
    if "im2col" in param:
        im2col = param["im2col"]
        corners, channels_pixels = ctypes.c_int * (rank - 2), map(ctypes.c_uint32, param["box"])
        code = cuda.cuTensorMapEncodeIm2col(
            *tensor, corners(*im2col["lower"]), corners(*im2col["upper"]), *channels_pixels,
            (ctypes.c_uint32 * rank)(1, *im2col["steps"], 1), 0, swizzle, promotion, 0)
        check(code, "cuTensorMapEncodeIm2col")
        return storage, aligned
    code = cuda.cuTensorMapEncodeTiled(
        *tensor, (ctypes.c_uint32 * rank)(*param["box"]), (ctypes.c_uint32 * rank)(*[1] * rank),
        0, swizzle, promotion, 0)
    check(code, "cuTensorMapEncodeTiled")
    return storage, aligned


class Launch:
    """A launch of a manifest, with its function."""

    def __init__(self, module, launch, flops=0):
        self.function, self.launch, self.flops = ctypes.c_void_p(), launch, flops
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, launch["symbol"].encode()),
              "cuModuleGetFunction")
        if launch["shared_bytes"]:
            check(cuda.cuFuncSetAttribute(self.function, CU_FUNC_MAX_DYNAMIC_SHARED, launch["shared_bytes"]),
                  "cuFuncSetAttribute")

    def value(self, param, tensors, dims, scalars):
        """What a parameter gets that is no tensor map."""
        kind, name = param["kind"], param["name"]
        if kind in ("tensor", "workspace"):
            return ctypes.c_uint64(tensors[name])
        if kind in ("dim", "stride"):
            return NUMBERS[param["dtype"]](dims[name])
        if kind == "scalar" and param["dtype"] in NUMBERS:
            return NUMBERS[param["dtype"]](scalars[name])
        raise ValueError(f"a {kind} parameter")

    def gains_by_overlap(self, grid, cluster, dims):
        """The rule of tilec's runtime (lib/Runtime/Cuda.cpp)."""
        resident = ctypes.c_int()
        check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(resident), self.function,
              math.prod(self.launch["block"]), ctypes.c_size_t(self.launch["shared_bytes"])), "cuOccupancyMaxActiveBlocksPerMultiprocessor")
        blocks, resident, units = math.prod(grid), resident.value, device_attribute(MULTIPROCESSORS)
        if blocks * 8 <= units or resident > 1:
            return blocks * 8 <= units or blocks >= resident * units
        if math.prod(cluster) == 1 and blocks <= units and self.least_microseconds(dims) > 18:
            return False
        return blocks * 10 >= units * 9 or math.prod(cluster) >= 4 and blocks * 2 > units

    def least_microseconds(self, dims):
        """What the launch takes if it is as fast as the device can be."""
        touched = sum(math.prod(evaluate(e, dims) for e in param["shape"]) * bits_of(param["dtype"]) / 8
                   for param in self.launch["params"] if param["kind"] == "tensor")
        return max(touched / (2e-3 * device_attribute(MEMORY_CLOCK) * device_attribute(MEMORY_BITS) / 8),
                   evaluate(self.flops, dims) / (1e-3 * device_attribute(CLOCK) * device_attribute(MULTIPROCESSORS) * 4096))

    def bind(self, tensors, stream, dims, scalars, early):
        keep, pointers = [], []
        for param in self.launch["params"]:
            if param["kind"] == "tensormap":
                storage, address = encode_map(param, tensors[param["of"]], dims)
                keep.append(storage)
                pointers.append(ctypes.c_void_p(address))
                continue
            value = self.value(param, tensors, dims, scalars)
            keep.append(value)
            pointers.append(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p))
        array = (ctypes.c_void_p * len(pointers))(*pointers)
        config = LaunchConfig()
        config.grid = (ctypes.c_uint * 3)(*[evaluate(e, dims) for e in self.launch["grid"]])
        config.block = (ctypes.c_uint * 3)(*self.launch["block"])
        config.shared, config.stream = self.launch["shared_bytes"], stream
        attributes = (LaunchAttribute * 2)()
        cluster = self.launch.get("cluster", [1, 1, 1])
        early = early and self.launch.get("early") and self.gains_by_overlap(list(config.grid), cluster, dims)
        for attribute, values in [(CLUSTER_ATTRIBUTE, cluster if cluster != [1, 1, 1] else None),
                                  (EARLY_ATTRIBUTE, [1] if early else None)]:
            if values:
                attributes[config.count].id = attribute
                attributes[config.count].dims[:len(values)] = values
                config.count += 1
        config.attributes = attributes
        keep += [array, config, attributes]

        def run(keep=keep):
            check(cuda.cuLaunchKernelEx(ctypes.byref(config), self.function, array, None),
                  "cuLaunchKernelEx")

        return run


class Program:
    """A cubin with its manifest, bound to tensors; PyTorch must have made its context."""

    def __init__(self, path, manifest=None):
        self.manifest = json.load(open(manifest or path + ".json"))
        module = ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), open(path, "rb").read() + b"\0"),
              "cuModuleLoadData")
        each = self.manifest["launches"]
        self.launches = [Launch(module, launch, self.manifest.get("flops", 0) if len(each) == 1 else 0) for launch in each]

    @property
    def launch(self):
        """The only launch."""
        if len(self.launches) != 1:
            raise ValueError("more than one launch")
        return self.launches[0].launch

    @property
    def params(self):
        """Of all launches; one that several have is there as often."""
        return [param for launch in self.launches for param in launch.launch["params"]]

    def bind(self, tensors, stream, dims=None, early=False, scalars=None):
        """A function that runs it once. `tensors`: name -> address, workspaces too. `early`: where the manifest allows it, a
        launch does not wait for the end of the kernel before it."""
        runs = [launch.bind(tensors, stream, dims or {}, scalars or {}, early) for launch in self.launches]
        if len(runs) == 1:
            return runs[0]

        def run():
            for each in runs:
                each()

        return run

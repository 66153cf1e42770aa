//===- main.cpp - load a compiled kernel with the CUDA driver API ---------===//
//
// usage: cuda-host OUT [NAME=VALUE...]     OUT is what `tilec -o OUT` wrote for sm_80 or sm_90a
//
// Shows what a host program does with a cubin and its launch manifest: load, allocate, pack the
// parameters at their offsets, encode tensor maps, launch, read back. NAME=VALUE gives dims and
// scalars. The driver's functions are declared here and opened at run time, so that this builds
// without CUDA; with <cuda.h> the declarations go away. tilec/Runtime/Launch.h does all of this for
// you.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Launch.h"
#include "tilec/Runtime/Npy.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tilec;
using namespace tilec::rt;

namespace {

// From <cuda.h>.
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
struct alignas(128) CUtensorMap {
  uint64_t opaque[16];
};

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "cuda-host: %s\n", what.c_str());
  std::exit(1);
}

/// A function of the driver; a call that fails ends the program.
template <typename... Args> struct Driver {
  const char *name;
  void operator()(Args... args) const {
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
      fail("no CUDA driver (libcuda.so.1) on this machine");
    auto *function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    if (!function)
      fail(std::string("the driver has no ") + name);
    if (int code = function(args...))
      fail(std::string(name) + " failed with code " + std::to_string(code));
  }
};

const Driver<unsigned> cuInit{"cuInit"};
const Driver<CUcontext *, int> cuDevicePrimaryCtxRetain{"cuDevicePrimaryCtxRetain"};
const Driver<CUcontext> cuCtxSetCurrent{"cuCtxSetCurrent"};
const Driver<CUmodule *, const void *> cuModuleLoadData{"cuModuleLoadData"};
const Driver<CUfunction *, CUmodule, const char *> cuModuleGetFunction{"cuModuleGetFunction"};
const Driver<CUfunction, int, int> cuFuncSetAttribute{"cuFuncSetAttribute"};
const Driver<CUdeviceptr *, size_t> cuMemAlloc{"cuMemAlloc_v2"};
const Driver<CUdeviceptr, const void *, size_t> cuMemcpyHtoD{"cuMemcpyHtoD_v2"};
const Driver<void *, CUdeviceptr, size_t> cuMemcpyDtoH{"cuMemcpyDtoH_v2"};
const Driver<CUdeviceptr, unsigned char, size_t> cuMemsetD8{"cuMemsetD8_v2"};
const Driver<CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             CUstream, void **, void **>
    cuLaunchKernel{"cuLaunchKernel"};
const Driver<CUstream> cuStreamSynchronize{"cuStreamSynchronize"};
const Driver<CUtensorMap *, int, unsigned, void *, const uint64_t *, const uint64_t *,
             const uint32_t *, const uint32_t *, int, int, int, int>
    cuTensorMapEncodeTiled{"cuTensorMapEncodeTiled"};
const Driver<CUtensorMap *, int, unsigned, void *, const uint64_t *, const uint64_t *, const int *,
             const int *, unsigned, unsigned, const uint32_t *, int, int, int, int>
    cuTensorMapEncodeIm2col{"cuTensorMapEncodeIm2col"};

template <typename T> T take(Result<T> result) {
  if (!result)
    fail(result.error().message);
  return std::move(*result);
}

/// A tensor map is encoded on the host from the tensor's address and the manifest's `dims`,
/// `strides`, `box`, `swizzle` and `im2col`, and passed by value.
CUtensorMap encodeMap(const Param &param, CUdeviceptr address, const DimValues &dims) {
  std::vector<uint64_t> extents, strideBytes;
  for (const DimExpr &extent : param.map.dims)
    extents.push_back(take(extent.evaluate(dims)));
  for (const DimExpr &stride : param.map.strides)
    strideBytes.push_back(storageBytes(param.dtype, take(stride.evaluate(dims))));
  strideBytes.push_back(0);
  std::vector<uint32_t> box(param.map.box.begin(), param.map.box.end()), steps(extents.size(), 1);
  int type = 0; // CU_TENSOR_MAP_DATA_TYPE_UINT8, which also serves fp8
  switch (param.dtype) {
  case DType::F16:
    type = 6;
    break;
  case DType::F32:
    type = 7;
    break;
  case DType::BF16:
    type = 9;
    break;
  default:
    if (bitsOf(param.dtype) != 8)
      fail("this example encodes tensor maps of 8-bit, f16, bf16 and f32 elements only");
  }
  int swizzle = param.map.swizzle == 0    ? 0
                : param.map.swizzle == 32 ? 1
                : param.map.swizzle == 64 ? 2
                                          : 3;
  int64_t promotion = take(param.map.l2Promotion.evaluate(dims));
  int ofL2 = /*CUtensorMapL2promotion*/ promotion == 0 ? 0
             : promotion == 64                         ? 1
             : promotion == 128                        ? 2
                                                       : 3;
  auto rank = static_cast<unsigned>(extents.size());
  auto *tensor = reinterpret_cast<void *>(address);
  CUtensorMap map{};
  if (param.map.im2col) { // transfers walk the places of a convolution's kernel
    const Im2colSpec &im2col = *param.map.im2col;
    std::vector<int> lower(im2col.lower.begin(), im2col.lower.end()),
        upper(im2col.upper.begin(), im2col.upper.end());
    std::copy(im2col.steps.begin(), im2col.steps.end(), steps.begin() + 1);
    cuTensorMapEncodeIm2col(&map, type, rank, tensor, extents.data(), strideBytes.data(),
                            lower.data(), upper.data(), /*channels=*/box[0], /*pixels=*/box[1],
                            steps.data(), /*interleave=*/0, swizzle, ofL2, /*oobFill=*/0);
    return map;
  }
  cuTensorMapEncodeTiled(&map, type, rank, tensor, extents.data(), strideBytes.data(), box.data(),
                         steps.data(), /*interleave=*/0, swizzle, ofL2, /*oobFill=*/0);
  return map;
}

/// Writes each parameter's value at its offset, as the manifest says.
std::vector<uint8_t> packParameters(const Launch &launch, const ArgumentSet &arguments,
                                    std::map<std::string, CUdeviceptr> &memory) {
  std::vector<uint8_t> bytes(launch.paramBytes());
  for (const Param &param : launch.params) {
    uint64_t value = 0;
    switch (param.kind) {
    case ParamKind::Workspace: {
      int64_t workspaceBytes = take(param.bytes.evaluate(arguments.dims));
      if (!memory.count(param.name)) {
        cuMemAlloc(&memory[param.name], workspaceBytes);
        cuMemsetD8(memory[param.name], 0, workspaceBytes);
      }
      [[fallthrough]];
    }
    case ParamKind::Tensor:
      value = memory.at(param.name);
      break;
    case ParamKind::Scalar:
      value = arguments.find(param.name)->scalarBits;
      break;
    case ParamKind::Dim:
    case ParamKind::Stride:
      value = arguments.dims.at(param.name);
      break;
    case ParamKind::TensorMap: {
      CUtensorMap map = encodeMap(param, memory.at(param.map.of), arguments.dims);
      std::memcpy(&bytes[param.offset], &map, sizeof map);
      continue;
    }
    }
    std::memcpy(&bytes[param.offset], &value, param.size);
  }
  return bytes;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    fail("usage: cuda-host OUT [NAME=VALUE...]");
  std::string path = argv[1];
  Manifest manifest = take(parseManifest(take(readFile(path + ".json"))));
  ArgumentRequest request;
  for (int i = 2; i < argc; ++i) {
    std::string name = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    bool isDim = false;
    for (const DimDecl &dim : manifest.dims)
      isDim |= dim.name == name;
    if (isDim)
      request.dims.insert(take(parseDim(argv[i])));
    else
      request.specs.push_back(take(parseArgSpec(argv[i])));
  }
  ArgumentSet arguments = take(makeArguments(manifest, request));

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  std::string image = take(readFile(path));
  cuModuleLoadData(&module, image.c_str());

  std::map<std::string, CUdeviceptr> memory;
  for (const Argument &argument : arguments.list)
    if (argument.param.kind == ParamKind::Tensor) {
      const HostTensor &tensor = argument.tensor;
      cuMemAlloc(&memory[argument.param.name], tensor.bytes.size() + 1);
      cuMemcpyHtoD(memory[argument.param.name], tensor.bytes.data(), tensor.bytes.size());
    }

  for (const Launch &launch : manifest.launches) {
    if (launch.cooperative)
      fail("`" + launch.symbol + "` is a cooperative launch, which wants a counter of its own");
    CUfunction function = nullptr;
    cuModuleGetFunction(&function, module, launch.symbol.c_str());
    // Above 48 KiB a kernel must opt in: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
    if (launch.sharedBytes > 48 * 1024)
      cuFuncSetAttribute(function, 8, static_cast<int>(launch.sharedBytes));
    std::vector<uint8_t> bytes = packParameters(launch, arguments, memory);
    std::vector<void *> params;
    for (const Param &param : launch.params)
      params.push_back(&bytes[param.offset]);
    // A kernel compiled for a cluster carries its size in the cubin: cuLaunchKernel honours it.
    LaunchShape shape = take(shapeOf(manifest, launch, arguments.dims));
    cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                   shape.block[1], shape.block[2], shape.sharedBytes, nullptr, params.data(),
                   nullptr);
  }
  cuStreamSynchronize(nullptr);

  for (Argument &argument : arguments.list) {
    if (argument.param.kind != ParamKind::Tensor || argument.param.access == Access::Read)
      continue;
    HostTensor &tensor = argument.tensor;
    cuMemcpyDtoH(tensor.bytes.data(), memory[argument.param.name], tensor.bytes.size());
    std::printf("%s %s:", argument.param.name.c_str(), printShape(tensor.shape).c_str());
    for (int64_t i = 0; i < tensor.elemCount() && i < 4; ++i)
      std::printf(" %s", printElement(tensor.dtype, tensor.bits(i)).c_str());
    std::printf("\n");
  }
  return 0;
}

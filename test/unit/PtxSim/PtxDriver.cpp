//===- PtxDriver.cpp - libcuda.so.1 on top of the PTX simulator -----------===//
//
// The driver functions that a small host program calls, so that one which loads a
// kernel by itself runs where there is no GPU: images are PTX. Where it gets something
// wrong the call fails, and the reason goes to stderr. docs/deploy/loading-cubins.md is
// tested with it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/PtxSim/PtxDevice.h"

#include <cuda.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <vector>

using namespace tilec;

namespace {

struct LoadedModule {
  rt::Module module;
  std::string ptx;
};
struct Function {
  rt::Kernel kernel;
  std::vector<int64_t> sizes, offsets; ///< of its parameters, as the PTX declares them
  int64_t dynamicShared = 48 * 1024;   ///< what a launch may ask for
};

struct State {
  std::optional<rt::Device> device;
  std::optional<rt::Stream> stream;
  std::map<CUdeviceptr, rt::Buffer> memory;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  std::vector<std::unique_ptr<Function>> functions;
};
State &state() {
  static State all;
  return all;
}

CUresult fail(const std::string &why) {
  std::cerr << "PTX driver: " << why << '\n';
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult result(const rt::Status &status) {
  return status ? CUDA_SUCCESS : fail(status.error().message);
}

/// The buffer around `bytes` bytes at `address`, with the offset in it.
std::pair<rt::Buffer *, int64_t> bufferAt(CUdeviceptr address, size_t bytes) {
  auto it = state().memory.upper_bound(address);
  if (it == state().memory.begin())
    return {nullptr, 0};
  --it;
  int64_t offset = int64_t(address - it->first);
  return {offset + int64_t(bytes) <= it->second.bytes() ? &it->second : nullptr, offset};
}

/// Sizes and offsets of `.param .u64 k_param_0, .param .align 64 .b8 k_param_1[128]`.
void readParameters(const std::string &ptx, Function &function) {
  size_t entry = ptx.find(".entry " + function.kernel.symbol + "(");
  std::string list = ptx.substr(entry, ptx.find(')', entry) - entry);
  std::regex declaration(R"(\.param( \.align (\d+))? \.[a-z](\d+)[^,\[]*(\[(\d+)\])?)");
  int64_t end = 0;
  for (std::sregex_iterator it(list.begin(), list.end(), declaration), last; it != last; ++it) {
    int64_t size = std::stoll((*it)[3]) / 8, align = size;
    if ((*it)[4].matched)
      size *= std::stoll((*it)[5]);
    if ((*it)[1].matched)
      align = std::stoll((*it)[2]);
    end = (end + align - 1) / align * align;
    function.sizes.push_back(size);
    function.offsets.push_back(end);
    end += size;
  }
}

/// Without what each kind of tensor map has of its own.
rt::TensorMapRequest requestOf(CUtensorMapDataType type, cuuint32_t rank, void *address,
                               const cuuint64_t *dims, const cuuint64_t *strides,
                               CUtensorMapSwizzle swizzle) {
  // Of elements the simulator asks for the size only.
  int bits = type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 8
             : type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ||
                     type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 ||
                     type == CU_TENSOR_MAP_DATA_TYPE_UINT16
                 ? 16
             : type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 || type == CU_TENSOR_MAP_DATA_TYPE_INT64 ||
                     type == CU_TENSOR_MAP_DATA_TYPE_UINT64
                 ? 64
                 : 32;
  rt::TensorMapRequest request;
  request.address = reinterpret_cast<uint64_t>(address);
  request.elementBits = unsigned(bits);
  request.dims.assign(dims, dims + rank);
  request.strideBytes.assign(strides, strides + rank - 1);
  request.swizzleBytes = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16 << int(swizzle);
  return request;
}

CUresult encode(CUtensorMap *map, const rt::TensorMapRequest &request,
                CUtensorMapInterleave interleave, CUtensorMapFloatOOBfill fill) {
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    return fail("interleaved boxes, and others than zeros outside, are not known here");
  auto encoded = state().device->encodeTensorMap(request);
  if (!encoded)
    return fail(encoded.error().message);
  std::memcpy(map, encoded->data(), sizeof *map);
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) {
  rt::Result<rt::Device> device = openPtx("sm_90a");
  if (!device)
    return fail(device.error().message);
  state().device = std::move(*device);
  rt::Result<rt::Stream> stream = state().device->createStream();
  if (!stream)
    return fail(stream.error().message);
  state().stream = std::move(*stream);
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **text) {
  return *text = "said above", CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int index) { return *device = index, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  return *context = reinterpret_cast<CUcontext>(&state()), CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  rt::Result<rt::Buffer> buffer = state().device->allocate(int64_t(bytes));
  if (!buffer)
    return fail(buffer.error().message);
  buffer->markUninitialized(int64_t(bytes));
  *address = buffer->address();
  state().memory.emplace(*address, std::move(*buffer));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  return state().memory.erase(address) ? CUDA_SUCCESS : fail("free of what is not allocated");
}
CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes) {
  auto [buffer, offset] = bufferAt(dst, bytes);
  return buffer ? result(buffer->upload(src, int64_t(bytes), offset))
                : fail("a copy outside of every allocation");
}
CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes) {
  if (rt::Status done = state().stream->wait(); !done) // it is ordered with the null stream
    return result(done);
  auto [buffer, offset] = bufferAt(src, bytes);
  return buffer ? result(buffer->download(dst, int64_t(bytes), offset))
                : fail("a copy outside of every allocation");
}
CUresult cuStreamSynchronize(CUstream) { return result(state().stream->wait()); }
CUresult cuCtxSynchronize() { return result(state().stream->wait()); }

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto *bytes = reinterpret_cast<const uint8_t *>(text.data());
  rt::Result<rt::Module> loaded = state().device->load({bytes, text.size()});
  if (!loaded)
    return fail(std::string(path) + ": " + loaded.error().message);
  state().modules.push_back(std::make_unique<LoadedModule>(std::move(*loaded), text));
  *module = reinterpret_cast<CUmodule>(state().modules.back().get());
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  auto *loaded = reinterpret_cast<LoadedModule *>(module);
  rt::Result<rt::Kernel> kernel = loaded->module.kernel(name);
  if (!kernel)
    return fail(kernel.error().message);
  auto made = std::make_unique<Function>();
  made->kernel = *kernel;
  readParameters(loaded->ptx, *made);
  *function = reinterpret_cast<CUfunction>(made.get());
  state().functions.push_back(std::move(made));
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    reinterpret_cast<Function *>(function)->dynamicShared = value;
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *dims, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  for (cuuint32_t d = 0; d < rank; ++d)
    if (steps[d] != 1)
      return fail("a box of every so many-th element is not known here");
  rt::TensorMapRequest request = requestOf(type, rank, address, dims, strides, swizzle);
  request.box.assign(box, box + rank);
  return encode(map, request, interleave, fill);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *dims, const cuuint64_t *strides,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  if (rank < 3 || steps[0] != 1 || steps[rank - 1] != 1)
    return fail("every so many-th channel or image of an im2col tensor map is not known here");
  rt::TensorMapRequest request = requestOf(type, rank, address, dims, strides, swizzle);
  request.box = {channels, pixels};
  request.im2col = {
      {lower, lower + rank - 2}, {upper, upper + rank - 2}, {steps + 1, steps + rank - 1}};
  return encode(map, request, interleave, fill);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **) {
  auto *launched = reinterpret_cast<Function *>(function);
  if (config->sharedMemBytes > launched->dynamicShared)
    return fail(std::to_string(config->sharedMemBytes) + " bytes of shared memory, " +
                std::to_string(launched->dynamicShared) + " are allowed");
  rt::LaunchShape shape;
  shape.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  shape.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  shape.sharedBytes = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      shape.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                       attribute.value.clusterDim.z};
    else if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      shape.early = attribute.value.programmaticStreamSerializationAllowed != 0;
    else
      return fail("a launch attribute that is not known here");
  }
  rt::ParamBuffer buffer;
  buffer.offsets = launched->offsets;
  if (!launched->sizes.empty())
    buffer.bytes.resize(size_t(launched->offsets.back() + launched->sizes.back()));
  for (size_t i = 0; i < launched->sizes.size(); ++i)
    std::memcpy(&buffer.bytes[size_t(launched->offsets[i])], params[i], size_t(launched->sizes[i]));
  return result(state().stream->launch(launched->kernel, shape, buffer));
}

} // extern "C"

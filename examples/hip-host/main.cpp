//===- main.cpp - load a compiled kernel with the HIP runtime -------------===//
//
// usage: hip-host OUT [NAME=VALUE...]     OUT is what `tilec -o OUT` wrote for gfx942 or gfx950
//
// Shows what a host program does with a code object and its launch manifest: load, allocate, pack
// the kernarg segment, launch, read back. NAME=VALUE gives dims and scalars. The runtime's
// functions are declared here and opened at run time, so that this builds without ROCm; with
// <hip/hip_runtime.h> the declarations go away. tilec/Runtime/Launch.h does all of this for you.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Launch.h"
#include "tilec/Runtime/Npy.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tilec;
using namespace tilec::rt;

namespace {

// From <hip/hip_runtime_api.h>.
using hipModule_t = struct ihipModule_t *;
using hipFunction_t = struct ihipModuleSymbol_t *;
using hipStream_t = struct ihipStream_t *;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "hip-host: %s\n", what.c_str());
  std::exit(1);
}

/// A function of the runtime; a call that fails ends the program.
template <typename... Args> struct Runtime {
  const char *name;
  void operator()(Args... args) const {
    static void *library = dlopen("libamdhip64.so", RTLD_NOW);
    if (!library)
      fail("no HIP runtime (libamdhip64.so) on this machine");
    auto *function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    if (!function)
      fail(std::string("the runtime has no ") + name);
    if (int code = function(args...))
      fail(std::string(name) + " failed with code " + std::to_string(code));
  }
};

const Runtime<unsigned> hipInit{"hipInit"};
const Runtime<hipModule_t *, const char *> hipModuleLoad{"hipModuleLoad"};
const Runtime<hipFunction_t *, hipModule_t, const char *> hipModuleGetFunction{
    "hipModuleGetFunction"};
const Runtime<void **, size_t> hipMalloc{"hipMalloc"};
const Runtime<void *, const void *, size_t> hipMemcpyHtoD{"hipMemcpyHtoD"};
const Runtime<void *, void *, size_t> hipMemcpyDtoH{"hipMemcpyDtoH"};
const Runtime<void *, int, size_t> hipMemset{"hipMemset"};
const Runtime<hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
              hipStream_t, void **, void **>
    hipModuleLaunchKernel{"hipModuleLaunchKernel"};
const Runtime<hipStream_t> hipStreamSynchronize{"hipStreamSynchronize"};

template <typename T> T take(Result<T> result) {
  if (!result)
    fail(result.error().message);
  return std::move(*result);
}

/// Writes each parameter's value at its offset: the result is the kernarg segment. A code object of
/// tilec has no hidden arguments.
std::vector<uint8_t> packParameters(const Launch &launch, const ArgumentSet &arguments,
                                    std::map<std::string, void *> &memory) {
  std::vector<uint8_t> bytes(launch.paramBytes());
  for (const Param &param : launch.params) {
    uint64_t value = 0;
    switch (param.kind) {
    case ParamKind::Workspace: {
      int64_t workspaceBytes = take(param.bytes.evaluate(arguments.dims));
      if (!memory.count(param.name)) {
        hipMalloc(&memory[param.name], workspaceBytes);
        hipMemset(memory[param.name], 0, workspaceBytes);
      }
      [[fallthrough]];
    }
    case ParamKind::Tensor:
      value = reinterpret_cast<uint64_t>(memory.at(param.name));
      break;
    case ParamKind::Scalar:
      value = arguments.find(param.name)->scalarBits;
      break;
    case ParamKind::Dim:
    case ParamKind::Stride:
      value = arguments.dims.at(param.name);
      break;
    case ParamKind::TensorMap:
      fail("AMD GPUs have no tensor maps: this manifest is for " + launch.symbol);
    }
    std::memcpy(&bytes[param.offset], &value, param.size);
  }
  return bytes;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    fail("usage: hip-host OUT [NAME=VALUE...]");
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

  hipModule_t module = nullptr;
  hipInit(0);
  hipModuleLoad(&module, path.c_str());

  std::map<std::string, void *> memory;
  for (const Argument &argument : arguments.list)
    if (argument.param.kind == ParamKind::Tensor) {
      const HostTensor &tensor = argument.tensor;
      hipMalloc(&memory[argument.param.name], tensor.bytes.size() + 1);
      hipMemcpyHtoD(memory[argument.param.name], tensor.bytes.data(), tensor.bytes.size());
    }

  for (const Launch &launch : manifest.launches) {
    if (launch.cooperative)
      fail("`" + launch.symbol + "` is a cooperative launch, which wants a counter of its own");
    hipFunction_t function = nullptr;
    hipModuleGetFunction(&function, module, launch.symbol.c_str());
    std::vector<uint8_t> kernarg = packParameters(launch, arguments, memory);
    size_t kernargBytes = kernarg.size();
    // HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END
    void *extra[] = {reinterpret_cast<void *>(1), kernarg.data(), reinterpret_cast<void *>(2),
                     &kernargBytes, reinterpret_cast<void *>(3)};
    // The grid is in blocks, as in CUDA.
    LaunchShape shape = take(shapeOf(manifest, launch, arguments.dims));
    hipModuleLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                          shape.block[1], shape.block[2], shape.sharedBytes, nullptr, nullptr,
                          extra);
  }
  hipStreamSynchronize(nullptr);

  for (Argument &argument : arguments.list) {
    if (argument.param.kind != ParamKind::Tensor || argument.param.access == Access::Read)
      continue;
    HostTensor &tensor = argument.tensor;
    hipMemcpyDtoH(tensor.bytes.data(), memory[argument.param.name], tensor.bytes.size());
    std::printf("%s %s:", argument.param.name.c_str(), printShape(tensor.shape).c_str());
    for (int64_t i = 0; i < tensor.elemCount() && i < 4; ++i)
      std::printf(" %s", printElement(tensor.dtype, tensor.bits(i)).c_str());
    std::printf("\n");
  }
  return 0;
}

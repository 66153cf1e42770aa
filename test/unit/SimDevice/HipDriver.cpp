//===- HipDriver.cpp - libamdhip64.so on top of the simulator -------------===//
//
// The functions of HIP that a host program calls which loads a code object by itself, so
// that it runs where there is no GPU. The chip is $TILEC_HIP_CHIP, gfx950 without it. Where
// a program gets something wrong the call fails, and the reason goes to stderr.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/SimDevice/SimDevice.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

using namespace tilec;

namespace {

constexpr int invalidValue = 1;

struct Module {
  uint64_t handle;
  std::vector<std::unique_ptr<uint64_t>> kernels;
};

const std::string &chip() {
  static const std::string name = [] {
    const char *chosen = std::getenv("TILEC_HIP_CHIP");
    return std::string(chosen ? chosen : "gfx950");
  }();
  return name;
}

int fail(const std::string &why) {
  std::cerr << "HIP simulator: " << why << '\n';
  return invalidValue;
}
int result(const rt::Status &status) { return status ? 0 : fail(status.error().message); }
template <typename T, typename To> int give(rt::Result<T> made, To *out) {
  if (!made)
    return fail(made.error().message);
  *out = reinterpret_cast<To>(*made);
  return 0;
}

rt::Backend *device() {
  static const std::shared_ptr<rt::Backend> opened = [] {
    std::optional<Arch> arch = parseArch(chip());
    rt::Result<rt::Device> made =
        arch ? openSim(*arch) : rt::Result<rt::Device>(rt::Error{"no chip"});
    return made ? made->shared() : nullptr;
  }();
  return opened.get();
}

/// A launch as a graph keeps it.
struct Launch {
  uint64_t kernel;
  rt::LaunchShape shape;
  std::vector<uint8_t> kernarg;
};
using Graph = std::vector<Launch>;

/// What is captured, by stream.
std::map<void *, Graph> &captures() {
  static std::map<void *, Graph> open;
  return open;
}

int run(const Launch &launch, void *stream) {
  return result(device()->launch(launch.kernel, launch.shape, {launch.kernarg, {}},
                                 reinterpret_cast<uint64_t>(stream)));
}

} // namespace

extern "C" {

int hipInit(unsigned) { return device() ? 0 : fail("there is no chip `" + chip() + "`"); }
const char *hipGetErrorName(int code) { return code ? "hipErrorInvalidValue" : "hipSuccess"; }
const char *hipGetErrorString(int) { return "said above"; }
int hipGetDeviceCount(int *count) { return *count = 1, 0; }
int hipSetDevice(int index) { return index == 0 ? 0 : fail("there is device 0 alone"); }
int hipDeviceGetName(char *name, int bytes, int) {
  return std::strncpy(name, device()->info().name.c_str(), size_t(bytes)), 0;
}
int hipGetDevicePropertiesR0600(char *properties, int) {
  constexpr size_t gcnArchName = 1160; // its offset in hipDeviceProp_t
  std::strcpy(properties + gcnArchName, (chip() + ":sramecc+:xnack-").c_str());
  return 0;
}

int hipMalloc(void **address, size_t bytes) {
  rt::Result<rt::DeviceAddress> made = device()->allocate(int64_t(bytes), "hipMalloc");
  if (made)
    device()->markUninitialized(*made, int64_t(bytes));
  return give(std::move(made), address);
}
int hipFree(void *address) {
  return address ? device()->free(reinterpret_cast<uint64_t>(address)), 0 : 0;
}
int hipMemcpyHtoD(uint64_t to, const void *from, size_t bytes) {
  return result(device()->copyToDevice(to, from, int64_t(bytes)));
}
int hipMemcpyDtoH(void *to, uint64_t from, size_t bytes) {
  if (int failed = result(device()->wait(0))) // it is ordered with the null stream
    return failed;
  return result(device()->copyToHost(to, from, int64_t(bytes)));
}
int hipMemset(uint64_t to, int value, size_t bytes) {
  return result(device()->fillBytes(to, uint8_t(value), int64_t(bytes)));
}

int hipMemsetAsync(uint64_t to, int value, size_t bytes, void *stream) {
  return result(device()->fillOnStream(to, uint8_t(value), int64_t(bytes),
                                       reinterpret_cast<uint64_t>(stream)));
}

/// `image` is an ELF file of 64 bits whose section headers are its end.
int hipModuleLoadData(Module **module, const void *image) {
  auto *bytes = static_cast<const uint8_t *>(image);
  if (std::memcmp(bytes, "\177ELF\2", 5) != 0)
    return fail("the image is no code object");
  uint64_t sections;
  uint16_t each, count;
  std::memcpy(&sections, bytes + 40, 8);
  std::memcpy(&each, bytes + 58, 2);
  std::memcpy(&count, bytes + 60, 2);
  rt::Result<uint64_t> loaded = device()->loadModule({bytes, sections + uint64_t(each) * count});
  if (!loaded)
    return fail(loaded.error().message);
  *module = new Module{*loaded, {}};
  return 0;
}
int hipModuleLoad(Module **module, const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  bytes.resize(std::max<size_t>(bytes.size(), 64)); // of an ELF file's header
  return hipModuleLoadData(module, bytes.data());
}
int hipModuleUnload(Module *module) {
  device()->unloadModule(module->handle);
  delete module;
  return 0;
}
int hipModuleGetFunction(uint64_t **function, Module *module, const char *name) {
  rt::Result<uint64_t> kernel = device()->findKernel(module->handle, name);
  if (!kernel)
    return fail(kernel.error().message);
  module->kernels.push_back(std::make_unique<uint64_t>(*kernel));
  *function = module->kernels.back().get();
  return 0;
}
int hipModuleLaunchKernel(uint64_t *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                          unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                          void *stream, void **params, void **extra) {
  if (params || !extra || extra[0] != reinterpret_cast<void *>(1) ||
      extra[2] != reinterpret_cast<void *>(2) || extra[4] != reinterpret_cast<void *>(3))
    return fail("parameters are taken as HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END");
  rt::LaunchShape shape;
  shape.grid = {gridX, gridY, gridZ};
  shape.block = {blockX, blockY, blockZ};
  shape.sharedBytes = sharedBytes;
  auto *kernarg = static_cast<const uint8_t *>(extra[1]);
  Launch launch{*function, shape, {kernarg, kernarg + *static_cast<size_t *>(extra[3])}};
  auto capture = captures().find(stream);
  if (capture == captures().end())
    return run(launch, stream);
  capture->second.push_back(std::move(launch));
  return 0;
}

int hipStreamBeginCapture(void *stream, int) {
  if (!stream)
    return fail("the null stream cannot be captured");
  return captures().try_emplace(stream).second ? 0 : fail("the stream is captured already");
}
int hipStreamEndCapture(void *stream, Graph **graph) {
  auto capture = captures().extract(stream);
  if (!capture)
    return fail("the stream is not captured");
  *graph = new Graph(std::move(capture.mapped()));
  return 0;
}
int hipGraphInstantiateWithFlags(Graph **ready, Graph *graph, unsigned long long) {
  return *ready = new Graph(*graph), 0;
}
int hipGraphLaunch(Graph *ready, void *stream) {
  for (const Launch &launch : *ready)
    if (int failed = run(launch, stream))
      return failed;
  return 0;
}
int hipGraphDestroy(Graph *graph) { return delete graph, 0; }
int hipGraphExecDestroy(Graph *ready) { return delete ready, 0; }

int hipStreamCreate(void **stream) { return give(device()->createStream(), stream); }
int hipStreamDestroy(void *stream) {
  return device()->destroyStream(reinterpret_cast<uint64_t>(stream)), 0;
}
int hipStreamSynchronize(void *stream) {
  if (captures().count(stream))
    return fail("a stream that is captured cannot be waited for");
  return result(device()->wait(reinterpret_cast<uint64_t>(stream)));
}
// It has no clock.
int hipEventCreate(void **event) { return *event = reinterpret_cast<void *>(1), 0; }
int hipEventDestroy(void *) { return 0; }
int hipEventRecord(void *, void *) { return 0; }
int hipEventElapsedTime(float *, void *, void *) { return fail("a simulator has no clock"); }
int hipDeviceSynchronize() { return result(device()->wait(0)); }

} // extern "C"

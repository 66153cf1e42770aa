//===- main.cpp - launches captured in a CUDA or HIP graph ----------------===//
//
// usage: tile-graph cuda|hip[:LIBRARY] IMAGE
//
// IMAGE is what `tilec step.py -o IMAGE` wrote ahead of time; only libtilec-runtime is linked. Ten
// steps are captured once and replayed a hundred times. LIBRARY is another driver than the usual.
//
// A launch of tilec_launch is captured as any other: the graph holds the addresses and sizes of
// that launch. Scratch memory of a kernel is allocated with its first launch of a shape on a
// stream, which a capture forbids: launch once before.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec-c/Runtime.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "tile-graph: %s\n", why.c_str());
  std::exit(1);
}
void check(tilec_status status) {
  if (status != TILEC_OK) {
    tilec_str why = tilec_runtime_last_error();
    fail({why.data, why.size});
  }
}

/// The driver's own functions for graphs, opened as the runtime opens the others; a program that is
/// built with <cuda.h> or <hip/hip_runtime.h> calls them directly. Handles are pointers.
class Graphs {
public:
  explicit Graphs(const std::string &kind, const std::string &path)
      : isCuda(kind == "cuda"), library(dlopen(path.c_str(), RTLD_NOW)) {
    if (!library)
      fail("no driver " + path);
  }

  void beginCapture(uint64_t stream) const {
    constexpr int onlyThisThread = 1; // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, and HIP's
    call("cuStreamBeginCapture_v2", "hipStreamBeginCapture", handle(stream), onlyThisThread);
  }
  /// What was launched since, ready to be launched again.
  void *endCapture(uint64_t stream) const {
    void *graph = nullptr, *ready = nullptr;
    call("cuStreamEndCapture", "hipStreamEndCapture", handle(stream), &graph);
    call("cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags", &ready, graph, 0ull);
    call("cuGraphDestroy", "hipGraphDestroy", graph);
    return ready;
  }
  void launch(void *ready, uint64_t stream) const {
    call("cuGraphLaunch", "hipGraphLaunch", ready, handle(stream));
  }
  void destroy(void *ready) const { call("cuGraphExecDestroy", "hipGraphExecDestroy", ready); }

private:
  static void *handle(uint64_t stream) { return reinterpret_cast<void *>(stream); }

  template <typename... Args>
  void call(const char *cudaName, const char *hipName, Args... args) const {
    const char *name = isCuda ? cudaName : hipName;
    auto *function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    if (!function)
      fail(std::string("the driver has no ") + name);
    if (int code = function(args...))
      fail(std::string(name) + " failed with code " + std::to_string(code));
  }

  bool isCuda;
  void *library;
};

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    fail("no file " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    fail("usage: tile-graph cuda|hip[:LIBRARY] IMAGE");
  std::string kind = argv[1], library;
  if (size_t colon = kind.find(':'); colon != std::string::npos) {
    library = kind.substr(colon + 1);
    kind.resize(colon);
  } else {
    library = kind == "cuda" ? "libcuda.so.1" : "libamdhip64.so";
  }
  tilec_device *device = nullptr;
  tilec_device_options options{};
  options.size = sizeof options;
  options.kind = kind.c_str();
  options.driver = library.c_str();
  check(tilec_device_open(&options, &device));

  std::string image = readFile(argv[2]), manifest = readFile(argv[2] + std::string(".json"));
  tilec_module *step = nullptr;
  check(tilec_module_load(device, {image.data(), image.size()}, {manifest.data(), manifest.size()},
                          &step));

  int64_t count = 1000;
  std::vector<float> x(count), v(count);
  for (int64_t i = 0; i < count; ++i)
    v[i] = float(i % 16);
  tilec_arg X{}, V{}, dt{};
  check(tilec_device_allocate(device, count * 4, &X.address));
  check(tilec_device_allocate(device, count * 4, &V.address));
  check(tilec_device_upload(device, X.address, x.data(), count * 4));
  check(tilec_device_upload(device, V.address, v.data(), count * 4));
  X.rank = V.rank = 1;
  X.shape = V.shape = &count;
  dt.kind = TILEC_ARG_FLOAT;
  dt.real = 0.25;
  tilec_arg args[] = {X, V, dt};

  uint64_t stream = 0;
  check(tilec_stream_create(device, &stream));
  Graphs graphs(kind, library);
  check(tilec_launch(step, stream, args, 3)); // the one before the capture
  check(tilec_stream_wait(device, stream));
  graphs.beginCapture(stream);
  for (int i = 0; i < 10; ++i)
    check(tilec_launch(step, stream, args, 3));
  void *ready = graphs.endCapture(stream);
  for (int i = 0; i < 100; ++i)
    graphs.launch(ready, stream);
  check(tilec_stream_wait(device, stream));
  check(tilec_device_download(device, x.data(), X.address, count * 4));
  for (int64_t i = 0; i < count; ++i)
    if (x[i] != v[i] * 0.25f * 1001)
      fail("element " + std::to_string(i) + " is " + std::to_string(x[i]));
  std::printf("1001 steps of %lld bodies are right\n", static_cast<long long>(count));

  graphs.destroy(ready);
  tilec_stream_destroy(device, stream);
  tilec_device_free(device, X.address);
  tilec_device_free(device, V.address);
  tilec_module_release(step);
  tilec_device_release(device);
  return 0;
}

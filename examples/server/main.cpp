//===- main.cpp - a program that compiles and launches its kernels --------===//
//
// usage: tile-server DEVICE [FOLDER]
//
// DEVICE: `cuda` or `hip`, with `:LIBRARY` behind it another driver than the usual one; or the
// simulator of a chip, `gfx942`, `gfx950`, `sm_80`, `sm_90a`. The kernels are compiled while the
// program runs, for the chip that is there; with a FOLDER their images and manifests are kept, and
// a second run loads them without compiling (what a program ships that has libtilec-runtime alone).
// Sizes are known at the launch. Two streams; one launch by a plan.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec-c/Runtime.h"
#include "tilec-c/Simulate.h"
#include "tilec/Compiler.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr const char *kernels = R"(
import tilelang.language as T

n = T.dynamic("n")

@T.prim_func
def scale(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32"), a: T.float32):
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            Y[bx * 128 + i] = X[bx * 128 + i] * a

@T.prim_func
def add(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32")):
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            Y[bx * 128 + i] += X[bx * 128 + i]
)";

std::string text(tilec_str s) { return {s.data, s.size}; }
tilec_str str(const std::string &s) { return {s.data(), s.size()}; }

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "tile-server: %s\n", why.c_str());
  std::exit(1);
}
void check(tilec_status status) {
  if (status != TILEC_OK)
    fail(text(tilec_runtime_last_error()));
}

tilec_device *openDevice(const std::string &name) {
  tilec_device *device = nullptr;
  std::string kind = name.substr(0, name.find(':'));
  if (kind == "cuda" || kind == "hip") {
    std::string driver = kind == name ? "" : name.substr(kind.size() + 1);
    tilec_device_options options{};
    options.size = sizeof options;
    options.kind = kind.c_str();
    options.driver = driver.empty() ? nullptr : driver.c_str();
    check(tilec_device_open(&options, &device));
    return device;
  }
  tilec_backend backend{};
  backend.size = sizeof backend;
  if (tilec_simulator_create(name.c_str(), &backend) != TILEC_OK)
    fail(text(tilec_last_error()));
  check(tilec_device_from_backend(&backend, &device));
  return device;
}

/// The last of the compiler's targets that the device runs: the most special one.
std::string targetOf(tilec_device *device) {
  std::string target;
  for (size_t i = 0; i < tilec_target_count(); ++i)
    if (tilec_device_runs(device, tilec_target_name(i)))
      target = text(tilec_target_name(i));
  if (target.empty())
    fail("no target runs on " + text(tilec_device_arch(device)));
  return target;
}

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// From the folder, or compiled and put there.
tilec_module *load(tilec_device *device, const std::string &entry, const std::string &folder) {
  std::string target = targetOf(device), path = folder + "/" + entry + "." + target;
  std::string image = folder.empty() ? "" : readFile(path), manifest = readFile(path + ".json");
  std::printf("%s for %s: %s\n", entry.c_str(), target.c_str(),
              image.empty() ? "compiled" : "loaded");
  if (image.empty()) {
    // A simulator takes PTX, a driver a cubin.
    bool isSimulator = text(tilec_device_kind(device)) == "ptx";
    auto binary = tilec::compile(
        tilec::script(kernels, "kernels.py"),
        {.target = target, .entry = entry, .ptxAssembler = isSimulator ? "none" : ""});
    if (!binary)
      fail(binary.log());
    image = binary->image();
    manifest = binary->manifest();
    if (!folder.empty()) {
      std::ofstream(path, std::ios::binary) << image;
      std::ofstream(path + ".json") << manifest;
    }
  }
  tilec_module *module = nullptr;
  check(tilec_module_load(device, str(image), str(manifest), &module));
  return module;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    fail("usage: tile-server DEVICE [FOLDER]");
  tilec_device *device = openDevice(argv[1]);
  std::string folder = argc > 2 ? argv[2] : "";
  tilec_module *scale = load(device, "scale", folder), *add = load(device, "add", folder);

  uint64_t streams[2];
  for (uint64_t &stream : streams)
    check(tilec_stream_create(device, &stream));
  // Requests of different sizes, in turns on the two streams; y = 2 x, then y += x.
  for (int64_t size : {1000, 128, 5}) {
    std::vector<float> x(size), y(size);
    for (int64_t i = 0; i < size; ++i)
      x[i] = float(i % 100);
    uint64_t from, to, stream = streams[size % 2];
    check(tilec_device_allocate(device, size * 4, &from));
    check(tilec_device_allocate(device, size * 4, &to));
    check(tilec_device_upload(device, from, x.data(), size * 4));
    tilec_arg X{}, Y{}, factor{};
    X.address = from;
    Y.address = to;
    X.rank = Y.rank = 1;
    X.shape = Y.shape = &size;
    factor.kind = TILEC_ARG_FLOAT;
    factor.real = 2;
    tilec_arg of[] = {X, Y, factor};
    check(tilec_launch(scale, stream, of, 3));
    tilec_plan *plan = nullptr; // for launches that come again with other addresses
    check(tilec_plan_create(add, of, 2, &plan));
    check(tilec_plan_launch(plan, stream, of, 2));
    check(tilec_stream_wait(device, stream));
    tilec_plan_release(plan);
    check(tilec_device_download(device, y.data(), to, size * 4));
    for (int64_t i = 0; i < size; ++i)
      if (y[i] != 3 * x[i])
        fail("element " + std::to_string(i) + " of " + std::to_string(size) + " is wrong");
    std::printf("%lld elements are right\n", static_cast<long long>(size));
    tilec_device_free(device, from);
    tilec_device_free(device, to);
  }
  for (uint64_t stream : streams)
    tilec_stream_destroy(device, stream);
  tilec_module_release(add);
  tilec_module_release(scale);
  tilec_device_release(device);
  return 0;
}

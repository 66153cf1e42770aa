//===- Device.h - a compiled kernel on a simulated device -----------------===//
//
// What the C++ programs of the gallery share: compiles a recorded kernel, loads it on the simulator
// of its target and moves vectors. On a GPU the device is `tilec_device_open` (examples/server);
// nothing else changes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Runtime.h"
#include "tilec-c/Simulate.h"
#include "tilec/Tile.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace gallery {

inline void check(tilec_status status, tilec_str (*reason)() = tilec_runtime_last_error) {
  if (status == TILEC_OK)
    return;
  tilec_str why = reason();
  std::fprintf(stderr, "error: %.*s\n", int(why.size), why.data);
  std::exit(1);
}

/// One kernel, ready to be launched. Ends the program with the messages when it does not compile.
class Device {
public:
  Device(const char *target, tilec::tile::Kernel &kernel) {
    auto binary = tilec::compile(kernel, {.target = target, .ptxAssembler = "none"});
    if (!binary) {
      std::fputs(std::string(binary.log()).c_str(), stderr);
      std::exit(1);
    }
    tilec_backend backend{};
    backend.size = sizeof backend;
    check(tilec_simulator_create(target, &backend), tilec_last_error);
    check(tilec_device_from_backend(&backend, &device));
    check(tilec_module_load(device, text(binary->image()), text(binary->manifest()), &module));
  }
  ~Device() {
    tilec_module_release(module);
    tilec_device_release(device);
  }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  template <typename T> tilec_arg upload(const std::vector<T> &host) {
    tilec_arg arg{};
    check(tilec_device_allocate(device, host.size() * sizeof(T), &arg.address));
    check(tilec_device_upload(device, arg.address, host.data(), host.size() * sizeof(T)));
    return arg;
  }
  void launch(const std::vector<tilec_arg> &args) {
    check(tilec_launch(module, 0, args.data(), args.size()));
    check(tilec_stream_wait(device, 0));
  }
  template <typename T> void download(std::vector<T> &host, const tilec_arg &arg) {
    check(tilec_device_download(device, host.data(), arg.address, host.size() * sizeof(T)));
  }

private:
  static tilec_str text(std::string_view s) { return {s.data(), s.size()}; }

  tilec_device *device = nullptr;
  tilec_module *module = nullptr;
};

} // namespace gallery

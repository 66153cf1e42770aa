//===- host.h - compiles a recorded kernel and runs it on a simulator -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Simulate.h"
#include "tilec/TileFusion.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// Small integers, so that every sum is exact.
inline int pattern(int i, int seed) { return (i * 7 + i / 13 * seed + seed) % 7 - 3; }

inline uint16_t toHalf(int value) {
  static const uint16_t codes[] = {0xC200, 0xC000, 0xBC00, 0x0000, 0x3C00, 0x4000, 0x4200};
  return codes[value + 3];
}

[[noreturn]] inline void fail(const std::string &why) {
  std::printf("%s\n", why.c_str());
  std::exit(1);
}
inline void check(tilec_status status) {
  if (status != TILEC_OK)
    fail(std::string(tilec::detail::view(tilec_runtime_last_error())));
}

class Host {
public:
  Host(const char *target, tilec::tile::Kernel &kernel) {
    auto binary = tilec::compile(kernel, {.target = target, .ptxAssembler = "none"});
    if (!binary)
      fail(binary.log());
    tilec_backend backend{};
    backend.size = sizeof backend;
    if (tilec_simulator_create(target, &backend) != TILEC_OK)
      fail("no simulator");
    check(tilec_device_from_backend(&backend, &device));
    check(tilec_module_load(device, tilec::detail::str(binary->image()),
                            tilec::detail::str(binary->manifest()), &module));
  }
  template <typename T> tilec_arg tensor(const std::vector<T> &host) {
    tilec_arg arg{};
    check(tilec_device_allocate(device, host.size() * sizeof(T), &arg.address));
    check(tilec_device_upload(device, arg.address, host.data(), host.size() * sizeof(T)));
    return arg;
  }
  void launch(std::vector<tilec_arg> args) {
    check(tilec_launch(module, 0, args.data(), args.size()));
    check(tilec_stream_wait(device, 0));
  }
  template <typename T> void download(std::vector<T> &host, const tilec_arg &arg) {
    check(tilec_device_download(device, host.data(), arg.address, host.size() * sizeof(T)));
  }

private:
  tilec_device *device = nullptr;
  tilec_module *module = nullptr;
};

/// C = A * B' of M x K and N x K as they lie in memory.
inline int checkProduct(const char *target, tilec::tile::Kernel &kernel, int M, int N, int K) {
  Host host(target, kernel);
  std::vector<uint16_t> a(M * K), b(N * K);
  std::vector<float> c(M * N, -1);
  for (int i = 0; i < M * K; ++i)
    a[i] = toHalf(pattern(i, 3));
  for (int i = 0; i < N * K; ++i)
    b[i] = toHalf(pattern(i, 5));
  tilec_arg A = host.tensor(a), B = host.tensor(b), C = host.tensor(c);
  host.launch({A, B, C});
  host.download(c, C);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      int sum = 0;
      for (int k = 0; k < K; ++k)
        sum += pattern(m * K + k, 3) * pattern(n * K + k, 5);
      if (c[m * N + n] != float(sum))
        fail("element " + std::to_string(m) + ", " + std::to_string(n) + " is " +
             std::to_string(c[m * N + n]) + ", not " + std::to_string(sum));
    }
  std::puts("all elements are right");
  return 0;
}

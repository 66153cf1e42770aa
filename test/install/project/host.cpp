//===- host.cpp - C++: a kernel in C++, and embedded images ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include <scale.tilec.h>
#include <tilec-c/Simulate.h>
#include <tilec/Tile.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace tile = tilec::tile;

static void check(bool ok, const std::string &why) {
  if (ok)
    return;
  std::fprintf(stderr, "host_cxx: %s\n", why.c_str());
  std::exit(1);
}

static tilec_device *open(const char *target) {
  tilec_backend backend{};
  backend.size = sizeof backend;
  tilec_device *device = nullptr;
  check(tilec_simulator_create(target, &backend) == TILEC_OK &&
            tilec_device_from_backend(&backend, &device) == TILEC_OK,
        target);
  return device;
}

static tile::Kernel negate(int n) {
  tile::Kernel f("negate");
  auto X = f.tensor("X", tile::f32, {n}), Y = f.tensor("Y", tile::f32, {n});
  f.launch({tile::ceildiv(n, 128)}, {.threads = 128}, [&](tile::Index bx) {
    tile::parallel(128, [&](tile::Index i) { Y(bx * 128 + i) = -X(bx * 128 + i); });
  });
  return f;
}

int main() {
  constexpr int n = 1024;
  tile::Kernel kernel = negate(n);
  for (const char *target : {"gfx942", "gfx950", "sm_80"}) {
    tilec_device *device = open(target);
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i)
      host[i] = float(i);
    uint64_t x = 0, y = 0;
    check(tilec_device_allocate(device, n * 4, &x) == TILEC_OK &&
              tilec_device_allocate(device, n * 4, &y) == TILEC_OK &&
              tilec_device_upload(device, x, host.data(), n * 4) == TILEC_OK &&
              tilec_device_upload(device, y, host.data(), n * 4) == TILEC_OK,
          "memory");

    auto binary = tilec::compile(kernel, {.target = target, .ptxAssembler = "none"});
    check(bool(binary), binary.log());
    tilec_module *module = nullptr;
    tilec_str image{binary->image().data(), binary->image().size()};
    tilec_str manifest{binary->manifest().data(), binary->manifest().size()};
    check(tilec_module_load(device, image, manifest, &module) == TILEC_OK, "load");
    tilec_arg args[2] = {};
    args[0].address = x, args[1].address = y;
    check(tilec_launch(module, 0, args, 2) == TILEC_OK && tilec_stream_wait(device, 0) == TILEC_OK,
          "launch");
    check(tilec_device_download(device, host.data(), y, n * 4) == TILEC_OK, "download");
    for (int i = 0; i < n; ++i)
      check(host[i] == -float(i), "a wrong element");
    tilec_module_release(module);

    tilec_kernels::scale scale(device);
    check(scale.launch(0, x, y, 0.5, 100), scale.error());
    check(tilec_stream_wait(device, 0) == TILEC_OK &&
              tilec_device_download(device, host.data(), y, n * 4) == TILEC_OK,
          "wait");
    for (int i = 0; i < n; ++i)
      check(host[i] == (i % 128 < 100 ? 0.5f : -1.0f) * float(i), "a wrong element of scale");
    tilec_device_free(device, x);
    tilec_device_free(device, y);
    tilec_device_release(device);
  }
  // No image for this one: a sentence, no crash.
  tilec_device *other = open("sm_90");
  tilec_kernels::scale scale(other);
  check(!scale && scale.error().find("not for sm_90") != std::string::npos, scale.error());
  tilec_device_release(other);
  std::puts("host_cxx: all elements are right");
}

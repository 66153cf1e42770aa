//===- vector_add.cpp - a kernel in C++, compiled and run -----------------===//
//
// usage: gallery-vector-add [TARGET]
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../Device.h"

namespace tile = tilec::tile;

namespace {

tile::Kernel add(int size, int block = 2048) {
  tile::Kernel f("add");
  auto A = f.tensor("A", tile::f32, {size}), B = f.tensor("B", tile::f32, {size}),
       C = f.tensor("C", tile::f32, {size});
  f.launch({tile::ceildiv(size, block)}, {.threads = 256}, [&](tile::Index bx) {
    tile::parallel(
        {block}, [&](tile::Index i) { C(bx * block + i) = A(bx * block + i) + B(bx * block + i); });
  });
  return f;
}

} // namespace

int main(int argc, char **argv) {
  const char *target = argc > 1 ? argv[1] : "gfx950";
  const int size = 5000;
  tile::Kernel kernel = add(size);
  gallery::Device device(target, kernel);
  std::vector<float> a(size), b(size), c(size);
  for (int i = 0; i < size; ++i)
    a[i] = float(i), b[i] = 0.5f * float(i % 100);
  tilec_arg A = device.upload(a), B = device.upload(b), C = device.upload(c);
  device.launch({A, B, C});
  device.download(c, C);
  int wrong = 0;
  for (int i = 0; i < size; ++i)
    wrong += c[i] != a[i] + b[i];
  std::printf("%s: %d elements, %d wrong\n", target, size, wrong);
  return wrong != 0;
}

//===- embedding.cpp - the kernels of docs/deploy/embedding.md -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "gemm.cpp"
#include "square.cpp"

#include <cstdio>

static int show(const char *name, tile::Kernel kernel) {
  for (const char *target : {"gfx950", "sm_90a"}) {
    auto binary = tilec::compile(kernel, {.target = target, .ptxAssembler = "none"});
    if (!binary || binary->image().empty())
      return std::puts(binary.log().c_str()), 1;
    std::printf("%s %s %s\n", name, target, std::string(binary->kind()).c_str());
  }
  return 0;
}

int main() { return show("gemm", gemm(256, 256, 256)) + show("square", recordSquare()); }

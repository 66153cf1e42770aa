//===- ThreadTest.cpp - compiles of both vendors at once ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RandomOrder.h"
#include "TestModules.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <thread>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

struct Case {
  std::string text;
  CodeGenOptions options;
};

std::vector<uint8_t> compileCase(const Case &what) {
  OwnedModule owned = parseText(what.text, what.options.arch);
  auto image = compileModule(*owned.module, what.options);
  if (!image) {
    // The failing case is part of the test: its text is what must not change.
    std::string text = toString(image.takeError());
    return {text.begin(), text.end()};
  }
  return image->bytes;
}

std::string fileText(const std::string &name, Arch arch) {
  OwnedModule owned = parseFile(name, arch);
  std::string text;
  raw_string_ostream(text) << *owned.module;
  return text;
}

/// Both vendors, orders kept and not, passes on and off, and one that dies inside LLVM.
std::vector<Case> cases() {
  std::vector<Case> result;
  LoopShape shape;
  for (uint32_t seed = 1; seed <= 2; ++seed)
    for (Arch arch : {Arch::Gfx950, Arch::Gfx942}) {
      Case loop{loopKernel(randomOrder(shape, seed), shape, arch), optionsFor(arch)};
      result.push_back(loop);
      loop.options.keepOrder = true;
      result.push_back(loop);
      loop.options.machinePasses = false;
      result.push_back(loop);
    }
  for (const char *name : {"nv-copy", "nv-mma"}) {
    Case kernel{fileText(name, Arch::Sm90a), optionsFor(Arch::Sm90a)};
    kernel.options.ptxAssembler = PtxAssembler::None;
    result.push_back(kernel);
  }
  result.push_back({"define amdgpu_kernel void @k(ptr addrspace(1) %p, <8 x bfloat> %a) {\n"
                    "  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf16(<8 x bfloat> "
                    "%a, <8 x bfloat> %a, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)\n"
                    "  store <4 x float> %d, ptr addrspace(1) %p\n  ret void\n}\n",
                    optionsFor(Arch::Gfx942)});
  return result;
}

TEST(Threads, FourThreadsGiveTheBytesOfOne) {
  std::vector<Case> all = cases();
  std::vector<std::vector<uint8_t>> alone;
  for (const Case &what : all)
    alone.push_back(compileCase(what));
  constexpr unsigned threadCount = 4, rounds = 3;
  std::vector<unsigned> wrong(threadCount);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < threadCount; ++t)
    threads.emplace_back([&, t] {
      for (unsigned round = 0; round < rounds; ++round)
        for (unsigned i = 0; i < all.size(); ++i) {
          unsigned which = (i * 7 + t * 5 + round) % all.size();
          wrong[t] += compileCase(all[which]) != alone[which];
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<unsigned>(threadCount));
}

} // namespace

} // namespace tilec::codegen::test

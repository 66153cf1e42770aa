//===- OffsetsTest.cpp - which buffer offsets become immediates -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

/// The assembly of a kernel that loads from and stores to `%offset`, which `body` computes.
std::string assemblyOf(const std::string &body, Arch arch) {
  OwnedModule owned = parseText(
      "define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {\n"
      "  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %a, i16 "
      "0, i64 4096, i32 159744)\n"
      "  %t = call range(i32 0, 64) i32 @llvm.amdgcn.workitem.id.x()\n"
      "  %g = call i32 @llvm.amdgcn.workgroup.id.x()\n" +
          body +
          "  %v = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %offset, "
          "i32 0, i32 0)\n"
          "  %w = add i32 %v, 1\n"
          "  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %w, ptr addrspace(8) %r, i32 "
          "%offset, i32 0, i32 0)\n"
          "  ret void\n}\n",
      arch);
  auto assembly = emitAssembly(*owned.module, optionsFor(arch));
  if (!assembly) {
    ADD_FAILURE() << toString(assembly.takeError());
    return "";
  }
  return *assembly;
}

bool hasImmediate(const std::string &body, Arch arch) {
  std::string assembly = assemblyOf(body, arch);
  EXPECT_NE(assembly.find("buffer_load_dword"), std::string::npos);
  bool ofLoad = assembly.find("0 offen offset:") != std::string::npos;
  EXPECT_EQ(StringRef(assembly).count("0 offen offset:"), ofLoad ? 2u : 0u);
  return ofLoad;
}

class Offsets : public ::testing::TestWithParam<Arch> {};

TEST_P(Offsets, OfPartsThatAreNotNegativeHaveImmediates) {
  EXPECT_TRUE(hasImmediate("  %x = shl i32 %t, 2\n  %offset = add i32 %x, 16\n", GetParam()));
  EXPECT_TRUE(hasImmediate("  %m = mul i32 %g, 100\n  %s = add i32 %m, %t\n"
                           "  %s1 = add i32 %s, 3\n  %offset = shl i32 %s1, 2\n",
                           GetParam()));
  EXPECT_TRUE(hasImmediate("  %q = and i32 %t, -4\n  %offset = add i32 %q, 16\n", GetParam()));
}

TEST_P(Offsets, OfPartsThatMayBeNegativeHaveNone) {
  // read from memory
  EXPECT_FALSE(hasImmediate("  %p = getelementptr i32, ptr addrspace(1) %b, i32 %t\n"
                            "  %x = load i32, ptr addrspace(1) %p\n  %offset = add i32 %x, 16\n",
                            GetParam()));
  // an argument
  EXPECT_FALSE(hasImmediate("  %x = add i32 %n, %t\n  %offset = add i32 %x, 16\n", GetParam()));
  // a difference
  EXPECT_FALSE(hasImmediate("  %x = sub i32 %t, %g\n  %offset = add i32 %x, 16\n", GetParam()));
  // the constant further inside
  EXPECT_FALSE(hasImmediate("  %m = add i32 %t, 4\n  %x = sub i32 %m, %n\n"
                            "  %x4 = add i32 %x, 8\n  %offset = shl i32 %x4, 2\n",
                            GetParam()));
  // a factor that is
  EXPECT_FALSE(hasImmediate("  %x = mul i32 %t, -4\n  %offset = add i32 %x, 256\n", GetParam()));
}

TEST_P(Offsets, OfACounterThatStartsNegativeHaveNone) {
  EXPECT_FALSE(hasImmediate("  br label %loop\nloop:\n"
                            "  %i = phi i32 [ -1, %0 ], [ %next, %loop ]\n"
                            "  %next = add i32 %i, 1\n"
                            "  %p = getelementptr i32, ptr addrspace(1) %b, i32 %next\n"
                            "  store i32 0, ptr addrspace(1) %p\n"
                            "  %more = icmp slt i32 %next, %n\n"
                            "  br i1 %more, label %loop, label %after\nafter:\n"
                            "  %x = add i32 %i, %t\n  %offset = add i32 %x, 1\n",
                            GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Chips, Offsets, ::testing::Values(Arch::Gfx942, Arch::Gfx950));

} // namespace

} // namespace tilec::codegen::test

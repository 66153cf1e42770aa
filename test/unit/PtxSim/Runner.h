//===- Runner.h - small PTX kernels on the simulator ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/PtxSim/PtxSim.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tilec::ptx::test {

/// One launch of a kernel that is written as its body. The body has %out, the address of `words`
/// 32-bit words, %in, that of `input`, %tid, and registers %r0-99, %q0-49 (64 bits), %h0-49 (16
/// bits), %f0-49, %p0-19. `smem` is the shared memory.
struct PtxRun {
  std::string body;
  std::vector<uint32_t> input;
  unsigned words = 32, threads = 32, blocks = 1, cluster = 1, sharedBytes = 65536;
  uint64_t seed = 1;
  bool checkOrder = true;
  bool early = false;
  std::vector<TensorMap> maps; ///< as parameters map0, map1; `tensorOf` places them on `input`

  std::vector<uint32_t> out;
  std::string fault;

  void go() {
    std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n"
                       ".extern .shared .align 1024 .b8 smem[];\n.visible .entry k(\n"
                       "  .param .u64 .ptr .global .align 1 p_out,\n"
                       "  .param .u64 .ptr .global .align 1 p_in";
    for (size_t i = 0; i < maps.size(); ++i)
      text += ",\n  .param .align 64 .b8 map" + std::to_string(i) + "[128]";
    text += "\n)\n{\n"
            ".reg .pred %p<20>;\n.reg .b16 %h<50>;\n.reg .b32 %r<100>;\n.reg .b32 %f<50>;\n"
            ".reg .b64 %q<50>;\n.reg .b64 %d<50>;\n.reg .b64 %out, %in, %mine;\n"
            ".reg .b32 %tid;\n"
            "ld.param.b64 %out, [p_out];\nld.param.b64 %in, [p_in];\nmov.u32 %tid, %tid.x;\n"
            "mul.wide.u32 %mine, %tid, 4;\nadd.s64 %mine, %out, %mine;\n" +
            body + "\nret;\n}\n";
    auto module = Module::parse(text);
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    sim::Memory memory;
    uint64_t outAddress = allocate(memory, words * 4, "out");
    uint64_t inAddress = allocate(memory, std::max<size_t>(input.size(), 1) * 4, "in");
    std::memcpy(memory.hostPointerForWriting(inAddress, input.size() * 4), input.data(),
                input.size() * 4);
    std::vector<uint8_t> params(16);
    std::memcpy(&params[0], &outAddress, 8);
    std::memcpy(&params[8], &inAddress, 8);
    params.resize(maps.empty() ? 16 : 64 + 128 * maps.size());
    for (size_t i = 0; i < maps.size(); ++i) {
      maps[i].address += inAddress;
      std::memcpy(&params[64 + 128 * i], &maps[i], sizeof(TensorMap));
      maps[i].address -= inAddress;
    }
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {threads, 1, 1};
    config.cluster = {cluster, 1, 1};
    config.sharedBytes = sharedBytes;
    config.early = early;
    LaunchOptions options;
    options.seed = seed;
    options.checkOrder = checkOrder;
    auto result = run(*(*module)->find("k"), config, params, memory, options);
    if (!result) {
      fault = llvm::toString(result.takeError());
      return;
    }
    fault = result->fault;
    out.resize(words);
    std::memcpy(out.data(), memory.hostPointer(outAddress, words * 4), words * 4);
    input.resize(std::max<size_t>(input.size(), 1));
    std::memcpy(input.data(), memory.hostPointer(inAddress, input.size() * 4), input.size() * 4);
  }

  /// Runs and expects no fault.
  std::vector<uint32_t> &results() {
    go();
    EXPECT_EQ(fault, "");
    return out;
  }

private:
  static uint64_t allocate(sim::Memory &memory, uint64_t bytes, const char *name) {
    llvm::Expected<uint64_t> address = memory.allocate(bytes, name);
    return llvm::cantFail(std::move(address));
  }
};

/// Expects a fault that has `part` in it, at the instruction that starts with `at`.
inline void expectFault(PtxRun run, const std::string &at, const std::string &part) {
  run.go();
  EXPECT_NE(run.fault.find("`" + at), std::string::npos) << run.fault;
  EXPECT_NE(run.fault.find(part), std::string::npos) << run.fault;
}

} // namespace tilec::ptx::test

//===- TestCode.cpp - code objects from assembly for the tests ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestCode.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::report::test {

static std::string kernelText(const std::string &body, const std::string &chip) {
  return "\t.amdgcn_target \"amdgcn-amd-amdhsa--" + chip + R"("
	.amdhsa_code_object_version 6
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
)" + body +
         R"(
	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
	  .amdhsa_next_free_vgpr 256
	  .amdhsa_next_free_sgpr 64
	  .amdhsa_accum_offset 256
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .agpr_count: 0
    .vgpr_count: 224
    .sgpr_count: 64
    .vgpr_spill_count: 0
    .sgpr_spill_count: 0
    .group_segment_fixed_size: 131072
    .private_segment_fixed_size: 0
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .max_flat_workgroup_size: 512
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--)" +
         chip + R"(
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
)";
}

std::vector<uint8_t> assemble(const std::string &body, const std::string &chip) {
  return assembleFile(kernelText(body, chip), chip);
}

std::vector<uint8_t> assembleFile(const std::string &text, const std::string &chip) {
  SmallString<128> input, output;
  int descriptor = -1;
  EXPECT_FALSE(sys::fs::createTemporaryFile("tilec", "s", descriptor, input));
  raw_fd_ostream(descriptor, true) << text;
  EXPECT_FALSE(sys::fs::createTemporaryFile("tilec", "o", output));
  FileRemover removeInput(input), removeOutput(output);
  std::string cpu = "-mcpu=" + chip;
  std::string tool = std::string(TILEC_LLVM_TOOLS) + "/llvm-mc";
  EXPECT_EQ(sys::ExecuteAndWait(tool, {tool, "-triple=amdgcn-amd-amdhsa", cpu, "-filetype=obj",
                                       input, "-o", output}),
            0);
  auto buffer = MemoryBuffer::getFile(output, false, false);
  if (!buffer)
    return {};
  StringRef bytes = (*buffer)->getBuffer();
  return {bytes.begin(), bytes.end()};
}

KernelCode decode(const std::string &body, const std::string &chip) {
  auto object = disassemble(assemble(body, chip));
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return {};
  }
  EXPECT_EQ(object->kernels.size(), 1u);
  return std::move(object->kernels[0]);
}

} // namespace tilec::report::test

//===- KernelFacts.h - what a compiled kernel uses ------------------------===//
//
// Read back from the produced image (hsaco metadata note, cubin .nv.info, ptxas
// log), never predicted: the numbers that reports and tests rely on.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilec::codegen {

/// One kernel of an image. A field that the vendor does not have is zero.
struct KernelFacts {
  std::string name;

  unsigned vgprs = 0;     ///< AMD: architectural vector registers, accumulators not counted
  unsigned agprs = 0;     ///< AMD: accumulator registers
  unsigned sgprs = 0;     ///< AMD: scalar registers
  unsigned registers = 0; ///< NVIDIA: registers per thread at entry

  unsigned vgprSpills = 0;          ///< AMD: vector registers spilled
  unsigned sgprSpills = 0;          ///< AMD: scalar registers spilled (to vector lanes or memory)
  unsigned spillStoreBytes = 0;     ///< NVIDIA, per thread; from the ptxas log
  unsigned spillLoadBytes = 0;      ///< NVIDIA, per thread; from the ptxas log
  unsigned scratchBytesPerLane = 0; ///< AMD private segment, NVIDIA stack frame

  unsigned sharedBytes = 0; ///< static shared memory (LDS) of one block
  /// NVIDIA: what a launch gives a block beside that. The image does not say; the manifest does.
  std::optional<unsigned> launchSharedBytes;
  unsigned kernargBytes = 0;
  unsigned maxThreads = 0; ///< block size that the code was made for; 0 when not known
  uint64_t codeBytes = 0;  ///< size of the kernel's code

  /// Of one block, as far as it is known.
  unsigned allSharedBytes() const { return sharedBytes + launchSharedBytes.value_or(0); }
  bool hasSpills() const {
    return vgprSpills != 0 || sgprSpills != 0 || spillStoreBytes != 0 || spillLoadBytes != 0;
  }
};

} // namespace tilec::codegen

//===- Swizzle.h - the XOR of TMA and wgmma -------------------------------===//
//
// 16-byte chunks change places by the bits of the address above 128: within 128 bytes
// by three of them, within 64 by two, within 32 by one (PTX ISA 9.0, "Tensor
// swizzling"; the pattern follows the address, not the tile).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilec::ptx {

inline uint32_t swizzled(uint32_t address, uint32_t spanBytes) {
  uint32_t mask = spanBytes == 128 ? 7 : spanBytes == 64 ? 3 : spanBytes == 32 ? 1 : 0;
  return address ^ ((address >> 7 & mask) << 4);
}

} // namespace tilec::ptx

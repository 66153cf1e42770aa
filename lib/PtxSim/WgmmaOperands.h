//===- WgmmaOperands.h - descriptors and operands of wgmma ----------------===//
//
// PTX ISA 9.0, "Asynchronous warpgroup-level matrix instructions": "Register fragments"
// and "Matrix descriptor format".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"
#include "Swizzle.h"

namespace tilec::ptx {

constexpr unsigned groupRows = 64, warpRows = 16;
constexpr unsigned coreRows = 8, coreBytes = 16;
constexpr unsigned instructionKBytes = 32; ///< of a row of A, and of B where A is dense

/// The fields of a matrix descriptor, in bytes.
struct Descriptor {
  uint32_t start, leading, stride, swizzle, baseOffset;

  explicit Descriptor(uint64_t bits)
      : start(uint32_t(bits & 0x3fff) << 4), leading(uint32_t(bits >> 16 & 0x3fff) << 4),
        stride(uint32_t(bits >> 32 & 0x3fff) << 4), baseOffset(bits >> 49 & 7) {
    constexpr uint32_t spans[] = {0, 128, 64, 32};
    swizzle = spans[bits >> 62];
  }

  /// Where 16 bytes start that follow each other in shared memory. K-major: row `outer` of M or N,
  /// chunk `inner` along K. Otherwise `outer` is K, and the chunks go along M or N.
  uint32_t chunk(bool isKMajor, unsigned outer, unsigned inner) const {
    uint32_t row = outer % coreRows, group = outer / coreRows;
    if (swizzle == 0) {
      // Core matrices of 8 x 16 bytes. The leading stride goes along K, the other along M or N.
      return isKMajor ? start + row * coreBytes + group * stride + inner * leading
                      : start + row * coreBytes + group * leading + inner * stride;
    }
    uint32_t perRow = swizzle / coreBytes;
    uint32_t panel = inner / perRow, within = inner % perRow;
    return swizzled(start + row * swizzle + group * stride + panel * leading + within * coreBytes,
                    swizzle);
  }
};

/// An operand's chunks: `visit(outer, inner, address)`.
template <typename F>
void forChunks(const Descriptor &d, bool isKMajor, unsigned size, unsigned kBytes,
               unsigned bytesEach, F visit) {
  unsigned outers = isKMajor ? size : kBytes / bytesEach;
  unsigned inners = (isKMajor ? kBytes : size * bytesEach) / coreBytes;
  for (unsigned outer = 0; outer < outers; ++outer)
    for (unsigned inner = 0; inner < inners; ++inner)
      visit(outer, inner, d.chunk(isKMajor, outer, inner));
}

/// Wgmma has its transpositions (bit 0: A, bit 1: B) in `mode`, and whether it has A in registers
/// in `mode2`.
inline bool aInRegisters(const Instruction &instr) { return instr.mode2; }
/// A 2:4 sparse A has places in registers and a selector behind the descriptors.
inline unsigned kBytesOfB(const Instruction &instr) {
  return instr.isSparse ? 2 * instructionKBytes : instructionKBytes;
}
/// The first argument behind the operands: the scale of D.
inline unsigned scaleArgument(const Instruction &instr) { return instr.isSparse ? 5 : 3; }
inline bool isKMajorA(const Instruction &instr) { return !(instr.mode & 1); }
inline bool isKMajorB(const Instruction &instr) { return !(instr.mode & 2); }

inline unsigned accumulatorsPerRegister(const Instruction &instr) {
  return instr.type == Ty::F16 ? 2 : 1;
}

} // namespace tilec::ptx

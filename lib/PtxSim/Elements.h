//===- Elements.h - operands of matrix instructions as numbers ------------===//
//
// Takes the bits of an element of a matrix operand, gives a float or an integer.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Lanes.h"

#include "tilec/Base/DType.h"

namespace tilec::ptx {

inline bool isIntElement(Ty type) { return type == Ty::S8 || type == Ty::U8; }

/// Every element type of a floating matrix instruction is exact as a float.
inline float floatElement(Ty type, uint32_t bits) {
  static const std::array<std::array<float, 256>, 2> fp8 = [] {
    std::array<std::array<float, 256>, 2> tables;
    for (unsigned i = 0; i < 256; ++i) {
      tables[0][i] = float(tilec::decodeFloat(DType::E4M3FN, i));
      tables[1][i] = float(tilec::decodeFloat(DType::E5M2, i));
    }
    return tables;
  }();
  switch (type) {
  case Ty::F16:
    return floatOfHalf(uint16_t(bits));
  case Ty::BF16:
    return floatOfBrain(uint16_t(bits));
  case Ty::E4M3:
    return fp8[0][bits & 0xff];
  case Ty::E5M2:
    return fp8[1][bits & 0xff];
  case Ty::S8:
    return int8_t(bits);
  case Ty::U8:
    return uint8_t(bits);
  case Ty::TF32: // the low 13 bits are not looked at
    return llvm::bit_cast<float>(bits & ~0x1fffu);
  default:
    return llvm::bit_cast<float>(bits);
  }
}

} // namespace tilec::ptx

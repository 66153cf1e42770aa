//===- Tfloat32.h - products that ignore low bits of float32 --------------===//
//
// A `tile.gemm` with this attribute ignores the low 13 bits of the float32 elements of
// A and B, as tensor cores do with tf32 operands: they are taken for zeros. Whoever makes
// other ops of the product masks what it multiplies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilec {

constexpr uint32_t tfloat32Mask = 0xffffe000; ///< of the bits that count

} // namespace tilec

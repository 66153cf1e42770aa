//===- Matrix.h - what dense and sparse matrix instructions share ---------===//
//
// Takes registers of a matrix instruction, gives operands as numbers, and puts results back;
// Mfma.cpp and Smfmac.cpp multiply.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Narrow.h"
#include "Wave.h"

namespace tilec::sim {

/// Element types of A and B.
enum class Elem : uint8_t { F32, Xf32, F16, Bf16, I8, Fp8, Bf8, F64, F8F6F4 };

inline Narrow narrowOf(Elem elem) { return elem == Elem::Bf8 ? Narrow::Bf8 : Narrow::Fp8; }

/// Element `slot` of all lanes as floats; of i8 the bits of int32_t. `narrow` says which 8-bit or
/// smaller float it is.
void readMatrixSlot(const Wave &wave, const Row *rows, Elem elem, Narrow narrow, unsigned slot,
                    float *out);
/// Copies `total` accumulator rows of `n` elements between the registers of D and a row-major
/// matrix.
void moveAccumulator(unsigned total, unsigned n, Row *registers, uint32_t *matrix, bool toMatrix);

/// OpInfo::aux of v_smfmac: `sparseMatrix` and the index of the shape.
inline constexpr uint32_t sparseMatrix = 0x100;
/// Of a v_smfmac, in issue slots of four clocks.
unsigned smfmacPasses(const Instr &instr);

} // namespace tilec::sim

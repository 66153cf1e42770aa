//===- Narrow.h - 8-bit and smaller floats in instructions ----------------===//
//
// Values come from tilec/Base/DType.h, through tables of 256 entries.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"

#include <cstdint>

namespace tilec::sim {

struct Wave;

/// The instruction set's names; what fp8 and bf8 mean depends on the chip.
enum class Narrow : uint8_t { Fp8, Bf8, Fp6, Bf6, Fp4 };

DType dtypeOf(const Wave &wave, Narrow kind);
/// 256 floats, indexed by the byte.
const float *narrowTable(const Wave &wave, Narrow kind);
/// Saturates when MODE's FP16_OVFL is set, otherwise overflow gives the format's NaN or infinity.
uint32_t encodeFp8(const Wave &wave, Narrow kind, float value);
/// f32 to f16 or bf16, `random`'s top bits added below the last kept bit of the mantissa.
uint16_t encodeHalfStochastic(float value, bool bf16, uint32_t random);
uint32_t encodeFp8Stochastic(const Wave &wave, Narrow kind, float value, uint32_t random);

} // namespace tilec::sim

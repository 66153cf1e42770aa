//===- Data.h - reproducible inputs for runs ------------------------------===//
//
// Element `i` (row-major) of tensor NAME is made from the four words of
// Philox4x32-10 with key (seed, FNV-1a32(NAME)) and counter (i, 0): any element can
// be made alone, in any order, on any machine.
//   uniform  2 * (w0 >> 8) * 2^-24 - 1, in [-1, 1)
//   randn    sqrt(-2 ln u) cos(2 pi v) in f64, u = (w0 + 1) 2^-32, v = w1 2^-32
//   integers w0 mod 16, less 8 where the type is signed; bool: w0 mod 2;
//            float8_e8m0fnu: 2^((w0 mod 8) - 4)
// Floats are rounded to nearest even; fp8 and fp4 saturate.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/HostTensor.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tilec::rt {

/// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); Random123's names.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);
uint32_t fnv1a32(std::string_view text);

enum class Fill { Randn, Uniform, Zeros };

/// Fills with the data of `name`. Large tensors use all cores; the result does not depend on them.
void fill(HostTensor &tensor, Fill how, uint32_t seed, std::string_view name);
/// Sets every element to one value.
void fillBits(HostTensor &tensor, uint64_t bits);
/// What outputs hold before a run, so that an unwritten element is seen: NaN where the format has
/// one, else bytes of 0xA5.
void prefillOutput(HostTensor &tensor);

/// `NAME=SPEC` of `--arg`: `randn`, `uniform`, `zeros`, `FILE.npy` or a number. A number given to a
/// tensor fills it.
struct ArgSpec {
  enum Kind { Generated, File, Scalar };
  std::string name;
  Kind kind = Generated;
  Fill fill = Fill::Randn; ///< Generated
  std::string text;        ///< File: the path; Scalar: the number as written
};
Result<ArgSpec> parseArgSpec(std::string_view text);

/// A number as an element of `dtype`: decimal or 0x integers, decimal floats, inf, nan, true,
/// false. Integers that do not fit are refused, and finite floats that would become infinite; other
/// floats are rounded.
Result<uint64_t> parseScalar(std::string_view text, DType dtype);
/// An element as text: integers in decimal, floats with as many digits as tell them apart.
std::string printElement(DType dtype, uint64_t bits);

/// `NAME=N` of `--dim`.
Result<std::pair<std::string, int64_t>> parseDim(std::string_view text);

} // namespace tilec::rt

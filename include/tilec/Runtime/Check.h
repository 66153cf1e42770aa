//===- Check.h - whether a result agrees with the reference ---------------===//
//
// The agreement rule of docs/deploy/launch-manifest.md ("What agrees with the reference
// means"), as a pure function: integers and exact tensors bit for bit; floats
// |d - r| <= 2 ulp(r) + 8 E, where E is the spread of the element's row: how far two
// runs of the reference that differ in what devices may differ in are apart, before
// the result is rounded. NaN agrees with NaN, an infinity with the same infinity.
// There are no per-kernel constants.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/HostTensor.h"

#include <optional>
#include <string>

namespace tilec::rt {

struct CheckOptions {
  bool exact = false;          ///< bit for bit although the dtype is a float
  bool transcendental = false; ///< E gains 2^-22 of the row's largest |r|
};

struct Mismatch {
  std::vector<int64_t> index;
  uint64_t deviceBits = 0, referenceBits = 0;
  double bound = 0; ///< what |d - r| may be here
};

struct CheckReport {
  int64_t elemCount = 0, mismatchCount = 0;
  double maxError = 0;           ///< largest |d - r| over elements that are both finite
  double maxRatio = 0;           ///< largest |d - r| / bound; infinite for a bitwise mismatch
  std::optional<Mismatch> first; ///< in row-major order

  bool passed() const { return mismatchCount == 0; }
};

/// The largest |a - b| of each row (last dimension; without dimensions there is one row). Rows in
/// which fewer than 32 elements say something (those that differ; where none does, those that are
/// not 0 in `a`) have it together with those that follow, up to 32 such elements. What is infinite
/// or NaN in either does not count: a run that overflowed says nothing. Same shapes.
std::vector<double> rowSpread(const HostTensor &a, const HostTensor &b);

/// The spread that lets elements differ by `parts` of the root mean square of their row, for
/// comparing two implementations without a reference. Of integers it is empty: they must be equal.
std::vector<double> rowTolerance(const HostTensor &tensor, double parts);

/// Compares `device` with `reference`. `spread` holds E of each row; empty: E is 0. Fails when
/// dtypes, shapes or the number of rows differ.
Result<CheckReport> compare(const HostTensor &device, const HostTensor &reference,
                            const std::vector<double> &spread, const CheckOptions &options = {});

/// One line: `C: 16384 elements agree, max |d - r| / bound = 0.31` or
/// `C: 3 of 16384 elements differ, the first at [5, 17]: 1.25, expected 1.5 (bound 0.01)`.
std::string describe(const std::string &name, DType dtype, const CheckReport &report);

/// The distance from the element `bits` to the next larger magnitude of its format (at the largest
/// finite value: to the next smaller one).
double ulpOf(DType dtype, uint64_t bits);

} // namespace tilec::rt

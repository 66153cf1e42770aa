//===- Bind.h - arguments that are on a device already --------------------===//
//
// What a launch has to know of arguments that somebody else has made: sizes, strides
// and scalars, checked against a manifest. Arguments.h makes its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Arguments.h"

#include <optional>
#include <span>

namespace tilec::rt {

/// One argument as it was given, in the order of Manifest::arguments().
struct GivenArgument {
  enum Kind { Tensor, Integer, Real } kind = Tensor;
  std::optional<std::vector<int64_t>> shape;   ///< tensor; not given: the kernel's own, a constant
  std::optional<std::vector<int64_t>> strides; ///< tensor, in elements; not given: dense
  std::optional<DType> dtype;                  ///< tensor; not given: not compared
  int64_t integer = 0;
  double real = 0;
};

/// Shapes, strides, scalars and dims of a launch; tensors have no bytes. Fails, naming the
/// argument, when something does not fit the kernel.
Result<ArgumentSet> bindArguments(const Manifest &manifest, std::span<const GivenArgument> given);

/// Gives `dims` what a tensor of these extents says of names that it has not: those that are a
/// whole extent, and those that a sum, difference or product with what is known holds once. Whether
/// anything was new; shapes are to be compared afterwards.
bool takeExtents(std::span<const DimExpr> declared, std::span<const int64_t> actual,
                 DimValues &dims);

} // namespace tilec::rt

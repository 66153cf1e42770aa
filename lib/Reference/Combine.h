//===- Combine.h - two elements of a reduction become one -----------------===//
//
// Takes a combination and two values of one representation, gives the third: integers wrap at 64
// bits (stores cut them), floats are combined in the type that they have. Reductions of tiles
// (TileOps.cpp) and those into a location (Access.cpp) mean the same by a combination.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

#include <cmath>
#include <limits>

namespace tilec::reference {

/// The combination of a reduction of such elements; nothing where there is none (bits of floats).
inline std::optional<Combine> combineOf(tile::ReduceKind kind, DType src, bool propagatesNan) {
  using K = tile::ReduceKind;
  bool isUnsigned = src == DType::U64; // narrower ones are held as what they mean
  switch (kind) {
  case K::Sum:
  case K::AbsSum:
    return Combine::Sum;
  case K::Prod:
    return Combine::Prod;
  case K::Max:
  case K::AbsMax:
    return isUnsigned ? Combine::MaxU : propagatesNan ? Combine::MaxNan : Combine::Max;
  case K::Min:
    return isUnsigned ? Combine::MinU : propagatesNan ? Combine::MinNan : Combine::Min;
  case K::BitAnd:
    return isFloat(src) ? std::nullopt : std::optional(Combine::And);
  case K::BitOr:
    return isFloat(src) ? std::nullopt : std::optional(Combine::Or);
  case K::BitXor:
    return isFloat(src) ? std::nullopt : std::optional(Combine::Xor);
  }
  llvm_unreachable("unknown reduction");
}

inline int64_t combine(Combine how, int64_t a, int64_t b) {
  switch (how) {
  case Combine::Sum:
    return int64_t(uint64_t(a) + uint64_t(b));
  case Combine::Prod:
    return int64_t(uint64_t(a) * uint64_t(b));
  case Combine::Max:
  case Combine::MaxNan:
    return std::max(a, b);
  case Combine::Min:
  case Combine::MinNan:
    return std::min(a, b);
  case Combine::MaxU:
    return int64_t(std::max(uint64_t(a), uint64_t(b)));
  case Combine::MinU:
    return int64_t(std::min(uint64_t(a), uint64_t(b)));
  case Combine::And:
    return a & b;
  case Combine::Or:
    return a | b;
  case Combine::Xor:
    return a ^ b;
  }
  llvm_unreachable("unknown combination");
}

/// Bitwise combinations of floats are refused when the program is compiled.
template <typename T> T combine(Combine how, T a, T b) {
  static_assert(std::is_floating_point_v<T>);
  switch (how) {
  case Combine::Sum:
    return a + b;
  case Combine::Prod:
    return a * b;
  case Combine::MaxNan:
  case Combine::MinNan:
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    return how == Combine::MaxNan ? std::fmax(a, b) : std::fmin(a, b);
  case Combine::Min:
  case Combine::MinU:
    return std::fmin(a, b);
  case Combine::Max:
  case Combine::MaxU:
    return std::fmax(a, b);
  default:
    return a;
  }
}

} // namespace tilec::reference

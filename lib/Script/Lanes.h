//===- Lanes.h - vectors of a thread's code -------------------------------===//
//
// Vector dtypes by name, and what tells a vector from other values (Lanes.cpp).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "EvaluatorScopes.h"

namespace tilec::script {

inline bool isLanes(const Value &v) { return v.is(ValueKind::Lanes); }

/// `float16x2`, or what such a name gives.
std::optional<VectorType> parseVectorType(llvm::StringRef name);
std::optional<VectorType> vectorTypeOf(const Value &v);
Value typeOfLanes(const Value &vector);

} // namespace tilec::script

//===- Elements.h - elements and bits of values ---------------------------===//
//
// What a builder makes and what its next pass takes away again costs memory, and the compile time
// of large code is the memory that it walks through. These look at what a value was made of.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Emitter.h"

namespace tilec::lower {

/// Element `position` of a vector; of one that was put together the part itself.
llvm::Value *elementOf(Builder &b, llvm::Value *vector, uint64_t position);

/// The bits of `value` as another type; of one that was that type before the value from then.
llvm::Value *bitsAs(Builder &b, llvm::Value *value, llvm::Type *type);

} // namespace tilec::lower

//===- Directives.h - instructions that a script asks for by name ---------===//
//
// `tile.sched_barrier` and `wave.sched_fence` with these attributes are not themselves a
// fence: they are the instruction of the target that the script names, at this place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec {

constexpr llvm::StringLiteral directiveAttrName = "directive"; ///< the name
constexpr llvm::StringLiteral directiveNumbersAttrName = "numbers";

} // namespace tilec

//===- FloatFormats.h - 8-bit and 4-bit floats in plain arithmetic --------===//
//
// Conversions of formats that a chip does not convert itself, with the meaning of
// tilec/Base/DType.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"

#include "llvm/IR/IRBuilder.h"

namespace tilec::lower {

/// The f32 values of codes (i8 or i4, scalar or vector), exactly.
llvm::Value *decodeSmallFloat(llvm::IRBuilder<> &b, DType format, llvm::Value *codes);

/// The codes of f32 values: nearest even, overflow and infinity to the largest finite value.
llvm::Value *encodeSmallFloat(llvm::IRBuilder<> &b, DType format, llvm::Value *values);

/// f32 values outside the finite range of `format` as its largest value; NaN stays.
llvm::Value *clampToFormat(llvm::IRBuilder<> &b, DType format, llvm::Value *values);

/// f64 values as f32 with round-to-odd: a second rounding to a narrower format is then correct.
llvm::Value *roundToOdd(llvm::IRBuilder<> &b, llvm::Value *values);

} // namespace tilec::lower

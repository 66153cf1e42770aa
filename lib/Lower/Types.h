//===- Types.h - Wave IR types as LLVM types ------------------------------===//
//
// `index` is i32; f8 and f4 are i8 and i4, whose meaning stays with the MLIR type;
// a vector of any rank is flat.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/IR/DerivedTypes.h"

#include <optional>

namespace tilec::lower {

/// The LLVM type of a value; null when there is none (f6, f80, memref, ...). Pointers are those of
/// the address space given for `!wave.global` (1) and `!wave.desc` (8).
llvm::Type *llvmType(mlir::Type type, llvm::LLVMContext &context);

/// The format of a float of 8 bits or less, which LLVM has no type for.
std::optional<DType> smallFloat(mlir::Type element);

/// Whether LLVM's float arithmetic works on this element: f16, bf16, f32, f64.
bool isArithmeticFloat(mlir::Type element);

/// What a vector of elements below 16 bits is moved as: i8, i16, i32 or a vector of i32. LLVM would
/// split it into single elements otherwise. Any other type is its own carrier.
llvm::Type *carrierType(llvm::Type *type);

/// Bits of a first-class integer, float or vector type.
unsigned bitsOf(llvm::Type *type);

/// `scalar` with the vector shape of `like`.
llvm::Type *withShapeOf(llvm::Type *like, llvm::Type *scalar);

} // namespace tilec::lower

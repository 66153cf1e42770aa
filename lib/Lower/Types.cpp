//===- Types.cpp - Wave IR types as LLVM types ----------------------------===//
//
// Takes types of Wave IR, gives LLVM's, and integers of the same bits where LLVM has no such
// float.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Types.h"

#include "tilec/IR/Wave/Wave.h"

namespace tilec::lower {

std::optional<DType> smallFloat(mlir::Type element) {
  if (mlir::isa<mlir::Float8E4M3FNType>(element))
    return DType::E4M3FN;
  if (mlir::isa<mlir::Float8E5M2Type>(element))
    return DType::E5M2;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(element))
    return DType::E4M3FNUZ;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(element))
    return DType::E5M2FNUZ;
  if (mlir::isa<mlir::Float8E8M0FNUType>(element))
    return DType::E8M0;
  if (mlir::isa<mlir::Float4E2M1FNType>(element))
    return DType::E2M1;
  return std::nullopt;
}

bool isArithmeticFloat(mlir::Type element) {
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
}

static llvm::Type *scalarType(mlir::Type type, llvm::LLVMContext &context) {
  if (type.isIndex())
    return llvm::Type::getInt32Ty(context);
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type))
    return integer.getWidth() <= 64 ? llvm::Type::getIntNTy(context, integer.getWidth()) : nullptr;
  if (type.isF16())
    return llvm::Type::getHalfTy(context);
  if (type.isBF16())
    return llvm::Type::getBFloatTy(context);
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  if (std::optional<DType> format = smallFloat(type))
    return llvm::Type::getIntNTy(context, tilec::bitsOf(*format));
  if (mlir::isa<wave::GlobalType>(type))
    return llvm::PointerType::get(context, 1);
  if (mlir::isa<wave::TensorMapType>(type))
    return llvm::PointerType::get(context, 0);
  if (mlir::isa<wave::DescType>(type))
    return llvm::PointerType::get(context, 8);
  return nullptr;
}

llvm::Type *llvmType(mlir::Type type, llvm::LLVMContext &context) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  if (!vector) {
    // One element of 4 bits is the low bits of a byte: where LLVM sees an i4 that came from a
    // vector, it makes vectors of i4, which AMDGPU keeps on the stack.
    llvm::Type *scalar = scalarType(type, context);
    return scalar && scalar->isIntegerTy(4) ? llvm::Type::getInt8Ty(context) : scalar;
  }
  llvm::Type *element = scalarType(vector.getElementType(), context);
  if (!element || vector.isScalable())
    return nullptr;
  return llvm::FixedVectorType::get(element, vector.getNumElements());
}

unsigned bitsOf(llvm::Type *type) { return type->getPrimitiveSizeInBits().getFixedValue(); }

llvm::Type *carrierType(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector || vector->getScalarSizeInBits() >= 16 || vector->getScalarSizeInBits() == 1)
    return type;
  unsigned bits = bitsOf(type);
  llvm::LLVMContext &context = type->getContext();
  if (bits == 8 || bits == 16 || bits == 32)
    return llvm::Type::getIntNTy(context, bits);
  if (bits % 32 == 0)
    return llvm::FixedVectorType::get(llvm::Type::getInt32Ty(context), bits / 32);
  return type;
}

llvm::Type *withShapeOf(llvm::Type *like, llvm::Type *scalar) {
  auto *vector = llvm::dyn_cast<llvm::VectorType>(like);
  return vector ? llvm::VectorType::get(scalar, vector->getElementCount()) : scalar;
}

} // namespace tilec::lower

//===- Elements.cpp - elements and bits of values -------------------------===//
//
// Finds elements and values of other types without new instructions where it can.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Elements.h"

namespace tilec::lower {

llvm::Value *elementOf(Builder &b, llvm::Value *vector, uint64_t position) {
  llvm::Value *from = vector;
  while (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(from)) {
    auto *place = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (!place)
      break;
    if (place->getZExtValue() == position)
      return insert->getOperand(1);
    from = insert->getOperand(0);
  }
  return b.CreateExtractElement(vector, position);
}

llvm::Value *bitsAs(Builder &b, llvm::Value *value, llvm::Type *type) {
  auto *cast = llvm::dyn_cast<llvm::BitCastInst>(value);
  return cast && cast->getSrcTy() == type ? cast->getOperand(0) : b.CreateBitCast(value, type);
}

} // namespace tilec::lower

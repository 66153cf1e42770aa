//===- Operands.cpp - operands of tile ops on buffers of their own -------===//
//
// Puts temporaries in front of and behind tile ops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"

#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {

static Value makeTemp(Operation *op, Value like, tile::Scope scope, StringRef suffix) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto type = cast<tile::BufferType>(like.getType());
  auto alloc = rootOf(like).getDefiningOp<tile::AllocOp>();
  std::string name = ((alloc ? alloc.getName() : "tensor") + suffix).str();
  auto tempType = tile::BufferType::get(type.getShape(), type.getElementType(), scope);
  return tile::AllocOp::create(top, op->getLoc(), tempType, name, Attribute());
}

static void copyBefore(Operation *op, Value from, Value to) {
  OpBuilder builder(op);
  moveElements(builder, op->getLoc(), from, to);
}

static void copyAfter(Operation *op, Value from, Value to) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  moveElements(builder, op->getLoc(), from, to);
}

void replaceOperand(OpOperand &operand, tile::Scope scope, bool isRead, bool isWritten) {
  Operation *op = operand.getOwner();
  Value original = operand.get();
  Value temp = makeTemp(op, original, scope, "_whole");
  if (isRead)
    copyBefore(op, original, temp);
  operand.set(temp);
  if (isWritten)
    copyAfter(op, temp, original);
}

void convertOperand(OpOperand &operand, tile::Scope scope, DType dtype, bool isRead,
                    bool isWritten) {
  Operation *op = operand.getOwner();
  Value original = operand.get();
  Value temp = makeTemp(op, original, scope, "_converted");
  auto type = cast<tile::BufferType>(temp.getType());
  temp.setType(
      tile::BufferType::get(type.getShape(), tile::elementTypeOf(dtype, temp.getContext()), scope));
  if (isRead)
    copyBefore(op, original, temp);
  operand.set(temp);
  if (isWritten)
    copyAfter(op, temp, original);
}

bool overwritesC(tile::GemmOp gemm) {
  return gemm.getClear() && tile::constantInt(gemm.getClear()).value_or(0) != 0;
}

} // namespace tilec

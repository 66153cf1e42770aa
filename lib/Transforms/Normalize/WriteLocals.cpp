//===- WriteLocals.cpp - what writes the copies of every thread -----------===//
//
// Fills and copies to local buffers of the block, of which each thread has a copy
// (tile-place-locals), become stores of their elements, which every thread does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_WRITELOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Where element `number` of the buffer is, row by row.
ElementPlace elementOf(OpBuilder &b, Location loc, Value buffer, int64_t number) {
  ArrayRef<int64_t> shape = cast<tile::BufferType>(buffer.getType()).getShape();
  SmallVector<Value> indices(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d])
    indices[d] = arith::ConstantIndexOp::create(b, loc, number % shape[d]);
  return placeOf(buffer, indices, b, loc);
}

/// What the fill or copy writes to element `number`.
Value elementWritten(OpBuilder &b, Operation *write, int64_t number) {
  if (auto fill = dyn_cast<tile::FillOp>(write))
    return fill.getValue();
  auto copy = cast<tile::CopyOp>(write);
  Location loc = write->getLoc();
  Type from = copy.getSrc().getType().getElementType();
  ElementPlace place = elementOf(b, loc, copy.getSrc(), number);
  Value value = tile::LoadOp::create(b, loc, tile::scalarTypeOf(from), place.buffer, place.indices,
                                     FloatAttr());
  return convertScalar(b, loc, value, from, copy.getDst().getType().getElementType());
}

} // namespace

static void writeLocals(tile::KernelOp kernel) {
  llvm::SetVector<Operation *> writes;
  for (Local &local : localsOf(kernel))
    for (Operation *user : local.users)
      if (local.writes(user) && !isa<tile::StoreOp>(user))
        writes.insert(user);
  for (Operation *write : writes) {
    auto fill = dyn_cast<tile::FillOp>(write);
    Value dst = fill ? fill.getDst() : cast<tile::CopyOp>(write).getDst();
    OpBuilder b(write);
    for (int64_t n = 0; n < cast<tile::BufferType>(dst.getType()).numElems(); ++n) {
      Value value = elementWritten(b, write, n);
      ElementPlace place = elementOf(b, write->getLoc(), dst, n);
      tile::StoreOp::create(b, write->getLoc(), value, place.buffer, place.indices);
    }
    write->erase();
  }
}

namespace {
struct WriteLocalsPass : impl::WriteLocalsPassBase<WriteLocalsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        writeLocals(kernel);
  }
};
} // namespace

} // namespace tilec

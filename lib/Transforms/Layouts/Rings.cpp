//===- Rings.cpp - a shared tile that copies run ahead of -----------------===//
//
// Takes a shared tile and a number of slots, makes the buffer that has so many and the view of
// one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Rings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {

tile::AllocOp makeRing(OpBuilder &builder, tile::AllocOp tile, int64_t slots, SharedLayout layout) {
  tile::BufferType type = tile.getResult().getType();
  SmallVector<int64_t> shape = {slots};
  shape.append(type.getShape().begin(), type.getShape().end());
  layout.shape.assign(shape.begin(), shape.end());
  auto wide = tile::BufferType::get(shape, type.getElementType(), type.getScope());
  return tile::AllocOp::create(builder, tile.getLoc(), wide, tile.getName(),
                               tile::SharedLayoutAttr::get(tile.getContext(), layout));
}

Value slotOf(OpBuilder &builder, Location loc, tile::AllocOp ring, tile::BufferType type,
             Value slot) {
  SmallVector<Value> offsets(type.rank() + 1, arith::ConstantIndexOp::create(builder, loc, 0));
  offsets[0] = slot;
  return tile::SubviewOp::create(builder, loc, type, ring.getResult(), offsets,
                                 builder.getDenseI64ArrayAttr({0}));
}

} // namespace tilec

//===- ExpandInnerTiles.cpp - copies, fills and reductions of an iteration -===//
//
// A tile operation in a tile.parallel works on the tiles of its iteration, a row of a
// buffer for example. It becomes a loop over elements, so that it is checked and
// distributed as every other statement of the iteration is.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDINNERTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

Value absolute(OpBuilder &b, Location loc, Value x) {
  if (isa<FloatType>(x.getType()))
    return math::AbsFOp::create(b, loc, x);
  return math::AbsIOp::create(b, loc, x);
}

/// parallel (elements of dst) { sum = identity or dst; for k { sum = op(sum, src) }; dst = sum }
void expandReduce(tile::ReduceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto src = cast<tile::BufferType>(op.getSrc().getType());
  auto dst = cast<tile::BufferType>(op.getDst().getType());
  bool isUnsignedType = isUnsigned(tile::dtypeOf(src.getElementType()));
  bool isAbsolute =
      op.getKind() == tile::ReduceKind::AbsMax || op.getKind() == tile::ReduceKind::AbsSum;
  // Integers keep their width, floats accumulate in what scalars have.
  Type scalar = tile::scalarTypeOf(src.getElementType());
  Type held = isa<FloatType>(scalar) ? scalar : src.getElementType();
  makeElementwise(builder, loc, op.getDst(), [&](OpBuilder &b, ValueRange at) {
    auto localType = tile::BufferType::get({}, held, tile::Scope::Local);
    Value sum = tile::AllocOp::create(b, loc, localType, "running", Attribute());
    Value first;
    if (op.getClear()) {
      first = identityOf(b, loc, op.getKind(), scalar, isUnsignedType, op.getNanPropagate());
    } else {
      Type dstScalar = tile::scalarTypeOf(dst.getElementType());
      first = tile::LoadOp::create(b, loc, dstScalar, op.getDst(), at, FloatAttr());
      first = convertScalar(b, loc, first, dst.getElementType(), src.getElementType());
    }
    tile::StoreOp::create(b, loc, first, sum, ValueRange());
    auto number = [&](int64_t n) -> Value { return arith::ConstantIndexOp::create(b, loc, n); };
    int64_t dim = op.getDim();
    auto loop = tile::ForOp::create(b, loc, number(0), number(src.getShape()[dim]), number(1));
    OpBuilder step = OpBuilder::atBlockEnd(loop.bodyBlock());
    SmallVector<Value> indices(at.take_front(dst.rank()));
    if (dst.rank() == src.rank())
      indices[dim] = loop.iv();
    else
      indices.insert(indices.begin() + dim, loop.iv());
    indices.resize(src.rank());
    Value value = tile::LoadOp::create(step, loc, scalar, op.getSrc(), indices, FloatAttr());
    if (isAbsolute)
      value = absolute(step, loc, value);
    Value old = tile::LoadOp::create(step, loc, scalar, sum, ValueRange(), FloatAttr());
    Value next = combine(step, loc, op.getKind(), old, value, isUnsignedType, op.getNanPropagate());
    tile::StoreOp::create(step, loc, next, sum, ValueRange());
    Value result = tile::LoadOp::create(b, loc, scalar, sum, ValueRange(), FloatAttr());
    return convertScalar(b, loc, result, src.getElementType(), dst.getElementType());
  });
}

} // namespace

void expandTilesInParallels(tile::ProgramOp program) {
  SmallVector<Operation *> ops;
  program.walk([&](Operation *op) {
    if (isa<tile::CopyOp, tile::FillOp, tile::ReduceOp>(op) &&
        op->getParentOfType<tile::ParallelOp>())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (!reduce) {
      replaceByLoop(op);
      continue;
    }
    expandReduce(reduce);
    reduce.erase();
  }
}

namespace {
struct ExpandInnerTilesPass : impl::ExpandInnerTilesPassBase<ExpandInnerTilesPass> {
  void runOnOperation() override { expandTilesInParallels(getOperation()); }
};
} // namespace

} // namespace tilec

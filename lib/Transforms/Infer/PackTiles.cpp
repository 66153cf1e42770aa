//===- PackTiles.cpp - shared tiles of 4-bit elements as bytes -------------===//
//
// Tensors have two elements of 4 bits in a byte, shared memory one, so that a copy is one through
// registers. Where rows are whole bytes, and boxes begin with one, a tile that only copies fill and
// loops over elements read has the tensor's bytes instead, which are copied like any others, and
// each of its readers takes its half of a byte.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PACKTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t inByte = 2, bitsOfHalf = 4;

bool isHalfByte(Type element) {
  DType dtype = tile::dtypeOf(element);
  return dtype == DType::I4 || dtype == DType::U4;
}

/// The buffer's type with bytes, of which each is two elements of a row.
tile::BufferType inBytes(tile::BufferType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= inByte;
  return tile::BufferType::get(shape, tile::elementTypeOf(DType::U8, type.getContext()),
                               type.getScope());
}

bool hasWholeBytes(tile::BufferType type) {
  return type.rank() > 0 && type.hasStaticShape() && type.getShape().back() % inByte == 0;
}

class PackedTile {
public:
  explicit PackedTile(tile::AllocOp tile) : tile(tile) {}

  bool find();
  void rewrite();

private:
  bool addCopy(tile::CopyOp copy);
  void rewrite(tile::CopyOp copy, Value bytes);
  static void rewrite(tile::LoadOp load, Value bytes);

  tile::AllocOp tile;
  SmallVector<tile::CopyOp> copies;
  SmallVector<tile::LoadOp> loads;
};

bool isEven(const LinearForm &form) {
  return form.constant % inByte == 0 &&
         llvm::all_of(form.terms, [](auto &term) { return term.second % inByte == 0; });
}

bool PackedTile::addCopy(tile::CopyOp copy) {
  auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
  auto tensor = view ? view.getSource().getDefiningOp<tile::TensorOp>() : tile::TensorOp();
  auto loop = copy->getParentOfType<tile::ForOp>();
  if (copy.getDst() != tile.getResult() || !tensor || !loop || loop.getStages() < 2)
    return false;
  tile::BufferType whole = view.getSource().getType(), box = view.getType();
  bool isSame = whole.getElementType() == tile.getResult().getType().getElementType();
  // The row is along the tensor's rows, which follow each other.
  bool isAlongRows = !llvm::is_contained(view.getDropped(), whole.rank() - 1) &&
                     box.getShape().back() == tile.getResult().getType().getShape().back();
  if (!isSame || !isAlongRows || !tensor.getStrides().empty() || !hasWholeBytes(whole) ||
      !hasWholeBytes(box) || !isEven(linearize(view.getOffsets().back())))
    return false;
  copies.push_back(copy);
  return true;
}

bool PackedTile::find() {
  tile::BufferType type = tile.getResult().getType();
  if (!type.isShared() || tile.getLayout() || !isHalfByte(type.getElementType()) ||
      !hasWholeBytes(type))
    return false;
  for (Operation *user : tile->getUsers()) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    auto load = dyn_cast<tile::LoadOp>(user);
    if (load && !load.getBlock() && load->getParentOfType<tile::ElementLoop>())
      loads.push_back(load);
    else if (!copy || !addCopy(copy))
      return false;
  }
  return !copies.empty() && !loads.empty();
}

void PackedTile::rewrite(tile::CopyOp copy, Value bytes) {
  auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  Value tensor =
      tile::ReshapeOp::create(b, loc, inBytes(view.getSource().getType()), view.getSource());
  LinearForm form = linearize(view.getOffsets().back());
  Value column = arith::ConstantIndexOp::create(b, loc, form.constant / inByte);
  for (auto [term, factor] : form.terms) {
    Value scale = arith::ConstantIndexOp::create(b, loc, factor / inByte);
    Value part = arith::MulIOp::create(b, loc, term, scale);
    column = arith::AddIOp::create(b, loc, column, part);
  }
  SmallVector<Value> offsets(view.getOffsets());
  offsets.back() = column;
  Value box =
      tile::SubviewOp::create(b, loc, inBytes(view.getType()), tensor, offsets, view.getDropped());
  copy.getSrcMutable().assign(box);
  copy.getDstMutable().assign(bytes);
}

void PackedTile::rewrite(tile::LoadOp load, Value bytes) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  bool isSigned = tile::dtypeOf(load.getBuffer().getType().getElementType()) == DType::I4;
  auto parallel = load->getParentOfType<tile::ElementLoop>();
  Type byte = load.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(byte, value));
  };
  SmallVector<Value> indices(load.getIndices());
  Value two = arith::ConstantIndexOp::create(b, loc, inByte);
  Value half = arith::RemUIOp::create(b, loc, indices.back(), two);
  indices.back() = arith::DivUIOp::create(b, loc, indices.back(), two);
  Value both = tile::LoadOp::create(b, loc, byte, bytes, indices, FloatAttr());
  Value bits = arith::ConstantIndexOp::create(b, loc, bitsOfHalf);
  Value shift = arith::IndexCastOp::create(b, loc, byte,
                                           arith::MulIOp::create(b, loc, half, bits).getResult());
  Value value = arith::ShRUIOp::create(b, loc, both, shift);
  if (isSigned) {
    value = arith::ShLIOp::create(b, loc, value, constant(bitsOfHalf));
    value = arith::ShRSIOp::create(b, loc, value, constant(bitsOfHalf));
  } else {
    value = arith::AndIOp::create(b, loc, value, constant((1 << bitsOfHalf) - 1));
  }
  load.getResult().replaceAllUsesWith(value);
  load.erase();
  if (isa<tile::MoveOp>(*parallel)) // it computes what it stores now
    tile::turnInto<tile::ParallelOp>(parallel);
}

void PackedTile::rewrite() {
  OpBuilder b(tile);
  auto bytes = tile::AllocOp::create(b, tile.getLoc(), inBytes(tile.getResult().getType()),
                                     tile.getName(), Attribute());
  for (tile::CopyOp copy : copies)
    rewrite(copy, bytes.getResult());
  for (tile::LoadOp load : loads)
    rewrite(load, bytes.getResult());
  tile.erase();
}

struct PackTilesPass : impl::PackTilesPassBase<PackTilesPass> {
  void runOnOperation() override {
    SmallVector<tile::AllocOp> tiles;
    getOperation().walk([&](tile::AllocOp tile) { tiles.push_back(tile); });
    for (tile::AllocOp tile : tiles)
      if (PackedTile packed(tile); packed.find())
        packed.rewrite();
  }
};

} // namespace

} // namespace tilec

//===- Buffers.cpp - which memory an op touches ---------------------------===//
//
// Takes ops of the tile dialect, gives the buffers behind their views, the boxes that they touch,
// and what they read and write.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

Value rootOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<tile::SubviewOp>(op))
      buffer = view.getSource();
    else if (auto view = dyn_cast<tile::ReshapeOp>(op))
      buffer = view.getSource();
    else if (auto view = dyn_cast<tile::Im2colOp>(op))
      buffer = view.getSource();
    else
      break;
  }
  return buffer;
}

Value boxRootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<tile::SubviewOp>())
    buffer = view.getSource();
  return buffer;
}

tile::TensorOp plainTensorOf(Value buffer) {
  if (auto view = buffer.getDefiningOp<tile::ReshapeOp>())
    buffer = view.getSource();
  auto tensor = buffer.getDefiningOp<tile::TensorOp>();
  return tensor && tensor.getStrides().empty() ? tensor : tile::TensorOp();
}

BufferBox boxOf(Value buffer) {
  if (auto view = buffer.getDefiningOp<tile::SubviewOp>()) {
    BufferBox box = boxOf(view.getSource());
    for (auto [d, offset] : llvm::enumerate(view.getOffsets()))
      if (tile::constantInt(offset) != 0)
        box.offsets[box.dims[d]].terms.push_back(offset);
    for (int64_t dropped : llvm::reverse(view.getDropped()))
      box.dims.erase(box.dims.begin() + dropped);
    return box;
  }
  BufferBox box{buffer, {}, {}};
  box.offsets.resize(box.rootType().rank());
  llvm::append_range(box.dims, llvm::seq<int64_t>(0, box.rootType().rank()));
  return box;
}

SmallVector<Value, 4> rootIndices(const BufferBox &box, ValueRange viewIndices, OpBuilder &builder,
                                  Location loc) {
  SmallVector<Value, 4> indices(box.offsets.size());
  auto add = [&](Value &at, Value index) {
    at = at ? arith::AddIOp::create(builder, loc, at, index).getResult() : index;
  };
  for (auto [d, offset] : llvm::enumerate(box.offsets))
    for (Value term : offset.terms)
      add(indices[d], term);
  for (auto [d, index] : llvm::enumerate(viewIndices))
    add(indices[box.dims[d]], index);
  for (Value &index : indices)
    if (!index)
      index = arith::ConstantIndexOp::create(builder, loc, 0);
  return indices;
}

/// Row-major: the indices into `to` for those into `from`, which has as many elements. Dimensions
/// that both end with keep their index as it is, by which layouts are found; one of a single
/// element adds nothing.
static SmallVector<Value, 4> reshapedIndices(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                             ValueRange indices, OpBuilder &b, Location loc) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<Value, 4> result(to.size());
  while (!from.empty() && !to.empty()) {
    bool isSame = from.back() == to.back(), isUnit = from.back() == 1;
    if (!isSame && !isUnit && to.back() != 1)
      break;
    if (isSame || !isUnit) {
      result[to.size() - 1] = isSame ? indices[from.size() - 1] : constant(0);
      to = to.drop_back();
    }
    if (isSame || isUnit)
      from = from.drop_back();
  }
  Value linear = constant(0);
  for (auto [size, index] : llvm::zip(from, indices)) {
    if (size == 1)
      continue;
    linear = arith::MulIOp::create(b, loc, linear, constant(size));
    linear = arith::AddIOp::create(b, loc, linear, index);
  }
  for (int64_t d = int64_t(to.size()) - 1; d >= 0; --d) {
    result[d] =
        d == 0 ? linear : arith::RemUIOp::create(b, loc, linear, constant(to[d])).getResult();
    linear = arith::DivUIOp::create(b, loc, linear, constant(to[d]));
  }
  return result;
}

ElementPlace placeOf(Value buffer, ValueRange indices, OpBuilder &b, Location loc) {
  ElementPlace place{buffer, SmallVector<Value, 4>(indices.begin(), indices.end())};
  while (true) {
    if (place.buffer.getDefiningOp<tile::SubviewOp>()) {
      BufferBox box = boxOf(place.buffer);
      place.indices = rootIndices(box, place.indices, b, loc);
      place.buffer = box.root;
      continue;
    }
    auto view = place.buffer.getDefiningOp<tile::ReshapeOp>();
    if (!view || view.getType().isGlobal() || view.getType().isShared() ||
        view.getType().getElementType() != view.getSource().getType().getElementType())
      return place;
    place.indices = reshapedIndices(view.getType().getShape(),
                                    view.getSource().getType().getShape(), place.indices, b, loc);
    place.buffer = view.getSource();
  }
}

/// Behind a barrier of the grid there is what other blocks have written, and before it they may
/// need what this one has: global memory that the kernel writes is touched by it.
static void addOtherBlocks(Operation *sync, Accesses &result) {
  auto kernel = sync->getParentOfType<tile::KernelOp>();
  for (Value root : accessesOf(kernel).writes)
    if (cast<tile::BufferType>(root.getType()).isGlobal())
      for (auto *list : {&result.reads, &result.writes})
        if (!llvm::is_contained(*list, root))
          list->push_back(root);
}

std::optional<ElementAccess> elementAccess(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return ElementAccess{load.getBuffer(), load.getIndices()};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return ElementAccess{store.getBuffer(), store.getIndices()};
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return ElementAccess{atomic.getBuffer(), atomic.getIndices()};
  return std::nullopt;
}

bool touches(Operation *op, Value root) {
  Accesses accesses = accessesOf(op);
  return llvm::is_contained(accesses.reads, root) || llvm::is_contained(accesses.writes, root);
}

bool isFilledFirst(Block &block, Value tile) {
  for (Operation &op : block) {
    Accesses accesses = accessesOf(&op);
    if (auto copy = dyn_cast<tile::CopyOp>(op); copy && copy.getDst() == tile)
      return !llvm::is_contained(accesses.reads, tile);
    if (llvm::is_contained(accesses.reads, tile) || llvm::is_contained(accesses.writes, tile))
      return false;
  }
  return false;
}

bool anyGlobal(ArrayRef<Value> roots) {
  return llvm::any_of(roots,
                      [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); });
}

bool anyShared(ArrayRef<Value> roots) {
  return llvm::any_of(roots,
                      [](Value root) { return cast<tile::BufferType>(root.getType()).isShared(); });
}

bool movesToShared(Operation *op) {
  Accesses accesses = accessesOf(op);
  return anyGlobal(accesses.reads) && anyShared(accesses.writes);
}

bool isChangedBy(ArrayRef<Value> written, Value root) {
  auto mayOverlap = [](Value value) {
    auto tensor = value.getDefiningOp<tile::TensorOp>();
    return tensor && tensor.getMayOverlap();
  };
  return llvm::is_contained(written, root) ||
         (mayOverlap(root) && llvm::any_of(written, mayOverlap));
}

bool isOfWords(Value root) {
  constexpr int64_t wordBits = 32;
  auto type = cast<tile::BufferType>(root.getType());
  int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
  if (bits % wordBits == 0)
    return true;
  auto tensor = root.getDefiningOp<tile::TensorOp>();
  return bits >= 8 && tensor && tensor.getStrides().empty() && type.hasStaticShape() &&
         type.numElems() > 0 && type.numElems() * bits % wordBits == 0;
}

bool conflict(const Accesses &a, const Accesses &b) {
  auto meet = [](ArrayRef<Value> writes, ArrayRef<Value> others) {
    return llvm::any_of(others, [&](Value root) { return isChangedBy(writes, root); });
  };
  return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(b.writes, a.reads);
}

Accesses accessesOf(Operation *op) {
  Accesses result;
  auto note = [](SmallVectorImpl<Value> &list, Value root) {
    if (!llvm::is_contained(list, root))
      list.push_back(root);
  };
  op->walk([&](Operation *inner) {
    if (isa<tile::GridSyncOp>(inner) && !isa<tile::KernelOp>(op))
      addOtherBlocks(inner, result);
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects || inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    for (const MemoryEffects::EffectInstance &effect : list) {
      if (!effect.getValue() || !isa<tile::BufferType>(effect.getValue().getType()))
        continue;
      Value root = rootOf(effect.getValue());
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        note(result.reads, root);
      if (isa<MemoryEffects::Write>(effect.getEffect()))
        note(result.writes, root);
    }
  });
  return result;
}

llvm::StringRef nameOfRoot(Value root) {
  Operation *op = root.getDefiningOp();
  auto name = op ? op->getAttrOfType<StringAttr>("name") : StringAttr();
  return name ? name.getValue() : "buffer";
}

std::string quotedName(Value buffer) {
  Operation *op = rootOf(buffer).getDefiningOp();
  auto name = op ? op->getAttrOfType<StringAttr>("name") : StringAttr();
  return name ? ("`" + name.getValue() + "`").str() : "a buffer";
}

} // namespace tilec

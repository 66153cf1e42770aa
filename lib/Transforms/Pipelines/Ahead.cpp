//===- Ahead.cpp - what a round of a loop computes, for another round ------===//
//
// Takes values of a loop's body, follows what they are computed from, copies that for another
// round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/Ahead.h"

#include "tilec/Analysis/Index.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

bool isIndexOnly(Value value, tile::ForOp loop, const Accesses *mayLoad, bool words) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.bodyBlock();
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead = mayLoad && load && load.getBuffer().getType().isGlobal() &&
                !isChangedBy(mayLoad->writes, rootOf(load.getBuffer()));
  if (isRead && words)
    isRead = isOfWords(load.getBuffer());
  if (!isRead && !isPure(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value v) { return isIndexOnly(v, loop, mayLoad, words); });
}

tile::AllocOp tileOf(tile::CopyOp copy) {
  auto part = copy.getDst().getDefiningOp<tile::SubviewOp>();
  Value tile = part ? Value(part.getSource()) : copy.getDst();
  return tile.getDefiningOp<tile::AllocOp>();
}

bool isOfPart(tile::CopyOp copy) {
  return copy.getDst().getDefiningOp<tile::SubviewOp>() != nullptr;
}

/// The copies of the block that fill the tile part by part, in their order; none where they do not
/// bring all of it, or some of it twice.
static SmallVector<tile::CopyOp, 2> partsOf(tile::AllocOp tile, Block *block) {
  struct Part {
    SmallVector<int64_t> first, extents;
  };
  ArrayRef<int64_t> shape = tile.getResult().getType().getShape();
  SmallVector<tile::CopyOp, 2> copies;
  SmallVector<Part, 2> parts;
  int64_t elements = 0;
  for (auto copy : block->getOps<tile::CopyOp>()) {
    if (!isOfPart(copy) || tileOf(copy) != tile)
      continue;
    auto view = copy.getDst().getDefiningOp<tile::SubviewOp>();
    Part part{{}, SmallVector<int64_t>(view.getType().getShape())};
    for (Value offset : view.getOffsets())
      part.first.push_back(tile::constantInt(offset).value_or(-1));
    // A view may leave dimensions out, whose extent is 1.
    if (part.extents.size() != shape.size() || !view->hasOneUse() ||
        llvm::is_contained(part.first, -1))
      return {};
    auto isApart = [&](const Part &other) {
      return llvm::any_of(llvm::seq<size_t>(0, shape.size()), [&](size_t d) {
        return other.first[d] + other.extents[d] <= part.first[d] ||
               part.first[d] + part.extents[d] <= other.first[d];
      });
    };
    if (!llvm::all_of(parts, isApart))
      return {};
    elements += view.getType().numElems();
    parts.push_back(std::move(part));
    copies.push_back(copy);
  }
  bool isWhole = elements == tile.getResult().getType().numElems();
  return isWhole ? copies : SmallVector<tile::CopyOp, 2>();
}

bool isFilledBy(Operation *fill, tile::AllocOp ring) {
  SmallVector<tile::CopyOp, 2> parts;
  if (auto copy = dyn_cast<tile::CopyOp>(fill); copy && isOfPart(copy)) {
    parts = partsOf(ring, fill->getBlock());
    if (parts.empty())
      return false;
    fill = parts.back(); // what reads the tile stands behind all of them
  }
  for (Operation *user : ring->getUsers()) {
    if (llvm::any_of(parts,
                     [&](tile::CopyOp part) { return part.getDst().getDefiningOp() == user; }))
      continue;
    Operation *inBody = fill->getBlock()->findAncestorOpInBlock(*user);
    if (!inBody || isa<tile::ReshapeOp>(user))
      return false;
    if (inBody == fill)
      continue;
    if (!fill->isBeforeInBlock(inBody) ||
        llvm::is_contained(accessesOf(inBody).writes, ring.getResult()))
      return false;
  }
  return true;
}

scf::IfOp branchOf(Operation *op, tile::ForOp loop) {
  auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
  return branch && branch->getBlock() == loop.bodyBlock() ? branch : scf::IfOp();
}

SmallVector<tile::CopyOp, 2> choicesOf(scf::IfOp branch) {
  SmallVector<tile::CopyOp, 2> found;
  if (branch->getNumResults() != 0)
    return {};
  for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
    for (Operation &op : side->getOps()) {
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        found.push_back(copy);
      else if (!isa<scf::YieldOp, tile::LoadOp>(op) && !isPure(&op))
        return {};
    }
  bool isChoice = found.size() == 2 && found[0]->getBlock() != found[1]->getBlock() &&
                  found[0].getDst() == found[1].getDst();
  return isChoice ? found : SmallVector<tile::CopyOp, 2>();
}

Operation *lastReaderOf(ArrayRef<tile::AllocOp> rings, tile::ForOp loop) {
  auto isRead = [&](Value root) {
    return cast<tile::BufferType>(root.getType()).isGlobal() ||
           llvm::is_contained(rings, root.getDefiningOp<tile::AllocOp>());
  };
  for (Operation &op : llvm::reverse(*loop.bodyBlock()))
    if (llvm::any_of(accessesOf(&op).reads, isRead))
      return &op;
  return nullptr;
}

bool canLieOutside(tile::BufferType tensor) {
  return tensor.rank() > 1 && !ShapedType::isDynamic(tensor.getShape().front());
}

bool mayBeEmpty(tile::ForOp loop) {
  std::optional<IndexRange> lower = rangeOf(loop.getLower()), upper = rangeOf(loop.getUpper());
  return !lower || !upper || upper->low <= lower->high;
}

Value OtherRounds::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loop.getLoc(), value);
}

void OtherRounds::countRounds() {
  Location loc = loop.getLoc();
  Value span = arith::SubIOp::create(builder, loc, loop.getUpper(), loop.getLower());
  rounds = arith::CeilDivSIOp::create(builder, loc, span, loop.getStep());
}

Value OtherRounds::variableIn(Value round) {
  Location loc = loop.getLoc();
  Value last = arith::SubIOp::create(builder, loc, rounds, constant(1));
  Value clamped = arith::MinSIOp::create(builder, loc, round, last);
  Value scaled = arith::MulIOp::create(builder, loc, clamped, loop.getStep());
  return arith::AddIOp::create(builder, loc, loop.getLower(), scaled);
}

Value OtherRounds::numberOfBody() {
  Location loc = loop.getLoc();
  Value offset = arith::SubIOp::create(builder, loc, loop.iv(), loop.getLower());
  return arith::DivSIOp::create(builder, loc, offset, loop.getStep());
}

void OtherRounds::repeatArithmetic(SmallVector<Value> work, IRMapping &mapping) {
  SetVector<Operation *> slice;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !loop->isProperAncestor(op) || !slice.insert(op))
      continue;
    llvm::append_range(work, op->getOperands());
  }
  // Of a round under a condition some stand in its block.
  SmallVector<Operation *> ordered;
  loop.bodyBlock()->walk([&](Operation *op) {
    if (slice.contains(op))
      ordered.push_back(op);
  });
  for (Operation *op : ordered)
    if (!mapping.contains(op->getResult(0)))
      builder.clone(*op, mapping);
}

} // namespace tilec

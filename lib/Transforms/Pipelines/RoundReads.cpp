//===- RoundReads.cpp - what a round reads for itself, in front of it ------===//
//
// Where operations in flight are counted in order, a read of a round is waited for together with
// all that was started before it: the copies of later rounds. An element that each round reads
// anew, as it stands in a loop over elements or under a condition, costs all of them their lead:
//
//   for k: start copies of k + 1; ...; mask[i, j] by k * 64 + j < lengths[b]
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/RoundReads.h"
#include "Layouts/LoopLayout.h"
#include "Pipelines/TensorReads.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {
namespace {

/// Adds the arithmetic that `value` is computed from, in order, up to what `isThere`; false where
/// more than that has a part in it.
bool addArithmetic(Value value, llvm::function_ref<bool(Value)> isThere,
                   SetVector<Operation *> &arithmetic) {
  if (isThere(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isPure(op))
    return false;
  if (arithmetic.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!addArithmetic(operand, isThere, arithmetic))
      return false;
  arithmetic.insert(op);
  return true;
}

/// The fragment that the op does nothing but fill from tensors, which nothing in the loop writes;
/// null: it does something else.
tile::AllocOp fragmentFilledBy(Operation &op, ArrayRef<Value> written) {
  if (!isa<tile::CopyOp, tile::ElementLoop>(op))
    return {};
  Accesses accesses = accessesOf(&op);
  auto stays = [&](Value root) {
    return root.getDefiningOp<tile::TensorOp>() && !isChangedBy(written, root);
  };
  auto alloc = accesses.writes.size() == 1 ? accesses.writes.front().getDefiningOp<tile::AllocOp>()
                                           : tile::AllocOp();
  bool isFragment = alloc && alloc.getResult().getType().isFragment();
  return isFragment && !accesses.reads.empty() && llvm::all_of(accesses.reads, stays)
             ? alloc
             : tile::AllocOp();
}

/// Adds what stands behind `place` and the op uses: the fragment itself, and arithmetic.
bool addWhatItNeeds(Operation &op, Operation *place, tile::AllocOp fragment,
                    SetVector<Operation *> &needed) {
  auto isThere = [&](Value value) {
    Operation *from = value.getDefiningOp();
    return from == fragment || !from || from->getBlock() != place->getBlock() ||
           from->isBeforeInBlock(place);
  };
  if (fragment->getBlock() == place->getBlock() && place->isBeforeInBlock(fragment))
    needed.insert(fragment);
  bool isArithmetic = true;
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op.isAncestor(operand.getParentBlock()->getParentOp()))
        isArithmetic = isArithmetic && addArithmetic(operand, isThere, needed);
  });
  return isArithmetic;
}

/// Registers of a lane that what it reads in front of a loop may take: little beside tiles.
constexpr int64_t mostOfRows = 8;

/// Elements of a tensor that some of the loop's variables name, in front of all rounds.
class SameRows {
public:
  SameRows(tile::LoadOp load, tile::ElementLoop parallel, tile::ForOp loop)
      : load(load), parallel(parallel), loop(loop) {}

  /// False, and nothing is changed, where they differ between rounds, or are many.
  bool readFirst();

private:
  bool find();
  void fill();

  tile::LoadOp load;
  tile::ElementLoop parallel;
  tile::ForOp loop;
  SetVector<Operation *> arithmetic; ///< of the places
  SmallVector<Value> variables;
  SmallVector<int64_t> shape;
  FragmentLayout ofLoop, ofRows;
  tile::AllocOp rows;
};

bool SameRows::find() {
  auto isThere = [&](Value value) {
    return !loop.getBody().isAncestor(value.getParentRegion()) ||
           llvm::is_contained(parallel.ivs(), value);
  };
  if (!llvm::all_of(load.getIndices(),
                    [&](Value index) { return addArithmetic(index, isThere, arithmetic); }))
    return false;
  SmallVector<Value> used(load.getIndices());
  for (Operation *op : arithmetic)
    llvm::append_range(used, op->getOperands());
  for (auto [variable, extent] : llvm::zip_equal(parallel.ivs(), *parallel.constantExtents()))
    if (llvm::is_contained(used, variable)) {
      variables.push_back(variable);
      shape.push_back(extent);
    }
  std::optional<FragmentLayout> layout = layoutFromFragments(parallel);
  if (variables.empty() || variables.size() == parallel.ivs().size() || !layout)
    return false;
  std::optional<FragmentLayout> found = fragmentFromLoop(*layout, variables, shape, parallel);
  if (!found || found->numRegs() > mostOfRows)
    return false;
  ofLoop = *layout;
  ofRows = *found;
  return true;
}

void SameRows::fill() {
  Location loc = load.getLoc();
  OpBuilder builder(loop);
  auto type = tile::BufferType::get(shape, load.getBuffer().getType().getElementType(),
                                    tile::Scope::Fragment);
  rows = tile::AllocOp::create(builder, loc, type, (nameOfRoot(load.getBuffer()) + "_rows").str(),
                               tile::FragmentLayoutAttr::get(builder.getContext(), ofRows));
  SmallVector<Value> extents = llvm::map_to_vector(shape, [&](int64_t extent) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, extent);
  });
  auto move = tile::ParallelOp::create(builder, loc, extents);
  OpBuilder inside = OpBuilder::atBlockEnd(move.bodyBlock());
  IRMapping mapping;
  for (auto [variable, here] : llvm::zip_equal(variables, move.ivs()))
    mapping.map(variable, here);
  for (Operation *op : arithmetic)
    inside.clone(*op, mapping);
  auto read = cast<tile::LoadOp>(inside.clone(*load, mapping));
  tile::StoreOp::create(inside, loc, read.getResult(), rows.getResult(), move.ivs());
  if (tile::MoveOp::isBodyOf(move))
    tile::turnInto<tile::MoveOp>(move);
}

bool SameRows::readFirst() {
  if (!find())
    return false;
  fill();
  OpBuilder builder(load);
  auto kept = tile::LoadOp::create(builder, load.getLoc(), load.getType(), rows.getResult(),
                                   variables, FloatAttr());
  load.getResult().replaceAllUsesWith(kept.getResult());
  load->erase();
  // What it reads has had a part in the choice.
  parallel.setLayoutAttr(tile::FragmentLayoutAttr::get(builder.getContext(), ofLoop));
  return true;
}

} // namespace

void readSameRowsFirst(tile::ForOp loop) {
  Accesses ofKernel = accessesOf(loop->getParentOfType<tile::KernelOp>());
  SmallVector<std::pair<tile::LoadOp, tile::ElementLoop>> loads;
  for (tile::ElementLoop parallel : loop.bodyBlock()->getOps<tile::ElementLoop>())
    if (parallel.constantExtents() && !parallel.getPart())
      parallel->walk([&](tile::LoadOp load) {
        if (load.getBuffer().getDefiningOp<tile::TensorOp>() &&
            !isChangedBy(ofKernel.writes, load.getBuffer()))
          loads.emplace_back(load, parallel);
      });
  for (auto [load, parallel] : loads)
    SameRows(load, parallel, loop).readFirst();
}

void readSameElementsFirst(tile::ForOp loop) {
  Accesses ofKernel = accessesOf(loop->getParentOfType<tile::KernelOp>());
  SmallVector<tile::LoadOp> loads;
  loop.getBody().walk([&](tile::LoadOp load) {
    // What else stands in a round is the same for all lanes, and read by another counter.
    if (load->getParentOfType<tile::ElementLoop>() &&
        load.getBuffer().getDefiningOp<tile::TensorOp>() &&
        !isChangedBy(ofKernel.writes, load.getBuffer()))
      loads.push_back(load);
  });
  for (tile::LoadOp load : loads) {
    SetVector<Operation *> arithmetic;
    auto isInFront = [&](Value value) {
      return !loop.getBody().isAncestor(value.getParentRegion());
    };
    if (!llvm::all_of(load.getIndices(),
                      [&](Value index) { return addArithmetic(index, isInFront, arithmetic); }))
      continue;
    // Places outside of the tensor are zeros, so that it may be read without its condition.
    for (Operation *op : arithmetic)
      op->moveBefore(loop);
    load->moveBefore(loop);
  }
}

void readFragmentsBefore(Operation *fill) {
  Block &block = *fill->getBlock();
  Accesses ofLoop = accessesOf(fill->getParentOfType<tile::ForOp>());
  Accesses between; // of what stands between the fill and the op at hand
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(fill->getIterator(), block.getTerminator()->getIterator()))) {
    tile::AllocOp fragment = fragmentFilledBy(op, ofLoop.writes);
    bool isUsed = fragment && (llvm::is_contained(between.reads, fragment.getResult()) ||
                               llvm::is_contained(between.writes, fragment.getResult()));
    SetVector<Operation *> before;
    if (fragment && !isUsed && addWhatItNeeds(op, fill, fragment, before)) {
      for (Operation *needed : before)
        needed->moveBefore(fill);
      op.moveBefore(fill);
      continue;
    }
    Accesses ofOp = accessesOf(&op);
    llvm::append_range(between.reads, ofOp.reads);
    llvm::append_range(between.writes, ofOp.writes);
  }
}

} // namespace tilec

//===- SelectValues.cpp - values instead of branches of an element ---------===//
//
// Takes loops over elements of pipelined rounds that unpack or scale in a branch,
//
//   if v < 8: B[i, j] = v * scales[i, k]
//   else:     B[i, j] = (v - 16) * scales[i, k]
//
// and lets them compute both values and select one: what they read of tensors stands in no branch
// then, and can be read a round ahead (Pipelines/HeldRounds).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SELECTVALUESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Both sides are computed for each element: more than that many operations are worth a branch.
constexpr int64_t mostOps = 64;

/// Places outside of a tensor are zeros; others have to be known to be inside.
bool isSafe(tile::LoadOp load) {
  tile::BufferType type = load.getBuffer().getType();
  if (type.isGlobal())
    return true;
  return llvm::all_of(llvm::zip_equal(load.getIndices(), type.getShape()), [](auto pair) {
    std::optional<IndexRange> range = rangeOf(std::get<0>(pair));
    return range && range->low >= 0 && range->high < std::get<1>(pair);
  });
}

bool isOfTensor(Operation &op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && load.getBuffer().getType().isGlobal();
}

bool isSame(Value one, Value other) {
  std::optional<int64_t> constant = tile::constantInt(one);
  return one == other || (constant && constant == tile::constantInt(other));
}

/// The one store of a side, behind which nothing stands; null: it has others, or none.
tile::StoreOp storeOf(Block *side) {
  auto store = dyn_cast_or_null<tile::StoreOp>(side->getTerminator()->getPrevNode());
  return store && llvm::hasSingleElement(side->getOps<tile::StoreOp>()) ? store : tile::StoreOp();
}

/// Whether the branch chooses a value, or what is stored in one place, and both sides can be
/// computed.
bool choosesValue(scf::IfOp branch) {
  if (!branch.elseBlock())
    return false;
  int64_t count = 0;
  bool readsTensors = false;
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : side->without_terminator()) {
      auto load = dyn_cast<tile::LoadOp>(op);
      bool isPlain = op.getNumRegions() == 0 && isMemoryEffectFree(&op) && isSpeculatable(&op);
      if (!isPlain && !(load && isSafe(load)) && &op != storeOf(side))
        return false;
      readsTensors |= isOfTensor(op);
      ++count;
    }
  tile::StoreOp one = storeOf(branch.thenBlock()), other = storeOf(branch.elseBlock());
  if (bool(one) != bool(other) || bool(one) == (branch.getNumResults() != 0))
    return false;
  bool isOnePlace = !one || (one.getBuffer() == other.getBuffer() &&
                             one.getValue().getType() == other.getValue().getType() &&
                             llvm::equal(one.getIndices(), other.getIndices(), isSame));
  return isOnePlace && readsTensors && count <= mostOps;
}

void select(scf::IfOp branch) {
  tile::StoreOp one = storeOf(branch.thenBlock()), other = storeOf(branch.elseBlock());
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : llvm::make_early_inc_range(side->without_terminator()))
      op.moveBefore(branch);
  OpBuilder b(branch);
  auto choose = [&](Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(), yes, no);
  };
  if (one) {
    other.getValueMutable().assign(choose(one.getValue(), other.getValue()));
    other->moveBefore(branch);
    one->erase();
  }
  for (auto [n, result] : llvm::enumerate(branch.getResults()))
    result.replaceAllUsesWith(
        choose(branch.thenYield().getOperand(n), branch.elseYield().getOperand(n)));
  branch.erase();
}

struct SelectValuesPass : impl::SelectValuesPassBase<SelectValuesPass> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches; // inner ones first
    getOperation().walk([&](scf::IfOp branch) {
      auto parallel = branch->getParentOfType<tile::ParallelOp>();
      auto loop = parallel ? parallel->getParentOfType<tile::ForOp>() : tile::ForOp();
      if (loop && loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1 &&
          !loop->getParentOfType<tile::KernelOp>().getLockstep())
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches)
      if (choosesValue(branch))
        select(branch);
  }
};

} // namespace

} // namespace tilec

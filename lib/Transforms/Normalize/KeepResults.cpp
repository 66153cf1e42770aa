//===- KeepResults.cpp - branches that give no values ---------------------===//
//
// Where the last wave is not whole, lanes without a thread come along where all threads go: a
// branch is cut where threads meet, and what it gives stands in registers of every thread.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_KEEPRESULTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void keepResults(tile::KernelOp kernel) {
  tile::Uniformity now(kernel);
  SmallVector<scf::IfOp> branches;
  kernel.walk([&](scf::IfOp branch) {
    bool isForAll = !now.isDivergent(&branch.getThenRegion().front());
    if (branch.getNumResults() != 0 && isForAll && !branch->getParentOfType<tile::ParallelOp>())
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches) {
    Location loc = branch.getLoc();
    OpBuilder before(branch), after(branch->getContext());
    after.setInsertionPointAfter(branch);
    SmallVector<Value> loaded;
    for (auto [n, result] : llvm::enumerate(branch.getResults())) {
      Type scalar = result.getType(),
           stored = scalar.isIndex() ? Type(before.getI32Type()) : scalar;
      auto type = tile::BufferType::get({}, stored, tile::Scope::Local);
      Value registers = tile::AllocOp::create(before, loc, type, "chosen", Attribute());
      for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
        OpBuilder inside(yield);
        Value value = yield.getOperand(n);
        if (scalar.isIndex())
          value = arith::IndexCastOp::create(inside, loc, stored, value);
        tile::StoreOp::create(inside, loc, value, registers, ValueRange());
      }
      Value value = tile::LoadOp::create(after, loc, stored, registers, ValueRange(), FloatAttr());
      if (scalar.isIndex())
        value = arith::IndexCastOp::create(after, loc, scalar, value);
      result.replaceAllUsesWith(value);
    }
    auto plain = scf::IfOp::create(before, loc, branch.getCondition(), /*withElseRegion=*/true);
    for (auto [from, to] : {std::pair(branch.thenBlock(), plain.thenBlock()),
                            std::pair(branch.elseBlock(), plain.elseBlock())})
      to->getOperations().splice(to->begin(), from->getOperations(), from->begin(),
                                 std::prev(from->end()));
    branch.erase();
  }
}

struct KeepResultsPass : impl::KeepResultsPassBase<KeepResultsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      if (!hasWholeWaves(kernel))
        keepResults(kernel);
  }
};

} // namespace

} // namespace tilec

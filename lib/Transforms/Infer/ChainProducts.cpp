//===- ChainProducts.cpp - products that take what others have made -------===//
//
// Follows fragments from products through element-wise loops to other products: with vector work
// between them, they use the largest atoms.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/FragmentRegisters.h"
#include "Layouts/GemmPlan.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHAINPRODUCTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool isFragment(Value buffer) { return cast<tile::BufferType>(buffer.getType()).isFragment(); }

/// The fragments that are computed from accumulators, these too. Statements of the kernel's loops
/// are looked at one by one, whatever is in a loop over elements together.
llvm::DenseSet<Value> madeOfProducts(tile::KernelOp kernel) {
  SmallVector<Operation *> statements;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::KernelOp, tile::ForOp, tile::GemmOp>(op) || op->getNumRegions() == 0)
      return WalkResult::advance();
    if (isa<tile::ElementLoop>(op)) {
      statements.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  llvm::DenseSet<Value> made;
  kernel.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op))
      made.insert(rootOf(gemm.getC()));
    else if (isa<tile::ReduceOp, tile::ScanOp>(op))
      statements.push_back(op);
  });
  for (size_t before = 0; before != made.size();) {
    before = made.size();
    for (Operation *op : statements) {
      Accesses accesses = accessesOf(op);
      if (llvm::any_of(accesses.reads, [&](Value v) { return made.contains(v); }))
        for (Value written : accesses.writes)
          if (isFragment(written))
            made.insert(written);
    }
  }
  return made;
}

/// Marks the products of a kernel in which one takes a fragment that is computed from what another
/// has made, where all of them have large atoms. `all`: those of any kernel.
void chainProducts(tile::KernelOp kernel, const TargetInfo &target, bool all) {
  SmallVector<tile::GemmOp> gemms;
  kernel.walk([&](tile::GemmOp gemm) { gemms.push_back(gemm); });
  auto takesFragment = [](tile::GemmOp gemm) {
    return isFragment(gemm.getA()) || isFragment(gemm.getB());
  };
  if (!all && (gemms.size() < 2 || llvm::none_of(gemms, takesFragment)))
    return;
  llvm::DenseSet<Value> made = madeOfProducts(kernel);
  auto takesMade = [&](tile::GemmOp gemm) {
    return made.contains(rootOf(gemm.getA())) || made.contains(rootOf(gemm.getB()));
  };
  if (!all && llvm::none_of(gemms, takesMade))
    return;
  // A large atom wants more registers at a time.
  if (fragmentRegisters(kernel, target) + besideFragments > target.registers.ofLane / 2)
    return;
  int64_t numWaves = wavesOf(kernel, target);
  if (llvm::all_of(gemms, [&](tile::GemmOp gemm) { return hasLargeAtom(gemm, target, numWaves); }))
    for (tile::GemmOp gemm : gemms)
      gemm.setChained(true);
}

struct ChainProductsPass : impl::ChainProductsPassBase<ChainProductsPass> {
  using ChainProductsPassBase::ChainProductsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (atoms == "small")
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      chainProducts(kernel, *chip, /*all=*/atoms == "large");
  }
};

} // namespace

} // namespace tilec

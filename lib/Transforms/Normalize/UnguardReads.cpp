//===- UnguardReads.cpp - reads that a branch leaves out for a zero -------===//
//
// Rows of a sequence that ends inside of a tensor are brought so:
//
//   for i, j in T.Parallel(64, 192):
//     if i < n: S[i, j] = A[first + i, h, j]
//     else:     S[i, j] = 0
//
// A branch for each piece lets no two reads be in flight. What is outside of a tensor reads as zero
// as well, so that the loop is, without a branch,
//
//     S[i, j] = A[first + i if i < n else -1, h, j]
//
// which only moves elements: the reads of a lane start together, and asynchronous copies can do it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNGUARDREADSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool isPlain(Operation &op) { return isPure(&op) && op.getNumRegions() == 0; }

/// The only store of a block that reads, computes and stores nothing else.
tile::StoreOp onlyStore(Block *block) {
  tile::StoreOp store;
  for (Operation &op : block->without_terminator()) {
    auto other = dyn_cast<tile::StoreOp>(op);
    if ((other && store) || (!other && !isPlain(op) && !isa<tile::LoadOp>(op)))
      return {};
    if (other)
      store = other;
  }
  return store;
}

/// What the value is but for conversions, which leave zero alone.
Value behindCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isPlusZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

bool isSame(Value one, Value other) {
  std::optional<int64_t> constant = tile::constantInt(one);
  return one == other || (constant && constant == tile::constantInt(other));
}

class GuardedRead {
public:
  GuardedRead(tile::ParallelOp loop, scf::IfOp branch) : loop(loop), branch(branch) {}

  bool find();
  void rewrite();

private:
  tile::ParallelOp loop;
  scf::IfOp branch;
  tile::LoadOp load;
  tile::StoreOp store;
  int64_t dim = 0; ///< of the tensor, of which the guard becomes an index
};

bool GuardedRead::find() {
  if (branch.getNumResults() != 0 || !branch.elseBlock())
    return false;
  store = onlyStore(branch.thenBlock());
  tile::StoreOp other = onlyStore(branch.elseBlock());
  if (!store || !other || store.getBuffer() != other.getBuffer() ||
      !store.getBuffer().getType().isShared() || !isPlusZero(behindCasts(other.getValue())) ||
      !llvm::equal(store.getIndices(), other.getIndices(), isSame) ||
      !branch.elseBlock()->getOps<tile::LoadOp>().empty())
    return false;
  auto loads = branch.thenBlock()->getOps<tile::LoadOp>();
  load = behindCasts(store.getValue()).getDefiningOp<tile::LoadOp>();
  if (!load || !llvm::hasSingleElement(loads) || !load.getBuffer().getType().isGlobal() ||
      load.getPad())
    return false;
  // One that differs between neighbours would part what is one access.
  BlockArgument last = loop.ivs().back();
  if (isComputedFrom(branch.getCondition(), last))
    return false;
  for (auto [d, index] : llvm::enumerate(load.getIndices()))
    if (!isComputedFrom(index, last)) {
      dim = int64_t(d);
      return true;
    }
  return false;
}

void GuardedRead::rewrite() {
  for (Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    op.moveBefore(branch);
  OpBuilder b(load);
  Location loc = load.getLoc();
  Value outside = arith::ConstantIndexOp::create(b, loc, -1);
  Value index =
      arith::SelectOp::create(b, loc, branch.getCondition(), load.getIndices()[dim], outside);
  load.getIndicesMutable()[dim].set(index);
  branch.erase();
}

} // namespace

/// `if row < n: S[i, j] = A[row, j]` with `else: S[i, j] = 0` reads A in all iterations.
static void guardReads(tile::ProgramOp program) {
  SmallVector<scf::IfOp> branches;
  program.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches)
    if (auto loop = dyn_cast<tile::ParallelOp>(branch->getParentOp()))
      if (GuardedRead read(loop, branch); read.find())
        read.rewrite();
}

namespace {
struct UnguardReadsPass : impl::UnguardReadsPassBase<UnguardReadsPass> {
  void runOnOperation() override { guardReads(getOperation()); }
};
} // namespace

} // namespace tilec

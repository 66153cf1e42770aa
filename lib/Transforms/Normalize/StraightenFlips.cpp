//===- StraightenFlips.cpp - places with a bit turned over ----------------===//
//
// Linear forms (Analysis/Index.h) know no xor. Of four neighbours of which each is read at j ^ 8 a
// lane would read one at a time, four lanes from the same bank. j ^ c of a power of two is
// j + c - j / c % 2 * 2c, of which it is seen where the elements that a lane reads are neighbours.
// Short serial loops around parallels whose variable picks the bit (`j ^ (1 << b)`, as butterflies
// and sorting networks have them) are their rounds first: c is known then.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STRAIGHTENFLIPSPASS
#include "tilec/Transforms/Passes.h.inc"

/// The xor that gives an index; null: none does.
static arith::XOrIOp flipOf(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  return cast ? cast.getIn().getDefiningOp<arith::XOrIOp>() : arith::XOrIOp();
}

/// Whether the loop computes the value from its variable.
static bool followsVariable(Value value, tile::ForOp loop) {
  if (value == loop.iv())
    return true;
  Operation *op = value.getDefiningOp();
  return op && loop->isProperAncestor(op) && isPure(op) && op->getNumRegions() == 0 &&
         llvm::any_of(op->getOperands(), [&](Value from) { return followsVariable(from, loop); });
}

static bool picksBits(tile::ForOp loop) {
  auto result = loop.walk([&](tile::LoadOp load) {
    bool picks = !load.getBuffer().getType().isGlobal() &&
                 load->getParentOfType<tile::ParallelOp>() &&
                 llvm::any_of(load.getIndices(), [&](Value index) {
                   arith::XOrIOp flip = flipOf(index);
                   return flip && llvm::any_of(flip->getOperands(), [&](Value operand) {
                            return followsVariable(operand, loop);
                          });
                 });
    return picks ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Elements of a thread in a round; nothing where that is not known, or a round may be the last.
static std::optional<int64_t> workOfFlips(tile::ForOp loop) {
  int64_t work = 0;
  auto result = loop.walk([&](Operation *op) {
    auto parallel = dyn_cast<tile::ParallelOp>(op);
    if (!parallel)
      return isa<tile::BreakOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
    if (!parallel.constantExtents())
      return WalkResult::interrupt();
    work +=
        llvm::divideCeil(llvm::product_of(*parallel.constantExtents()), tile::threadsAt(parallel));
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(work);
}

/// Numbers that a round computes from its variable are constants when it is written out.
static void foldNumbers(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    OpBuilder b(op);
    SmallVector<Value> folded;
    bool isNumber = isa<arith::ArithDialect>(op->getDialect()) && op->getNumOperands() > 0 &&
                    op->getResult(0).getType().isIntOrIndex();
    if (isNumber && succeeded(b.tryFold(op, folded)) && !folded.empty() &&
        folded.front() != op->getResult(0))
      op->getResult(0).replaceAllUsesWith(folded.front());
  });
}

static void unrollFlips(tile::KernelOp kernel) {
  constexpr int64_t mostRounds = 16, mostWork = 600;
  bool changed = false;
  for (KnownLoop known : knownLoops(kernel)) {
    if (known.rounds > mostRounds || known.loop.getKind() == tile::LoopKind::Pipelined ||
        !picksBits(known.loop))
      continue;
    std::optional<int64_t> work = workOfFlips(known.loop);
    if (!work || *work * known.rounds > mostWork)
      continue;
    known.unroll();
    changed = true;
  }
  if (changed)
    foldNumbers(kernel);
}

static void straightenFlip(arith::XOrIOp flip, arith::IndexCastOp use) {
  for (bool swapped : {false, true}) {
    std::optional<int64_t> bit = tile::constantInt(flip->getOperand(swapped ? 0 : 1));
    auto place = flip->getOperand(swapped ? 1 : 0).getDefiningOp<arith::IndexCastOp>();
    if (!bit || *bit <= 0 || !llvm::isPowerOf2_64(uint64_t(*bit)) || !place ||
        !place.getIn().getType().isIndex())
      continue;
    std::optional<IndexRange> range = rangeOf(place.getIn());
    if (!range || range->low < 0 || range->high >= INT32_MAX - *bit)
      continue;
    OpBuilder b(use);
    Location loc = use.getLoc();
    auto number = [&](int64_t n) -> Value { return arith::ConstantIndexOp::create(b, loc, n); };
    Value index = place.getIn();
    Value high = arith::DivUIOp::create(b, loc, index, number(*bit));
    Value isSet = arith::RemUIOp::create(b, loc, high, number(2));
    Value less = arith::MulIOp::create(b, loc, isSet, number(-2 * *bit));
    Value more = arith::AddIOp::create(b, loc, index, number(*bit));
    use.replaceAllUsesWith(arith::AddIOp::create(b, loc, more, less).getResult());
    return;
  }
}

static void straightenFlips(tile::KernelOp kernel) {
  kernel.walk([](arith::IndexCastOp use) {
    if (arith::XOrIOp flip = flipOf(use.getResult()); flip && use.getType().isIndex())
      straightenFlip(flip, use);
  });
}

namespace {
struct StraightenFlipsPass : impl::StraightenFlipsPassBase<StraightenFlipsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep()) {
        unrollFlips(kernel);
        straightenFlips(kernel);
      }
  }
};
} // namespace

} // namespace tilec

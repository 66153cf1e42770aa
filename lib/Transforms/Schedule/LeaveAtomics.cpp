//===- LeaveAtomics.cpp - waits for copies that atomics need not end for --===//
//
// A counter goes down in order, so a wait for copies also waits for what was issued before them,
// and by its number leaves in flight what was issued behind them:
//
//   for k: wait memory(n); barrier; copies of k + 1; reads, products; atomics
//
// waits in each round for the atomics of the round before, which take as long as the far end of
// memory does (dQ of attention's backward pass). It becomes
//
//   wait memory(n)
//   for k: wait memory(n + atomics); barrier; copies of k + 1; fence; reads, products; atomics
//
// An atomic that each wave executes is one operation of the counter at least, and more only make
// the wait stricter. Of floats: LLVM drops one of integers that changes nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/Target.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LEAVEATOMICSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What each wave issues behind the last copy in front of a wait.
struct Behind {
  int64_t atomics = 0;
  Operation *first = nullptr; ///< atomic, in the order of the program
  bool ofLastRound = false;   ///< some were issued in the round before
};

bool isCertain(Operation &op) {
  auto atomic = dyn_cast<wave::GlobalAtomicOp>(op);
  return atomic && !atomic.getMask() &&
         isa<FloatType>(wave::elementOf(atomic.getValue().getType()));
}

/// Goes back from the wait to the last copy, through the end of the loop if none stands before the
/// wait. Nothing: no round starts a copy.
std::optional<Behind> behindCopies(wave::WaitOp wait) {
  Behind behind;
  Block &body = *wait->getBlock();
  auto count = [&](Operation &op, bool ofLastRound) {
    if (!isCertain(op))
      return;
    ++behind.atomics;
    behind.first = &op;
    behind.ofLastRound |= ofLastRound;
  };
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (wave::startsCopies(op))
      return behind;
    count(*op, false);
  }
  for (Operation *op = &body.back(); op != wait; op = op->getPrevNode()) {
    if (wave::startsCopies(op))
      return behind;
    count(*op, true);
  }
  return std::nullopt;
}

struct LeaveAtomicsPass : impl::LeaveAtomicsPassBase<LeaveAtomicsPass> {
  using LeaveAtomicsPassBase::LeaveAtomicsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<wave::WaitOp> waits;
    getOperation().walk([&](wave::WaitOp wait) {
      if (wait.getGroups() && wait.getMemory() && isa<scf::ForOp>(wait->getParentOp()))
        waits.push_back(wait);
    });
    for (wave::WaitOp wait : waits)
      if (std::optional<Behind> behind = behindCopies(wait); behind && behind->atomics != 0)
        leave(wait, *behind, chip->counters.memory);
  }

  static void leave(wave::WaitOp wait, const Behind &behind, int64_t most) {
    OpBuilder b(wait->getParentOp());
    if (behind.ofLastRound)
      wave::WaitOp::create(b, wait.getLoc(), wait.getMemoryAttr(), IntegerAttr(), /*groups=*/true);
    wait.setMemory(std::min<int64_t>(*wait.getMemory() + behind.atomics, most));
    // The atomics stay behind the copies.
    b.setInsertionPoint(behind.first);
    wave::SchedFenceOp::create(b, wait.getLoc(),
                               /*mask=*/wave::arithmeticPasses | wave::sharedPasses, StringAttr(),
                               DenseI64ArrayAttr(), /*groups=*/true);
  }
};

} // namespace

} // namespace tilec

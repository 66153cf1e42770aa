//===- DelayWaits.cpp - gemms that run beside what does not need them -----===//
//
// Takes rounds of loops with a producer, leaves their gemms in flight until something needs them.
// Gemms end in the order in which they were started, so one wait serves all up to the one that a
// statement needs. Nothing is moved: the statements behind a gemm run while the tensor cores are
// busy.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/LiveFragments.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Lives.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_DELAYWAITSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What the producer does of the kernel.
bool isBrought(Operation *op) {
  auto copy = dyn_cast<tile::CopyOp>(op);
  return copy && copy.getTransfers();
}

bool isFragment(Value buffer) { return cast<tile::BufferType>(buffer.getType()).isFragment(); }

/// What threads write in the loop or later, and in other rounds of loops around it.
SmallVector<Value> writtenLater(tile::KernelOp kernel, tile::ForOp loop) {
  Operation *outermost = loop;
  for (Operation *up = loop->getParentOp(); up != kernel; up = up->getParentOp())
    if (isa<tile::ForOp, tile::WhileOp>(up))
      outermost = up;
  bool isLater = false;
  SmallVector<Value> written;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    isLater |= op == outermost;
    if (isLater && op->getNumRegions() == 0 && !isBrought(op))
      llvm::append_range(written, accessesOf(op).writes);
  });
  return written;
}

/// The gemms of a round stay in flight until a statement of it writes what they read or touches
/// what they write, at most until its end. What they read of shared memory is complete before the
/// loop, or the producer's. Nothing changes where operands in flight would need more registers than
/// fragments leave.
class Round {
public:
  Round(tile::KernelOp kernel, const ProducerLoop &plan, const TargetInfo &target)
      : kernel(kernel), target(target), round(*plan.round),
        written(writtenLater(kernel, plan.loop)) {}

  void run();

private:
  struct Flight {
    tile::GemmOp gemm;
    Accesses touched;
  };

  bool mayFly(tile::GemmOp gemm);
  bool hasRegisters();
  /// How many of the gemms in flight, from the oldest on, must be done before the statement.
  size_t neededBy(Operation &op);
  void waitFor(size_t count, Operation *before);

  tile::KernelOp kernel;
  const TargetInfo &target;
  Block &round;
  SmallVector<Value> written;
  SmallVector<Flight, 4> flights;
};

bool Round::mayFly(tile::GemmOp gemm) {
  if (!canFly(gemm) || gemm.getInFlight())
    return false;
  // A barrier that keeps a later write away from what the gemm reads may stand behind its start, in
  // front of the wait for its end.
  const Value operands[] = {gemm.getA(), gemm.getB()};
  return llvm::all_of(operands, [&](Value operand) {
    Value root = rootOf(operand);
    return isFragment(root) || !llvm::is_contained(written, root);
  });
}

bool Round::hasRegisters() {
  int64_t bits = liveFragmentBits(kernel);
  for (auto gemm : round.getOps<tile::GemmOp>())
    if (Value root = rootOf(gemm.getA()); isFragment(root) && mayFly(gemm))
      bits += bitsOfBuffer(root);
  return bits / 32 / int64_t(kernel.getThreads()) <= target.registersInFlight;
}

size_t Round::neededBy(Operation &op) {
  bool isPlain = isa<tile::GemmOp, tile::ElementLoop, tile::ReduceOp, scf::IfOp>(op);
  auto result = op.walk([](Operation *inner) {
    bool isOther = isa<tile::PrintOp, tile::AssertOp, tile::ForOp, tile::WhileOp>(inner);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!isPlain || result.wasInterrupted())
    return flights.size();
  Accesses own = accessesOf(&op);
  for (size_t i = flights.size(); i > 0; --i)
    if (conflict(flights[i - 1].touched, own))
      return i;
  return 0;
}

void Round::waitFor(size_t count, Operation *before) {
  if (count == 0)
    return;
  // One that is needed at once is waited for as any other is.
  Operation *behind = flights.back().gemm->getNextNode();
  while (behind && behind != before && (isMemoryEffectFree(behind) || isBrought(behind)))
    behind = behind->getNextNode();
  if (flights.size() == 1 && behind == before) {
    flights.clear();
    return;
  }
  SmallVector<Value> tied;
  for (auto [i, flight] : llvm::enumerate(flights)) {
    flight.gemm.setInFlight(true);
    const Value operands[] = {flight.gemm.getC(), flight.gemm.getA()};
    for (Value operand : operands)
      if (Value root = rootOf(operand);
          i < count && isFragment(root) && !llvm::is_contained(tied, root))
        tied.push_back(root);
  }
  OpBuilder b = before ? OpBuilder(before) : OpBuilder::atBlockEnd(&round);
  tile::GemmWaitOp::create(b, round.getParentOp()->getLoc(), tied, int64_t(flights.size() - count));
  flights.erase(flights.begin(), flights.begin() + count);
}

void Round::run() {
  if (!hasRegisters())
    return;
  for (Operation &op : llvm::make_early_inc_range(round)) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op) || isBrought(&op) ||
        isa<tile::AllocOp>(op))
      continue;
    waitFor(neededBy(op), &op);
    if (auto gemm = dyn_cast<tile::GemmOp>(op); gemm && mayFly(gemm))
      flights.push_back({gemm, accessesOf(gemm)});
  }
  Operation *end = round.mightHaveTerminator() ? round.getTerminator() : nullptr;
  waitFor(flights.size(), end);
}

struct DelayWaitsPass : impl::DelayWaitsPassBase<DelayWaitsPass> {
  using DelayWaitsPassBase::DelayWaitsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      for (const ProducerLoop &plan : producerLoopsOf(kernel, *chip))
        if (plan.served.form == tile::RoundForm::Beside)
          Round(kernel, plan, *chip).run();
  }
};

} // namespace

} // namespace tilec

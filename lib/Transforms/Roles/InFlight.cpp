//===- InFlight.cpp - gemms that run beside what does not need them -------===//
//
// Gemms end in the order in which they were started, so one wait serves all up to the
// one that a statement needs. Nothing is moved: the statements behind a gemm run while
// the tensor cores are busy.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/InFlight.h"

#include "Roles/LiveFragments.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Lives.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

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
    if (isa<tile::ProducerOp>(op))
      return WalkResult::skip();
    isLater |= op == outermost;
    if (isLater && op->getNumRegions() == 0)
      llvm::append_range(written, accessesOf(op).writes);
    return WalkResult::advance();
  });
  return written;
}

class Round {
public:
  Round(tile::KernelOp kernel, tile::ForOp loop, Block &round, const TargetInfo &target)
      : kernel(kernel), target(target), round(round), written(writtenLater(kernel, loop)) {}

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
  while (behind && behind != before && isMemoryEffectFree(behind))
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
    if (op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op) ||
        isa<tile::AllocOp, tile::PipeWaitOp>(op))
      continue;
    waitFor(neededBy(op), &op);
    if (auto gemm = dyn_cast<tile::GemmOp>(op); gemm && mayFly(gemm))
      flights.push_back({gemm, accessesOf(gemm)});
  }
  Operation *end = round.mightHaveTerminator() ? round.getTerminator() : nullptr;
  waitFor(flights.size(), end);
}

} // namespace

bool canFly(tile::GemmOp gemm) {
  return gemm.getWarpGroup() && !gemm.getPlaces() && gemm.getC().getDefiningOp<tile::AllocOp>() &&
         isFragment(gemm.getC());
}

void leaveGemmsInFlight(tile::KernelOp kernel, tile::ForOp loop, Block &round,
                        const TargetInfo &target) {
  Round(kernel, loop, round, target).run();
}

} // namespace tilec

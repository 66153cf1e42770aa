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

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Registers of a lane that fragments and operands in flight may take together: what is left is
/// for addresses, and for what the assembler needs to keep its order.
constexpr int64_t mostRegisters = 200;

bool isFragment(Value buffer) { return cast<tile::BufferType>(buffer.getType()).isFragment(); }

int64_t registersOf(Value fragment, int64_t threads) {
  auto type = cast<tile::BufferType>(fragment.getType());
  return 8 * storageBytes(tile::dtypeOf(type.getElementType()), type.numElems()) / 32 / threads;
}

class Round {
public:
  Round(tile::KernelOp kernel, Block &round)
      : kernel(kernel), round(round), written(accessesOf(round.getParentOp()).writes) {}

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
  Block &round;
  SmallVector<Value, 4> written;
  SmallVector<Flight, 4> flights;
};

bool Round::mayFly(tile::GemmOp gemm) {
  if (!gemm.getWarpGroup() || gemm.getPlaces() || gemm.getInFlight() ||
      !gemm.getC().getDefiningOp<tile::AllocOp>() || !isFragment(gemm.getC()))
    return false;
  // Barriers for what threads write to shared memory stand behind the gemm, not behind its end.
  const Value operands[] = {gemm.getA(), gemm.getB()};
  return llvm::all_of(operands, [&](Value operand) {
    Value root = rootOf(operand);
    return isFragment(root) || !llvm::is_contained(written, root);
  });
}

bool Round::hasRegisters() {
  int64_t threads = kernel.getThreads(), operands = 0;
  for (auto gemm : round.getOps<tile::GemmOp>())
    if (Value root = rootOf(gemm.getA()); isFragment(root) && mayFly(gemm))
      operands += registersOf(root, threads);
  return liveFragmentBits(kernel) / 32 / threads + operands <= mostRegisters;
}

size_t Round::neededBy(Operation &op) {
  bool isPlain = isa<tile::GemmOp, tile::ParallelOp, tile::ReduceOp, scf::IfOp>(op);
  auto result = op.walk([](Operation *inner) {
    bool isOther = isa<tile::PrintOp, tile::AssertOp, tile::ForOp, tile::WhileOp>(inner);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!isPlain || result.wasInterrupted())
    return flights.size();
  Accesses own = accessesOf(&op);
  auto meet = [](ArrayRef<Value> a, ArrayRef<Value> b) {
    return llvm::any_of(a, [&](Value root) { return llvm::is_contained(b, root); });
  };
  for (size_t i = flights.size(); i > 0; --i) {
    const Accesses &of = flights[i - 1].touched;
    if (meet(of.writes, own.writes) || meet(of.writes, own.reads) || meet(of.reads, own.writes))
      return i;
  }
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

void leaveGemmsInFlight(tile::KernelOp kernel, Block &round) { Round(kernel, round).run(); }

} // namespace tilec

//===- Initialised.cpp - reads of buffers that nothing has written --------===//
//
// Walks a kernel in program order with the state of every on-chip buffer: unwritten,
// written on some ways here, or written. Whole buffers are tracked, not elements; a
// write to a part counts as one. A loop is walked twice, the second time with what
// its first iteration has left.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/IR/Reported.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {
namespace {

enum class Fill : uint8_t { Unwritten, Maybe, Written };

/// Buffers that are not in the map are written (or not looked at).
using State = llvm::MapVector<Value, Fill>;

State join(const State &a, const State &b) {
  State result;
  auto stateIn = [](const State &state, Value buffer) {
    auto it = state.find(buffer);
    return it == state.end() ? Fill::Written : it->second;
  };
  for (const State *side : {&a, &b})
    for (auto [buffer, fill] : *side) {
      Fill left = stateIn(a, buffer), right = stateIn(b, buffer);
      result[buffer] = left == right ? left : Fill::Maybe;
    }
  return result;
}

/// Whether the use prints a value, or takes it where a condition says so.
bool isOneOfTwo(OpOperand &use) {
  Operation *user = use.getOwner();
  return isa<tile::PrintOp>(user) || (isa<arith::SelectOp>(user) && use.getOperandNumber() > 0);
}

class Walk {
public:
  explicit Walk(tile::KernelOp kernel) : isLockstep(kernel.getLockstep()) {}

  void walk(Block &body, State &state) {
    for (Operation &op : body)
      visit(&op, state);
  }
  bool isLegal = true;

private:
  void visit(Operation *op, State &state);
  void visitLeaf(Operation *op, State &state);
  void visitBranch(scf::IfOp branch, State &state);
  /// `blocks` run one after the other, again and again; `runs`: at least once.
  void visitLoop(ArrayRef<Block *> blocks, bool runs, State &state);
  /// `isHarmless`: nothing but a print sees the value, or what chooses between it and another: that
  /// is no error.
  void read(Operation *op, Value buffer, State &state, bool isHarmless = false);
  void write(Value buffer, State &state) {
    if (auto it = state.find(rootOf(buffer)); it != state.end())
      it->second = Fill::Written;
  }

  bool isLockstep;
  unsigned parallelDepth = 0;
  /// In the first walk of a loop: what a branch reads may be written by an earlier iteration.
  unsigned firstWalks = 0, branchesInFirstWalk = 0;
  llvm::SmallPtrSet<Value, 4> reported, reportedHarmless;
};

void Walk::read(Operation *op, Value view, State &state, bool isHarmless) {
  Value buffer = rootOf(view);
  auto it = state.find(buffer);
  if (it == state.end() || it->second == Fill::Written || reported.contains(buffer))
    return;
  bool isError = it->second == Fill::Unwritten;
  if (isError && isHarmless && branchesInFirstWalk == 0) {
    if (reportedHarmless.insert(buffer).second)
      Reported(op, DiagId::MayBeUninitialised, nameOfRoot(buffer))
          .note(buffer.getLoc(), DiagId::AllocatedHere, nameOfRoot(buffer));
    return;
  }
  // Threads guard their writes by their numbers: only what nothing writes is wrong for certain.
  if (isError ? branchesInFirstWalk > 0 : firstWalks > 0 || isLockstep)
    return;
  reported.insert(buffer);
  Reported(op, isError ? DiagId::NotInitialised : DiagId::MayBeUninitialised, nameOfRoot(buffer))
      .note(buffer.getLoc(), DiagId::AllocatedHere, nameOfRoot(buffer));
  isLegal &= !isError;
}

void Walk::visitBranch(scf::IfOp branch, State &state) {
  branchesInFirstWalk += firstWalks > 0;
  State sides[2] = {state, state};
  for (auto [n, region] : llvm::enumerate(branch->getRegions()))
    if (!region.empty()) {
      walk(region.front(), sides[n]);
      // Threads that take the one side do so before those that take the other.
      if (isLockstep && n == 0)
        sides[1] = join(sides[0], sides[1]);
    }
  // In a T.Parallel the other iterations may write what this one leaves out.
  if (parallelDepth > 0)
    for (auto &[buffer, fill] : sides[0]) {
      auto other = sides[1].find(buffer);
      bool isWritten = other == sides[1].end() || other->second == Fill::Written;
      if (isWritten)
        fill = Fill::Written;
      else if (fill == Fill::Written)
        other->second = Fill::Written;
    }
  state = join(sides[0], sides[1]);
  branchesInFirstWalk -= firstWalks > 0;
}

void Walk::visitLoop(ArrayRef<Block *> blocks, bool runs, State &state) {
  bool mayBeSkipped = !runs && firstWalks > 0; // by the iterations of the loop around
  branchesInFirstWalk += mayBeSkipped;
  State before = state;
  ++firstWalks;
  for (Block *block : blocks)
    walk(*block, state);
  --firstWalks;
  state = join(before, state);
  for (Block *block : blocks)
    walk(*block, state);
  if (!runs)
    state = join(before, state);
  branchesInFirstWalk -= mayBeSkipped;
}

void Walk::visit(Operation *op, State &state) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitBranch(branch, state);
  if (auto parallel = dyn_cast<tile::ParallelOp>(op)) {
    ++parallelDepth;
    walk(*parallel.bodyBlock(), state);
    --parallelDepth;
    return;
  }
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    std::optional<IndexRange> lower = rangeOf(loop.getLower()), upper = rangeOf(loop.getUpper());
    auto step = tile::constantInt(loop.getStep());
    bool runs =
        lower && upper && step && (*step > 0 ? lower->high < upper->low : lower->low > upper->high);
    return visitLoop(loop.bodyBlock(), runs, state);
  }
  if (auto loop = dyn_cast<tile::WhileOp>(op)) {
    walk(loop.getCondition().front(), state);
    return visitLoop({&loop.getBody().front(), &loop.getCondition().front()}, false, state);
  }
  visitLeaf(op, state);
}

void Walk::visitLeaf(Operation *op, State &state) {
  if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
    state[alloc.getResult()] = Fill::Unwritten;
    return;
  }
  if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
    read(op, gemm.getA(), state);
    read(op, gemm.getB(), state);
    if (Value places = gemm.getPlaces())
      read(op, places, state);
    if (!gemm.getClear()) // one known at run time may be right
      read(op, gemm.getC(), state);
    return write(gemm.getC(), state);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    read(op, reduce.getSrc(), state);
    if (!reduce.getClear())
      read(op, reduce.getDst(), state);
    return write(reduce.getDst(), state);
  }
  if (auto printed = dyn_cast<tile::PrintOp>(op);
      printed && isa<tile::BufferType>(printed.getValue().getType()))
    return read(op, printed.getValue(), state, /*isHarmless=*/true);
  Accesses accesses = accessesOf(op);
  bool isHarmless = !op->use_empty() && llvm::all_of(op->getUses(), isOneOfTwo);
  for (Value buffer : accesses.reads)
    read(op, buffer, state, isHarmless);
  for (Value buffer : accesses.writes)
    write(buffer, state);
}

} // namespace

LogicalResult checkInitialised(tile::KernelOp kernel) {
  Walk walk(kernel);
  State state;
  walk.walk(kernel.getBody().front(), state);
  return success(walk.isLegal);
}

} // namespace tilec

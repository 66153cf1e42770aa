//===- CarryRounds.cpp - what one round of a loop hands to the next -------===//
//
// A pipelined loop with cp.async begins each round with a wait and a barrier, behind
// which the first ldmatrix and everything that multiplies its result stand still. The
// matrix instructions at the end of the round before need nothing of this round, and
// touch no memory:
//
//   for k: wait; barrier; copies; first reads; rest; last products
//
// becomes
//
//   wait; barrier; first reads
//   for k: copies; rest; wait; barrier; first reads of k + 1; last products
//
// Copies of round k + 1 still start behind a barrier that all waves reach with their
// reads of round k done. The reads behind the last round are of a slot that holds an
// old tile, and nobody uses them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CARRYROUNDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

std::optional<int64_t> knownNumber(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue())
                                                       : std::nullopt;
}

/// Only registers are touched.
bool isOfRegisters(Operation &op) {
  if (isa<scf::IfOp>(op))
    return llvm::all_of(op.getRegions(), [](Region &region) {
      return region.empty() || llvm::all_of(region.front(), isOfRegisters);
    });
  return op.getNumRegions() == 0 && (isPure(&op) || isa<wave::GetOp, wave::SetOp>(op));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// The parts of a loop's body that change places.
struct FirstReads {
  Operation *wait, *barrier;
  llvm::SetVector<Operation *> slice; ///< reads, and the arithmetic of their addresses, in order
  SmallVector<Operation *> reads;
  Operation *products; ///< first op of the end of the body that touches only registers
};

/// Adds what `value` is computed from inside of the loop; false when that is more than arithmetic
/// on the loop variable.
bool addSlice(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value == loop.getInductionVar() || value.getParentBlock() != loop.getBody();
  if (op->getBlock() != loop.getBody() || slice.contains(op))
    return true;
  if (!isPure(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperands(), [&](Value v) { return addSlice(v, loop, slice); }))
    return false;
  slice.insert(op);
  return true;
}

/// The operation that waits for copies, when the body starts with it.
Operation *leadingWait(Block &body) {
  for (Operation &op : body) {
    if (isa<wave::CpAsyncWaitOp>(op))
      return &op;
    if (!isPure(&op) || op.getNumRegions() != 0)
      return nullptr;
  }
  return nullptr;
}

int64_t registersOf(Type type) { return ceilDiv(wave::bitsOf(type), int64_t(32)); }

/// Registers of a lane that the loop's register arrays leave to what is carried. Not all of them
/// hold something all the time: some are taken in any case.
int64_t registersLeft(scf::ForOp loop, const TargetInfo &target) {
  constexpr int64_t always = 16;
  llvm::SmallPtrSet<Value, 8> arrays;
  int64_t taken = 0;
  loop.walk([&](Operation *op) {
    Value regs = isa<wave::GetOp>(op)   ? cast<wave::GetOp>(op).getRegs()
                 : isa<wave::SetOp>(op) ? cast<wave::SetOp>(op).getRegs()
                                        : Value();
    if (!regs || !arrays.insert(regs).second)
      return;
    auto type = cast<wave::RegsType>(regs.getType());
    taken += type.getCount() * registersOf(type.getElementType());
  });
  return std::max(target.registers.ofLane - taken, always);
}

std::optional<FirstReads> findFirstReads(scf::ForOp loop, const TargetInfo &target) {
  Block &body = *loop.getBody();
  int64_t left = registersLeft(loop, target);
  FirstReads found;
  found.wait = leadingWait(body);
  auto barrier =
      dyn_cast_or_null<wave::BarrierOp>(found.wait ? found.wait->getNextNode() : nullptr);
  if (!barrier || barrier.getRaw() || barrier.getGlobal() || barrier.getThreads() != 0)
    return std::nullopt;
  found.barrier = barrier;
  Operation *end = body.getTerminator();
  for (Operation *op = barrier->getNextNode(); op != end && !isa<wave::MmaOp>(op);
       op = op->getNextNode()) {
    if (isa<wave::LdMatrixOp, wave::SharedReadOp>(op)) {
      if (!addSlice(op->getOperand(0), loop, found.slice))
        break;
      left -= registersOf(op->getResult(0).getType());
      if (left < 0)
        break;
      found.slice.insert(op);
      found.reads.push_back(op);
    } else if (!isOfRegisters(*op) && !isa<wave::CpAsyncOp, wave::CpAsyncCommitOp>(op)) {
      // Copies may be passed: what they fill is waited for before it is read.
      break;
    }
  }
  bool multiplies = false;
  while (isOfRegisters(*end->getPrevNode())) {
    end = end->getPrevNode();
    multiplies |= isa<wave::MmaOp>(end);
  }
  found.products = end;
  if (found.reads.empty() || !multiplies || end->isBeforeInBlock(found.reads.back()))
    return std::nullopt;
  return found;
}

/// The wait, the barrier and the reads of the round that `iv` names.
SmallVector<Value> cloneReads(OpBuilder &b, const FirstReads &first, scf::ForOp loop, Value iv) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iv);
  b.clone(*first.wait);
  b.clone(*first.barrier);
  for (Operation *op : first.slice)
    b.clone(*op, mapping);
  return llvm::map_to_vector(first.reads,
                             [&](Operation *read) { return mapping.lookup(read->getResult(0)); });
}

/// Those in front of the loop; a loop that does not run reads nothing.
SmallVector<Value> readsBefore(OpBuilder &b, const FirstReads &first, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  std::optional<int64_t> from = knownNumber(lower), to = knownNumber(upper);
  if (from && to && *from < *to)
    return cloneReads(b, first, loop, lower);
  Value runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower, upper);
  auto types =
      llvm::map_to_vector(first.reads, [](Operation *r) { return r->getResult(0).getType(); });
  auto branch = scf::IfOp::create(b, loc, types, runs, /*withElseRegion=*/true);
  OpBuilder inside = branch.getThenBodyBuilder();
  scf::YieldOp::create(inside, loc, cloneReads(inside, first, loop, lower));
  OpBuilder other = branch.getElseBodyBuilder();
  auto zeros = llvm::map_to_vector(types, [&](Type type) -> Value {
    return arith::ConstantOp::create(other, loc, other.getZeroAttr(type));
  });
  scf::YieldOp::create(other, loc, zeros);
  return SmallVector<Value>(branch.getResults());
}

scf::ForOp carry(scf::ForOp loop, ValueRange starts,
                 llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> next) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto wider = loop.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> carried) {
        return next(b, SmallVector<Value>(carried.begin(), carried.end()));
      });
  return cast<scf::ForOp>(wider->getOperation());
}

scf::ForOp carryReads(scf::ForOp loop, const FirstReads &first) {
  OpBuilder before(loop);
  SmallVector<Value> starts = readsBefore(before, first, loop);
  // The body's operations move to the new loop as they are.
  scf::ForOp wider = carry(loop, starts, [&](OpBuilder &b, ValueRange carried) {
    auto inside = cast<scf::ForOp>(first.wait->getParentOp());
    b.setInsertionPoint(first.products);
    Value iv =
        arith::AddIOp::create(b, inside.getLoc(), inside.getInductionVar(), inside.getStep());
    SmallVector<Value> values = cloneReads(b, first, inside, iv);
    for (auto [read, value] : llvm::zip(first.reads, carried))
      read->getResult(0).replaceAllUsesWith(value);
    return values;
  });
  for (Operation *read : first.reads)
    read->erase();
  first.wait->erase();
  first.barrier->erase();
  return wider;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// `value` as the loop variable plus a constant.
std::optional<int64_t> aheadOf(Value value, Value iv) {
  if (value == iv)
    return 0;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> by = sum ? knownNumber(sum.getRhs()) : std::nullopt;
  std::optional<int64_t> rest = by ? aheadOf(sum.getLhs(), iv) : std::nullopt;
  return rest ? std::optional(*rest + *by) : std::nullopt;
}

/// Counts what is a remainder of the loop variable: LLVM takes the quotient of a remainder apart
/// and mixes it with the addresses, with a multiplication for each.
scf::ForOp countSlots(scf::ForOp loop) {
  std::optional<int64_t> lower = knownNumber(loop.getLowerBound());
  if (!lower || *lower < 0 || knownNumber(loop.getStep()) != 1)
    return loop;
  llvm::MapVector<std::pair<int64_t, int64_t>, SmallVector<Operation *>> users; // slots, first one
  for (auto rem : loop.getBody()->getOps<arith::RemUIOp>()) {
    std::optional<int64_t> slots = knownNumber(rem.getRhs());
    std::optional<int64_t> ahead = aheadOf(rem.getLhs(), loop.getInductionVar());
    if (slots && ahead && *slots > 0 && !isPowerOf2(*slots) && *lower + *ahead >= 0)
      users[{*slots, (*lower + *ahead) % *slots}].push_back(rem);
  }
  if (users.empty())
    return loop;
  Location loc = loop.getLoc();
  OpBuilder before(loop);
  auto starts = llvm::map_to_vector(users, [&](auto &user) -> Value {
    return arith::ConstantIndexOp::create(before, loc, user.first.second);
  });
  scf::ForOp wider = carry(loop, starts, [&](OpBuilder &b, ValueRange carried) {
    llvm::MapVector<std::pair<int64_t, int64_t>, Value> slotOf;
    for (auto [user, slot] : llvm::zip(users, carried)) {
      for (Operation *rem : user.second)
        rem->getResult(0).replaceAllUsesWith(slot);
      slotOf[user.first] = slot;
    }
    SmallVector<Value> values;
    for (auto [counter, slot] : slotOf) {
      auto [slots, first] = counter;
      // What another one counts already is taken from there.
      Value next = slotOf.lookup({slots, (first + 1) % slots});
      if (!next) {
        Value sum = arith::AddIOp::create(b, loc, slot, arith::ConstantIndexOp::create(b, loc, 1));
        Value end = arith::ConstantIndexOp::create(b, loc, slots);
        Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sum, end);
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        next = arith::SelectOp::create(b, loc, wraps, zero, sum);
      }
      values.push_back(next);
    }
    return values;
  });
  for (auto &user : users)
    for (Operation *rem : user.second)
      rem->erase();
  return wider;
}

struct CarryRoundsPass : impl::CarryRoundsPassBase<CarryRoundsPass> {
  using CarryRoundsPassBase::CarryRoundsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (leadingWait(*loop.getBody()))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      if (std::optional<FirstReads> first = findFirstReads(loop, *chip))
        loop = carryReads(loop, *first);
      countSlots(loop);
    }
  }
};

} // namespace

} // namespace tilec

//===- Overlap.cpp - the second gemm of a round under the next one's first --===//
//
// Writes a loop anew whose round is cut: when each statement runs stands on the loop.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Overlap.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {
namespace {

/// The statements of a round by when they run, in order.
struct CutRound {
  tile::GemmOp first, second;
  SmallVector<Operation *> head, early, late, deferred;
  Operation *longest = nullptr; ///< of `early`; null: all of it comes first
};

CutRound cutOf(tile::ForOp loop) {
  CutRound round;
  for (auto [op, part] : llvm::zip(statementsOf(loop), loop.getServed()->getServed().parts))
    switch (part) {
    case tile::RoundPart::Head:
      round.head.push_back(op);
      break;
    case tile::RoundPart::First:
      round.first = cast<tile::GemmOp>(op);
      break;
    case tile::RoundPart::Longest:
      round.longest = op;
      [[fallthrough]];
    case tile::RoundPart::Early:
      round.early.push_back(op);
      break;
    case tile::RoundPart::Late:
      round.late.push_back(op);
      break;
    case tile::RoundPart::Second:
      round.second = cast<tile::GemmOp>(op);
      break;
    case tile::RoundPart::Deferred:
      round.deferred.push_back(op);
      break;
    }
  return round;
}

/// Writes the new loop.
class Rewriter {
public:
  Rewriter(tile::ForOp loop, ArrayRef<OverlapPipe> pipes)
      : loop(loop), served(loop.getServed()->getServed()), deadFrom(loop.getDeadFrom()),
        plan(cutOf(loop)), pipes(pipes), b(loop), loc(loop.getLoc()) {}

  void run();

private:
  /// Pure values of the round that ops inside use, cloned for it.
  void provide(Value value, IRMapping &round);
  Operation *emit(Operation *op, IRMapping &round);
  /// The i-th half of a parallel.
  void emitHalf(Operation *op, Value iv, int64_t i) {
    IRMapping round;
    round.map(loop.iv(), iv);
    cast<tile::ElementLoop>(emit(op, round)).setPart(ArrayRef<int64_t>{i, 2});
  }
  void emitAll(ArrayRef<Operation *> list, Value iv) {
    IRMapping round;
    round.map(loop.iv(), iv);
    for (Operation *op : list)
      emit(op, round);
  }
  /// What starting a gemm of the round `iv` takes.
  struct Start {
    tile::GemmOp gemm;
    IRMapping round;
    SmallVector<std::pair<Value, Value>, 2> slots; ///< pipe and slot
  };
  Start waitForTiles(tile::GemmOp gemm, Value iv);
  void issue(Start &start) { cast<tile::GemmOp>(emit(start.gemm, start.round)).setInFlight(true); }
  void release(const Start &start) {
    for (auto [pipe, slot] : start.slots)
      tile::PipeReleaseOp::create(b, loc, pipe, slot, /*previous=*/false);
  }
  Start startSecond(Value before) {
    emitAll(plan.deferred, before);
    Start second = waitForTiles(plan.second, before);
    issue(second);
    return second;
  }
  void emitRound(tile::ForOp rounds);
  void emitRounds();
  /// Where the group's own rounds end.
  Value endOfOwn();
  /// What the others expect of this group in rounds that are dead for it.
  void emitDeadRounds(Value first);
  /// Buffers that a wait for the second gemm makes readable: those that the gemm touches, and those
  /// whose uses must not move in front of the wait.
  SmallVector<Value> tiedToSecond();
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  tile::ForOp loop;
  const tile::Served served;
  const Value deadFrom;
  CutRound plan;
  ArrayRef<OverlapPipe> pipes;
  OpBuilder b;
  Location loc;
};

void Rewriter::provide(Value value, IRMapping &round) {
  Operation *op = value.getDefiningOp();
  if (round.contains(value) || !op || op->getBlock() != loop.bodyBlock())
    return;
  for (Value operand : op->getOperands())
    provide(operand, round);
  b.clone(*op, round);
}

Operation *Rewriter::emit(Operation *op, IRMapping &round) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      provide(operand, round);
  });
  return b.clone(*op, round);
}

Rewriter::Start Rewriter::waitForTiles(tile::GemmOp gemm, Value iv) {
  Start start{gemm, {}, {}};
  start.round.map(loop.iv(), iv);
  for (const OverlapPipe &pipe : pipes) {
    if (pipe.ofFirst != (gemm == plan.first))
      continue;
    Value slot = tile::PipeWaitOp::create(b, loc, b.getIndexType(), pipe.pipe);
    for (Value ring : pipe.rings)
      start.round.map(ring, pipe.view(b, ring, slot));
    start.slots.push_back({pipe.pipe, slot});
  }
  return start;
}

SmallVector<Value> Rewriter::tiedToSecond() {
  SmallVector<Value> tied = {rootOf(plan.second.getC())};
  auto add = [&](Value root) {
    auto type = cast<tile::BufferType>(root.getType());
    bool isWide = bitsOf(tile::dtypeOf(type.getElementType())) >= 16;
    if (type.isFragment() && isWide && !llvm::is_contained(tied, root))
      tied.push_back(root);
  };
  add(rootOf(plan.second.getA()));
  for (Operation *op : plan.late)
    for (Value root : accessesOf(op).reads)
      // Columns of registers would cost moves; a matrix stays where it is.
      if (cast<tile::BufferType>(root.getType()).rank() == 2)
        add(root);
  return tied;
}

Value Rewriter::endOfOwn() {
  if (!deadFrom)
    return loop.getUpper();
  // A first round is never left out.
  Value second = arith::AddIOp::create(b, loc, loop.getLower(), loop.getStep());
  Value end = arith::MinSIOp::create(b, loc, loop.getUpper(),
                                     arith::MaxSIOp::create(b, loc, deadFrom, second).getResult());
  return tile::OfGroupOp::create(b, loc, end.getType(), end, loop.getUpper());
}

void Rewriter::emitDeadRounds(Value first) {
  auto rounds = tile::ForOp::create(b, loc, first, loop.getUpper(), loop.getStep());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rounds.bodyBlock());
  if (served.takesTurns) {
    tile::GroupTurnOp::create(b, loc, /*pass=*/false);
    tile::GroupTurnOp::create(b, loc, /*pass=*/true);
  }
  SmallVector<std::pair<Value, Value>> slots;
  auto releaseAll = [&] {
    tile::GroupSyncOp::create(b, loc);
    for (auto [pipe, slot] : slots)
      tile::PipeReleaseOp::create(b, loc, pipe, slot, /*previous=*/false);
    slots.clear();
  };
  for (const OverlapPipe &pipe : pipes) {
    slots.push_back(
        {pipe.pipe, tile::PipeWaitOp::create(b, loc, b.getIndexType(), pipe.pipe).getResult()});
    // A slot each: the first gemm's next tile comes in front of the second's, and needs its slot.
    if (served.slots == 1)
      releaseAll();
  }
  if (!slots.empty())
    releaseAll();
}

void Rewriter::emitRound(tile::ForOp rounds) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rounds.bodyBlock());
  Value iv = rounds.iv(), before = arith::SubIOp::create(b, loc, iv, loop.getStep());
  emitAll(plan.head, iv);
  Start first = waitForTiles(plan.first, iv);
  if (served.takesTurns)
    tile::GroupTurnOp::create(b, loc, /*pass=*/false);
  issue(first);
  Start second = startSecond(before);
  if (served.takesTurns)
    tile::GroupTurnOp::create(b, loc, /*pass=*/true);
  tile::GemmWaitOp::create(b, loc, SmallVector<Value>{rootOf(plan.first.getC())}, 1);
  release(first);
  if (served.endsTogether) {
    tile::GemmWaitOp::create(b, loc, tiedToSecond(), 0);
    release(second);
    emitAll(plan.early, iv);
    emitAll(plan.late, iv);
    return;
  }
  // Up to here beside the second gemm, and after its end.
  ArrayRef<Operation *> early(plan.early), after;
  if (plan.longest) {
    size_t at = llvm::find(early, plan.longest) - early.begin();
    after = early.drop_front(at + 1);
    early = early.take_front(at);
  }
  emitAll(early, iv);
  if (plan.longest)
    emitHalf(plan.longest, iv, 0);
  // ptxas moves waits for gemms up within a block of code, in front of what is to run beside the
  // gemm.
  tile::IssueFenceOp::create(b, loc);
  tile::GemmWaitOp::create(b, loc, tiedToSecond(), 0);
  release(second);
  if (plan.longest)
    emitHalf(plan.longest, iv, 1);
  emitAll(after, iv);
  emitAll(plan.late, iv);
}

void Rewriter::emitRounds() {
  Value lower = loop.getLower(), step = loop.getStep(), upper = endOfOwn();
  SmallVector<Value> firstC = {rootOf(plan.first.getC())};
  emitAll(plan.head, lower);
  Start first = waitForTiles(plan.first, lower);
  issue(first);
  tile::GemmWaitOp::create(b, loc, firstC, 0);
  release(first);
  emitAll(plan.early, lower);
  emitAll(plan.late, lower);

  Value from = arith::AddIOp::create(b, loc, lower, step);
  auto rounds = tile::ForOp::create(b, loc, from, upper, step);
  emitRound(rounds);
  // lower + (count - 1) * step.
  Value span = arith::SubIOp::create(b, loc, upper, lower);
  Value count = arith::CeilDivSIOp::create(b, loc, span, step);
  Value rest = arith::SubIOp::create(b, loc, count, constant(1));
  Value last =
      arith::AddIOp::create(b, loc, lower, arith::MulIOp::create(b, loc, rest, step).getResult());
  Start second = startSecond(last);
  SmallVector<Value> secondOnly = {rootOf(plan.second.getC())};
  tile::GemmWaitOp::create(b, loc, secondOnly, 0);
  release(second);
  if (deadFrom)
    emitDeadRounds(arith::AddIOp::create(b, loc, last, step));
}

void Rewriter::run() {
  std::optional<IndexRange> lower = rangeOf(loop.getLower()), upper = rangeOf(loop.getUpper());
  bool mayBeEmpty = !lower || !upper || upper->low <= lower->high;
  if (!mayBeEmpty)
    return emitRounds();
  Value runs =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, loop.getLower(), loop.getUpper());
  auto guarded = scf::IfOp::create(b, loc, runs, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&guarded.getThenRegion().front());
  emitRounds();
}

} // namespace

void applyOverlap(tile::ForOp loop, ArrayRef<OverlapPipe> pipes) {
  Rewriter(loop, pipes).run();
  loop.erase();
}

} // namespace tilec

//===- Overlap.cpp - the second gemm of a round under the next one's first --===//
//
// Moving head(k) in front of deferred(k - 1) and second(k - 1), and early(k) beside the
// latter, is the only change of order. It is right when no buffer is written by one side and
// touched by the other; that is all that is asked of the loop.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Overlap.h"

#include "Roles/InFlight.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {
namespace {

/// Columns of the second gemm from which on the loop between the gemms is cut.
constexpr int64_t narrowestCut = 128;

/// Whether the op allocates a fragment (hoistFragments).
bool isFragment(Operation *op) {
  auto alloc = dyn_cast<tile::AllocOp>(op);
  return alloc && alloc.getResult().getType().isFragment();
}

class Planner {
public:
  Planner(tile::ForOp loop, ArrayRef<tile::CopyOp> copies) : loop(loop), copies(copies) {}

  llvm::Expected<OverlapPlan> run();

private:
  llvm::Error refuse(const Twine &why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
  }
  llvm::Error findGemms();
  llvm::Error cut();
  bool conflicts(Operation *a, Operation *b) { return conflict(touched[a], touched[b]); }
  bool conflictsWithAny(Operation *a, ArrayRef<Operation *> list) {
    return llvm::any_of(list, [&](Operation *b) { return conflicts(a, b); });
  }

  tile::ForOp loop;
  ArrayRef<tile::CopyOp> copies;
  OverlapPlan plan;
  SmallVector<Operation *> ops; ///< of the body that touch memory, in order, without `copies`
  llvm::DenseMap<Operation *, Accesses> touched;
};

llvm::Error Planner::findGemms() {
  for (Operation &op : *loop.bodyBlock()) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    if (isMemoryEffectFree(&op) || (copy && llvm::is_contained(copies, copy)) || isFragment(&op))
      continue;
    if (!isa<tile::GemmOp, tile::ElementLoop, tile::FillOp, tile::ReduceOp, scf::IfOp>(op))
      return refuse("`" + op.getName().getStringRef() + "` stands in it");
    auto result = op.walk([](Operation *inner) {
      return isa<tile::PrintOp, tile::AssertOp, tile::AtomicOp, tile::ForOp, tile::WhileOp>(inner)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return refuse("something in it does more than compute");
    for (Value value : op.getResults())
      if (!value.use_empty())
        return refuse("a value of one statement is used by another");
    ops.push_back(&op);
    touched[&op] = accessesOf(&op);
    auto gemm = dyn_cast<tile::GemmOp>(op);
    if (!gemm)
      continue;
    if (plan.second)
      return refuse("it has more than two gemms");
    (plan.first ? plan.second : plan.first) = gemm;
  }
  if (!plan.second)
    return refuse("it has no two gemms");
  if (!canFly(plan.first) || !canFly(plan.second))
    return refuse("a gemm of it is not done by warp groups on whole fragments");
  return llvm::Error::success();
}

llvm::Error Planner::cut() {
  Operation *first = plan.first, *second = plan.second;
  // In front of the first gemm: what it and its preparations depend on, and what depends on the
  // buffers as the round before has left them.
  SmallVector<Operation *> before, headReversed = {first};
  for (Operation *op : ops) {
    if (op == first)
      break;
    before.push_back(op);
  }
  for (Operation *op : llvm::reverse(before))
    if (conflictsWithAny(op, headReversed))
      headReversed.push_back(op);
  for (Operation *op : llvm::reverse(ArrayRef(headReversed).drop_front()))
    plan.head.push_back(op);
  for (Operation *op : headReversed)
    if (conflicts(op, second))
      return refuse("its first gemm needs what its second one gives, or writes what that reads");
  bool isBehind = false;
  for (Operation *op : ops) {
    isBehind |= op == second;
    if (op == second || llvm::is_contained(headReversed, op))
      continue;
    bool mustWait = conflicts(op, second);
    if (mustWait && isBehind)
      return refuse("something follows its second gemm that touches the same tiles");
    mustWait |= conflictsWithAny(op, plan.late);
    (mustWait ? plan.late : plan.early).push_back(op);
  }
  SmallVector<Operation *> kept;
  for (Operation *op : llvm::reverse(plan.late))
    (conflictsWithAny(op, headReversed) || conflictsWithAny(op, kept) ? kept : plan.deferred)
        .push_back(op);
  plan.late.assign(kept.rbegin(), kept.rend());
  std::reverse(plan.deferred.begin(), plan.deferred.end());
  // The second gemm is done before the other side of it: there is time for half of what `late`
  // waits for. A narrow one, as of 64 columns, does not pay (docs/numbers/hopper-trials.md).
  for (Operation *op : plan.early) {
    if (plan.second.n() < narrowestCut)
      break;
    auto parallel = dyn_cast<tile::ElementLoop>(op);
    bool feedsLate = parallel && llvm::any_of(touched[op].writes, [&](Value root) {
                       auto type = cast<tile::BufferType>(root.getType());
                       return type.isFragment() && type.rank() == 2 &&
                              llvm::any_of(plan.late, [&](Operation *later) {
                                return llvm::is_contained(touched[later].reads, root);
                              });
                     });
    if (feedsLate)
      plan.longest = op;
  }
  // What is written next to the first gemm's result is read beside the second gemm.
  bool isChained = llvm::any_of(plan.early, [&](Operation *op) { return conflicts(op, first); });
  return isChained ? llvm::Error::success()
                   : refuse("nothing of it could run beside its second gemm");
}

llvm::Expected<OverlapPlan> Planner::run() {
  if (llvm::Error error = findGemms())
    return std::move(error);
  if (llvm::Error error = cut())
    return std::move(error);
  // Each ring belongs to one of the gemms, so that its slots are released when that is done.
  for (tile::CopyOp copy : copies) {
    bool read[2] = {false, false};
    for (Operation *op : ops) {
      if (!llvm::is_contained(touched[op].reads, copy.getDst()))
        continue;
      if (op != plan.first && op != plan.second)
        return refuse("a tile that is copied is read by more than a gemm");
      read[op == plan.second] = true;
    }
    if (read[0] == read[1])
      return refuse("a tile that is copied is read by both gemms or by none");
  }
  return std::move(plan);
}

/// Writes the new loop.
class Rewriter {
public:
  Rewriter(tile::ForOp loop, OverlapPlan &plan, ArrayRef<OverlapPipe> pipes)
      : loop(loop), served(loop.getServed()->getServed()), deadFrom(loop.getDeadFrom()), plan(plan),
        pipes(pipes), b(loop), loc(loop.getLoc()) {}

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
  OverlapPlan &plan;
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
  for (const OverlapPipe &pipe : pipes)
    slots.push_back(
        {pipe.pipe, tile::PipeWaitOp::create(b, loc, b.getIndexType(), pipe.pipe).getResult()});
  tile::GroupSyncOp::create(b, loc);
  for (auto [pipe, slot] : slots)
    tile::PipeReleaseOp::create(b, loc, pipe, slot, /*previous=*/false);
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

void hoistFragments(tile::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.bodyBlock()))
    if (isFragment(&op))
      op.moveBefore(loop);
}

llvm::Expected<OverlapPlan> planOverlap(tile::ForOp loop, ArrayRef<tile::CopyOp> copies) {
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  if (!step || *step <= 0)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "it does not count up");
  return Planner(loop, copies).run();
}

bool feedsFirst(tile::ForOp loop, Value ring) {
  tile::GemmOp first = *loop.bodyBlock()->getOps<tile::GemmOp>().begin();
  return rootOf(first.getA()) == ring || rootOf(first.getB()) == ring;
}

void applyOverlap(tile::ForOp loop, OverlapPlan &plan, ArrayRef<OverlapPipe> pipes) {
  Rewriter(loop, plan, pipes).run();
  loop.erase();
}

} // namespace tilec

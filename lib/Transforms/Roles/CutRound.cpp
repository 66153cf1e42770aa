//===- CutRound.cpp - a round of two gemms, cut where they meet ------------===//
//
// Moving head(k) in front of deferred(k - 1) and second(k - 1), and early(k) beside the
// latter, is the only change of order. It is right when no buffer is written by one side and
// touched by the other; that is all that is asked of the loop.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/CutRound.h"

#include "Roles/Masks.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Columns of the second gemm from which on the loop between the gemms is cut.
constexpr int64_t narrowestCut = 128;

class Cut {
public:
  Cut(tile::ForOp loop, ArrayRef<tile::CopyOp> copies)
      : loop(loop), copies(copies), ops(statementsOf(loop)) {}

  llvm::Expected<std::vector<tile::RoundPart>> run();

private:
  llvm::Error refuse(const Twine &why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
  }
  tile::RoundPart partOf(Operation *op);
  llvm::Error findGemms();
  llvm::Error cut();
  bool conflicts(Operation *a, Operation *b) { return conflict(touched[a], touched[b]); }
  bool conflictsWithAny(Operation *a, ArrayRef<Operation *> list) {
    return llvm::any_of(list, [&](Operation *b) { return conflicts(a, b); });
  }

  tile::ForOp loop;
  ArrayRef<tile::CopyOp> copies;
  SmallVector<Operation *> ops;
  tile::GemmOp first, second;
  SmallVector<Operation *> head, early, late, deferred;
  Operation *longest = nullptr;
  llvm::DenseMap<Operation *, Accesses> touched;
};

tile::RoundPart Cut::partOf(Operation *op) {
  using enum tile::RoundPart;
  if (op == first || op == second)
    return op == first ? First : Second;
  if (op == longest)
    return Longest;
  for (auto [list, part] : {std::pair(&head, Head), {&early, Early}, {&late, Late}})
    if (llvm::is_contained(*list, op))
      return part;
  return Deferred;
}

llvm::Error Cut::findGemms() {
  for (Operation *op : ops) {
    if (!isa<tile::GemmOp, tile::ElementLoop, tile::FillOp, tile::ReduceOp, scf::IfOp>(op))
      return refuse("`" + op->getName().getStringRef() + "` stands in it");
    auto result = op->walk([](Operation *inner) {
      return isa<tile::PrintOp, tile::AssertOp, tile::AtomicOp, tile::ForOp, tile::WhileOp>(inner)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return refuse("something in it does more than compute");
    for (Value value : op->getResults())
      if (!value.use_empty())
        return refuse("a value of one statement is used by another");
    touched[op] = accessesOf(op);
    auto gemm = dyn_cast<tile::GemmOp>(op);
    if (!gemm)
      continue;
    if (second)
      return refuse("it has more than two gemms");
    (first ? second : first) = gemm;
  }
  if (!second)
    return refuse("it has no two gemms");
  if (!canFly(first) || !canFly(second))
    return refuse("a gemm of it is not done by warp groups on whole fragments");
  return llvm::Error::success();
}

llvm::Error Cut::cut() {
  // In front of the first gemm: what it and its preparations depend on, and what depends on the
  // buffers as the round before has left them.
  SmallVector<Operation *> before, headReversed = {first.getOperation()};
  for (Operation *op : ops) {
    if (op == first)
      break;
    before.push_back(op);
  }
  for (Operation *op : llvm::reverse(before))
    if (conflictsWithAny(op, headReversed))
      headReversed.push_back(op);
  for (Operation *op : llvm::reverse(ArrayRef(headReversed).drop_front()))
    head.push_back(op);
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
    mustWait |= conflictsWithAny(op, late);
    (mustWait ? late : early).push_back(op);
  }
  SmallVector<Operation *> kept;
  for (Operation *op : llvm::reverse(late))
    (conflictsWithAny(op, headReversed) || conflictsWithAny(op, kept) ? kept : deferred)
        .push_back(op);
  late.assign(kept.rbegin(), kept.rend());
  std::reverse(deferred.begin(), deferred.end());
  // The second gemm is done before the other side of it: there is time for half of what `late`
  // waits for. A narrow one, as of 64 columns, does not pay (docs/numbers/hopper-trials.md). Masks
  // are left out in most rounds.
  for (Operation *op : early) {
    if (second.n() < narrowestCut)
      break;
    auto parallel = dyn_cast<tile::ElementLoop>(op);
    bool feedsLate =
        parallel && !isMask(parallel) && llvm::any_of(touched[op].writes, [&](Value root) {
          auto type = cast<tile::BufferType>(root.getType());
          return type.isFragment() && type.rank() == 2 && llvm::any_of(late, [&](Operation *later) {
                   return llvm::is_contained(touched[later].reads, root);
                 });
        });
    if (feedsLate)
      longest = op;
  }
  // What is written next to the first gemm's result is read beside the second gemm.
  bool isChained = llvm::any_of(early, [&](Operation *op) { return conflicts(op, first); });
  return isChained ? llvm::Error::success()
                   : refuse("nothing of it could run beside its second gemm");
}

llvm::Expected<std::vector<tile::RoundPart>> Cut::run() {
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
      if (op != first && op != second)
        return refuse("a tile that is copied is read by more than a gemm");
      read[op == second] = true;
    }
    if (read[0] == read[1])
      return refuse("a tile that is copied is read by both gemms or by none");
  }
  std::vector<tile::RoundPart> parts;
  for (Operation *op : ops)
    parts.push_back(partOf(op));
  return parts;
}

} // namespace

llvm::Expected<std::vector<tile::RoundPart>> cutRound(tile::ForOp loop,
                                                      ArrayRef<tile::CopyOp> copies) {
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  if (!step || *step <= 0)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "it does not count up");
  return Cut(loop, copies).run();
}

void eraseStatement(Operation *op) {
  auto loop = dyn_cast<tile::ForOp>(op->getParentOp());
  if (loop && loop.getServed() && !loop.getServed()->getServed().parts.empty()) {
    tile::Served served = loop.getServed()->getServed();
    SmallVector<Operation *> statements = statementsOf(loop);
    served.parts.erase(served.parts.begin() + (llvm::find(statements, op) - statements.begin()));
    loop.setServedAttr(tile::ServedAttr::get(op->getContext(), served));
  }
  op->erase();
}

} // namespace tilec

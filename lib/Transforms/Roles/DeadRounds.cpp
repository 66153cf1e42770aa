//===- DeadRounds.cpp - rounds that change nothing for a warp group -------===//
//
// Finds the masks of an attention's loop and the first round in which all of a warp group's scores
// are masked. Such rounds leave all that the loop carries as it is, where the numbers in memory are
// finite (docs/decisions/0008); a first round may not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Corner.h"
#include "Roles/SymbolicRound.h"
#include "Roles/UnseenRows.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FINDDEADROUNDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The masks of the loop: each chooses -inf for some elements of a tile.
struct Mask {
  tile::ElementLoop parallel;
  Choice choice;
  bool truth; ///< of the condition where it chooses -inf
};
SmallVector<Mask, 2> masksOf(tile::ForOp loop) {
  SmallVector<Mask, 2> masks;
  auto isLow = [](Value value) {
    FloatAttr attr;
    return matchPattern(value, m_Constant(&attr)) && attr.getValue().isInfinity() &&
           attr.getValue().isNegative();
  };
  for (auto parallel : loop.bodyBlock()->getOps<tile::ElementLoop>())
    parallel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (std::optional<Choice> choice = choiceOf(result))
          if (isLow(choice->whenTrue) != isLow(choice->whenFalse))
            masks.push_back({parallel, *choice, isLow(choice->whenTrue)});
    });
  return masks;
}

/// The same rows of all fragments of the loop.
std::optional<GroupRows> rowsOf(tile::ForOp loop) {
  std::optional<GroupRows> rows;
  for (Operation &op : *loop.bodyBlock()) {
    if (isa<tile::CopyOp>(op))
      continue;
    Accesses accesses = accessesOf(&op);
    for (ArrayRef<Value> list : {ArrayRef(accesses.reads), ArrayRef(accesses.writes)})
      for (Value root : list)
        if (cast<tile::BufferType>(root.getType()).isFragment() && !joinRows(rows, root))
          return std::nullopt;
  }
  return rows;
}

/// floor(value / by), or ceil, as a linear form, where what does not divide evenly is known.
std::optional<LinearForm> quotientOf(const LinearForm &form, int64_t by, bool isCeil) {
  LinearForm result;
  int64_t low = form.constant, high = form.constant;
  for (auto [term, factor] : form.terms) {
    if (factor % by == 0) {
      result.terms.push_back({term, factor / by});
      continue;
    }
    std::optional<IndexRange> range = rangeOf(term);
    if (!range || std::abs(factor) > (1 << 20))
      return std::nullopt;
    low += std::min(range->low * factor, range->high * factor);
    high += std::max(range->low * factor, range->high * factor);
  }
  auto floorOf = [&](int64_t x) { return x >= 0 ? x / by : -((-x + by - 1) / by); };
  int64_t more = isCeil ? by - 1 : 0;
  if (floorOf(low + more) != floorOf(high + more))
    return std::nullopt;
  result.constant = floorOf(low + more);
  return result;
}

LinearForm boundOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivUIOp>(op))
    return linearize(value);
  Value divided = op->getOperand(0);
  std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
  std::optional<IndexRange> range = rangeOf(divided);
  if (!by || *by <= 0 || (isa<arith::DivUIOp>(op) && !(range && range->low >= 0)))
    return linearize(value);
  std::optional<LinearForm> form = quotientOf(linearize(divided), *by, isa<arith::CeilDivSIOp>(op));
  return form ? *form : linearize(value);
}

/// Whether no warp group gets to a dead round.
bool isNeverReached(tile::ForOp loop, Value from) {
  LinearForm left = boundOf(from);
  left.add(boundOf(loop.getUpper()), -1);
  return left.terms.empty() && left.constant >= 0;
}

/// For a loop over tiles of keys (attention) whose mask puts -inf on all scores of a warp group's
/// rows from some round on: the value of the loop's variable at that round, made in front of the
/// loop, different for each warp group. A warp group whose rows are only stored outside of tensors
/// needs no rounds at all. Null when that cannot be told, or when no warp group has such rounds.
Value findDeadRounds(tile::ForOp loop) {
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  auto gemms = loop.bodyBlock()->getOps<tile::GemmOp>();
  if (!step || *step <= 0 || std::distance(gemms.begin(), gemms.end()) != 2)
    return {};
  std::optional<GroupRows> rows = rowsOf(loop);
  if (!rows)
    return {};
  OpBuilder b(loop);
  Value from;
  for (Mask &mask : masksOf(loop)) {
    if (!changesNothing(loop, mask.choice.condition, mask.truth))
      continue;
    Value own = Corner(mask.parallel, rows).wantedFrom(mask.choice.condition, mask.truth, loop);
    if (!own || isNeverReached(loop, own))
      continue;
    from = from ? arith::MinSIOp::create(b, loop.getLoc(), from, own).getResult() : own;
  }
  if (!staysInRows(loop))
    return from;
  if (Value isOutside = findUnseenRows(loop, *rows))
    from = arith::SelectOp::create(b, loop.getLoc(), isOutside, loop.getLower(),
                                   from ? from : loop.getUpper());
  return from;
}

struct FindDeadRoundsPass : impl::FindDeadRoundsPassBase<FindDeadRoundsPass> {
  using FindDeadRoundsPassBase::FindDeadRoundsPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      // What threads do of their own stays in the rounds in which it is written.
      if (kernel.getLockstep())
        continue;
      kernel.walk([](tile::ForOp loop) {
        std::optional<tile::ServedAttr> served = loop.getServed();
        bool isOverlapped = served && served->getServed().form == tile::RoundForm::Overlapped;
        if (Value from = isOverlapped ? findDeadRounds(loop) : Value())
          loop.getDeadFromMutable().assign(from);
      });
    }
  }
};

} // namespace

} // namespace tilec

//===- RelaxTangents.cpp - hyperbolic tangents that are rounded -----------===//
//
// One whose result is rounded to 16 bits is the hardware's power and reciprocal (`afn`). One that
// caps scores, and is seen in their softmax alone, is 1 - 2 / (1 + e^2x), whose error is small
// beside 1.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/RelaxMath.h"
#include "Normalize/RowMaxima.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RELAXTANGENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A score of this size may be wrong by 2^-22 of it: 2^-16 of its power, which the agreement rule
/// looks past (docs/decisions/0006).
constexpr double largestScore = 64;

/// Where a number goes that only says how large a power is.
class Scores final : LaterReads {
public:
  explicit Scores(Fates &fates) : fates(fates) {}
  bool reach(Value value) { return reach(value, State()); }

private:
  /// What has become of the number on its way.
  struct State {
    double scale = 1;          ///< what it was multiplied by
    bool isDifference = false; ///< other values were added: its error may be of any size beside it
    bool isMaximum = false;    ///< of a row: what all its powers are divided by is no matter
  };

  bool reach(Value value, State state) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isScore(use, state); });
  }
  bool isScore(OpOperand &use, State state);
  bool follow(Value fragment, Operation *writer, State state);
  bool isHarmless(Operation *op, Value fragment) override;

  Fates &fates;
  llvm::DenseMap<Written, State> states;
  State current; ///< of the fragment that is followed
};

bool Scores::isScore(OpOperand &use, State state) {
  Operation *user = use.getOwner();
  if (isa<arith::MulFOp>(user)) {
    std::optional<double> factor = constantOf(user->getOperand(1 - use.getOperandNumber()));
    state.scale *= std::abs(factor.value_or(0));
    return factor && reach(user->getResult(0), state);
  }
  if (isa<arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(
          user))
    return reach(user->getResult(0), state);
  if (Value chosen = chosenAs(use))
    return reach(chosen, state);
  if (isa<arith::AddFOp, arith::SubFOp>(user)) {
    state.isDifference = true;
    return reach(user->getResult(0), state);
  }
  if (isa<math::ExpOp, math::Exp2Op>(user)) {
    double unit = isa<math::Exp2Op>(user) ? 1 / log2e : 1;
    return state.scale * unit <= largestScore &&
           (state.isMaximum || Uses(fates, /*mayBeSummed=*/true).areRounded(user->getResult(0)));
  }
  auto store = dyn_cast<tile::StoreOp>(user);
  if (!store || store.getValue() != use.get())
    return false;
  auto type = cast<tile::BufferType>(store.getBuffer().getType());
  if (bitsOf(tile::dtypeOf(type.getElementType())) <= 16)
    return !state.isDifference;
  auto loop = store->getParentOfType<tile::ElementLoop>();
  return type.isFragment() && loop && !loop->getParentOfType<tile::ElementLoop>() &&
         follow(store.getBuffer(), loop, state);
}

bool Scores::follow(Value fragment, Operation *writer, State state) {
  if (!fragment.getDefiningOp<tile::AllocOp>())
    return false;
  auto [known, isNew] = states.try_emplace({fragment, writer}, state);
  if (!isNew) { // a round further, or another way: no more than before
    const State &before = known->second;
    return state.scale <= before.scale && state.isDifference <= before.isDifference &&
           state.isMaximum >= before.isMaximum;
  }
  llvm::DenseSet<Written> rounds; // those of this state
  std::swap(current, state);
  std::swap(roundsOfLoops, rounds);
  bool isReached = scan(fragment, writer->getBlock(), std::next(writer->getIterator()));
  std::swap(roundsOfLoops, rounds);
  std::swap(current, state);
  return isReached;
}

bool Scores::isHarmless(Operation *op, Value fragment) {
  State state = current;
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    bool isOfScores = reduce.getSrc() == fragment;
    state.isMaximum = true;
    return reduce.getKind() == tile::ReduceKind::Max &&
           (!isOfScores || follow(reduce.getDst(), reduce, state));
  }
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop)
    return false;
  WalkResult walked = loop.walk([&](tile::LoadOp load) {
    bool isScore = rootOf(load.getBuffer()) != fragment || reach(load.getResult(), state);
    return isScore ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// Whether all that the kernel gives away has 16 bits: a row's logarithm of sums, say, would show
/// errors of scores.
bool isAllRounded(tile::KernelOp kernel) {
  WalkResult walked = kernel.walk([](Operation *op) {
    bool isRounded = llvm::all_of(accessesOf(op).writes, [](Value buffer) {
      auto type = cast<tile::BufferType>(buffer.getType());
      return !type.isGlobal() || bitsOf(tile::dtypeOf(type.getElementType())) <= 16;
    });
    return isRounded ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// tanh(x) as 1 - 2 / (1 + e^2x).
void shorten(math::TanhOp tangent) {
  OpBuilder b(tangent);
  Location loc = tangent.getLoc();
  using Flags = arith::FastMathFlags;
  auto number = [&](double value) { return numberLike(b, loc, value); };
  Value power = arith::MulFOp::create(b, loc, tangent.getOperand(), number(2 * log2e));
  power = math::Exp2Op::create(b, loc, power, Flags::afn);
  Value sum = arith::AddFOp::create(b, loc, power, number(1));
  Value inverse = arith::DivFOp::create(b, loc, number(1), sum, Flags::afn | Flags::arcp);
  Value part = arith::MulFOp::create(b, loc, inverse, number(2), Flags::contract);
  Value result = arith::SubFOp::create(b, loc, number(1), part, Flags::contract);
  tangent.replaceAllUsesWith(result);
  tangent.erase();
}

struct RelaxTangentsPass : impl::RelaxTangentsPassBase<RelaxTangentsPass> {
  using RelaxTangentsPassBase::RelaxTangentsPassBase;

  void runOnOperation() override {
    forArithmetic<math::TanhOp>(getOperation(), [](Operation *op, Fates &fates) {
      if (Uses(fates, /*mayBeSummed=*/false).areRounded(op->getResult(0)))
        allow(op, arith::FastMathFlags::afn);
      else if (Scores(fates).reach(op->getResult(0)) &&
               isAllRounded(op->getParentOfType<tile::KernelOp>()))
        shorten(cast<math::TanhOp>(op));
    });
  }
};

} // namespace

} // namespace tilec

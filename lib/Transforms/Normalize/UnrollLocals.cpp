//===- UnrollLocals.cpp - loops that pick elements of local arrays --------===//
//
// Registers have no addresses: a loop whose number picks an element of a thread's array is unrolled
// where its bounds are known, with the loops in it whose numbers do.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNROLLLOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t mostOps = 16384, mostRounds = 256, mostChoices = 1024;

/// Whether the value is a number once `variable` is one.
bool isKnownBy(Value value, Value variable) {
  Operation *op = value.getDefiningOp();
  return value == variable || tile::constantInt(value) ||
         (op && isPure(op) && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
          llvm::all_of(op->getOperands(), [&](Value v) { return isKnownBy(v, variable); }));
}

bool setsRounds(Value variable, tile::ForOp inner) {
  SmallVector<Value, 3> bounds = {inner.getLower(), inner.getUpper(), inner.getStep()};
  auto isKnown = [&](Value v) { return isKnownBy(v, variable); };
  auto isConstant = [](Value v) { return tile::constantInt(v).has_value(); };
  return llvm::all_of(bounds, isKnown) && !llvm::all_of(bounds, isConstant);
}

/// The access of an element of a thread's array.
std::optional<ElementAccess> localAccess(Operation *op) {
  std::optional<ElementAccess> access = elementAccess(op);
  if (!access || !access->type().isLocal() || access->type().numElems() == 1)
    return std::nullopt;
  return access;
}

bool picksLocalElement(tile::ForOp loop) {
  auto result = loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = localAccess(op);
    bool hits =
        access && llvm::any_of(access->indices, [&](Value v) { return isMadeOf(v, loop.iv()); });
    return hits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool isLeft(tile::ForOp loop) {
  return loop.walk([](tile::BreakOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Loops that are worth to be written out: those whose number picks elements, and those that say
/// how many rounds such a one has.
llvm::SmallPtrSet<Operation *, 8> loopsOverElements(tile::KernelOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> found;
  kernel.walk([&](tile::ForOp loop) { // inner ones first
    auto isFound = [&](tile::ForOp inner) {
      return inner != loop && found.contains(inner) && setsRounds(loop.iv(), inner);
    };
    bool isOverElements = picksLocalElement(loop);
    loop.walk([&](tile::ForOp inner) { isOverElements |= isFound(inner); });
    if (isOverElements && !isLeft(loop))
      found.insert(loop);
  });
  return found;
}

/// Counts the ops that a loop becomes. What follows from the numbers of rounds is a number then and
/// no op; an access at a place that only the run knows chooses among all elements that it may be.
class WrittenOut {
public:
  explicit WrittenOut(const llvm::SmallPtrSetImpl<Operation *> &loops) : loops(loops) {}

  /// Whether the loop stays: it would become too much, or most choices would be left.
  bool stays(const KnownLoop &known) {
    countRounds(known.loop, known.lower, known.step, known.rounds);
    return ops > mostOps || choices > std::max(mostChoices, choicesBefore / 2);
  }

private:
  Attribute numberOf(Value value) const {
    Attribute constant;
    return matchPattern(value, m_Constant(&constant)) ? constant : numbers.lookup(value);
  }

  std::optional<int64_t> intOf(Value value) const {
    auto number = dyn_cast_or_null<IntegerAttr>(numberOf(value));
    return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
  }

  bool becomesNumber(Operation &op) {
    SmallVector<Attribute, 3> operands;
    for (Value operand : op.getOperands())
      operands.push_back(numberOf(operand));
    SmallVector<OpFoldResult, 1> results;
    if (op.getNumResults() != 1 || op.getNumRegions() != 0 || !isPure(&op) ||
        llvm::is_contained(operands, Attribute()) || failed(op.fold(operands, results)) ||
        results.size() != 1)
      return false;
    auto number = dyn_cast<Attribute>(results.front());
    numbers[op.getResult(0)] = number ? number : numberOf(cast<Value>(results.front()));
    return true;
  }

  /// Elements that an access chooses among, with or without the numbers; 0 where it is one.
  int64_t choicesOf(const ElementAccess &access, bool knowsNumbers) const {
    int64_t choices = 1;
    for (auto [index, extent] : llvm::zip_equal(access.indices, access.type().getShape())) {
      if (knowsNumbers ? bool(numberOf(index)) : tile::constantInt(index).has_value())
        continue;
      IndexRange range = rangeOf(index).value_or(IndexRange{0, extent - 1});
      choices *= std::clamp<int64_t>(range.high - std::max<int64_t>(range.low, 0) + 1, 1, extent);
    }
    return choices == 1 ? 0 : choices;
  }

  void countRounds(tile::ForOp loop, int64_t lower, int64_t step, int64_t rounds) {
    Type type = loop.iv().getType();
    for (int64_t round = 0; round < rounds && ops <= mostOps; ++round) {
      numbers[loop.iv()] = IntegerAttr::get(type, lower + round * step);
      count(*loop.bodyBlock());
    }
    numbers.erase(loop.iv());
  }

  void count(tile::ForOp loop) {
    auto lower = intOf(loop.getLower()), upper = intOf(loop.getUpper());
    auto step = intOf(loop.getStep());
    if (lower && upper && step && *step != 0 && loops.contains(loop)) {
      int64_t rounds = roundsBetween(*lower, *upper, *step);
      if (rounds <= mostRounds)
        return countRounds(loop, *lower, *step, rounds);
    }
    ++ops;
    numbers.erase(loop.iv());
    count(*loop.bodyBlock());
  }

  void count(Block &block) {
    for (Operation &op : block) {
      if (ops > mostOps)
        return;
      if (auto loop = dyn_cast<tile::ForOp>(op)) {
        count(loop);
        continue;
      }
      if (becomesNumber(op))
        continue;
      for (Value result : op.getResults())
        numbers.erase(result);
      ++ops;
      if (std::optional<ElementAccess> access = localAccess(&op)) {
        int64_t left = choicesOf(*access, true);
        ops += left;
        choices += left;
        choicesBefore += choicesOf(*access, false);
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          count(inner);
    }
  }

  const llvm::SmallPtrSetImpl<Operation *> &loops;
  int64_t ops = 0, choices = 0, choicesBefore = 0;
  llvm::DenseMap<Value, Attribute> numbers;
};

/// Loops whose bounds are known now, outer ones together with those in them or not at all: an
/// access that an outer loop's number is part of has no place before that one is written out.
bool unrollKnownLocalLoops(tile::KernelOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> loops = loopsOverElements(kernel), gone;
  SmallVector<KnownLoop> known = knownLoops(kernel);
  for (KnownLoop &loop : llvm::reverse(known)) {
    if (gone.contains(loop.loop) || !loops.contains(loop.loop) || loop.rounds > mostRounds ||
        WrittenOut(loops).stays(loop))
      continue;
    loop.loop.walk([&](tile::ForOp inner) { gone.insert(inner); });
    loop.unroll();
  }
  return !gone.empty();
}

struct UnrollLocalsPass : impl::UnrollLocalsPassBase<UnrollLocalsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      while (unrollKnownLocalLoops(kernel)) {
      }
  }
};

} // namespace

} // namespace tilec

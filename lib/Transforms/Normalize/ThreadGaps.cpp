//===- ThreadGaps.cpp - whether two accesses meet in an element -----------===//
//
// For two accesses the symbols that are the same for both cancel, and what is left open is a
// strided interval; then threads p and q meet where table(p) - table(q) is in it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ThreadAccesses.h"

#include "tilec/Base/Math.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tilec {

constexpr int64_t unbounded = int64_t(1) << 40;

static bool isUnbounded(int64_t bound) { return bound >= unbounded || bound <= -unbounded; }

/// Saturates, so that what is open stays open.
static int64_t boundedProduct(int64_t factor, int64_t bound) {
  if (factor == 0 || bound == 0)
    return 0;
  if (isUnbounded(bound) || std::abs(factor) > unbounded / std::abs(bound))
    return (factor < 0) == (bound < 0) ? unbounded : -unbounded;
  return factor * bound;
}

static int64_t boundedSum(int64_t a, int64_t b) {
  if (isUnbounded(a) || isUnbounded(b))
    return isUnbounded(a) ? a : b;
  return std::clamp(a + b, -unbounded, unbounded);
}

static Operation *loopAround(Operation *op) {
  while (op && !isa<tile::ForOp, tile::WhileOp, tile::KernelOp>(op))
    op = op->getParentOp();
  return op;
}

static int64_t roundsOf(tile::ForOp loop) {
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  std::optional<IndexRange> lower = rangeOf(loop.getLower()), upper = rangeOf(loop.getUpper());
  if (!step || *step == 0 || !lower || !upper)
    return unbounded;
  int64_t span = *step > 0 ? upper->high - lower->low : lower->high - upper->low;
  return ceilDiv(std::max<int64_t>(span, 0), std::abs(*step));
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// Whether both accesses see the same value.
bool ThreadAccesses::isFixed(const Symbol &symbol, const Scope &scope) const {
  if (!symbol.isRound && !uniform.isUniform(symbol.value))
    return false;
  Value value = symbol.value;
  Operation *around = value.getParentBlock()->getParentOp();
  while (around && !isa<tile::ForOp, tile::WhileOp, tile::KernelOp, tile::ProgramOp>(around))
    around = around->getParentOp();
  return around && around->isAncestor(scope.loop);
}

ThreadAccesses::Free ThreadAccesses::rangeOfSymbol(const Symbol &symbol) {
  if (symbol.isRound)
    return {symbol.factor, 0, std::max<int64_t>(roundsOf(loopOf(symbol.value)) - 1, 0)};
  std::optional<IndexRange> range = rangeOf(symbol.value);
  return {symbol.factor, range ? range->low : -unbounded, range ? range->high : unbounded};
}

void ThreadAccesses::subtractSymbols(Difference &difference, ArrayRef<Symbol> first,
                                     ArrayRef<Symbol> second, const Scope &scope) const {
  auto factorIn = [](ArrayRef<Symbol> symbols, const Symbol &wanted) -> int64_t {
    for (const Symbol &s : symbols)
      if (s.value == wanted.value && s.isRound == wanted.isRound)
        return s.factor;
    return 0;
  };
  SmallVector<Symbol, 4> all(first.begin(), first.end());
  for (const Symbol &s : second)
    if (factorIn(first, s) == 0)
      all.push_back(s);
  for (Symbol s : all) {
    int64_t ofFirst = factorIn(first, s), ofSecond = factorIn(second, s);
    if (isFixed(s, scope)) {
      s.factor = ofFirst - ofSecond;
      if (s.factor != 0)
        difference.fixed.push_back(s);
      continue;
    }
    Free range = rangeOfSymbol(s);
    auto add = [&](int64_t factor, int64_t low, int64_t high) {
      if (factor != 0)
        difference.open.push_back({factor, low, high});
    };
    if (s.isRound && loopOf(s.value) == scope.crossed) { // the second comes later
      add(ofFirst - ofSecond, range.low, range.high);
      add(-ofSecond, 1, std::max<int64_t>(range.high, 1));
      continue;
    }
    add(ofFirst, range.low, range.high);
    add(-ofSecond, range.low, range.high);
  }
}

ThreadAccesses::Difference ThreadAccesses::differenceOf(const Access &first, const Access &second,
                                                        const Scope &scope, bool clipped) const {
  Difference sum;
  int64_t stride = 1;
  ArrayRef<int64_t> shape = cast<tile::BufferType>(first.view.getType()).getShape();
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; stride *= shape[d--]) {
    Difference own;
    subtractSymbols(own, first.at[d].symbols, second.at[d].symbols, scope);
    auto isAnything = [](const Free &f) {
      return std::abs(f.factor) == 1 && (isUnbounded(f.low) || isUnbounded(f.high));
    };
    bool isOpen =
        llvm::any_of(own.open, isAnything) ||
        llvm::any_of(own.fixed, [&](const Symbol &s) { return isAnything(rangeOfSymbol(s)); });
    if (clipped && isOpen) {
      sum.open.push_back({stride, 1 - shape[d], shape[d] - 1});
      continue;
    }
    addRow(sum.first, first.at[d].ofThread, stride);
    addRow(sum.second, second.at[d].ofThread, stride);
    sum.constant += stride * (first.at[d].constant - second.at[d].constant);
    for (Symbol s : own.fixed) {
      s.factor *= stride;
      addSymbol(sum.fixed, s);
    }
    for (Free f : own.open) {
      f.factor *= stride;
      sum.open.push_back(f);
    }
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Least and greatest of row[p] - factor * other[p] over the threads that are there.
static std::pair<int64_t, int64_t> spanOf(const std::vector<int64_t> &row,
                                          const std::vector<int64_t> &other, int64_t factor,
                                          const std::vector<bool> &isActive, int64_t threads) {
  int64_t low = unbounded, high = -unbounded;
  for (int64_t p = 0; p < threads; ++p) {
    if (!isActive.empty() && !isActive[p])
      continue;
    int64_t value = (row.empty() ? 0 : row[p]) - (other.empty() ? 0 : factor * other[p]);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {low, high};
}

/// Whether the difference cannot be 0 where the guard holds: h <= 0 and difference - k h < 0 for
/// some k > 0, or difference + k h > 0.
bool ThreadAccesses::excludes(const Guard &guard, bool isOfFirst, const Difference &difference,
                              const Access &first, const Access &second, const Scope &scope) const {
  const Form &h = guard.difference;
  SmallVector<int64_t, 4> factors = {1};
  for (const Symbol &s : difference.fixed)
    for (const Symbol &other : h.symbols)
      if (s.value == other.value && s.isRound == other.isRound && s.factor % other.factor == 0)
        factors.push_back(std::abs(s.factor / other.factor));
  static const std::vector<int64_t> nothing;
  for (int64_t k : factors)
    for (int64_t by : {k, -k}) {
      // The second's part counts negatively.
      auto [firstLow, firstHigh] =
          spanOf(difference.first, isOfFirst ? h.ofThread : nothing, by, first.isActive, threads);
      auto [secondLow, secondHigh] = spanOf(difference.second, isOfFirst ? nothing : h.ofThread,
                                            -by, second.isActive, threads);
      int64_t constant = difference.constant - by * h.constant;
      int64_t low = boundedSum(constant, boundedSum(firstLow, -secondHigh));
      int64_t high = boundedSum(constant, boundedSum(firstHigh, -secondLow));
      SmallVector<Symbol, 3> symbols = difference.fixed;
      SmallVector<Free, 4> open = difference.open;
      for (Symbol s : h.symbols) {
        s.factor *= -by;
        if (isFixed(s, scope))
          addSymbol(symbols, s);
        else
          open.push_back(rangeOfSymbol(s));
      }
      for (const Symbol &s : symbols)
        open.push_back(rangeOfSymbol(s));
      bool isLowOpen = false, isHighOpen = false;
      for (const Free &f : open) {
        int64_t a = boundedProduct(f.factor, f.low), b = boundedProduct(f.factor, f.high);
        isLowOpen |= isUnbounded(std::min(a, b));
        isHighOpen |= isUnbounded(std::max(a, b));
        low = boundedSum(low, std::min(a, b));
        high = boundedSum(high, std::max(a, b));
      }
      bool mayBePositive = by > 0 || guard.isEqual, mayBeNegative = by < 0 || guard.isEqual;
      if ((mayBePositive && !isHighOpen && high < 0) || (mayBeNegative && !isLowOpen && low > 0))
        return true;
    }
  return false;
}

bool ThreadAccesses::isRefuted(const Difference &difference, const Access &first,
                               const Access &second, const Scope &scope) const {
  auto excluded = [&](const Access &access, bool isOfFirst) {
    return llvm::any_of(access.guards, [&](const Guard &guard) {
      return excludes(guard, isOfFirst, difference, first, second, scope);
    });
  };
  return excluded(first, true) || excluded(second, false);
}

/// Whether two constants differ in the index of a dimension.
bool ThreadAccesses::areApart(const Access &first, const Access &second) {
  return llvm::any_of(llvm::zip(first.at, second.at), [](auto pair) {
    auto &[a, b] = pair;
    return a.ofThread.empty() && b.ofThread.empty() && a.symbols.empty() && b.symbols.empty() &&
           a.constant != b.constant;
  });
}

/// Stores of one value may come in any order.
bool ThreadAccesses::storesSame(Operation *first, Operation *second, const Scope &scope) const {
  auto a = dyn_cast<tile::StoreOp>(first), b = dyn_cast<tile::StoreOp>(second);
  if (!a || !b || a.getBuffer() != b.getBuffer())
    return false;
  Attribute constant, other;
  if (matchPattern(a.getValue(), m_Constant(&constant)))
    return matchPattern(b.getValue(), m_Constant(&other)) && constant == other;
  Value value = sameAs(a.getValue());
  return value == sameAs(b.getValue()) && isFixed({value, 1, false}, scope);
}

//===----------------------------------------------------------------------===//
// Threads that meet
//===----------------------------------------------------------------------===//

namespace {

/// A sum of open parts: base + a multiple of `stride`, from low to high.
struct Interval {
  int64_t base = 0, stride = 0, low = 0, high = 0;

  void add(int64_t factor, int64_t from, int64_t to) {
    int64_t a = boundedProduct(factor, from), b = boundedProduct(factor, to);
    low = boundedSum(low, std::min(a, b));
    high = boundedSum(high, std::max(a, b));
    int64_t start = !isUnbounded(a) ? a : !isUnbounded(b) ? b : 0;
    base += start;
    if (from != to)
      stride = std::gcd(stride, std::abs(factor));
  }
};

/// A thread and the element it touches, in the order that they are looked for.
struct Touch {
  int64_t residue, element, thread;
  bool operator<(const Touch &other) const {
    return std::tie(residue, element) < std::tie(other.residue, other.element);
  }
};

} // namespace

static int64_t residueOf(int64_t value, int64_t stride) {
  return stride == 0 ? 0 : ((value % stride) + stride) % stride;
}

Gap ThreadAccesses::search(const Difference &difference, const Access &first, const Access &second,
                           const Scope &scope) const {
  Interval open;
  for (const Free &f : difference.open)
    open.add(f.factor, f.low, f.high);
  for (const Symbol &s : difference.fixed) {
    Free f = rangeOfSymbol(s);
    open.add(f.factor, f.low, f.high);
  }
  // `tx == k` around both: threads that agree on k.
  SmallVector<std::tuple<const Form *, const Form *>, 2> equal;
  auto isKnown = [&](const Form &form) {
    return llvm::all_of(form.symbols, [&](const Symbol &s) { return isFixed(s, scope); });
  };
  for (const Guard &a : first.guards)
    for (const Guard &b : second.guards) {
      if (!a.isEqual || !b.isEqual || !isKnown(a.difference))
        continue;
      SmallVector<Symbol, 3> rest = a.difference.symbols;
      for (Symbol s : b.difference.symbols) {
        s.factor = -s.factor;
        addSymbol(rest, s);
      }
      if (rest.empty())
        equal.push_back({&a.difference, &b.difference});
    }
  auto at = [](const std::vector<int64_t> &row, int64_t thread) {
    return row.empty() ? 0 : row[thread];
  };
  auto agree = [&](int64_t p, int64_t q) {
    return llvm::all_of(equal, [&](auto &pair) {
      auto [a, b] = pair;
      return at(a->ofThread, p) + a->constant == at(b->ofThread, q) + b->constant;
    });
  };

  int64_t grain = open.stride;
  for (const std::vector<int64_t> *row : {&difference.first, &difference.second})
    for (int64_t element : *row)
      grain = std::gcd(grain, std::abs(element - row->front()));
  int64_t apart = at(difference.first, 0) + difference.constant + open.base;
  if (grain != 0 && (apart - at(difference.second, 0)) % grain != 0)
    return Gap::None;

  std::vector<Touch> touches;
  for (int64_t q = 0; q < threads; ++q)
    if (second.isActive.empty() || second.isActive[q]) {
      int64_t element = at(difference.second, q);
      touches.push_back({residueOf(element, open.stride), element, q});
    }
  llvm::sort(touches, [](const Touch &a, const Touch &b) { return a < b; });
  Gap gap = Gap::None;
  for (int64_t p = 0; p < threads; ++p) {
    if (!first.isActive.empty() && !first.isActive[p])
      continue;
    int64_t element = at(difference.first, p) + difference.constant;
    int64_t residue = residueOf(element + open.base, open.stride);
    auto it = std::lower_bound(touches.begin(), touches.end(),
                               Touch{residue, boundedSum(element, open.low), 0});
    int64_t last = boundedSum(element, open.high);
    for (; it != touches.end() && it->residue == residue && it->element <= last; ++it) {
      bool isSameWave = p / lanes == it->thread / lanes;
      if (p == it->thread || (isSameWave && gap == Gap::Wave) || !agree(p, it->thread))
        continue;
      if (!isSameWave)
        return Gap::Block;
      gap = Gap::Wave;
    }
  }
  return gap;
}

/// Atomics whose effect is the same in any order: updates of one kind, and reads. What updates
/// return is what they find, in the order in which threads come (docs/language/threads.md).
static bool inAnyOrder(Operation *first, Operation *second) {
  auto a = dyn_cast<tile::AtomicOp>(first), b = dyn_cast<tile::AtomicOp>(second);
  return a && b && a.getKind() == b.getKind() && a.getKind() != tile::AtomicKind::Exchange;
}

/// A read that the lanes without a thread do, too, where the last wave is not whole.
bool ThreadAccesses::isReadByAll(Operation *op) const {
  return isa<tile::LoadOp>(op) && uniform.isUniform(op->getResult(0)) &&
         !uniform.isDivergent(op->getBlock());
}

Gap ThreadAccesses::gapBetween(Operation *first, Operation *second, Operation *crossed) {
  if (isa<tile::LoadOp>(first) && isa<tile::LoadOp>(second))
    return Gap::None;
  if (inAnyOrder(first, second))
    return Gap::None;
  Scope scope{nullptr, crossed};
  scope.loop = loopAround(crossed ? crossed->getParentOp() : first->getParentOp());
  while (!scope.loop->isAncestor(second))
    scope.loop = loopAround(scope.loop->getParentOp());
  if (auto loop = dyn_cast_or_null<tile::ForOp>(crossed); loop && roundsOf(loop) <= 1)
    return Gap::None;
  const Access &a = accessOf(first), &b = accessOf(second);
  auto typeOf = [](const Access &access) { return cast<tile::BufferType>(access.view.getType()); };
  auto bitsOfElement = [&](const Access &access) {
    return bitsOf(tile::dtypeOf(typeOf(access).getElementType()));
  };
  if (typeOf(a).getShape() != typeOf(b).getShape() || bitsOfElement(a) != bitsOfElement(b))
    return threads > lanes ? Gap::Block : Gap::Wave;
  if (storesSame(first, second, scope))
    return Gap::None;
  Gap gap = gapOf(a, b, scope);
  bool isPartWave = threads % lanes != 0;
  if (gap == Gap::None && isPartWave && (isReadByAll(first) || isReadByAll(second)) &&
      !areApart(a, b))
    gap = Gap::Wave;
  return gap;
}

Gap ThreadAccesses::gapOf(const Access &first, const Access &second, const Scope &scope) {
  std::vector<int64_t> apart;
  for (auto [a, b] : llvm::zip(first.at, second.at))
    apart.push_back(a.constant - b.constant);
  auto [known, isNew] =
      answers.try_emplace({first.kind, second.kind, scope.loop, scope.crossed, apart}, Gap::None);
  Gap &gap = known->second;
  if (isNew && !areApart(first, second) &&
      !isRefuted(differenceOf(first, second, scope, /*clipped=*/false), first, second, scope))
    gap = search(differenceOf(first, second, scope, /*clipped=*/true), first, second, scope);
  return gap;
}

} // namespace tilec

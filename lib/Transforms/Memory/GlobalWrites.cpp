//===- GlobalWrites.cpp - elements of tensors that are written twice ------===//
//
// Two writes are compared where they stand: in one round of all loops around both, and, for each
// such loop, in two different rounds of it. They need no order where they touch no element
// together, or where each element has one thread that writes it in both.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/GlobalWrites.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

/// The box of the tensor that the buffer with these indices is; without indices: all of it.
static void findBox(Value buffer, ValueRange indices, GlobalWrite &write) {
  ArrayRef<int64_t> shape = cast<tile::BufferType>(buffer.getType()).getShape();
  SmallVector<GlobalWrite::Extent, 4> box;
  for (size_t d = 0; d < shape.size(); ++d)
    box.push_back(indices.empty() ? GlobalWrite::Extent{{}, shape[d]}
                                  : GlobalWrite::Extent{linearize(indices[d]), 1});
  while (auto view = buffer.getDefiningOp<tile::SubviewOp>()) {
    for (int64_t dropped : view.getDropped())
      box.insert(box.begin() + dropped, GlobalWrite::Extent{{}, 1});
    for (auto [extent, offset] : llvm::zip(box, view.getOffsets()))
      extent.first.add(linearize(offset), 1);
    buffer = view.getSource();
  }
  if (buffer == write.tensor) // not behind a reshape
    write.box = std::move(box);
}

SmallVector<GlobalWrite, 1> globalWritesIn(Operation *op) {
  SmallVector<GlobalWrite, 1> writes;
  op->walk([&](Operation *inner) {
    if (inner->getNumRegions() != 0 || isa<tile::AtomicOp>(inner))
      return;
    for (Value tensor : accessesOf(inner).writes) {
      if (!cast<tile::BufferType>(tensor.getType()).isGlobal())
        continue;
      GlobalWrite write{inner, inner, tensor, {}};
      for (Operation *up = inner->getParentOp(); up && !isa<tile::KernelOp>(up);
           up = up->getParentOp())
        if (isa<tile::ElementLoop>(up))
          write.statement = up;
      if (auto store = dyn_cast<tile::StoreOp>(inner))
        findBox(store.getBuffer(), store.getIndices(), write);
      else if (auto copy = dyn_cast<tile::CopyOp>(inner))
        findBox(copy.getDst(), {}, write);
      else if (auto fill = dyn_cast<tile::FillOp>(inner))
        findBox(fill.getDst(), {}, write);
      writes.push_back(std::move(write));
    }
  });
  return writes;
}

//===----------------------------------------------------------------------===//
// Two of them
//===----------------------------------------------------------------------===//

namespace {

/// Numbers between two others, which may be open ends.
struct Span {
  int64_t low = 0, high = 0;
  bool isKnown = true;

  void add(std::optional<IndexRange> range, int64_t factor) {
    constexpr int64_t most = int64_t(1) << 40; // nothing overflows
    isKnown &= range && std::abs(factor) < (int64_t(1) << 20);
    if (!isKnown)
      return;
    low += std::min(range->low * factor, range->high * factor);
    high += std::max(range->low * factor, range->high * factor);
    isKnown = low > -most && high < most;
  }
};

/// Two writes in one round of all loops around them, or in different rounds of `loop` and the same
/// of those around it.
class Meeting {
public:
  Meeting(const GlobalWrite &first, const GlobalWrite &second, Operation *loop,
          const tile::Uniformity *threads)
      : first(first), second(second), loop(loop), threads(threads) {}

  bool mayClash() const { return !isApart() && !haveSameThreads(); }

private:
  bool isApart() const;
  bool isApart(const GlobalWrite::Extent &a, const GlobalWrite::Extent &b) const;
  bool haveSameThreads() const;
  bool followOneFragment() const;
  bool isSame(Value value, int depth = 0) const;
  bool isFixed(Value value) const;
  bool isScalar(const GlobalWrite &write) const {
    return !threads && isa<tile::StoreOp>(write.statement);
  }

  const GlobalWrite &first, &second;
  Operation *loop;
  const tile::Uniformity *threads;
};

/// Whether the value is one for both writes.
bool Meeting::isSame(Value value, int depth) const {
  constexpr int deepest = 8; // index arithmetic is shallow
  if (threads && !threads->isUniform(value))
    return false;
  Region *region = value.getParentRegion();
  auto contains = [&](Operation *op) { return region->isAncestor(op->getParentRegion()); };
  bool isAround = contains(first.statement) && contains(second.statement);
  if (isAround && (!loop || !loop->isAncestor(region->getParentOp())))
    return true;
  Operation *op = value.getDefiningOp();
  return op && depth < deepest && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isSame(operand, depth + 1); });
}

bool Meeting::isApart(const GlobalWrite::Extent &a, const GlobalWrite::Extent &b) const {
  auto counted = dyn_cast_or_null<tile::ForOp>(loop);
  LinearForm same;
  int64_t perRound[2] = {0, 0};
  Span rest;
  for (auto [extent, factor] : {std::pair(&a, int64_t(1)), {&b, int64_t(-1)}}) {
    rest.add(IndexRange{extent->first.constant, extent->first.constant}, factor);
    if (ShapedType::isDynamic(extent->count))
      rest.isKnown = false;
    else
      rest.add(IndexRange{0, extent->count - 1}, factor);
    for (auto [value, times] : extent->first.terms) {
      if (counted && value == counted.iv())
        perRound[factor < 0] = times;
      else if (isSame(value))
        same.add(LinearForm{0, {{value, times}}}, factor);
      else
        rest.add(rangeOf(value), times * factor);
    }
  }
  for (auto [value, times] : same.terms)
    rest.add(rangeOf(value), times);
  int64_t stride = 0;
  if (counted && perRound[0] == perRound[1])
    stride = std::abs(perRound[0] * tile::constantInt(counted.getStep()).value_or(1));
  else if (counted) {
    rest.add(rangeOf(counted.iv()), perRound[0]);
    rest.add(rangeOf(counted.iv()), -perRound[1]);
  }
  if (!rest.isKnown)
    return false;
  return stride ? -stride < rest.low && rest.high < stride : rest.low > 0 || rest.high < 0;
}

/// Whether some dimension keeps them apart.
bool Meeting::isApart() const {
  for (auto [a, b] : llvm::zip(first.box, second.box))
    if (isApart(a, b))
      return true;
  return false;
}

/// Whether the value depends on the iteration of the statement and on nothing else that differs.
bool Meeting::isFixed(Value value) const {
  if (isSame(value))
    return true;
  if (!first.statement->isAncestor(value.getParentRegion()->getParentOp()))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || (isPure(op) && op->getNumRegions() == 0 &&
                 llvm::all_of(op->getOperands(), [&](Value operand) { return isFixed(operand); }));
}

/// Whether both are loops that give each iteration to the thread that has an element of a fragment,
/// and write the same element in it.
bool Meeting::followOneFragment() const {
  auto a = dyn_cast<tile::ElementLoop>(first.statement),
       b = dyn_cast<tile::ElementLoop>(second.statement);
  if (!a || !b || a.constantExtents() != b.constantExtents())
    return false;
  std::optional<FragmentLayout> layout = layoutFromFragments(a);
  if (!layout || layout != layoutFromFragments(b))
    return false;
  for (auto [left, right] : llvm::zip(first.box, second.box)) {
    LinearForm difference = left.first;
    for (auto [n, iv] : llvm::enumerate(b.ivs())) {
      int64_t times = right.first.coefficient(iv);
      difference.add(LinearForm{0, {{a.ivs()[n], 1}}}, -times);
    }
    difference.add(right.first.without(ValueRange(b.ivs())), -1);
    if (difference.constant != 0 || !difference.terms.empty())
      return false;
  }
  return true;
}

bool Meeting::haveSameThreads() const {
  if (isScalar(first) && isScalar(second)) // the block's first thread
    return true;
  if (first.box.empty() || (first.op != second.op && !followOneFragment()))
    return false;
  return llvm::all_of(first.box, [&](const GlobalWrite::Extent &extent) {
    return llvm::all_of(extent.first.terms, [&](auto &term) { return isFixed(term.first); });
  });
}

} // namespace

bool mayOverwrite(const GlobalWrite &first, const GlobalWrite &second,
                  const tile::Uniformity *threads) {
  if (first.tensor != second.tensor)
    return false;
  if (first.statement != second.statement && Meeting(first, second, nullptr, threads).mayClash())
    return true;
  for (Operation *up = first.statement->getParentOp(); up && !isa<tile::KernelOp>(up);
       up = up->getParentOp()) {
    // The rounds of a persistent loop stand for blocks, which have no order.
    auto counted = dyn_cast<tile::ForOp>(up);
    bool hasRounds = isa<tile::WhileOp>(up) || (counted && !counted.getPersistent());
    if (hasRounds && up->isAncestor(second.statement) &&
        Meeting(first, second, up, threads).mayClash())
      return true;
  }
  return false;
}

} // namespace tilec

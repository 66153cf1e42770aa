//===- Runs.cpp - elements that are neighbours in memory ------------------===//
//
// Elements of a lane whose places are quotients and remainders of the loop's variables, as a
// layout of a tensor makes them: which of them lie side by side, in any order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/ElementBuilder.h"

#include <map>
#include <numeric>
#include <vector>

using namespace mlir;

namespace tilec {

static constexpr int64_t mostDivisor = 1 << 20; // also of zero

/// What divides the index of the lane's first element.
int64_t ElementBuilder::divisorOfFirst(Value index, Elements &elements) {
  if (std::optional<int64_t> constant = tile::constantInt(index))
    return std::gcd(*constant, mostDivisor);
  for (auto [d, iv] : llvm::enumerate(elements.loop.ivs()))
    if (index == iv) {
      const LaneCoord &coord = elements.coords[d];
      return std::gcd(coord.value ? coord.divisor : mostDivisor,
                      std::gcd(coord.constant, mostDivisor));
    }
  Operation *op = index.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return std::gcd(divisorOfFirst(select.getTrueValue(), elements),
                    divisorOfFirst(select.getFalseValue(), elements));
  if (!op || op->getNumOperands() != 2 || !isa<arith::ArithDialect>(op->getDialect()))
    return divisorOf(index);
  int64_t left = divisorOfFirst(op->getOperand(0), elements);
  std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
  if (isa<arith::DivUIOp, arith::RemUIOp>(op)) {
    if (!by || *by <= 0)
      return 1;
    bool isQuotient = isa<arith::DivUIOp>(op);
    if (left % *by == 0)
      return isQuotient ? left / *by : mostDivisor;
    return isQuotient ? 1 : std::gcd(left, *by);
  }
  int64_t right = divisorOfFirst(op->getOperand(1), elements);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(left, right);
  return isa<arith::MulIOp>(op) ? std::min(left * right, mostDivisor) : divisorOf(index);
}

/// By how much the index of an element is more than that of the first, where that is a constant.
std::optional<int64_t> ElementBuilder::movedBy(Value index, int64_t element, Elements &elements) {
  if (tile::constantInt(index) || isSameForAll(index, elements))
    return 0;
  for (auto [d, iv] : llvm::enumerate(elements.loop.ivs()))
    if (index == iv)
      return elements.deltas[element][d];
  Operation *op = index.getDefiningOp();
  auto movedByOperand = [&](unsigned n) { return movedBy(op->getOperand(n), element, elements); };
  if (isa_and_nonnull<arith::SelectOp>(op)) { // a limit of a part of the index
    std::optional<int64_t> one = movedByOperand(1);
    return movedByOperand(0) == 0 && one == movedByOperand(2) ? one : std::nullopt;
  }
  if (isa_and_nonnull<arith::CmpIOp>(op)) // decided alike where its numbers are the same
    return movedByOperand(0) == 0 && movedByOperand(1) == 0 ? std::optional(0) : std::nullopt;
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> left = movedByOperand(0);
  std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
  if (!left)
    return std::nullopt;
  if (isa<arith::MulIOp>(op))
    return by ? std::optional(*left * *by) : std::nullopt;
  if (isa<arith::DivUIOp, arith::RemUIOp>(op)) {
    if (!by || *by <= 0 || *left < 0)
      return std::nullopt;
    bool isQuotient = isa<arith::DivUIOp>(op);
    int64_t divisor = divisorOfFirst(op->getOperand(0), elements);
    if (divisor % *by == 0)
      return isQuotient ? *left / *by : *left % *by;
    if (*left < std::gcd(divisor, *by)) // below the multiple of `by` that the first is below
      return isQuotient ? 0 : *left;
    return std::nullopt;
  }
  std::optional<int64_t> right = movedByOperand(1);
  if (!right || !isa<arith::AddIOp>(op))
    return std::nullopt;
  return *left + *right;
}

ElementRuns ElementBuilder::runsOf(ValueRange indices, const TensorPlace &place, DType dtype,
                                   Elements &elements) {
  ElementRuns runs;
  int64_t divisor = mostDivisor;
  SmallVector<int64_t, 8> placeOf(elements.count, 0);
  // Where an index may be outside of the tensor, a run is masked as its first element is.
  SmallVector<std::vector<int64_t>, 8> maskedBy(elements.count);
  for (auto [d, index] : llvm::enumerate(indices)) {
    int64_t stride = place.staticStrides[d];
    if (ShapedType::isDynamic(stride))
      return {};
    divisor = std::gcd(divisor, std::min(stride * divisorOfFirst(index, elements), mostDivisor));
    for (auto [n, at] : llvm::enumerate(placeOf)) {
      std::optional<int64_t> moved = movedBy(index, int64_t(n), elements);
      if (!moved)
        return {};
      at += *moved * stride;
      if (!isProvedInside(index, place.staticShape[d]))
        maskedBy[n].push_back(*moved);
    }
  }
  using Place = std::pair<std::vector<int64_t>, int64_t>;
  std::map<Place, SmallVector<int64_t, 2>> inOrder;
  for (auto [n, at] : llvm::enumerate(placeOf))
    inOrder[{maskedBy[n], at}].push_back(int64_t(n));
  SmallVector<std::pair<Place, SmallVector<int64_t, 2>>, 8> placed(inOrder.begin(), inOrder.end());
  for (size_t first = 0; first < placed.size();) {
    size_t width = std::max<int64_t>(1, 8 * target.accessBytes / bitsOf(dtype));
    auto isRun = [&](size_t width) {
      const auto &[masked, begin] = placed[first].first;
      if (first + width > placed.size() || divisor % width != 0 || begin % int64_t(width) != 0)
        return false;
      for (size_t i = 1; i < width; ++i)
        if (placed[first + i].first != Place{masked, begin + int64_t(i)})
          return false;
      return true;
    };
    while (width > 1 && !isRun(width))
      width /= 2;
    runs.emplace_back();
    for (size_t i = 0; i < width; ++i)
      runs.back().push_back(placed[first + i].second);
    first += width;
  }
  return runs;
}

} // namespace tilec

//===- SimplifyOffsets.cpp - where views begin, in its simplest form ------===//
//
// Computes offsets of views again from their linear forms; SimplifyOffsets.h says what for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/SimplifyOffsets.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

#include <numeric>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SIMPLIFYOFFSETSPASS
#include "tilec/Transforms/Passes.h.inc"

Value valueOf(const LinearForm &form, OpBuilder &b, Location loc) {
  auto number = [&](int64_t n) { return arith::ConstantIndexOp::create(b, loc, n).getResult(); };
  Value sum;
  for (auto [term, factor] : form.terms) {
    Value value = term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    if (factor != 1)
      value = arith::MulIOp::create(b, loc, value, number(factor));
    sum = sum ? arith::AddIOp::create(b, loc, sum, value).getResult() : value;
  }
  if (!sum)
    return number(form.constant);
  return form.constant ? arith::AddIOp::create(b, loc, sum, number(form.constant)).getResult()
                       : sum;
}

namespace {

bool isOwn(const LinearForm &form, Value value) {
  return form.constant == 0 && form.terms.size() == 1 &&
         form.terms[0] == std::pair<Value, int64_t>(value, 1);
}

/// What a common part of a divisor and of some terms divides, and the others, which stay below it.
struct Parts {
  int64_t part;
  LinearForm high, low;
};

/// The largest part that leaves a divisor.
std::optional<Parts> splitAt(const LinearForm &form, int64_t divisor) {
  std::optional<Parts> best;
  for (auto [term, factor] : form.terms) {
    int64_t part = std::gcd(factor, divisor);
    if (part == 1 || part == divisor || (best && part <= best->part))
      continue;
    Parts parts{part, {}, {}};
    parts.low.constant = ((form.constant % part) + part) % part;
    parts.high.constant = (form.constant - parts.low.constant) / part;
    for (auto [other, by] : form.terms)
      if (by % part == 0)
        parts.high.terms.push_back({other, by / part});
      else
        parts.low.terms.push_back({other, by});
    std::optional<IndexRange> below = rangeOf(parts.low);
    if (!parts.low.terms.empty() && below && below->low >= 0 && below->high < part)
      best = parts;
  }
  return best;
}

///   (a * by + b) / by = a + b / by,   (a * by + b) % by = b % by
/// with a that all elements have in common: which of them are neighbours in memory, b alone says.
bool takeMultiples(Operation *op) {
  std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
  auto loop = op->getParentOfType<tile::ElementLoop>();
  if (!loop || !by || *by <= 1)
    return false;
  LinearForm common, own;
  LinearForm form = linearize(op->getOperand(0));
  own.constant = ((form.constant % *by) + *by) % *by;
  common.constant = (form.constant - own.constant) / *by;
  for (auto [term, factor] : form.terms) {
    bool isElement = llvm::is_contained(loop.ivs(), term);
    if (!isElement && factor % *by != 0)
      return false;
    (isElement ? own : common).terms.push_back({term, isElement ? factor : factor / *by});
  }
  std::optional<IndexRange> range = rangeOf(form), ofOwn = rangeOf(own);
  bool isFloor = isa<arith::FloorDivSIOp>(op);
  if (common.terms.empty() || own.terms.empty() || !ofOwn || ofOwn->low < 0 ||
      (!isFloor && !(range && range->low >= 0)))
    return false;
  OpBuilder b(op);
  Location loc = op->getLoc();
  IRMapping less;
  less.map(op->getOperand(0), valueOf(own, b, loc));
  Value result = b.clone(*op, less)->getResult(0);
  if (!isa<arith::RemUIOp, arith::RemSIOp>(op)) {
    common.terms.push_back({result, 1});
    result = valueOf(common, b, loc);
  }
  op->getResult(0).replaceAllUsesWith(result);
  return true;
}

///   (a * part + b) / (part * c) = a / c,   (a * part + b) % (part * c) = a % c * part + b
/// with 0 <= b < part: elements of a tile that have one quotient, as channels of a pixel have, are
/// then seen to have it.
void divideParts(Operation *op) {
  std::optional<int64_t> divisor = tile::constantInt(op->getOperand(1));
  // All but floordivsi round towards zero.
  std::optional<IndexRange> range = rangeOf(op->getOperand(0));
  if (!divisor || *divisor <= 0 || (!isa<arith::FloorDivSIOp>(op) && !(range && range->low >= 0)))
    return;
  std::optional<Parts> parts = splitAt(linearize(op->getOperand(0)), *divisor);
  auto loop = op->getParentOfType<tile::ElementLoop>();
  auto isElement = [&](auto &term) { return llvm::is_contained(loop.ivs(), term.first); };
  if (!loop || !parts || !llvm::all_of(parts->low.terms, isElement) ||
      llvm::any_of(parts->high.terms, isElement))
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  IRMapping less;
  less.map(op->getOperand(0), valueOf(parts->high, b, loc));
  less.map(op->getOperand(1),
           arith::ConstantIndexOp::create(b, loc, *divisor / parts->part).getResult());
  Value result = b.clone(*op, less)->getResult(0);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op)) {
    LinearForm form = parts->low;
    form.terms.push_back({result, parts->part});
    result = valueOf(form, b, loc);
  }
  op->getResult(0).replaceAllUsesWith(result);
}

/// Whether a box of a tile is all of it; of a tensor's box a part may be outside.
bool isWhole(tile::SubviewOp view) {
  auto source = cast<tile::BufferType>(view.getSource().getType());
  return !source.isGlobal() && view.getDropped().empty() && view.getType() == source &&
         llvm::all_of(view.getOffsets(),
                      [](Value offset) { return tile::constantInt(offset) == 0; });
}

} // namespace

void simplifyOffsets(tile::ProgramOp program) {
  program.walk([](Operation *op) {
    if (auto view = dyn_cast<tile::SubviewOp>(op); view && isWhole(view))
      view.getResult().replaceAllUsesWith(view.getSource());
    if (!isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp>(
            op) ||
        !op->getResult(0).getType().isIndex())
      return;
    LinearForm form = linearize(op->getResult(0));
    if (isOwn(form, op->getResult(0))) {
      if (!takeMultiples(op))
        divideParts(op);
      return;
    }
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(valueOf(form, builder, op->getLoc()));
  });
}

namespace {
struct SimplifyOffsetsPass : impl::SimplifyOffsetsPassBase<SimplifyOffsetsPass> {
  void runOnOperation() override { simplifyOffsets(getOperation()); }
};
} // namespace

} // namespace tilec

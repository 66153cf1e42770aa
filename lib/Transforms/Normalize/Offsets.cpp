//===- Offsets.cpp - where views begin, in its simplest form --------------===//
//
// Computes offsets of views again from their linear forms; Offsets.h says what for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Offsets.h"

#include "tilec/Analysis/Index.h"

using namespace mlir;

namespace tilec {
namespace {

bool isOwn(const LinearForm &form, Value value) {
  return form.constant == 0 && form.terms.size() == 1 &&
         form.terms[0] == std::pair<Value, int64_t>(value, 1);
}

Value materialize(const LinearForm &form, OpBuilder &b, Location loc) {
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
    if (isOwn(form, op->getResult(0)))
      return;
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(materialize(form, builder, op->getLoc()));
  });
}

} // namespace tilec

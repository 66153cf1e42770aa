//===- Arith.cpp - arithmetic of elements ---------------------------------===//
//
// Takes arithmetic on elements, gives it for all that a lane holds, in pairs where the target
// computes two at once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

/// Pairs lie in neighbouring registers. Where fragments leave little room, and operands are put
/// together element by element in it, LLVM would spill for that.
bool goesInPairs(Emitter &e) {
  int64_t held = e.heldRegisters();
  bool isFull = e.target.transposedBits == 0 && 4 * held > 3 * e.target.registers.ofLane;
  return e.target.pairsF32 && !isFull;
}

static int64_t pairStride(Emitter &e, Elements &elements) {
  if (!elements.loop || elements.isSingle())
    return 1;
  // Whether that is so in the fragment of one access.
  auto areNeighbours = [&](Operation *access, Value buffer, ValueRange indices) {
    auto it = e.fragments.find(buffer);
    if (it == e.fragments.end() || it->second.stride == 1)
      return false;
    const FragmentPlace &place = it->second;
    const SmallVector<int64_t> *registers = e.registersOf(access, indices, buffer, elements);
    if (!registers || elements.count % (2 * place.stride) != 0)
      return false;
    for (int64_t n = 0; n < elements.count; ++n) {
      if (n / place.stride % 2 != 0)
        continue;
      int64_t low = (*registers)[elements.registerOf(n)];
      int64_t high = (*registers)[elements.registerOf(n + place.stride)];
      if (low < 0 || high < 0 || place.slotOf(low) != place.slotOf(high) ||
          place.placeInSlot(low) % 2 != 0 || place.placeInSlot(low) + 1 != place.placeInSlot(high))
        return false;
    }
    return true;
  };
  for (Operation &op : *elements.loop.bodyBlock()) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      if (areNeighbours(store, store.getBuffer(), store.getIndices()))
        return e.fragments.find(store.getBuffer())->second.stride;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      if (areNeighbours(load, load.getBuffer(), load.getIndices()))
        return e.fragments.find(load.getBuffer())->second.stride;
  }
  return 1;
}

/// Whether the two elements of every pair are divided by the same value.
static bool dividesPairs(Emitter &e, arith::DivFOp quotient, int64_t stride, Elements &elements) {
  if (!bitEnumContainsAll(quotient.getFastmath(), arith::FastMathFlags::arcp) ||
      isa_and_nonnull<arith::ConstantOp, arith::AddFOp>(quotient.getRhs().getDefiningOp()))
    return false; // those have a way of their own (lib/Lower)
  for (int64_t n = 0; n < elements.count; ++n)
    if (n / stride % 2 == 0 && e.lookup(quotient.getRhs(), n, elements) !=
                                   e.lookup(quotient.getRhs(), n + stride, elements))
      return false;
  return true;
}

/// Whether instructions on pairs compute it, or what an instruction takes for it: sines that the
/// chip approximates are reduced by products and sums.
static bool hasPairs(Operation &op) {
  if (isa<math::SinOp, math::CosOp>(op)) {
    auto withFlags = cast<arith::ArithFastMathInterface>(op);
    return bitEnumContainsAll(withFlags.getFastMathFlagsAttr().getValue(),
                              arith::FastMathFlags::afn);
  }
  return isa<arith::DivFOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op);
}

static SmallVector<Value, 4> emitPairs(Emitter &e, Operation &op, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  auto quotient = dyn_cast<arith::DivFOp>(op);
  bool isSame = llvm::all_of(op.getOperands(),
                             [&](Value operand) { return e.isSameForAll(operand, elements); });
  if (!goesInPairs(e) || isSame || elements.count % 2 != 0 || op.getNumResults() != 1 ||
      !op.getResult(0).getType().isF32() || !hasPairs(op))
    return {};
  int64_t stride = pairStride(e, elements);
  if (quotient && !dividesPairs(e, quotient, stride, elements))
    return {};
  Type pair = e.vectorOf(2, b.getF32Type());
  SmallVector<Value, 4> values(elements.count);
  for (int64_t n = 0; n < elements.count; ++n) {
    if (n / stride % 2 != 0)
      continue;
    auto both = [&](Value operand) {
      return e.pack({e.lookup(operand, n, elements), e.lookup(operand, n + stride, elements)});
    };
    Value result;
    if (quotient) {
      Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1.0F));
      Value divisor = e.lookup(quotient.getRhs(), n, elements);
      Value inverse = arith::DivFOp::create(b, loc, one, divisor, quotient.getFastmath());
      result = arith::MulFOp::create(b, loc, both(quotient.getLhs()), e.pack({inverse, inverse}),
                                     quotient.getFastmath());
    } else {
      IRMapping mapping;
      for (Value operand : op.getOperands())
        mapping.map(operand, both(operand));
      Operation *copy = b.clone(op, mapping);
      copy->getResult(0).setType(pair);
      result = copy->getResult(0);
    }
    SmallVector<Value, 8> parts = e.unpack(result, 2);
    values[n] = parts[0];
    values[n + stride] = parts[1];
  }
  return values;
}

LogicalResult emitArith(Emitter &e, Operation &op, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (auto round = dyn_cast<tile::RoundOp>(op)) {
    DType dtype = tile::dtypeOf(round.getDtype());
    SmallVector<Value, 4> values;
    int64_t times = e.isSameForAll(round.getValue(), elements) ? 1 : elements.count;
    for (int64_t n = 0; n < times; ++n) {
      Value value = e.lookup(round.getValue(), n, elements);
      if (value.getType().isF64() && dtype != DType::F64)
        value = arith::TruncFOp::create(b, loc, b.getF32Type(), value);
      value = e.toScalar(e.fromScalar(value, dtype), dtype);
      if (value.getType() != round.getType())
        value = arith::ExtFOp::create(b, loc, round.getType(), value);
      values.push_back(value);
    }
    elements.map[round.getResult()] = values;
    return success();
  }
  if (auto below = dyn_cast<tile::BelowOp>(op)) { // a fact that the tile program's analyses use
    SmallVector<Value, 4> values;
    for (int64_t n = 0; n < (e.isSameForAll(below.getValue(), elements) ? 1 : elements.count); ++n)
      values.push_back(e.lookup(below.getValue(), n, elements));
    elements.map[below.getResult()] = values;
    return success();
  }
  if (isa<tile::ThreadIdOp>(op)) {
    elements.map[op.getResult(0)] = {e.threadId};
    return success();
  }
  if (SmallVector<Value, 4> values = emitPairs(e, op, elements); !values.empty()) {
    elements.map[op.getResult(0)] = values;
    return success();
  }
  bool isSame = llvm::all_of(op.getOperands(),
                             [&](Value operand) { return e.isSameForAll(operand, elements); });
  SmallVector<SmallVector<Value, 4>, 1> results(op.getNumResults());
  for (int64_t n = 0; n < (isSame ? 1 : elements.count); ++n) {
    IRMapping mapping;
    for (Value operand : op.getOperands())
      mapping.map(operand, e.lookup(operand, n, elements));
    Operation *copy = b.clone(op, mapping);
    for (auto [values, result] : llvm::zip(results, copy->getResults()))
      values.push_back(result);
  }
  for (auto [result, values] : llvm::zip(op.getResults(), results))
    elements.map[result] = values;
  return success();
}

} // namespace tilec

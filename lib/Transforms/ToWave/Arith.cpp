//===- Arith.cpp - arithmetic of elements ---------------------------------===//
//
// Takes arithmetic on elements, gives it for all that a lane holds, in pairs where the target
// computes two at once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tilec {

/// Whether single elements are better: an instruction on pairs waits for the matrix instruction
/// that another wave of the scheduler has issued. Not where some schedulers have one wave, whose
/// rounds are the longest; not while sums are scaled, where a wave does nothing else for as long as
/// several of those take.
static bool standsBesideProducts(Emitter &e, Operation *op) {
  auto loop = op->getParentOfType<tile::ForOp>();
  auto elements = op->getParentOfType<tile::ElementLoop>();
  return loop && fillsSchedulers(e) && priorityOfRounds(e, loop) &&
         !(elements && factorOf(elements));
}

/// Pairs lie in neighbouring registers. Where fragments leave little room, and operands are put
/// together element by element in it, LLVM would spill for that.
bool goesInPairs(Emitter &e, Operation *op) {
  int64_t held = e.heldRegisters();
  bool isFull = e.target.transposedBits == 0 && 4 * held > 3 * e.target.registers.ofLane;
  return e.target.pairsF32 && !isFull && !standsBesideProducts(e, op);
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
  if (!goesInPairs(e, &op) || isSame || elements.count % 2 != 0 || op.getNumResults() != 1 ||
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

/// How far an integer of each element is from the first one's, where constants say that.
static std::optional<SmallVector<int64_t, 8>> stepsOf(Value value, Elements &elements) {
  if (!elements.loop || !elements.masks.empty()) // a mask puts other elements' numbers in
    return std::nullopt;
  LinearForm form = linearize(value);
  for (auto [term, factor] : form.terms)
    if (!llvm::is_contained(elements.loop.ivs(), term) &&
        !ElementBuilder::agrees(term, elements, 0, elements.count))
      return std::nullopt;
  SmallVector<int64_t, 8> steps(elements.count, 0);
  for (auto [n, step] : llvm::enumerate(steps))
    for (auto [d, iv] : llvm::enumerate(elements.loop.ivs()))
      step += form.coefficient(iv) * elements.deltas[n][d];
  return steps;
}

/// Numbers of elements as f32: the first one is converted, and the others are a constant further
/// on, two by two, which is exact as far as f32 holds every integer.
static SmallVector<Value, 4> emitCounted(Emitter &e, Operation &op, Elements &elements) {
  constexpr int64_t mostExact = int64_t(1) << 24;
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  auto cast = dyn_cast<arith::SIToFPOp>(op);
  if (!cast || !cast.getType().isF32() || elements.count % 2 != 0 || !goesInPairs(e, &op) ||
      e.isSameForAll(cast.getIn(), elements))
    return {};
  std::optional<IndexRange> range = rangeOf(cast.getIn());
  if (!range || range->low < -mostExact || range->high > mostExact)
    return {};
  std::optional<SmallVector<int64_t, 8>> steps = stepsOf(cast.getIn(), elements);
  if (!steps)
    return {};
  Value first =
      arith::SIToFPOp::create(b, loc, cast.getType(), e.lookup(cast.getIn(), 0, elements));
  Value both = e.pack({first, first});
  int64_t stride = pairStride(e, elements);
  auto step = [&](int64_t n) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>((*steps)[n])));
  };
  SmallVector<Value, 4> values(elements.count);
  for (int64_t n = 0; n < elements.count; ++n) {
    if (n / stride % 2 != 0)
      continue;
    Value pair = arith::AddFOp::create(b, loc, both, e.pack({step(n), step(n + stride)}));
    SmallVector<Value, 8> parts = e.unpack(pair, 2);
    values[n] = parts[0];
    values[n + stride] = parts[1];
  }
  return values;
}

namespace {

/// A comparison of a number that differs from element to element with a limit that does not.
struct Limit {
  Value number, limit;
  bool isUpper;      ///< number < limit or number <= limit; else > or >=
  bool countsHigher; ///< number <= limit, number > limit: the same as limit + 1 with < and >=
};

} // namespace

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// The comparison with its sides swapped.
static arith::CmpIPredicate turnedAround(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::sge;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::sle;
  default:
    return predicate;
  }
}

static std::optional<Limit> limitOf(Value condition, Emitter &e, Elements &elements) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare->hasOneUse() || compare->getBlock() != elements.loop.bodyBlock())
    return std::nullopt;
  Type type = compare.getLhs().getType();
  arith::CmpIPredicate predicate = compare.getPredicate();
  Value number = compare.getLhs(), limit = compare.getRhs();
  if (e.isSameForAll(number, elements)) {
    std::swap(number, limit);
    predicate = turnedAround(predicate);
  }
  if (!(type.isIndex() || type.isInteger(32)) || e.isSameForAll(number, elements) ||
      !e.isSameForAll(limit, elements))
    return std::nullopt;
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return Limit{number, limit, true, false};
  case arith::CmpIPredicate::sle:
    return Limit{number, limit, true, true};
  case arith::CmpIPredicate::sge:
    return Limit{number, limit, false, false};
  case arith::CmpIPredicate::sgt:
    return Limit{number, limit, false, true};
  default:
    return std::nullopt;
  }
}

/// Two limits of one number, as a causal mask and a length are: one comparison with the nearer or
/// the farther of them, where a condition of a lane is a pair of scalar registers for the wave.
static SmallVector<Value, 4> emitLimits(Emitter &e, Operation &op, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (!isa<arith::AndIOp, arith::OrIOp>(op) || !op.getResult(0).getType().isInteger(1) ||
      e.target.predicatesLanes || !elements.loop)
    return {};
  std::optional<Limit> left = limitOf(op.getOperand(0), e, elements);
  std::optional<Limit> right = limitOf(op.getOperand(1), e, elements);
  if (!left || !right || left->isUpper != right->isUpper ||
      withoutCasts(left->number) != withoutCasts(right->number))
    return {};
  bool isStrict = left->countsHigher && right->countsHigher;
  auto limitValue = [&](const Limit &limit) -> Value {
    Value value = e.lookup(limit.limit, 0, elements);
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    return limit.countsHigher && !isStrict ? e.addIndex(value, 1) : value;
  };
  for (const Limit &limit : {*left, *right})
    if (limit.countsHigher && !isStrict) {
      std::optional<IndexRange> range = rangeOf(limit.limit);
      if (!range || range->high >= std::numeric_limits<int32_t>::max())
        return {}; // one more could be less
    }
  bool takesLower = left->isUpper == isa<arith::AndIOp>(op);
  Value first = limitValue(*left), second = limitValue(*right);
  Value limit = takesLower ? arith::MinSIOp::create(b, loc, first, second).getResult()
                           : arith::MaxSIOp::create(b, loc, first, second).getResult();
  auto predicate = left->isUpper
                       ? (isStrict ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt)
                       : (isStrict ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sge);
  SmallVector<Value, 4> values;
  for (int64_t n = 0; n < elements.count; ++n)
    values.push_back(
        arith::CmpIOp::create(b, loc, predicate, e.indexFor(left->number, n, elements), limit));
  return values;
}

/// Whether it is the number of a ring's slot, of which there are not a power of two. LLVM would
/// make a product and a quotient of the remainder, and two additions of each address in the ring.
static bool isUnevenSlot(Operation &op, const TargetInfo &target) {
  auto slot = dyn_cast<arith::RemUIOp>(op);
  std::optional<int64_t> slots = slot ? tile::constantInt(slot.getRhs()) : std::nullopt;
  return slots && target.asyncCopies.completion != Completion::Groups &&
         !llvm::isPowerOf2_64(*slots) && slot.getType().isIndex() &&
         llvm::any_of(op.getUsers(), [](Operation *user) {
           auto view = dyn_cast<tile::SubviewOp>(user);
           return view && view.getSource().getType().isShared();
         });
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
    elements.map[op.getResult(0)] = {e.programThread};
    return success();
  }
  SmallVector<Value, 4> together = emitPairs(e, op, elements);
  if (together.empty())
    together = emitCounted(e, op, elements);
  if (together.empty())
    together = emitLimits(e, op, elements);
  if (!together.empty()) {
    elements.map[op.getResult(0)] = together;
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
    if (isSame && isUnevenSlot(op, e.target)) {
      results[0].push_back(wave::OpaqueOp::create(b, loc, b.getIndexType(), copy->getResult(0)));
      continue;
    }
    for (auto [values, result] : llvm::zip(results, copy->getResults()))
      values.push_back(result);
  }
  for (auto [result, values] : llvm::zip(op.getResults(), results))
    elements.map[result] = values;
  return success();
}

} // namespace tilec

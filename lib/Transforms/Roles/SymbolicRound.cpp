//===- SymbolicRound.cpp - a round of a loop, computed with symbols -------===//
//
// There is one symbol for all elements of a fragment in a row, told that a mask chooses
// -inf for them. What the loop carries must come out as it went in. So the maximum of a
// row and -inf is the maximum as it was, the exponential of its difference from itself is
// 1, that of -inf is 0, and so are the sums and products of such weights. Anything else is
// some value that equals itself only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/SymbolicRound.h"

#include "Layouts/LoopLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;

namespace tilec {
namespace {

/// The value of an expression in a dead round; equal numbers are equal values.
struct Symbol {
  enum Known : uintptr_t { Low, Zero, One, Other };
  uintptr_t id = Other;
  bool isWild = false; ///< may be infinite or no number

  bool is(Known known) const { return id == known; }
  /// Low is the only known one that sums and products have to look out for.
  bool isFinite() const { return !isWild && id != Low; }
  bool operator==(const Symbol &) const = default;
};

/// A round in which the condition has a known value.
class SymbolicRound {
public:
  SymbolicRound(tile::ForOp loop, Value condition, bool truth)
      : loop(loop), condition(condition), truth(truth) {}

  /// Whether all that the loop carries stays as it is.
  bool changesNothing();
  /// Whether rows of fragments, each by itself, are all that the loop changes.
  bool staysInRows() {
    return llvm::all_of(*loop.bodyBlock(), [&](Operation &op) { return visit(op); });
  }

private:
  using Key = SmallVector<uintptr_t, 8>;
  Symbol symbolFor(Key key, bool isWild = false) {
    auto [at, isNew] = numbers.try_emplace(std::vector<uintptr_t>(key.begin(), key.end()), next);
    next += isNew;
    return {at->second, isWild};
  }
  Symbol unknown() { return {next++, /*isWild=*/true}; }
  /// What the buffer holds when the round begins.
  Symbol before(Value buffer) { return symbolFor({uintptr_t(buffer.getAsOpaquePointer())}); }
  Symbol now(Value buffer);

  bool visit(Operation &op);
  bool visit(tile::ElementLoop parallel);
  bool visit(tile::FillOp fill);
  bool visit(tile::ReduceOp reduce);
  bool visit(tile::GemmOp gemm);
  bool visitInside(Operation &op, tile::ElementLoop parallel);
  Symbol evaluate(Operation *op);
  Symbol evaluate(Value value);
  Symbol choose(Value chosenBy, Symbol whenTrue, Symbol whenFalse);
  Symbol sum(Symbol x, Symbol y, Operation *op);
  Symbol difference(Symbol x, Symbol y, Operation *op);
  Symbol product(Symbol x, Symbol y, Operation *op);
  Symbol generic(Operation *op, ArrayRef<Symbol> operands, bool isWild);
  /// Of another type.
  Symbol converted(Symbol value, Type from, Type to);
  static bool isWide(Type type) {
    return bitsOf(tile::dtypeOf(type)) >= 16 && isa<FloatType>(type);
  }
  bool isReadElsewhere(Value buffer);

  tile::ForOp loop;
  Value condition;
  bool truth;
  llvm::DenseMap<Value, Symbol> state;  ///< of buffers
  llvm::DenseMap<Value, Symbol> values; ///< of the statement
  llvm::SmallPtrSet<Value, 8> exposed;  ///< buffers read as the round before has left them
  std::map<std::vector<uintptr_t>, uintptr_t> numbers;
  std::map<uintptr_t, double> constants; ///< of symbols
  uintptr_t next = Symbol::Other + 1;
};

Symbol SymbolicRound::now(Value buffer) {
  auto known = state.find(buffer);
  if (known != state.end())
    return known->second;
  exposed.insert(buffer);
  return before(buffer);
}

Symbol SymbolicRound::generic(Operation *op, ArrayRef<Symbol> operands, bool isWild) {
  Key key = {uintptr_t(op->getName().getAsOpaquePointer()),
             uintptr_t(op->getAttrDictionary().getAsOpaquePointer()),
             uintptr_t(op->getResult(0).getType().getAsOpaquePointer())};
  for (const Symbol &operand : operands) {
    key.push_back(operand.id);
    isWild |= !operand.isFinite();
  }
  return symbolFor(key, isWild);
}

Symbol SymbolicRound::sum(Symbol x, Symbol y, Operation *op) {
  if (x.is(Symbol::Zero))
    return y;
  if (y.is(Symbol::Zero))
    return x;
  if ((x.is(Symbol::Low) || y.is(Symbol::Low)) && !x.isWild && !y.isWild)
    return {Symbol::Low};
  return generic(op, {x, y}, false);
}

Symbol SymbolicRound::difference(Symbol x, Symbol y, Operation *op) {
  if (y.is(Symbol::Zero))
    return x;
  if (x == y && x.isFinite())
    return {Symbol::Zero};
  if (x.is(Symbol::Low) && y.isFinite())
    return {Symbol::Low};
  return generic(op, {x, y}, false);
}

Symbol SymbolicRound::product(Symbol x, Symbol y, Operation *op) {
  if (x.is(Symbol::One))
    return y;
  if (y.is(Symbol::One))
    return x;
  if ((x.is(Symbol::Zero) && y.isFinite()) || (y.is(Symbol::Zero) && x.isFinite()))
    return {Symbol::Zero};
  auto isPositive = [&](Symbol value) {
    auto constant = constants.find(value.id);
    return constant != constants.end() && constant->second > 0;
  };
  if ((x.is(Symbol::Low) && isPositive(y)) || (y.is(Symbol::Low) && isPositive(x)))
    return {Symbol::Low};
  return generic(op, {x, y}, false);
}

Symbol SymbolicRound::choose(Value chosenBy, Symbol whenTrue, Symbol whenFalse) {
  if (chosenBy == condition)
    return truth ? whenTrue : whenFalse;
  if (whenTrue == whenFalse)
    return whenTrue;
  return unknown();
}

Symbol SymbolicRound::evaluate(Value value) {
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  Attribute attr;
  if (!op || !matchPattern(value, m_Constant(&attr)))
    return symbolFor({uintptr_t(value.getAsOpaquePointer())}, !value.getType().isIntOrIndex());
  auto real = dyn_cast<FloatAttr>(attr);
  if (!real)
    return symbolFor({uintptr_t(attr.getAsOpaquePointer())});
  double number = real.getValueAsDouble();
  if (real.getValue().isInfinity())
    return number < 0 ? Symbol{Symbol::Low} : unknown();
  if (real.getValue().isNaN())
    return unknown();
  if (number == 0 || number == 1)
    return {number == 0 ? Symbol::Zero : Symbol::One};
  Symbol symbol = symbolFor({uintptr_t(attr.getAsOpaquePointer())});
  constants[symbol.id] = number;
  return symbol;
}

Symbol SymbolicRound::converted(Symbol value, Type from, Type to) {
  bool isKnown = value.is(Symbol::Low) || value.is(Symbol::Zero) || value.is(Symbol::One);
  // Types of 16 bits and more have -inf.
  if (from == to || (isKnown && isWide(from) && isWide(to)))
    return value;
  return symbolFor({value.id, uintptr_t(to.getAsOpaquePointer())}, !value.isFinite());
}

/// An op that only computes, with one result.
Symbol SymbolicRound::evaluate(Operation *op) {
  SmallVector<Symbol, 3> in;
  for (Value operand : op->getOperands())
    in.push_back(evaluate(operand));
  auto isLow = [&](unsigned i) { return in[i].is(Symbol::Low); };
  if (isa<arith::AddFOp>(op))
    return sum(in[0], in[1], op);
  if (isa<arith::SubFOp>(op))
    return difference(in[0], in[1], op);
  if (isa<arith::MulFOp>(op))
    return product(in[0], in[1], op);
  if (isa<math::ExpOp, math::Exp2Op>(op)) {
    if (isLow(0))
      return {Symbol::Zero};
    return in[0].is(Symbol::Zero) ? Symbol{Symbol::One} : generic(op, in, /*isWild=*/true);
  }
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op)) {
    if (isLow(0) || in[0] == in[1])
      return in[1];
    return isLow(1) ? in[0] : generic(op, in, false);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return choose(select.getCondition(), in[1], in[2]);
  if (isa<arith::TruncFOp, arith::ExtFOp>(op))
    return converted(in[0], op->getOperand(0).getType(), op->getResult(0).getType());
  bool isHarmless = op->getResult(0).getType().isIntOrIndex() || isa<arith::NegFOp>(op);
  return generic(op, in, !isHarmless);
}

bool SymbolicRound::visitInside(Operation &op, tile::ElementLoop parallel) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (cast<tile::BufferType>(load.getBuffer().getType()).isGlobal())
      values[load] = unknown();
    else if (isDirect(load.getBuffer(), load.getIndices(), parallel))
      values[load] = now(load.getBuffer());
    else
      return false;
    return true;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    if (op.getParentOp() != parallel || store.getIndices().size() != parallel.ivs().size() ||
        !isDirect(store.getBuffer(), store.getIndices(), parallel))
      return false;
    auto type = cast<tile::BufferType>(store.getBuffer().getType());
    state[store.getBuffer()] =
        converted(evaluate(store.getValue()), store.getValue().getType(), type.getElementType());
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (Operation &inner : region.getOps())
        if (!isa<scf::YieldOp>(inner) && !visitInside(inner, parallel))
          return false;
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      values[result] = choose(branch.getCondition(), evaluate(branch.thenYield().getOperand(i)),
                              evaluate(branch.elseYield().getOperand(i)));
    return true;
  }
  if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0)
    return false;
  if (op.getNumResults() == 1 && !op.hasTrait<OpTrait::ConstantLike>())
    values[op.getResult(0)] = evaluate(&op);
  return op.getNumResults() == 1;
}

bool SymbolicRound::visit(tile::ElementLoop parallel) {
  return llvm::all_of(*parallel.bodyBlock(),
                      [&](Operation &op) { return visitInside(op, parallel); });
}

bool SymbolicRound::visit(tile::FillOp fill) {
  tile::BufferType type = fill.getDst().getType();
  if (!type.isFragment())
    return false;
  state[fill.getDst()] =
      converted(evaluate(fill.getValue()), fill.getValue().getType(), type.getElementType());
  return true;
}

bool SymbolicRound::visit(tile::ReduceOp reduce) {
  Value src = reduce.getSrc(), dst = reduce.getDst();
  if (!isWithinRows(reduce) || reduce.getStep() == tile::ReduceStep::Combine)
    return false;
  Symbol of = now(src);
  bool isNeutral = (reduce.getKind() == tile::ReduceKind::Max && of.is(Symbol::Low)) ||
                   (reduce.getKind() == tile::ReduceKind::Sum && of.is(Symbol::Zero));
  Symbol old = reduce.getClear() ? of : now(dst);
  state[dst] = isNeutral ? old : unknown();
  return true;
}

bool SymbolicRound::visit(tile::GemmOp gemm) {
  Value a = gemm.getA(), c = gemm.getC();
  bool isRegisters = cast<tile::BufferType>(a.getType()).isFragment();
  if (!gemm.getWarpGroup() || !cast<tile::BufferType>(c.getType()).isFragment() ||
      (isRegisters && gemm.getTransposeA()))
    return false;
  bool addsZero = isRegisters && now(a).is(Symbol::Zero);
  if (gemm.getClear()) {
    bool isZero = addsZero && tile::constantInt(gemm.getClear()).value_or(0) != 0;
    state[c] = isZero ? Symbol{Symbol::Zero} : unknown();
    return true;
  }
  // What is multiplied is finite, and so is what comes out.
  Symbol old = now(c);
  state[c] = addsZero || old.is(Symbol::Low) ? old : unknown();
  return true;
}

bool SymbolicRound::visit(Operation &op) {
  values.clear();
  if (auto parallel = dyn_cast<tile::ElementLoop>(op))
    return visit(parallel);
  if (auto fill = dyn_cast<tile::FillOp>(op))
    return visit(fill);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return visit(reduce);
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return visit(gemm);
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return copy.getSrc().getType().isGlobal() && copy.getDst().getType().isShared();
  return isMemoryEffectFree(&op) || isa<tile::AllocOp>(op);
}

/// Behind the loop, or in front of it in another round of a loop around.
bool SymbolicRound::isReadElsewhere(Value buffer) {
  auto reads = [&](Operation *user) {
    auto reduce = dyn_cast<tile::ReduceOp>(user);
    bool isLayoutOnly = reduce && reduce.getStep() == tile::ReduceStep::Combine &&
                        reduce.getSrc() == buffer && reduce.getDst() != buffer;
    auto store = dyn_cast<tile::StoreOp>(user);
    return !isLayoutOnly && !isa<tile::FillOp>(user) && !(store && store.getBuffer() == buffer);
  };
  return llvm::any_of(buffer.getUsers(),
                      [&](Operation *user) { return !loop->isAncestor(user) && reads(user); });
}

bool SymbolicRound::changesNothing() {
  return staysInRows() && llvm::all_of(state, [&](auto &entry) {
           Value buffer = entry.first;
           return entry.second == before(buffer) ||
                  (!exposed.contains(buffer) && !isReadElsewhere(buffer));
         });
}

} // namespace

bool isDirect(Value buffer, ValueRange indices, tile::ElementLoop parallel) {
  auto type = cast<tile::BufferType>(buffer.getType());
  auto extents = parallel.constantExtents();
  if (!type.isFragment() || !buffer.getDefiningOp<tile::AllocOp>() || !extents ||
      indices.size() > extents->size())
    return false;
  size_t rank = indices.size();
  return llvm::equal(indices, ArrayRef(parallel.ivs()).take_front(rank)) &&
         type.getShape() == ArrayRef<int64_t>(*extents).take_front(rank);
}

bool isWithinRows(tile::ReduceOp reduce) {
  const FragmentLayout *layout = fragmentLayoutOf(reduce.getSrc());
  return cast<tile::BufferType>(reduce.getSrc().getType()).isFragment() && layout &&
         reduce.getDim() != 0 && llvm::none_of(layout->waves(), [&](Factor f) {
           return f.dim == int64_t(reduce.getDim());
         });
}

bool staysInRows(tile::ForOp loop) { return SymbolicRound(loop, {}, true).staysInRows(); }

bool changesNothing(tile::ForOp loop, Value condition, bool truth) {
  return SymbolicRound(loop, condition, truth).changesNothing();
}

} // namespace tilec

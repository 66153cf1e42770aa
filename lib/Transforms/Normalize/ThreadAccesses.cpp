//===- ThreadAccesses.cpp - which threads touch the same element ----------===//
//
// What one access touches: an element's number is a constant, plus what the thread's number gives
// (a table), plus symbols: values that nothing more is known of, and rounds of loops. Conditions
// around it leave threads out, name one thread (`tx == k`), or part them (`tx < half`).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ThreadAccesses.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tilec {

tile::ForOp ThreadAccesses::loopOf(Value iv) {
  auto argument = dyn_cast<BlockArgument>(iv);
  return argument ? dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp()) : tile::ForOp();
}

ThreadAccesses::ThreadAccesses(tile::KernelOp kernel)
    : kernel(kernel), uniform(kernel), threads(kernel.getThreads()),
      lanes(std::max<int64_t>(kernel.getWarpLanes(), 1)), values(threads),
      representative(numberValues(kernel)) {}

void ThreadAccesses::addSymbol(SmallVectorImpl<Symbol> &symbols, Symbol symbol) {
  auto it = llvm::find_if(symbols, [&](const Symbol &s) {
    return s.value == symbol.value && s.isRound == symbol.isRound;
  });
  if (it == symbols.end())
    symbols.push_back(symbol);
  else if ((it->factor += symbol.factor) == 0)
    symbols.erase(it);
}

void ThreadAccesses::addRow(std::vector<int64_t> &sum, const std::vector<int64_t> &row,
                            int64_t factor) {
  if (row.empty())
    return;
  sum.resize(row.size(), 0);
  for (auto [into, value] : llvm::zip(sum, row))
    into += factor * value;
}

void ThreadAccesses::addTo(Form &form, const LinearForm &linear, int64_t factor) {
  form.constant += linear.constant * factor;
  for (auto [term, coefficient] : linear.terms)
    addTo(form, term, coefficient * factor);
}

void ThreadAccesses::addTo(Form &form, Value value, int64_t factor) {
  if (tile::ForOp loop = loopOf(value))
    if (std::optional<int64_t> step = tile::constantInt(loop.getStep())) {
      addTo(form, linearize(loop.getLower()), factor);
      return addSymbol(form.symbols, {value, factor * *step, /*isRound=*/true});
    }
  if (const std::vector<int64_t> *row = values.of(value))
    return addRow(form.ofThread, *row, factor);
  if (addQuotient(form, value, factor))
    return;
  addSymbol(form.symbols, {sameAs(value), factor, /*isRound=*/false});
}

/// Rows and columns of an element's number, where what the divisor does not divide in it is known
/// in each thread:
///   (a * divisor + b) / divisor = a + b / divisor,   (a * divisor + b) % divisor = b % divisor.
bool ThreadAccesses::addQuotient(Form &form, Value value, int64_t factor) {
  Operation *op = value.getDefiningOp();
  bool isRemainder = isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(op);
  if (!isRemainder && !isa_and_nonnull<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return false;
  std::optional<int64_t> divisor = tile::constantInt(op->getOperand(1));
  if (!divisor || *divisor <= 0)
    return false;
  // All but floordivsi round towards zero.
  std::optional<IndexRange> range = rangeOf(op->getOperand(0));
  if (!isa<arith::FloorDivSIOp>(op) && (!range || range->low < 0))
    return false;
  LinearForm whole = linearize(op->getOperand(0)), divided;
  std::vector<int64_t> rest(threads, whole.constant);
  for (auto [term, coefficient] : whole.terms) {
    const std::vector<int64_t> *row = values.of(term);
    if (coefficient % *divisor == 0)
      divided.terms.push_back({term, coefficient / *divisor});
    else if (row)
      addRow(rest, *row, coefficient);
    else
      return false;
  }
  for (int64_t &of : rest) {
    int64_t quotient = floorDiv(of, *divisor);
    of = isRemainder ? of - quotient * *divisor : quotient;
  }
  if (!isRemainder)
    addTo(form, divided, factor);
  addRow(form.ofThread, rest, factor);
  return true;
}

ThreadAccesses::Form ThreadAccesses::formOf(Value index) {
  Form form;
  addTo(form, linearize(index), 1);
  return form;
}

void ThreadAccesses::addComparison(Access &access, arith::CmpIOp compare, bool isTrue) {
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  auto isSure = [&](Value v) {
    std::optional<IndexRange> range = rangeOf(v);
    return range && range->low >= 0;
  };
  bool isPositive = isSure(compare.getLhs()) && isSure(compare.getRhs());
  auto isOne = [&](P asSigned, P asUnsigned) {
    return predicate == asSigned || (predicate == asUnsigned && isPositive);
  };
  Guard guard{Form(), false};
  // What is at most 0: `sign` * (lhs - rhs) + `more`.
  int64_t sign = 0, more = 0;
  if (predicate == (isTrue ? P::eq : P::ne)) {
    guard.isEqual = true;
    sign = 1;
  } else if (isOne(P::slt, P::ult)) {
    sign = isTrue ? 1 : -1;
    more = isTrue;
  } else if (isOne(P::sle, P::ule)) {
    sign = isTrue ? 1 : -1;
    more = !isTrue;
  } else if (isOne(P::sgt, P::ugt)) {
    sign = isTrue ? -1 : 1;
    more = isTrue;
  } else if (isOne(P::sge, P::uge)) {
    sign = isTrue ? -1 : 1;
    more = !isTrue;
  }
  if (sign == 0)
    return;
  addTo(guard.difference, linearize(compare.getLhs()), sign);
  addTo(guard.difference, linearize(compare.getRhs()), -sign);
  guard.difference.constant += more;
  access.guards.push_back(guard);
}

void ThreadAccesses::addGuards(Access &access, Value condition, bool isTrue) {
  Operation *op = condition.getDefiningOp();
  if (op && (isTrue ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op))) {
    for (Value operand : op->getOperands())
      addGuards(access, operand, isTrue);
    return;
  }
  if (auto flip = dyn_cast_or_null<arith::XOrIOp>(op))
    if (std::optional<int64_t> by = tile::constantInt(flip.getRhs()); by && (*by & 1))
      return addGuards(access, flip.getLhs(), !isTrue);
  if (const std::vector<int64_t> *row = values.of(condition)) {
    access.isActive.resize(threads, true);
    for (int64_t thread = 0; thread < threads; ++thread)
      access.isActive[thread] = access.isActive[thread] && ((*row)[thread] != 0) == isTrue;
  } else if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    addComparison(access, compare, isTrue);
  }
}

const ThreadAccesses::Access &ThreadAccesses::accessOf(Operation *op) {
  std::unique_ptr<Access> &access = accesses[op];
  if (access)
    return *access;
  access = std::make_unique<Access>();
  ElementAccess element = *elementAccess(op);
  access->view = element.buffer;
  for (Value index : element.indices)
    access->at.push_back(formOf(index));
  for (Operation *inner = op; inner != kernel; inner = inner->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp()))
      addGuards(*access, branch.getCondition(),
                inner->getParentRegion() == &branch.getThenRegion());
  access->kind = kindOf(*access);
  return *access;
}

int64_t ThreadAccesses::kindOf(const Access &access) {
  std::vector<int64_t> key;
  auto addForm = [&](const Form &form) {
    key.push_back(form.ofThread.size());
    key.insert(key.end(), form.ofThread.begin(), form.ofThread.end());
    key.push_back(form.symbols.size());
    for (const Symbol &s : form.symbols) {
      key.push_back(reinterpret_cast<intptr_t>(s.value.getAsOpaquePointer()));
      key.push_back(s.factor * 2 + s.isRound);
    }
  };
  key.push_back(reinterpret_cast<intptr_t>(access.view.getAsOpaquePointer()));
  for (const Form &form : access.at)
    addForm(form);
  key.push_back(access.isActive.size());
  key.insert(key.end(), access.isActive.begin(), access.isActive.end());
  for (const Guard &guard : access.guards) {
    key.push_back(guard.difference.constant * 2 + guard.isEqual);
    addForm(guard.difference);
  }
  return kinds.try_emplace(key, kinds.size()).first->second;
}

} // namespace tilec

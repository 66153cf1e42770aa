//===- Index.cpp - what is known about index values -----------------------===//
//
// Takes index arithmetic, gives sums of values with coefficients, bounds and divisors. What is not
// known is said to be so; nothing is guessed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Index.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace tilec {

int64_t LinearForm::coefficient(Value value) const {
  for (auto [term, factor] : terms)
    if (term == value)
      return factor;
  return 0;
}

LinearForm LinearForm::without(ValueRange values) const {
  LinearForm rest;
  rest.constant = constant;
  for (auto term : terms)
    if (!llvm::is_contained(values, term.first))
      rest.terms.push_back(term);
  return rest;
}

void LinearForm::add(const LinearForm &other, int64_t factor) {
  constant += other.constant * factor;
  for (auto [value, coefficient] : other.terms) {
    auto it = llvm::find_if(terms, [&](auto &term) { return term.first == value; });
    if (it == terms.end())
      it = terms.insert(terms.end(), {value, 0});
    it->second += coefficient * factor;
    if (it->second == 0)
      terms.erase(it);
  }
}

/// The form of a quotient by a positive constant, or of what remains, where it has one: in terms
/// that the constant divides and others that together stay below it,
///   (a * divisor + b) / divisor = a,   (a * divisor + b) % divisor = b   with 0 <= b < divisor.
static std::optional<LinearForm> linearizeQuotient(Operation *op) {
  bool isRemainder = isa<arith::RemUIOp, arith::RemSIOp>(op);
  if (!isRemainder && !isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return std::nullopt;
  std::optional<int64_t> divisor = tile::constantInt(op->getOperand(1));
  if (!divisor || *divisor <= 0)
    return std::nullopt;
  // All but floordivsi round towards zero.
  if (!isa<arith::FloorDivSIOp>(op)) {
    std::optional<IndexRange> range = rangeOf(op->getOperand(0));
    if (!range || range->low < 0)
      return std::nullopt;
  }
  LinearForm whole = linearize(op->getOperand(0)), quotient, rest;
  rest.constant = ((whole.constant % *divisor) + *divisor) % *divisor;
  quotient.constant = (whole.constant - rest.constant) / *divisor;
  for (auto [term, factor] : whole.terms)
    if (factor % *divisor == 0)
      quotient.terms.push_back({term, factor / *divisor});
    else
      rest.terms.push_back({term, factor});
  std::optional<IndexRange> below = rangeOf(rest);
  if (!below || below->low < 0 || below->high >= *divisor)
    return std::nullopt;
  return isRemainder ? rest : quotient;
}

LinearForm linearize(Value value) {
  LinearForm form;
  if (std::optional<int64_t> constant = tile::constantInt(value)) {
    form.constant = *constant;
    return form;
  }
  Operation *op = value.getDefiningOp();
  if (auto add = dyn_cast_or_null<arith::AddIOp>(op)) {
    form = linearize(add.getLhs());
    form.add(linearize(add.getRhs()), 1);
    return form;
  }
  if (auto sub = dyn_cast_or_null<arith::SubIOp>(op)) {
    form = linearize(sub.getLhs());
    form.add(linearize(sub.getRhs()), -1);
    return form;
  }
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op)) {
    LinearForm left = linearize(mul.getLhs()), right = linearize(mul.getRhs());
    if (!left.terms.empty() && !right.terms.empty()) {
      form.terms.push_back({value, 1});
      return form;
    }
    if (left.terms.empty())
      std::swap(left, right);
    if (right.constant != 0)
      form.add(left, right.constant);
    return form;
  }
  if (auto shift = dyn_cast_or_null<arith::ShLIOp>(op))
    if (auto by = tile::constantInt(shift.getRhs()); by && *by >= 0 && *by < 31) {
      form.add(linearize(shift.getLhs()), int64_t(1) << *by);
      return form;
    }
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
    return linearize(cast.getIn());
  if (op)
    if (std::optional<LinearForm> quotient = linearizeQuotient(op))
      return *quotient;
  form.terms.push_back({value, 1});
  return form;
}

std::optional<int64_t> IndexSum::constant() const {
  LinearForm form = linearize(*this);
  return form.terms.empty() ? std::optional(form.constant) : std::nullopt;
}

LinearForm linearize(const IndexSum &sum) {
  LinearForm form;
  for (Value term : sum.terms)
    form.add(linearize(term), 1);
  return form;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {

// Beyond this nothing is claimed, so that sums and products of ranges cannot overflow.
constexpr int64_t rangeLimit = int64_t(1) << 40;

std::optional<IndexRange> checked(int64_t low, int64_t high) {
  if (low < -rangeLimit || high > rangeLimit || low > high)
    return std::nullopt;
  return IndexRange{low, high};
}

std::optional<IndexRange> rangeOfArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto kernel = dyn_cast<tile::KernelOp>(parent)) {
    auto grid = rangeOf(kernel.getGrid()[number]);
    return grid ? checked(0, std::max<int64_t>(grid->high - 1, 0)) : std::nullopt;
  }
  if (auto parallel = dyn_cast<tile::ElementLoop>(parent)) {
    auto extent = rangeOf(parallel.getExtents()[number]);
    return extent ? checked(0, std::max<int64_t>(extent->high - 1, 0)) : std::nullopt;
  }
  if (auto loop = dyn_cast<tile::ForOp>(parent)) {
    auto lower = rangeOf(loop.getLower()), upper = rangeOf(loop.getUpper());
    auto step = tile::constantInt(loop.getStep());
    if (!lower || !upper || !step)
      return std::nullopt;
    if (*step < 0)
      return checked(std::min(upper->low + 1, lower->high), lower->high);
    // The last value is lower + step * floor(...): exact when all bounds are constants.
    if (lower->low == lower->high && upper->low == upper->high) {
      int64_t count = ceilDiv(std::max<int64_t>(upper->high - lower->low, 0), *step);
      return checked(lower->low, lower->low + std::max<int64_t>(count - 1, 0) * *step);
    }
    return checked(lower->low, std::max(upper->high - 1, lower->low));
  }
  return std::nullopt;
}

/// The range of a value, or what its type holds, as an index of scripts does in 32 bits: a minimum
/// with a constant bounds a number that memory has.
std::optional<IndexRange> rangeOfTyped(Value value) {
  if (auto range = rangeOf(value))
    return range;
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!value.getType().isIndex() && (!type || type.getWidth() > 32))
    return std::nullopt;
  int64_t end = int64_t(1) << (type ? type.getWidth() - 1 : 31);
  return checked(-end, end - 1);
}

std::optional<IndexRange> rangeOfBinary(Operation *op) {
  if (std::optional<LinearForm> quotient = linearizeQuotient(op))
    return rangeOf(*quotient);
  auto left = rangeOf(op->getOperand(0)), right = rangeOf(op->getOperand(1));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    if (!right || right->low != right->high || right->low <= 0)
      return std::nullopt;
    int64_t most = right->low - 1;
    if (left && left->low >= 0)
      return checked(0, std::min(most, left->high));
    return checked(-most, most);
  }
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op) && (left || right)) {
    left = rangeOfTyped(op->getOperand(0));
    right = rangeOfTyped(op->getOperand(1));
  }
  if (isa<arith::MinSIOp>(op) && left && right)
    return checked(std::min(left->low, right->low), std::min(left->high, right->high));
  if (isa<arith::MaxSIOp>(op) && left && right)
    return checked(std::max(left->low, right->low), std::max(left->high, right->high));
  if (isa<arith::MulIOp>(op) && left && right) {
    if (std::max(std::abs(left->low), std::abs(left->high)) > (1 << 30) ||
        std::max(std::abs(right->low), std::abs(right->high)) > (1 << 30))
      return std::nullopt;
    int64_t products[] = {left->low * right->low, left->low * right->high, left->high * right->low,
                          left->high * right->high};
    return checked(*std::min_element(products, products + 4),
                   *std::max_element(products, products + 4));
  }
  bool isDivision =
      isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivUIOp>(op);
  if (isDivision && left && right && right->low == right->high && right->low > 0 &&
      left->low >= 0) {
    int64_t by = right->low;
    if (isa<arith::CeilDivSIOp>(op))
      return checked(ceilDiv(left->low, by), ceilDiv(left->high, by));
    return checked(left->low / by, left->high / by);
  }
  return std::nullopt;
}

} // namespace

std::optional<IndexRange> rangeOf(const LinearForm &form) {
  int64_t low = form.constant, high = form.constant;
  for (auto [term, factor] : form.terms) {
    auto range = rangeOf(term);
    if (!range || std::abs(factor) > (1 << 20))
      return std::nullopt;
    low += std::min(range->low * factor, range->high * factor);
    high += std::max(range->low * factor, range->high * factor);
    if (!checked(low, high))
      return std::nullopt;
  }
  return checked(low, high);
}

std::optional<IndexRange> rangeOf(Value value) {
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return checked(*constant, *constant);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return rangeOfArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto below = dyn_cast<tile::BelowOp>(op))
    return checked(0, int64_t(below.getLimit()) - 1);
  if (isa<tile::ClusterRankOp>(op))
    return checked(0, int64_t(op->getParentOfType<tile::KernelOp>().getCluster()) - 1);
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return rangeOf(cast.getIn());
  if (isa<tile::DimOp>(op))
    return std::nullopt;
  if (isa<tile::ThreadIdOp>(op))
    if (auto kernel = op->getParentOfType<tile::KernelOp>())
      return checked(0, kernel.getThreads() - 1);
  if (isa<arith::AddIOp, arith::SubIOp, arith::ShLIOp>(op)) {
    LinearForm form = linearize(value);
    if (form.terms.size() == 1 && form.terms[0].first == value)
      return std::nullopt;
    return rangeOf(form);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto one = rangeOf(select.getTrueValue()), other = rangeOf(select.getFalseValue());
    return one && other ? checked(std::min(one->low, other->low), std::max(one->high, other->high))
                        : std::nullopt;
  }
  if (op->getNumOperands() == 2)
    return rangeOfBinary(op);
  return std::nullopt;
}

std::optional<IndexRange> rangeOf(const IndexSum &sum) {
  return sum.terms.size() == 1 ? rangeOf(sum.terms[0]) : rangeOf(linearize(sum));
}

/// What a coordinate of the grid, or a loop's variable that begins at 0 or above, stays below; null
/// for other values.
static Value endOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *parent = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (auto kernel = dyn_cast_or_null<tile::KernelOp>(parent))
    return kernel.getGrid()[argument.getArgNumber()];
  auto loop = dyn_cast_or_null<tile::ForOp>(parent);
  std::optional<int64_t> step = loop ? tile::constantInt(loop.getStep()) : std::nullopt;
  std::optional<IndexRange> lower = loop ? rangeOf(loop.getLower()) : std::nullopt;
  return step && *step > 0 && lower && lower->low >= 0 ? loop.getUpper() : Value();
}

/// By how much `a` is more than `b`, where that is a constant.
static std::optional<int64_t> differenceOf(Value a, Value b) {
  LinearForm form = linearize(a);
  form.add(linearize(b), -1);
  return form.terms.empty() ? std::optional(form.constant) : std::nullopt;
}

/// Whether the value is not negative at the op, which is in a loop's round: those loops have a
/// first one.
static bool isNotNegativeIn(Operation *op, Value value) {
  std::optional<IndexRange> range = rangeOf(value);
  auto coordinate = dyn_cast<BlockArgument>(value);
  if ((range && range->low >= 0) ||
      (coordinate && isa<tile::KernelOp>(coordinate.getOwner()->getParentOp())))
    return true;
  if (Operation *of = value.getDefiningOp(); isa_and_nonnull<arith::MinSIOp, arith::AddIOp>(of))
    return isNotNegativeIn(op, of->getOperand(0)) && isNotNegativeIn(op, of->getOperand(1));
  for (auto loop = op->getParentOfType<tile::ForOp>(); loop;
       loop = loop->getParentOfType<tile::ForOp>()) {
    std::optional<int64_t> step = tile::constantInt(loop.getStep());
    std::optional<IndexRange> first = rangeOf(loop.getLower());
    if (!step || *step <= 0 || !first)
      continue;
    std::optional<int64_t> behind = differenceOf(value, loop.getUpper());
    if ((value == loop.iv() && first->low >= 0) || (behind && first->low + 1 + *behind >= 0))
      return true;
  }
  return false;
}

/// What the value stays below at the op: its end, or that of the loop around the op whose last
/// round it may not pass.
static Value endAt(Operation *op, Value value) {
  if (Value end = endOf(value))
    return end;
  auto least = value.getDefiningOp<arith::MinSIOp>();
  if (!op || !least || !isNotNegativeIn(op, value))
    return nullptr;
  for (Value bound : {least.getLhs(), least.getRhs()})
    for (auto loop = op->getParentOfType<tile::ForOp>(); loop;
         loop = loop->getParentOfType<tile::ForOp>())
      if (std::optional<int64_t> behind = differenceOf(bound, loop.getUpper());
          behind && *behind < 0)
        return loop.getUpper();
  return nullptr;
}

bool isWithin(Value index, Value dim, Operation *op) {
  if (!dim.getDefiningOp<tile::DimOp>()) // dims are not negative
    return false;
  LinearForm form = linearize(index);
  if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1 &&
      endAt(op, form.terms[0].first) == dim)
    return true;
  for (auto [term, factor] : form.terms) {
    Value end = endAt(op, term);
    Operation *pieces = end ? end.getDefiningOp() : nullptr;
    if (!isa_and_nonnull<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(pieces) ||
        pieces->getOperand(0) != dim)
      continue;
    std::optional<int64_t> piece = tile::constantInt(pieces->getOperand(1));
    std::optional<IndexRange> rest = rangeOf(form.without(term));
    if (piece && factor > 0 && factor <= *piece && rest && rest->low >= 0 && rest->high < *piece)
      return true;
  }
  return false;
}

/// Whether so many times a number below `end` is one that an index has, of 32 bits: it is few, or
/// counts pieces of that size of such a number.
static bool staysIndex(Value end, int64_t factor) {
  Operation *op = end.getDefiningOp();
  bool isQuotient = isa_and_nonnull<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
                                    arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
  std::optional<int64_t> piece = isQuotient ? tile::constantInt(op->getOperand(1)) : std::nullopt;
  std::optional<IndexRange> range = rangeOf(end);
  return factor == 1 || (piece && factor <= *piece) ||
         (range && range->high <= std::numeric_limits<int32_t>::max() / factor);
}

/// Whether an index counts from 0 upwards: the variable of a loop in steps of a power of two, of
/// which the rest is less, so that no sum of them leaves the numbers that an index has.
static bool countsUp(Value index) {
  LinearForm form = linearize(index);
  for (auto [term, factor] : form.terms) {
    Value end = endOf(term);
    std::optional<IndexRange> rest = rangeOf(form.without(term));
    if (end && factor > 0 && isPowerOf2(factor) && staysIndex(end, factor) && rest &&
        rest->low >= 0 && rest->high < factor)
      return true;
  }
  return false;
}

/// Whether a conversion to fewer bits than an index has is in the value: what is compared then is
/// another number.
static bool isNarrowed(Value value) {
  auto isNarrow = [](Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 32;
  };
  Operation *op = value.getDefiningOp();
  if (isNarrow(value.getType()))
    return true;
  return op && isa<arith::ArithDialect>(op->getDialect()) && !isa<arith::SelectOp>(op) &&
         llvm::any_of(op->getOperands(), isNarrowed);
}

namespace {

/// What holds in a branch is a conjunction of comparisons.
class Conditions {
public:
  Conditions(const LinearForm &index, Value dim, int64_t extent)
      : index(index), dim(dim), extent(extent) {}

  void add(Value condition) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
      add(both.getLhs());
      add(both.getRhs());
      return;
    }
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || isNarrowed(compare.getLhs()) || isNarrowed(compare.getRhs()))
      return;
    using Predicate = arith::CmpIPredicate;
    Value left = compare.getLhs(), right = compare.getRhs();
    switch (compare.getPredicate()) {
    case Predicate::slt:
      return addLess(left, right, 1);
    case Predicate::sle:
      return addLess(left, right, 0);
    case Predicate::sgt:
      return addLess(right, left, 1);
    case Predicate::sge:
      return addLess(right, left, 0);
    default:
      return;
    }
  }

  KnownEnds known;

private:
  /// left + by <= right.
  void addLess(Value left, Value right, int64_t by) {
    // What is asked of the first or last place of a row of elements holds of all of them, too.
    std::optional<IndexRange> behind = rangeOf(differenceFrom(left)); // left = index + behind
    if (behind && isAtMostExtent(right, behind->low + by - 1))
      known.isBelow = true;
    std::optional<IndexRange> before = rangeOf(differenceFrom(right)); // right = index + before
    std::optional<IndexRange> least = before ? rangeOf(left) : std::nullopt;
    if (least && least->low + by - before->high >= 0)
      known.isNotNegative = true;
  }

  LinearForm differenceFrom(Value value) const {
    LinearForm form = linearize(value);
    form.add(index, -1);
    return form;
  }

  /// Whether `end` is at most the extent and `more`.
  bool isAtMostExtent(Value end, int64_t more) {
    if (auto least = end.getDefiningOp<arith::MinSIOp>())
      if (isAtMostExtent(least.getLhs(), more) || isAtMostExtent(least.getRhs(), more))
        return true;
    if (dim) {
      std::optional<int64_t> over = differenceOf(end, dim);
      return over && *over <= more;
    }
    std::optional<IndexRange> range = rangeOf(end);
    return range && range->high <= extent + more;
  }

  LinearForm index;
  Value dim;
  int64_t extent;
};

} // namespace

KnownEnds knownEnds(Operation *op, Value index, Value dim, int64_t extent,
                    const llvm::SmallPtrSetImpl<Operation *> &branches) {
  LinearForm form = linearize(index);
  Conditions conditions(form, dim, extent);
  conditions.known.isNotNegative =
      countsUp(index) || (op && form.constant >= 0 && llvm::all_of(form.terms, [&](auto term) {
                            return term.second >= 0 && isNotNegativeIn(op, term.first);
                          }));
  for (; op && !isa<tile::KernelOp>(op); op = op->getParentOp())
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op->getParentOp());
        branch && branches.contains(branch) && op->getParentRegion() == &branch.getThenRegion())
      conditions.add(branch.getCondition());
  return conditions.known;
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

/// What the author promises of a dimension, at the top of the program or of a kernel, with
/// `tile.assume`: a multiple of that.
static int64_t promisedDivisor(Value dim) {
  int64_t divisor = 1;
  auto promise = [&](Operation *test, int64_t number) {
    auto equal = dyn_cast<arith::CmpIOp>(test);
    bool isZero =
        equal && equal.getPredicate() == arith::CmpIPredicate::eq &&
        (tile::constantInt(equal.getLhs()) == 0 || tile::constantInt(equal.getRhs()) == 0);
    if (isZero && llvm::any_of(equal->getUsers(), [](Operation *user) {
          return isa<tile::AssumeOp>(user) &&
                 isa<tile::KernelOp, tile::ProgramOp>(user->getParentOp());
        }))
      divisor = std::lcm(divisor, number);
  };
  for (Operation *rest : dim.getUsers()) {
    if (!isa<arith::RemSIOp, arith::RemUIOp>(rest) || rest->getOperand(0) != dim)
      continue;
    std::optional<int64_t> number = tile::constantInt(rest->getOperand(1));
    if (number && *number > 0 && *number < (1 << 16))
      for (Operation *test : rest->getResult(0).getUsers())
        promise(test, *number);
  }
  return divisor;
}

static int64_t divisorOf(const LinearForm &form) {
  constexpr int64_t most = 1 << 20;
  int64_t divisor = form.constant == 0 ? most : std::gcd(std::abs(form.constant), most);
  for (auto [term, factor] : form.terms) {
    int64_t own = 1;
    if (auto below = term.getDefiningOp<tile::BelowOp>())
      own = divisorOf(below.getValue());
    else if (auto mul = term.getDefiningOp<arith::MulIOp>())
      own = std::min(divisorOf(mul.getLhs()) * divisorOf(mul.getRhs()), most);
    else if (Operation *rest = term.getDefiningOp();
             isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(rest))
      own = std::gcd(divisorOf(rest->getOperand(0)), divisorOf(rest->getOperand(1)));
    else if (term.getDefiningOp<tile::DimOp>())
      own = promisedDivisor(term);
    else if (auto select = term.getDefiningOp<arith::SelectOp>())
      own = std::gcd(divisorOf(select.getTrueValue()), divisorOf(select.getFalseValue()));
    else if (auto argument = dyn_cast<BlockArgument>(term))
      if (auto loop = dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp()))
        own = std::gcd(divisorOf(loop.getLower()), divisorOf(loop.getStep()));
    divisor = std::gcd(divisor, std::gcd(std::abs(factor), most) * own);
  }
  return std::gcd(divisor, most);
}

int64_t divisorOf(Value value) { return divisorOf(linearize(value)); }
int64_t divisorOf(const IndexSum &sum) { return divisorOf(linearize(sum)); }

int64_t divisorOfRows(tile::TensorOp tensor) {
  int64_t elems = tensor.getType().getShape().back();
  return ShapedType::isDynamic(elems) ? divisorOf(tensor.getDims().back()) : elems;
}

} // namespace tilec

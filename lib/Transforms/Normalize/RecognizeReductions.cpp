//===- RecognizeReductions.cpp - x = op(x, e) in a parallel becomes a reduction -===//
//
// A store of `op(load x[at], e)` to x[at], where `at` does not name every loop
// variable, folds e over the variables that are left out. The loop then stores e to
// a fragment over its whole space, E; one tile.reduce per folded variable combines E,
// and a loop over what is left updates x:
//
//   parallel (i, j) { x[i] = op(x[i], e) }
//     ->  parallel (i, j) { E[i, j] = e };  T = reduce op E;  parallel (i) { x[i] = op(x[i], T[i])
//     }
//
// Where what is left does not name the element by itself (x[j / 4]), x is updated by one
// iteration after another. Where memory says which element it is (x[I[i]]), nobody knows whether
// iterations share it: the update becomes an atomic one, if there is one that computes the same,
// else the iterations run one after another. Fragments have no atomics, and narrow floats round
// once: such an x is a tile of wide elements in shared memory around the loop.
//
// An update under a condition or in a serial loop starts E at the identity and
// updates it in place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/IterationValues.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/IR/Reported.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallSet.h"

#include <limits>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RECOGNIZEREDUCTIONSPASS
#include "tilec/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

Value identityOf(OpBuilder &b, Location loc, tile::ReduceKind kind, Type type, bool isUnsigned,
                 bool nanPropagate) {
  using Kind = tile::ReduceKind;
  if (auto f = dyn_cast<FloatType>(type)) {
    bool isLimit = kind == Kind::Max || kind == Kind::Min || kind == Kind::AbsMax;
    if (isLimit && !nanPropagate)
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(f, APFloat::getQNaN(f.getFloatSemantics())));
    double value = kind == Kind::Max    ? -std::numeric_limits<double>::infinity()
                   : kind == Kind::Min  ? std::numeric_limits<double>::infinity()
                   : kind == Kind::Prod ? 1.0
                                        : 0.0;
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(f, value));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  isUnsigned |= bits == 1; // true is above false
  APInt value = APInt::getZero(bits);
  if (kind == Kind::Prod)
    value = APInt(bits, 1);
  else if (kind == Kind::BitAnd)
    value = APInt::getAllOnes(bits);
  else if (kind == Kind::Max && !isUnsigned)
    value = APInt::getSignedMinValue(bits);
  else if (kind == Kind::Min)
    value = isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value identityOfElement(OpBuilder &b, Location loc, tile::ReduceKind kind, Type elementType,
                        bool isUnsigned, bool nanPropagate) {
  DType dtype = tile::dtypeOf(elementType);
  Type scalar = tile::scalarTypeOf(elementType);
  bool isLimit = kind == tile::ReduceKind::Max || kind == tile::ReduceKind::Min;
  // A float of 4 bits has no NaN.
  if (!isLimit || !isInteger(dtype) || bitsOf(dtype) >= 8)
    return identityOf(b, loc, kind, scalar, isUnsigned,
                      nanPropagate || (isFloat(dtype) && bitsOf(dtype) < 8));
  // An element of 4 bits is computed with in 8, and does not hold that type's limits.
  double value = kind == tile::ReduceKind::Max ? minValue(dtype) : maxValue(dtype);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(scalar, int64_t(value)));
}

Value combine(OpBuilder &b, Location loc, tile::ReduceKind kind, Value x, Value y, bool isUnsigned,
              bool nanPropagate) {
  using Kind = tile::ReduceKind;
  Type element = getElementTypeOrSelf(x.getType());
  bool isFloat = isa<FloatType>(element);
  isUnsigned |= element.isInteger(1); // true is above false
  if (element.isInteger(1) && (kind == Kind::Sum || kind == Kind::AbsSum))
    kind = Kind::BitOr; // a number that is not 0 is true
  if (element.isInteger(1) && kind == Kind::Prod)
    kind = Kind::BitAnd;
  switch (kind) {
  case Kind::Sum:
  case Kind::AbsSum:
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                   : arith::AddIOp::create(b, loc, x, y).getResult();
  case Kind::Prod:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                   : arith::MulIOp::create(b, loc, x, y).getResult();
  case Kind::Max:
  case Kind::AbsMax:
    if (isFloat)
      return nanPropagate ? arith::MaximumFOp::create(b, loc, x, y).getResult()
                          : arith::MaxNumFOp::create(b, loc, x, y).getResult();
    return isUnsigned ? arith::MaxUIOp::create(b, loc, x, y).getResult()
                      : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case Kind::Min:
    if (isFloat)
      return nanPropagate ? arith::MinimumFOp::create(b, loc, x, y).getResult()
                          : arith::MinNumFOp::create(b, loc, x, y).getResult();
    return isUnsigned ? arith::MinUIOp::create(b, loc, x, y).getResult()
                      : arith::MinSIOp::create(b, loc, x, y).getResult();
  case Kind::BitAnd:
    return arith::AndIOp::create(b, loc, x, y);
  case Kind::BitOr:
    return arith::OrIOp::create(b, loc, x, y);
  case Kind::BitXor:
    return arith::XOrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("unknown combination");
}

namespace {

std::optional<tile::ReduceKind> kindOf(Operation *op) {
  using Kind = tile::ReduceKind;
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Kind::Sum;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Kind::Prod;
  if (isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return Kind::Max;
  if (isa<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(op))
    return Kind::Min;
  if (isa<arith::AndIOp>(op))
    return Kind::BitAnd;
  if (isa<arith::OrIOp>(op))
    return Kind::BitOr;
  if (isa<arith::XOrIOp>(op))
    return Kind::BitXor;
  return std::nullopt;
}

/// One update of a location that some loop variables do not select.
struct Update {
  tile::StoreOp store;
  tile::LoadOp old;
  tile::ReduceKind kind;
  bool isUnsigned = false;
  /// The operands of the combination other than the old value; all are combined into e. For
  /// x - e, the operand is negated.
  SmallVector<std::pair<Value, bool>, 2> terms;
};

/// Whether two values of one iteration are computed alike, as those of `H[I[i]]` and `H[I[i]]` are:
/// from the same values, and from memory that the parallel around them does not write.
bool areAlike(Value x, Value y) {
  if (x == y)
    return true;
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  if (!a || !b || a->getNumRegions() != 0)
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(a)) {
    auto outermost = a->getParentOfType<tile::ParallelOp>();
    while (outermost && outermost->getParentOfType<tile::ParallelOp>())
      outermost = outermost->getParentOfType<tile::ParallelOp>();
    if (!outermost || !outermost->isAncestor(b) ||
        isChangedBy(accessesOf(outermost).writes, rootOf(load.getBuffer())))
      return false;
  } else if (!isPure(a)) {
    return false;
  }
  return OperationEquivalence::isEquivalentTo(
      a, b, [](Value left, Value right) { return success(areAlike(left, right)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

bool sameIndices(ValueRange a, ValueRange b) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (areAlike(x, y))
      continue;
    LinearForm left = linearize(x);
    left.add(linearize(y), -1);
    if (left.constant != 0 || !left.terms.empty())
      return false;
  }
  return true;
}

/// Flattens a tree of one combination; `negated` tracks subtraction. False when the old value
/// occurs twice or under another operation.
bool flatten(Value value, Update &update, bool negated) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op);
      load && load.getBuffer() == update.store.getBuffer() &&
      sameIndices(load.getIndices(), update.store.getIndices())) {
    if (update.old || negated)
      return false;
    update.old = load;
    return true;
  }
  if (op && update.kind == tile::ReduceKind::Sum && isa<arith::SubFOp, arith::SubIOp>(op) &&
      op->hasOneUse())
    return flatten(op->getOperand(0), update, negated) &&
           flatten(op->getOperand(1), update, !negated);
  if (op && kindOf(op) == update.kind && op->hasOneUse())
    return flatten(op->getOperand(0), update, negated) &&
           flatten(op->getOperand(1), update, negated);
  update.terms.push_back({value, negated});
  return true;
}

std::optional<Update> matchUpdate(tile::StoreOp store) {
  Operation *op = store.getValue().getDefiningOp();
  if (!op)
    return std::nullopt;
  Update update;
  update.store = store;
  std::optional<tile::ReduceKind> kind =
      isa<arith::SubFOp, arith::SubIOp>(op) ? tile::ReduceKind::Sum : kindOf(op);
  if (!kind)
    return std::nullopt;
  update.kind = *kind;
  update.isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  if (!flatten(store.getValue(), update, false) || !update.old || update.terms.empty())
    return std::nullopt;
  return update;
}

/// Whether anything but numbers that nobody uses is computed of it: an update that folds into a
/// constant (x & 0) leaves its load and what it was an operand of.
bool isUsed(Operation *op) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Operation *> waiting = {op};
  while (!waiting.empty())
    for (Operation *user : waiting.pop_back_val()->getUsers()) {
      if (!isMemoryEffectFree(user) || user->getNumRegions() > 0 ||
          user->hasTrait<OpTrait::IsTerminator>())
        return true;
      if (seen.insert(user).second)
        waiting.push_back(user);
    }
  return false;
}

/// Whether the store puts back what its element holds: an update by the neutral element, which
/// folds away.
bool putsBack(tile::StoreOp store) {
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  if (!load || load->getBlock() != store->getBlock() || load.getBuffer() != store.getBuffer() ||
      !sameIndices(load.getIndices(), store.getIndices()))
    return false;
  for (Operation *op = load->getNextNode(); op != store; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<tile::LoadOp>(op))
      return false;
  return true;
}

/// The loop variables that occur in an index expression, through any pure arithmetic.
void collectIvs(Value value, tile::ParallelOp loop, llvm::SmallSet<unsigned, 4> &ivs) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == loop.bodyBlock())
      ivs.insert(argument.getArgNumber());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return;
  for (Value operand : op->getOperands())
    collectIvs(operand, loop, ivs);
}

class ReductionRewriter {
public:
  explicit ReductionRewriter(tile::ParallelOp loop) : loop(loop), loc(loop.getLoc()) {}

  LogicalResult run() {
    SmallVector<tile::StoreOp> stores;
    loop.walk([&](tile::StoreOp store) { stores.push_back(store); });
    if (!loop.constantExtents()) {
      for (tile::StoreOp store : stores)
        if (std::optional<tile::AtomicKind> kind = atomicOfUpdate(store))
          updateAtomically(store, *kind);
      return success();
    }
    for (tile::StoreOp store : stores) {
      if (putsBack(store)) {
        store.erase();
        continue;
      }
      if (std::optional<tile::AtomicKind> kind = atomicOfUpdate(store)) {
        updateAtomically(store, *kind);
        continue;
      }
      llvm::SmallSet<unsigned, 4> used;
      for (Value index : store.getIndices())
        collectIvs(index, loop, used);
      bool isPrivate = store.getBuffer().getDefiningOp() &&
                       loop->isProperAncestor(store.getBuffer().getDefiningOp());
      if (isPrivate)
        continue;
      bool meet = mayMeet(store, used);
      if (!meet && (used.size() == loop.ivs().size() || isTrivial(used)))
        continue;
      std::optional<Update> update = matchUpdate(store);
      if (!update && used.size() == loop.ivs().size())
        continue; // tile-check has looked
      if (!update) {
        if (failed(checkNoCarriedDependence(store)))
          return failure();
        continue;
      }
      rewrite(*update, used, meet);
    }
    return success();
  }

private:
  /// Variables that are left out but run over one iteration only do not fold anything.
  bool isTrivial(const llvm::SmallSet<unsigned, 4> &used) {
    SmallVector<int64_t, 4> extents = *loop.constantExtents();
    for (unsigned n = 0; n < extents.size(); ++n)
      if (!used.contains(n) && extents[n] != 1)
        return false;
    return true;
  }

  /// A plain overwrite from all iterations is any one of them; reading what another iteration
  /// wrote is an error.
  LogicalResult checkNoCarriedDependence(tile::StoreOp store) {
    Operation *reader = nullptr;
    loop.walk([&](tile::LoadOp load) {
      if (load.getBuffer() == store.getBuffer() && isUsed(load))
        reader = load;
    });
    if (!reader)
      return success();
    return Reported(store, DiagId::UpdateNoReduction).note(reader, DiagId::OtherAccess, "read");
  }

  bool isSeparated(tile::StoreOp store, unsigned iv);
  bool mayMeet(tile::StoreOp store, const llvm::SmallSet<unsigned, 4> &used);
  void rewrite(Update &update, const llvm::SmallSet<unsigned, 4> &used, bool meet);
  void updateInOrder(OpBuilder &b, Update &update, Value folded, ArrayRef<unsigned> kept);
  void updateOne(OpBuilder &b, Update &update, Value x, Value folded, ArrayRef<unsigned> kept,
                 ValueRange ivs);
  Value makeTerm(OpBuilder &b, Update &update);
  void updateAtomically(tile::StoreOp store, tile::AtomicKind kind);
  void eraseUpdate(tile::StoreOp store);

  tile::ParallelOp loop;
  Location loc;
};

/// e: the operands other than the old value, combined.
Value ReductionRewriter::makeTerm(OpBuilder &b, Update &update) {
  Value sum;
  for (auto [value, negated] : update.terms) {
    Value term = value;
    if (negated) {
      if (isa<FloatType>(term.getType())) {
        term = arith::NegFOp::create(b, loc, term);
      } else {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(term.getType()));
        term = arith::SubIOp::create(b, loc, zero, term);
      }
    }
    sum = sum ? combine(b, loc, update.kind, sum, term, update.isUnsigned, false) : term;
  }
  return sum;
}

/// One element of x, with the variables of the loop at `ivs` (kept ones, or a 0).
void ReductionRewriter::updateOne(OpBuilder &b, Update &update, Value x, Value folded,
                                  ArrayRef<unsigned> kept, ValueRange ivs) {
  IRMapping mapping;
  for (auto [n, iv] : llvm::enumerate(kept))
    mapping.map(loop.ivs()[iv], ivs[n]);
  std::function<Value(Value)> cloned = [&](Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *def = value.getDefiningOp();
    if (!def || !loop->isProperAncestor(def))
      return value;
    for (Value operand : def->getOperands())
      (void)cloned(operand);
    b.clone(*def, mapping);
    return mapping.lookup(value);
  };
  SmallVector<Value> at;
  for (Value index : update.store.getIndices())
    at.push_back(cloned(index));
  Type scalar = update.store.getValue().getType();
  Value old = tile::LoadOp::create(b, loc, scalar, x, at, FloatAttr());
  Value value = tile::LoadOp::create(b, loc, scalar, folded, ivs, FloatAttr());
  value = combine(b, loc, update.kind, old, value, update.isUnsigned, false);
  tile::StoreOp::create(b, loc, value, x, at);
}

/// Elements that several iterations update: one iteration after another, in the scalar's type.
void ReductionRewriter::updateInOrder(OpBuilder &b, Update &update, Value folded,
                                      ArrayRef<unsigned> kept) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  Type scalar = update.store.getValue().getType();
  Value x = update.store.getBuffer(), wide = x;
  auto type = cast<tile::BufferType>(x.getType());
  if (isa<FloatType>(scalar) && type.getElementType() != scalar && !type.isGlobal()) {
    auto wideType = tile::BufferType::get(type.getShape(), scalar, tile::Scope::Shared);
    wide = tile::AllocOp::create(b, loc, wideType, "updated", Attribute());
    moveElements(b, loc, scalar, x, wide);
  }
  SmallVector<Value> ivs;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> bounds;
  for (unsigned n : kept)
    bounds.push_back(arith::ConstantIndexOp::create(b, loc, extents[n]));
  OpBuilder inner(b);
  Operation *outermost = nullptr;
  for (Value extent : bounds) {
    auto serial = tile::ForOp::create(inner, loc, zero, extent, one);
    outermost = outermost ? outermost : serial.getOperation();
    ivs.push_back(serial.iv());
    inner = OpBuilder::atBlockEnd(serial.bodyBlock());
  }
  // Once for the block, whatever its threads do.
  auto once = tile::ParallelOp::create(inner, loc, ValueRange(one));
  inner = OpBuilder::atBlockEnd(once.bodyBlock());
  updateOne(inner, update, wide, folded, kept, ivs);
  if (outermost)
    b.setInsertionPointAfter(outermost);
  if (wide != x)
    moveElements(b, loc, scalar, wide, x);
}

/// Whether a dimension of the element's place holds the variable, and of the loop nothing else.
bool ReductionRewriter::isSeparated(tile::StoreOp store, unsigned iv) {
  return llvm::any_of(store.getIndices(), [&](Value index) {
    LinearForm form = linearize(index);
    if (form.coefficient(loop.ivs()[iv]) == 0)
      return false;
    return llvm::all_of(form.terms, [&](auto &term) {
      llvm::SmallSet<unsigned, 4> own;
      collectIvs(term.first, loop, own);
      return term.first == loop.ivs()[iv] || own.empty();
    });
  });
}

/// Whether a condition around the update does not hold, for certain.
static bool isLeftOut(tile::StoreOp store, IterationValues &values) {
  for (Operation *at = store; !isa<tile::KernelOp>(at); at = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(at->getParentOp());
    if (!branch)
      continue;
    std::optional<int64_t> condition = values.of(branch.getCondition(), /*exact=*/true);
    if (condition && (*condition != 0) != branch.getThenRegion().isAncestor(at->getParentRegion()))
      return true;
  }
  return false;
}

/// Whether two iterations that differ in `used` are seen to update one element. What depends on
/// memory is not tried out: tile-check warns of it.
bool ReductionRewriter::mayMeet(tile::StoreOp store, const llvm::SmallSet<unsigned, 4> &used) {
  constexpr int64_t mostTried = 1 << 18;
  SmallVector<unsigned> open;
  for (unsigned n = 0; n < loop.ivs().size(); ++n)
    if (used.contains(n) && !isSeparated(store, n))
      open.push_back(n);
  if (open.empty())
    return false;
  // Those that are separated say nothing about the others but in conditions; of a condition on
  // those that are not in the place at all nothing is known.
  llvm::SmallSet<unsigned, 4> asked;
  for (Operation *at = store; at != loop; at = at->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(at->getParentOp()))
      collectIvs(branch.getCondition(), loop, asked);
  bool knowsConditions = true;
  for (unsigned n : asked) {
    knowsConditions &= used.contains(n);
    if (used.contains(n) && !llvm::is_contained(open, n))
      open.push_back(n);
  }
  IterationValues values(loop);
  for (Value iv : loop.ivs())
    values.variables[iv] = 0;
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  int64_t count = 1;
  for (unsigned n : open)
    if (__builtin_mul_overflow(count, extents[n], &count) || count > mostTried)
      return true; // for all that is known
  llvm::DenseSet<uint64_t> places;
  for (int64_t iteration = 0; iteration < count; ++iteration) {
    int64_t rest = iteration;
    for (unsigned n : llvm::reverse(open)) {
      values.variables[loop.ivs()[n]] = rest % extents[n];
      rest /= extents[n];
    }
    if (knowsConditions && isLeftOut(store, values))
      continue;
    uint64_t place = 0;
    for (Value index : store.getIndices()) {
      std::optional<int64_t> at = values.of(index, /*exact=*/false);
      if (!at)
        return false;
      place = place * 1000003 + uint64_t(*at);
    }
    if (!places.insert(place).second)
      return true;
  }
  return false;
}

void ReductionRewriter::rewrite(Update &update, const llvm::SmallSet<unsigned, 4> &used,
                                bool meet) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  Type scalar = update.store.getValue().getType();
  // E has the scalar's type: f32 for narrow floats, so nothing is rounded on the way. A bool is
  // combined as a byte would be, and stays a bool.
  tile::BufferType target = update.store.getBuffer().getType();
  DType targetType = tile::dtypeOf(target.getElementType());
  Type element = isFloat(targetType) ? scalar : target.getElementType();
  OpBuilder before(loop);
  auto wholeType = tile::BufferType::get(extents, element, tile::Scope::Fragment);
  std::string name = "reduced";
  Value whole = tile::AllocOp::create(before, loc, wholeType, name, Attribute());
  SmallVector<Value> ivs(loop.ivs().begin(), loop.ivs().end());

  // The loop: E instead of x.
  OpBuilder b(update.store);
  Value term = makeTerm(b, update);
  bool isDirect = update.store->getBlock() == loop.bodyBlock();
  if (!isDirect) {
    OpBuilder top = OpBuilder::atBlockBegin(loop.bodyBlock());
    Value identity = identityOfElement(top, loc, update.kind, element, update.isUnsigned);
    tile::StoreOp::create(top, loc, identity, whole, ivs);
    Value partial = tile::LoadOp::create(b, loc, scalar, whole, ivs, FloatAttr());
    term = combine(b, loc, update.kind, partial, term, update.isUnsigned, false);
  }
  tile::StoreOp::create(b, loc, term, whole, ivs);

  // After it: fold the left-out variables, last first.
  OpBuilder after(loop->getContext());
  after.setInsertionPointAfter(loop);
  Value folded = whole;
  SmallVector<int64_t> shape(extents.begin(), extents.end());
  SmallVector<unsigned> kept;
  for (unsigned n = 0; n < extents.size(); ++n)
    if (used.contains(n))
      kept.push_back(n);
  for (int n = int(extents.size()) - 1; n >= 0; --n) {
    if (used.contains(n))
      continue;
    shape.erase(shape.begin() + n);
    SmallVector<int64_t> resultShape = shape;
    if (resultShape.empty())
      resultShape.push_back(1); // a scalar is one element
    auto type = tile::BufferType::get(resultShape, element, tile::Scope::Fragment);
    Value next = tile::AllocOp::create(after, loc, type, name, Attribute());
    tile::ReduceOp::create(after, loc, update.kind, folded, next, n, true, false,
                           tile::ReduceStep::Whole, /*shared_place=*/{});
    folded = next;
  }

  // x[at] = op(x[at], T).
  if (meet) {
    updateInOrder(after, update, folded, kept);
  } else {
    SmallVector<Value> bounds;
    for (unsigned n : kept)
      bounds.push_back(arith::ConstantIndexOp::create(after, loc, extents[n]));
    if (bounds.empty())
      bounds.push_back(arith::ConstantIndexOp::create(after, loc, 1));
    auto update2 = tile::ParallelOp::create(after, loc, bounds);
    OpBuilder inner = OpBuilder::atBlockEnd(update2.bodyBlock());
    updateOne(inner, update, update.store.getBuffer(), folded, kept, update2.ivs());
  }

  eraseUpdate(update.store);
}

/// x[I[i]] = op(x[I[i]], e)  ->  atomic op e, x[I[i]]
void ReductionRewriter::updateAtomically(tile::StoreOp store, tile::AtomicKind kind) {
  Update update = *matchUpdate(store);
  OpBuilder b(store);
  Value term = makeTerm(b, update);
  tile::AtomicOp::create(b, store.getLoc(), term.getType(), kind, term, store.getBuffer(),
                         store.getIndices(), update.isUnsigned);
  eraseUpdate(store);
}

/// The old update goes; what only it used dies with it.
void ReductionRewriter::eraseUpdate(tile::StoreOp store) {
  Operation *oldValue = store.getValue().getDefiningOp();
  store.erase();
  SmallVector<Operation *> dead = {oldValue};
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    if (!op || !op->use_empty() || !(isPure(op) || isa<tile::LoadOp>(op)) ||
        !loop->isProperAncestor(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      if (operand.getDefiningOp() && !llvm::is_contained(dead, operand.getDefiningOp()))
        dead.push_back(operand.getDefiningOp());
  }
}

} // namespace

void moveElements(OpBuilder &b, Location loc, Type scalar, Value from, Value to) {
  SmallVector<Value> bounds;
  for (int64_t extent : cast<tile::BufferType>(from.getType()).getShape())
    bounds.push_back(arith::ConstantIndexOp::create(b, loc, extent));
  auto move = tile::ParallelOp::create(b, loc, bounds);
  OpBuilder inner = OpBuilder::atBlockEnd(move.bodyBlock());
  Value value = tile::LoadOp::create(inner, loc, scalar, from, move.ivs(), FloatAttr());
  tile::StoreOp::create(inner, loc, value, to, move.ivs());
}

std::optional<ReductionUpdate> matchReduction(tile::StoreOp store) {
  std::optional<Update> update = matchUpdate(store);
  return update ? std::optional(ReductionUpdate{update->old, update->kind}) : std::nullopt;
}

static LogicalResult recognizeReductions(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](tile::ParallelOp loop) {
    if (!loop->getParentOfType<tile::ParallelOp>())
      loops.push_back(loop);
  });
  for (tile::ParallelOp loop : loops)
    if (failed(ReductionRewriter(loop).run()))
      return failure();
  return success();
}

namespace {
struct RecognizeReductionsPass : impl::RecognizeReductionsPassBase<RecognizeReductionsPass> {
  void runOnOperation() override {
    if (failed(recognizeReductions(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilec

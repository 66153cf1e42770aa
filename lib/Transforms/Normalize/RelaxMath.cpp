//===- RelaxMath.cpp - arithmetic whose last bits are rounded away --------===//
//
// The question is where a value goes. Inside a parallel it is followed through
// products, quotients, clamps and negations, which keep relative errors, and sums of positive
// values with positive constants, to stores; from a fragment of f32 on through the
// statements that read it until it is overwritten.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"

#include "Layouts/GemmPlan.h"
#include "Layouts/Stores.h"
#include "Normalize/ExactProducts.h"
#include "Normalize/Magnitudes.h"
#include "Normalize/RowMaxima.h"
#include "Normalize/ShortAngles.h"
#include "Normalize/Steps.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RELAXMATHPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A sum with this or more is the same whether its other term is 2^-126 or zero.
constexpr double smallestVisible = 0x1p-100;

/// What is known of a value on its way.
struct Known {
  bool isPositive = false; ///< or zero
  bool mayVanish = false;  ///< is zero where it should be tiny
};

/// What a choice between values gives, one of which is used here; null where it is no choice. One
/// of values that are only read where they are chosen (`T.if_then_else`) is an scf.if.
Value chosenAs(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::SelectOp>(user) && use.getOperandNumber() != 0)
    return user->getResult(0);
  if (isa<scf::YieldOp>(user))
    if (auto choice = dyn_cast<scf::IfOp>(user->getParentOp()))
      return choice.getResult(use.getOperandNumber());
  return {};
}

/// A fragment and the statement that writes it.
using Written = std::pair<Value, Operation *>;

/// What has been found out about fragments of a kernel so far, by what their values may become: so
/// that each statement is followed once. Rewriting arithmetic changes none of it.
struct Fates {
  /// Asks from the last statement on, so that none has far to go.
  explicit Fates(tile::KernelOp kernel);

  llvm::DenseMap<Written, bool> areRounded[8];
};

/// Where values go from an op on.
class Uses {
public:
  /// `mayBeSummed`: sums of the values are no matter either. `mayVanish`: of the values themselves.
  Uses(Fates &fates, bool mayBeSummed, bool mayVanish = false)
      : Uses(fates, mayBeSummed, mayVanish, /*mayBeAdded=*/false) {}
  /// Of which other values may be added or subtracted: errors of the values' own size may be of any
  /// size beside a result.
  static Uses besideOthers(Fates &fates) {
    return Uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/false, /*mayBeAdded=*/true);
  }

  /// Whether all that the value leads to is rounded to 16 bits.
  bool areRounded(Value value, bool isPositive = false) {
    return keep(areRounded(value, Known{isPositive, mayVanish}));
  }
  /// Whether all that reads the fragment after `writer` is.
  bool isFragmentRounded(Value fragment, Operation *writer) {
    return keep(followFragment(fragment, writer));
  }

private:
  Uses(Fates &fates, bool mayBeSummed, bool mayVanish, bool mayBeAdded)
      : mayBeSummed(mayBeSummed), mayVanish(mayVanish), mayBeAdded(mayBeAdded),
        known(fates.areRounded[mayBeSummed + 2 * mayVanish + 4 * mayBeAdded]) {}
  /// While an answer is sought, a statement that was met before counts as a round further. What
  /// nothing speaks against holds for all that was followed.
  bool keep(bool areRounded) {
    if (areRounded)
      for (const Written &written : followed)
        known[written] = true;
    return areRounded;
  }
  bool areRounded(Value value, Known known) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isRounded(use, known); });
  }
  bool isRounded(OpOperand &use, Known known) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp, arith::NegFOp>(user))
      return areRounded(user->getResult(0), Known{false, known.mayVanish});
    // A clamp, as in front of a rounding to 8 bits.
    if (isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(user))
      return areRounded(user->getResult(0), Known{false, known.mayVanish});
    if (Value chosen = chosenAs(use))
      return areRounded(chosen, Known{false, known.mayVanish});
    if (isa<arith::DivFOp>(user)) {
      bool isDivisor = use.getOperandNumber() == 1;
      return !(isDivisor && known.mayVanish) &&
             areRounded(user->getResult(0), Known{false, known.mayVanish});
    }
    if (mayBeAdded && isa<arith::AddFOp, arith::SubFOp>(user))
      return areRounded(user->getResult(0), Known{false, known.mayVanish});
    if (isa<arith::AddFOp>(user)) {
      std::optional<double> other = constantOf(user->getOperand(1 - use.getOperandNumber()));
      return known.isPositive && other && *other >= smallestVisible &&
             areRounded(user->getResult(0), Known{true, false});
    }
    if (auto round = dyn_cast<tile::RoundOp>(user))
      return bitsOf(tile::dtypeOf(round.getDtype())) <= 16;
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || store.getValue() != use.get())
      return false;
    auto type = cast<tile::BufferType>(store.getBuffer().getType());
    if (bitsOf(tile::dtypeOf(type.getElementType())) <= 16)
      return true;
    auto loop = store->getParentOfType<tile::ElementLoop>();
    return type.isFragment() && store.getBuffer().getDefiningOp<tile::AllocOp>() && loop &&
           !loop->getParentOfType<tile::ElementLoop>() && followFragment(store.getBuffer(), loop);
  }
  /// What reads the fragment after `writer`.
  bool followFragment(Value fragment, Operation *writer) {
    if (auto found = known.find({fragment, writer}); found != known.end())
      return found->second;
    if (!followed.insert({fragment, writer}).second)
      return true; // a round further
    if (scan(fragment, writer->getBlock(), std::next(writer->getIterator())))
      return true;
    known[{fragment, writer}] = false;
    return false;
  }
  bool scan(Value fragment, Block *block, Block::iterator at);
  /// What becomes of the fragment in the rest of a block.
  enum class Fate { Kept, Overwritten, Misused };
  Fate fateIn(Value fragment, Block *block, Block::iterator at);
  bool isHarmless(Operation *op, Value fragment);

  bool mayBeSummed, mayVanish, mayBeAdded;
  llvm::DenseMap<Written, bool> &known;
  llvm::DenseSet<Written> followed;
  llvm::DenseSet<Written> roundsOfLoops;
};

Fates::Fates(tile::KernelOp kernel) {
  SmallVector<Written> all;
  kernel.walk([&](tile::StoreOp store) {
    auto loop = store->getParentOfType<tile::ElementLoop>();
    auto type = cast<tile::BufferType>(store.getBuffer().getType());
    if (loop && !loop->getParentOfType<tile::ElementLoop>() && type.isFragment() &&
        bitsOf(tile::dtypeOf(type.getElementType())) > 16 &&
        store.getBuffer().getDefiningOp<tile::AllocOp>())
      all.push_back({store.getBuffer(), loop});
  });
  for (const auto &[fragment, loop] : llvm::reverse(all)) {
    for (bool mayBeSummed : {false, true})
      for (bool mayVanish : {false, true})
        Uses(*this, mayBeSummed, mayVanish).isFragmentRounded(fragment, loop);
    Uses::besideOthers(*this).isFragmentRounded(fragment, loop);
  }
}

bool Uses::isHarmless(Operation *op, Value fragment) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return mayBeSummed && reduce.getKind() == tile::ReduceKind::Sum && reduce.getDst() != fragment;
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop)
    return false;
  bool isRounded = true;
  loop.walk([&](tile::LoadOp load) {
    if (rootOf(load.getBuffer()) == fragment)
      isRounded = isRounded && areRounded(load.getResult(), Known{false, mayVanish});
  });
  return isRounded;
}

Uses::Fate Uses::fateIn(Value fragment, Block *block, Block::iterator at) {
  for (; at != block->end(); ++at) {
    if (overwritesAll(&*at, fragment))
      return Fate::Overwritten;
    if (!isa<tile::ForOp, tile::WhileOp, scf::IfOp>(*at)) {
      if (llvm::is_contained(accessesOf(&*at).reads, fragment) && !isHarmless(&*at, fragment))
        return Fate::Misused;
      if (storesAll(&*at, fragment))
        return Fate::Overwritten;
      continue;
    }
    // Whether a loop runs at all is not known, so what is behind counts as well; one of two
    // branches runs.
    auto choice = dyn_cast<scf::IfOp>(*at);
    bool isOverwritten = choice && !choice.getElseRegion().empty();
    for (Region &region : at->getRegions()) {
      if (region.empty())
        continue;
      Fate fate = fateIn(fragment, &region.front(), region.front().begin());
      if (fate == Fate::Misused)
        return Fate::Misused;
      isOverwritten &= fate == Fate::Overwritten;
    }
    if (isOverwritten)
      return Fate::Overwritten;
  }
  return Fate::Kept;
}

bool Uses::scan(Value fragment, Block *block, Block::iterator at) {
  if (Fate fate = fateIn(fragment, block, at); fate != Fate::Kept)
    return fate == Fate::Overwritten;
  Operation *parent = block->getParentOp();
  if (isa<tile::KernelOp>(parent))
    return true;
  if (!isa<tile::ForOp, tile::WhileOp, scf::IfOp>(parent))
    return false;
  // The next round, in front of which a while's condition is asked.
  if (!isa<scf::IfOp>(parent) && roundsOfLoops.insert({fragment, parent}).second &&
      !llvm::all_of(parent->getRegions(), [&](Region &region) {
        return fateIn(fragment, &region.front(), region.front().begin()) != Fate::Misused;
      }))
    return false;
  return scan(fragment, parent->getBlock(), std::next(parent->getIterator()));
}

/// Whether all that the value does is to be added to numbers beside which 2^-126 is nothing.
bool isAddedToNumbers(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (!isa<arith::AddFOp>(use.getOwner()))
      return false;
    auto other = constantOf(use.getOwner()->getOperand(1 - use.getOperandNumber()));
    return other && std::abs(*other) >= smallestVisible;
  });
}

/// Whether a quotient is c / (d + e^x), as in a sigmoid, all of whose uses may have zero for what
/// is below 2^-126: the reciprocal of a sum that large. No reciprocal is infinite.
bool isGate(arith::DivFOp quotient, Fates &fates) {
  auto sum = quotient.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum || !constantOf(quotient.getLhs()))
    return false;
  for (int n : {0, 1}) {
    std::optional<double> least = constantOf(sum->getOperand(n));
    Operation *power = sum->getOperand(1 - n).getDefiningOp();
    if (least && *least >= smallestVisible && isa_and_nonnull<math::ExpOp, math::Exp2Op>(power))
      return Uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/true)
          .areRounded(quotient.getResult());
  }
  return false;
}

/// Whether `op` may take the hardware's approximation for what it is added to. That of 2^x differs
/// below 2^-126 only.
bool vanishesInSums(Operation *op, Fates &fates) {
  Value result = op->getResult(0);
  Uses uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/true);
  return isAddedToNumbers(result) &&
         (isa<math::Exp2Op>(op) || uses.areRounded(result, /*isPositive=*/true));
}

/// Whether the exponential is one of what a row's maximum was subtracted from, and is summed or
/// rounded.
bool isBelowMaximum(Operation *op, arith::SubFOp difference, tile::ElementLoop loop, Fates &fates) {
  tile::LoadOp element = elementIn(difference.getLhs()), top = elementIn(difference.getRhs());
  return element && top && holdsMaxima(top.getBuffer(), element.getBuffer(), loop) &&
         Uses(fates, /*mayBeSummed=*/true, /*mayVanish=*/true).areRounded(op->getResult(0));
}

/// Whether the exponential is by how much a running maximum was raised: at most 1.
bool isBelowRaised(arith::SubFOp difference, tile::ElementLoop loop) {
  tile::LoadOp old = elementIn(difference.getLhs()), top = elementIn(difference.getRhs());
  return old && top && llvm::equal(old.getIndices(), top.getIndices()) &&
         isRaisedFrom(top.getBuffer(), old.getBuffer(), loop);
}

/// Whether a term is the logarithm of a sum to which a reduction's result belongs.
bool isLogarithmOfSum(Value value) {
  auto isSummed = [](Value term) {
    auto load = term.getDefiningOp<tile::LoadOp>();
    return load && llvm::any_of(load.getBuffer().getUsers(), [&](Operation *user) {
             auto reduce = dyn_cast<tile::ReduceOp>(user);
             return reduce && reduce.getKind() == tile::ReduceKind::Sum &&
                    reduce.getDst() == load.getBuffer();
           });
  };
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp>(op))
    return llvm::any_of(op->getOperands(), isLogarithmOfSum);
  if (!isa_and_nonnull<math::LogOp, math::Log2Op>(op))
    return false;
  auto sum = op->getOperand(0).getDefiningOp<arith::AddFOp>();
  return sum ? llvm::any_of(sum->getOperands(), isSummed) : isSummed(op->getOperand(0));
}

/// Whether the exponential is a share of a sum, whose logarithm was subtracted: the shares of a row
/// are 1 together, so that one below 2^-126 is nothing beside the others.
bool isShareOfSum(arith::SubFOp difference) {
  auto load = difference.getRhs().getDefiningOp<tile::LoadOp>();
  if (!load || !load.getBuffer().getType().isFragment() ||
      !load.getBuffer().getDefiningOp<tile::AllocOp>())
    return false;
  bool isLogarithm = false;
  for (Operation *user : load.getBuffer().getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto fill = dyn_cast<tile::FillOp>(user);
    if (!store && !fill && !isa<tile::LoadOp>(user))
      return false;
    Value filled = fill ? fill.getValue() : store ? store.getValue() : Value();
    if (!filled || constantOf(filled)) // what it was before the first sum
      continue;
    if (fill)
      return false;
    if (!isLogarithmOfSum(store.getValue()))
      return false;
    isLogarithm = true;
  }
  return isLogarithm;
}

/// Whether a factor of at most 1 only scales running sums: those of a gemm, those that more is
/// added to, and what is rounded to 16 bits.
bool isOnlyScale(Value value, llvm::DenseSet<Value> &seen, Fates &fates) {
  auto scalesSum = [](Value product) {
    return llvm::all_of(product.getUses(), [&](OpOperand &use) {
      if (isa<arith::AddFOp>(use.getOwner()))
        return true;
      auto store = dyn_cast<tile::StoreOp>(use.getOwner());
      return store && llvm::any_of(store.getBuffer().getUsers(), [&](Operation *user) {
               auto gemm = dyn_cast<tile::GemmOp>(user);
               return gemm && gemm.getC() == store.getBuffer();
             });
    });
  };
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp>(user)) {
      Value product = user->getResult(0);
      return scalesSum(product) ||
             Uses(fates, /*mayBeSummed=*/true, /*mayVanish=*/true).areRounded(product);
    }
    if (Value chosen = chosenAs(use))
      return isOnlyScale(chosen, seen, fates);
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || store.getValue() != use.get() || !store.getBuffer().getType().isFragment() ||
        !store.getBuffer().getDefiningOp<tile::AllocOp>())
      return false;
    if (!seen.insert(store.getBuffer()).second)
      return true;
    return llvm::all_of(store.getBuffer().getUsers(), [&](Operation *other) {
      auto load = dyn_cast<tile::LoadOp>(other);
      return isa<tile::StoreOp, tile::FillOp>(other) ||
             (load && isOnlyScale(load.getResult(), seen, fates));
    });
  });
}

/// Whether zero is as good as anything below 2^-126: rounded to a type whose smallest number is far
/// larger.
bool vanishesWhenRounded(Value value) {
  auto isCoarse = [](DType dtype) { return bitsOf(dtype) <= 16 && dtype != DType::BF16; };
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto round = dyn_cast<tile::RoundOp>(user))
      return isCoarse(tile::dtypeOf(round.getDtype()));
    if (isa<arith::MulFOp>(user)) {
      constexpr double large = 0x1p60;
      auto factor = constantOf(user->getOperand(1 - use.getOperandNumber()));
      return factor && std::abs(*factor) <= large && vanishesWhenRounded(user->getResult(0));
    }
    if (isa<arith::NegFOp>(user))
      return vanishesWhenRounded(user->getResult(0));
    if (Value chosen = chosenAs(use))
      return vanishesWhenRounded(chosen);
    auto store = dyn_cast<tile::StoreOp>(user);
    return store && store.getValue() == use.get() &&
           isCoarse(
               tile::dtypeOf(cast<tile::BufferType>(store.getBuffer().getType()).getElementType()));
  });
}

/// Whether a finite number is written in the program that would, scaled, be rounded by more than an
/// exponent: x * s and m * s of one such mask are equal when both are rounded, and far apart when
/// one of them is not.
bool hasHugeConstant(tile::KernelOp kernel) {
  constexpr double huge = 1 << 30;
  auto result = kernel->getParentOp()->walk([](arith::ConstantOp constant) {
    auto value = dyn_cast<FloatAttr>(constant.getValue());
    bool isHuge =
        value && value.getValue().isFinite() && std::abs(value.getValueAsDouble()) >= huge;
    return isHuge ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

constexpr double log2e = 1.44269504088896340736;

Value numberLike(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

/// x * (s log2 e) - y * (s log2 e) for the argument x * s - y * s of an e^x: one fma where the
/// second product is a row's.
Value inPowersOfTwo(OpBuilder &b, arith::SubFOp difference) {
  Location loc = difference.getLoc();
  auto scaled = [&](Value term) -> Value {
    auto [argument, factor] = scaledArgument(term);
    return arith::MulFOp::create(b, loc, argument, numberLike(b, loc, factor * log2e),
                                 arith::FastMathFlags::contract);
  };
  Value left = scaled(difference.getLhs()), right = scaled(difference.getRhs());
  return arith::SubFOp::create(b, loc, left, right, arith::FastMathFlags::contract);
}

/// e^x as 2^(x log2 e). `isOneFma`: whose argument is a difference of which each term may be
/// scaled.
math::Exp2Op asPowerOfTwo(math::ExpOp op, bool isOneFma) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
  Value power;
  if (isOneFma && difference) {
    power = inPowersOfTwo(b, difference);
  } else {
    auto [argument, factor] = scaledArgument(op.getOperand());
    power = arith::MulFOp::create(b, loc, argument, numberLike(b, loc, factor * log2e));
  }
  auto result = math::Exp2Op::create(b, loc, power, op.getFastmath());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return result;
}

/// The loop variables that a value is computed from.
llvm::DenseSet<Value> variablesOf(Value value, tile::ElementLoop loop) {
  llvm::DenseSet<Value> seen, variables;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (llvm::is_contained(loop.ivs(), next))
      variables.insert(next);
    else if (Operation *op = next.getDefiningOp(); op && loop->isAncestor(op))
      llvm::append_range(work, op->getOperands());
  }
  return variables;
}

/// Whether a difference must be 0 where its terms are the same: of a row before and after, in a
/// kernel that skips scaling by 1 (the mark of chained products). One fma for x * s - y * s would
/// leave the rounding error of a product, and saves one instruction a row.
bool mustVanish(arith::SubFOp difference, tile::ElementLoop loop) {
  auto products = loop->getParentOfType<tile::KernelOp>().walk([](tile::GemmOp gemm) {
    return gemm.getChained() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return products.wasInterrupted() &&
         variablesOf(difference.getLhs(), loop) == variablesOf(difference.getRhs(), loop);
}

void relaxExponential(Operation *op, tile::ElementLoop loop, const TargetInfo &target,
                      Fates &fates) {
  using Flags = arith::FastMathFlags;
  // Both give the same 2^x where it is no denormal number.
  auto power = dyn_cast<math::Exp2Op>(op);
  if (vanishesInSums(op, fates) || (power && hasNormalPower(power)))
    return allow(op, Flags::afn);
  // Where the accurate 2^x is an instruction nothing is gained by the other one.
  bool isDear = !target.hasAccurateExp2;
  Value result = op->getResult(0);
  arith::SubFOp difference = differenceIn(op);
  llvm::DenseSet<Value> seen;
  bool isBelow = difference &&
                 (isBelowMaximum(op, difference, loop, fates) ||
                  (isDear && isBelowRaised(difference, loop) && isOnlyScale(result, seen, fates)));
  if (!isBelow && !Uses(fates, /*mayBeSummed=*/false).areRounded(result))
    return;
  bool isShare = isDear && difference && isShareOfSum(difference) &&
                 Uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/true).areRounded(result);
  bool mayFuse = difference && !hasHugeConstant(op->getParentOfType<tile::KernelOp>()) &&
                 !mustVanish(difference, loop);
  if (mayFuse) {
    allow(difference, Flags::contract);
    for (Value term : difference->getOperands())
      if (auto product = term.getDefiningOp<arith::MulFOp>())
        allow(product, Flags::contract);
  }
  if (auto natural = dyn_cast<math::ExpOp>(op); natural && (isDear || !isBelow)) {
    // An argument is below 2^7, or the result is zero or infinite: 2^-17 of it at most get lost.
    op = asPowerOfTwo(natural, isBelow && mayFuse);
  }
  if (isBelow || isShare || (isDear && vanishesWhenRounded(op->getResult(0))))
    allow(op, Flags::afn);
}

/// Where a logarithm goes that only says how large something is: into the arguments of
/// exponentials whose results are rounded to 16 bits, and into those of sums whose logarithms go
/// there, too, as the running one of an online softmax does.
class Exponents {
public:
  explicit Exponents(Fates &fates) : fates(fates) {}
  /// Whether all that the value leads to is such an argument.
  bool areArguments(Value value) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isArgument(use); });
  }

private:
  bool isArgument(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::AddFOp, arith::SubFOp>(user))
      return areArguments(user->getResult(0));
    if (isa<math::ExpOp, math::Exp2Op>(user)) {
      Value power = user->getResult(0);
      return Uses(fates, /*mayBeSummed=*/false).areRounded(power) || isInLogarithms(power);
    }
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || store.getValue() != use.get() || !store.getBuffer().getType().isFragment() ||
        !store.getBuffer().getDefiningOp<tile::AllocOp>())
      return false;
    return !seen.insert(store.getBuffer()).second || areElements(store.getBuffer());
  }
  /// What is read of the fragment, whenever that is.
  bool areElements(Value fragment) {
    return llvm::all_of(fragment.getUsers(), [&](Operation *user) {
      auto load = dyn_cast<tile::LoadOp>(user);
      return isa<tile::StoreOp, tile::FillOp>(user) || (load && areArguments(load.getResult()));
    });
  }
  bool isInLogarithms(Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (isa<arith::AddFOp>(user))
        return isInLogarithms(user->getResult(0));
      return isa<math::LogOp, math::Log2Op>(user) && areArguments(user->getResult(0));
    });
  }

  Fates &fates;
  llvm::DenseSet<Value> seen;
};

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Whether the value is computed from an element of one of `fragments`.
bool dependsOn(Value value, const llvm::DenseSet<Value> &fragments) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op))
    return fragments.contains(load.getBuffer());
  return op && op->getParentOfType<tile::ElementLoop>() &&
         llvm::any_of(op->getOperands(), [&](Value v) { return dependsOn(v, fragments); });
}

/// The fragments whose elements hang on sums by reductions, whose last bit hangs on the order.
llvm::DenseSet<Value> fragmentsOfSums(tile::KernelOp kernel) {
  llvm::DenseSet<Value> found;
  kernel.walk([&](tile::ReduceOp reduce) {
    if (reduce.getKind() == tile::ReduceKind::Sum)
      found.insert(reduce.getDst());
  });
  for (size_t before = 0; before != found.size();) {
    before = found.size();
    kernel.walk([&](tile::StoreOp store) {
      if (dependsOn(store.getValue(), found))
        found.insert(store.getBuffer());
    });
  }
  return found;
}

/// a * b + c, where the product hangs on a sum: what its rounding changes is no more than what the
/// last bit of the sum changes.
void relaxAffine(Operation *sum, const llvm::DenseSet<Value> &sums, Fates &fates) {
  if (!Uses(fates, /*mayBeSummed=*/false).areRounded(sum->getResult(0)))
    return;
  for (Value term : sum->getOperands())
    if (auto product = term.getDefiningOp<arith::MulFOp>(); product && dependsOn(term, sums)) {
      allow(product, arith::FastMathFlags::contract);
      allow(sum, arith::FastMathFlags::contract);
    }
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

/// 1 + erf(x) as erfc(-x), 1 + tanh(x) as 2 / (1 + exp(-2 x)): shorter, and nearer where it is
/// small.
Value gateOf(OpBuilder &b, Operation *function) {
  Location loc = function->getLoc();
  Value x = function->getOperand(0);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  };
  auto approximate = arith::FastMathFlags::afn;
  if (isa<math::ErfOp>(function))
    return math::ErfcOp::create(b, loc, arith::NegFOp::create(b, loc, x), approximate);
  Value power = arith::MulFOp::create(b, loc, x, number(-2 * log2e));
  power = math::Exp2Op::create(b, loc, power, approximate);
  Value sum = arith::AddFOp::create(b, loc, power, number(1));
  return arith::DivFOp::create(b, loc, number(2), sum, arith::FastMathFlags::arcp);
}

void rewriteGates(tile::KernelOp kernel, Fates &fates) {
  SmallVector<arith::AddFOp> gates;
  kernel.walk([&](arith::AddFOp sum) {
    if (sum->getParentOfType<tile::ElementLoop>() && sum.getType().isF32())
      gates.push_back(sum);
  });
  for (arith::AddFOp sum : gates)
    for (int n : {0, 1}) {
      Operation *function = sum->getOperand(n).getDefiningOp();
      std::optional<double> other = constantOf(sum->getOperand(1 - n));
      if (!isa_and_nonnull<math::ErfOp, math::TanhOp>(function) || other != 1.0 ||
          !Uses(fates, /*mayBeSummed=*/false).areRounded(sum.getResult(), /*isPositive=*/true))
        continue;
      OpBuilder builder(sum);
      sum.getResult().replaceAllUsesWith(gateOf(builder, function));
      sum.erase();
      break;
    }
}

/// Lets an instruction for sines compute the value. What rounding a product of it before a sum
/// changes is less than its own error.
void approximateSine(Operation *sine) {
  allow(sine, arith::FastMathFlags::afn);
  for (Operation *user : sine->getUsers()) {
    auto product = dyn_cast<arith::MulFOp>(user);
    if (!product)
      continue;
    for (Operation *sum : product->getUsers())
      if (isa<arith::AddFOp, arith::SubFOp>(sum)) {
        allow(product, arith::FastMathFlags::contract);
        allow(sum, arith::FastMathFlags::contract);
      }
  }
}

/// Sines and cosines that others are added to before 16 bits are left: their error, of an f32's
/// last bits or, by an instruction, 2^-20, is below what the agreement rule gives every row of a
/// kernel with such functions: 2^-19 of its largest element.
void shortenAngles(tile::KernelOp kernel, const TargetInfo &target, Fates &fates) {
  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ElementLoop>() && hasShortAngle(op) &&
        Uses::besideOthers(fates).areRounded(op->getResult(0)))
      found.push_back(op);
  });
  for (Operation *op : found)
    if (target.hasSineOfTurns)
      approximateSine(op);
    else
      shortenAngle(op);
}

/// x / y as x / (y * s) * s, where s makes a divisor large that is a denormal number: the product
/// with a reciprocal that is infinite, or that of what was taken for zero, says nothing of x / y.
void raiseDivisor(arith::DivFOp quotient) {
  constexpr double smallestNormal = 0x1p-126, raise = 0x1p32;
  OpBuilder b(quotient);
  Location loc = quotient.getLoc();
  Value divisor = quotient.getRhs(), size = math::AbsFOp::create(b, loc, divisor);
  Value isTiny = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                       numberLike(b, loc, smallestNormal));
  Value factor =
      arith::SelectOp::create(b, loc, isTiny, numberLike(b, loc, raise), numberLike(b, loc, 1));
  quotient.getRhsMutable().assign(arith::MulFOp::create(b, loc, divisor, factor));
  b.setInsertionPointAfter(quotient);
  auto result = arith::MulFOp::create(b, loc, quotient.getResult(), factor);
  quotient.getResult().replaceAllUsesExcept(result, result);
}

/// What `--math=fast` allows.
void relaxAll(tile::KernelOp kernel) {
  using Flags = arith::FastMathFlags;
  kernel.walk([](Operation *op) {
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isF32())
      return;
    if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp,
            math::SinOp, math::CosOp, math::TanhOp, math::ErfcOp>(op))
      allow(op, Flags::afn);
    else if (isa<arith::DivFOp>(op))
      allow(op, Flags::arcp);
    else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
      allow(op, Flags::contract);
  });
}

} // namespace

void allow(Operation *op, arith::FastMathFlags more) {
  auto withFlags = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = withFlags.getFastMathFlagsAttr().getValue() | more;
  op->setAttr(withFlags.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

void relaxMath(tile::KernelOp kernel, const TargetInfo &target) {
  auto program = kernel->getParentOfType<tile::ProgramOp>();
  if (program.getLibraryMath())
    return;
  Fates fates(kernel);
  rewriteGates(kernel, fates);
  bool isFast = program.getFastMath();
  if (!isFast)
    shortenAngles(kernel, target, fates);
  llvm::DenseSet<Value> sums = fragmentsOfSums(kernel);
  relaxSquares(kernel);
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ElementLoop>() && op->getNumResults() == 1 &&
        op->getResult(0).getType().isF32())
      ops.push_back(op);
  });
  Steps steps(kernel);
  SmallVector<arith::DivFOp> raised;
  for (Operation *op : ops) {
    auto loop = op->getParentOfType<tile::ElementLoop>();
    Value result = op->getResult(0);
    auto isRounded = [&] { return Uses(fates, /*mayBeSummed=*/false).areRounded(result); };
    if (isa<math::Exp2Op, math::ExpOp>(op))
      relaxExponential(op, loop, target, fates);
    else if (auto difference = dyn_cast<arith::SubFOp>(op);
             isa<arith::AddFOp>(op) || (difference && !mustVanish(difference, loop)))
      relaxAffine(op, sums, fates);
    else if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      bool isConstant = constantOf(quotient.getRhs()).has_value();
      bool isMean = isConstant && dependsOn(quotient.getLhs(), sums) && !steps.isReachedBy(result);
      bool isQuick = isRounded();
      if (isMean || isQuick)
        allow(op, arith::FastMathFlags::arcp);
      bool isSafe = isSumOfPowers(quotient.getRhs(), loop) || isGate(quotient, fates);
      if (!target.hasAccurateExp2 && isSafe && isQuick)
        allow(op, arith::FastMathFlags::afn);
      if (isQuick && !isConstant && !isSafe && mayBeDenormal(quotient.getRhs()))
        raised.push_back(quotient);
    } else if (isa<math::RsqrtOp>(op) && isRounded() && !mayBeDenormal(op->getOperand(0)))
      allow(op, arith::FastMathFlags::afn);
    else if (isa<math::LogOp, math::Log2Op>(op) && Exponents(fates).areArguments(result))
      allow(op, arith::FastMathFlags::afn);
  }
  // Last: what follows a divisor above must not meet the question.
  if (!isFast)
    llvm::for_each(raised, raiseDivisor);
  fuseExactProducts(kernel);
  if (isFast)
    relaxAll(kernel);
}

namespace {
struct RelaxMathPass : impl::RelaxMathPassBase<RelaxMathPass> {
  using RelaxMathPassBase::RelaxMathPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      relaxMath(kernel, *chip);
  }
};
} // namespace

} // namespace tilec

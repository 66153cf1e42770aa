//===- RelaxLogarithms.cpp - logarithms that say how large something is ---===//
//
// One that is only subtracted from arguments of exponentials that are rounded to 16 bits is the
// hardware's (`afn`).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/RelaxMath.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RELAXLOGARITHMSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

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

struct RelaxLogarithmsPass : impl::RelaxLogarithmsPassBase<RelaxLogarithmsPass> {
  using RelaxLogarithmsPassBase::RelaxLogarithmsPassBase;

  void runOnOperation() override {
    forArithmetic<math::LogOp, math::Log2Op>(getOperation(), [](Operation *op, Fates &fates) {
      if (Exponents(fates).areArguments(op->getResult(0)))
        allow(op, arith::FastMathFlags::afn);
    });
  }
};

} // namespace

} // namespace tilec

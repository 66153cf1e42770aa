//===- GuardMasks.cpp - masks that run only where they cut -----------------===//
//
// A loop over elements that stores `inside ? 0 : x` before a gemm, or `inside ? what is there : x`
// anywhere, with a condition on indices (a mask), is left out where the condition holds for the
// whole tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Roles/Corner.h"
#include "Roles/CutRound.h"
#include "Roles/Masks.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_GUARDMASKSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Where a mask of minus infinity in a product's C goes: in front of it, or behind it, where the
/// instruction takes a zero for C that costs no register.
enum class MaskPlace { InFront, Behind };

/// What the loop stores where its mask does not cut and where it does, and when it cuts nowhere.
struct Mask {
  Value inside, outside, everywhere;
};
/// Whether the condition is `wanted` in all of the tile, for each warp group in its rows.
Value holdsEverywhere(Masking &masking, Value condition, bool wanted, bool byGroup) {
  Value whole = Corner(masking.loop).everywhere(condition, wanted);
  std::optional<GroupRows> rows = groupRowsOf(masking.loop);
  if (!whole || matchPattern(whole, m_One()) || !rows || !byGroup)
    return whole;
  Corner corner(masking.loop, rows);
  Value own = corner.everywhere(condition, wanted);
  if (!own || !corner.asksForGroup())
    return whole;
  OpBuilder b(masking.loop);
  return tile::OfGroupOp::create(b, masking.loop.getLoc(), own.getType(), own, whole);
}

/// The mask of a loop that stores one of two values, one of which is told to be the inside.
std::optional<Mask> maskOf(Masking &masking, bool byGroup,
                           llvm::function_ref<bool(Value)> isInside) {
  std::optional<Choice> choice = choiceOf(masking.store.getValue());
  if (!choice)
    return std::nullopt;
  for (bool side : {true, false}) {
    Value inside = side ? choice->whenTrue : choice->whenFalse;
    if (!isInside(inside))
      continue;
    if (Value everywhere = holdsEverywhere(masking, choice->condition, side, byGroup))
      return Mask{inside, side ? choice->whenFalse : choice->whenTrue, everywhere};
  }
  return std::nullopt;
}

/// The loop runs only where the mask does not hold everywhere; else `instead`, where there is one.
void guard(Masking &masking, Value everywhere, Operation *instead = nullptr) {
  if (matchPattern(everywhere, m_One()))
    return eraseStatement(masking.loop);
  OpBuilder b(masking.loop);
  Location loc = masking.loop.getLoc();
  Value truth = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  Value isCut = arith::XOrIOp::create(b, loc, everywhere, truth);
  auto branch = scf::IfOp::create(b, loc, isCut, /*withElseRegion=*/bool(instead));
  masking.loop->moveBefore(branch.thenBlock()->getTerminator());
  if (instead)
    instead->moveBefore(branch.elseBlock()->getTerminator());
}

/// A fill of the same buffer with `value`, which is constant.
tile::FillOp plainFill(Masking &masking, Value value) {
  OpBuilder b(masking.loop);
  Value constant = b.clone(*value.getDefiningOp())->getResult(0);
  return tile::FillOp::create(b, masking.loop.getLoc(), constant, masking.buffer());
}

/// The product starts from zero, and the mask is added to it where it cuts: no more than minus
/// infinity could be lost in the sum, and that is not.
void maskBehind(Masking &masking, const Mask &mask, tile::GemmOp gemm) {
  plainFill(masking, mask.inside);
  masking.loop->moveAfter(gemm);
  OpBuilder b(masking.store);
  Value value = masking.store.getValue();
  Value product = tile::LoadOp::create(b, masking.store.getLoc(), value.getType(), masking.buffer(),
                                       masking.store.getIndices(), FloatAttr());
  masking.store.getValueMutable().assign(
      arith::AddFOp::create(b, masking.store.getLoc(), product, value));
  guard(masking, mask.everywhere);
}

/// With `byGroup`, each warp group leaves a mask out where the condition holds for its rows.
void guardMask(Masking &masking, MaskPlace place, bool byGroup) {
  if (std::optional<Mask> mask =
          maskOf(masking, byGroup, [&](Value value) { return isOldElement(value, masking); }))
    return guard(masking, mask->everywhere);
  tile::GemmOp gemm = gemmAfter(masking.loop, masking.buffer());
  std::optional<Mask> mask = gemm ? maskOf(masking, byGroup, isZero) : std::nullopt;
  if (!mask)
    return;
  // Only instructions of warp groups ignore what C holds.
  if (!gemm.getWarpGroup() && place == MaskPlace::Behind &&
      matchPattern(mask->outside, m_NegInfFloat()))
    return maskBehind(masking, *mask, gemm);
  if (!gemm.getWarpGroup())
    return guard(masking, mask->everywhere, plainFill(masking, mask->inside));
  gemm.getClearMutable().assign(mask->everywhere);
  guard(masking, mask->everywhere);
}

void guardMasks(tile::KernelOp kernel, MaskPlace place, bool byGroup) {
  SmallVector<tile::ElementLoop> loops;
  kernel.walk([&](tile::ElementLoop loop) { loops.push_back(loop); });
  for (tile::ElementLoop loop : loops)
    if (std::optional<Masking> masking = maskingOf(loop))
      guardMask(*masking, place, byGroup);
}

struct GuardMasksPass : impl::GuardMasksPassBase<GuardMasksPass> {
  using GuardMasksPassBase::GuardMasksPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!chip->tensorCopies)
        guardMasks(kernel, chip->addsToConstants ? MaskPlace::Behind : MaskPlace::InFront,
                   /*byGroup=*/false);
      else if (whyNoProducer(kernel, *chip).empty() && !kernel.getLockstep())
        guardMasks(kernel, MaskPlace::InFront, /*byGroup=*/true);
  }
};

} // namespace

} // namespace tilec

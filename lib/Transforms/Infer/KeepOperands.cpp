//===- KeepOperands.cpp - operands that a loop does not change ------------===//
//
// Looks for products whose operand no round of a loop writes (Q of attention), counts the registers
// that keeping it takes, and fills them once in front of the loop.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/FragmentRegisters.h"
#include "Layouts/GemmPlan.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_KEEPOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The outermost loop around the op that does not write the buffer.
tile::ForOp quietLoop(Operation *op, Value buffer) {
  tile::ForOp outermost;
  for (auto loop = op->getParentOfType<tile::ForOp>();
       loop && !llvm::is_contained(accessesOf(loop).writes, buffer) &&
       !loop->isAncestor(buffer.getDefiningOp());
       loop = loop->getParentOfType<tile::ForOp>())
    outermost = loop;
  return outermost;
}

/// Registers of a lane that the operand takes; nothing where it is not read as rows of K, or waves
/// and repetitions of the atom do not cover it exactly.
std::optional<int64_t> registersOf(tile::GemmOp gemm, bool isB, const TargetInfo &target,
                                   int64_t numWaves) {
  KernelProducts products(gemm->getParentOfType<tile::KernelOp>()); // operands change in between
  std::optional<GemmPlan> plan = planGemm(gemm, target, numWaves, products);
  bool kIsRow = isB ? !gemm.getTransposeB() : bool(gemm.getTransposeA());
  if (!plan || kIsRow || plan->isOfLanes)
    return std::nullopt;
  const FragmentLayout &layout = isB ? plan->b : plan->a;
  Coords box = layout.atom().boxShape(), reps = layout.repsPerDim(), waves = layout.wavesPerDim();
  for (unsigned d : {0u, 1u})
    if (box[d] * reps[d] * waves[d] != layout.shape()[d])
      return std::nullopt;
  auto type = cast<tile::BufferType>((isB ? gemm.getB() : gemm.getA()).getType());
  return ceilDiv(layout.numRegs() * bitsOf(tile::dtypeOf(type.getElementType())), 32);
}

void keepOperands(tile::KernelOp kernel, const TargetInfo &target) {
  // Accumulators in a file of their own leave the other one to operands.
  if (target.registers.accumulators == 0 || kernel.getLockstep())
    return;
  int64_t numWaves = wavesOf(kernel, target);
  bool isAlone = numWaves <= target.schedulers;
  int64_t all = target.registers.ofLane, half = all / 2; // of a wave that shares its scheduler
  int64_t used = fragmentRegisters(kernel, target) + besideFragments;
  int64_t budget = isAlone && used > half ? all : half;
  SmallVector<tile::GemmOp> gemms;
  kernel.walk([&](tile::GemmOp gemm) {
    if (!gemm.getMma()) // else it has been decided where operands are
      gemms.push_back(gemm);
  });
  for (tile::GemmOp gemm : gemms)
    for (bool isB : {false, true}) {
      OpOperand &operand = isB ? gemm.getBMutable() : gemm.getAMutable();
      auto shared = operand.get().getDefiningOp<tile::AllocOp>();
      if (!shared || !shared.getResult().getType().isShared())
        continue;
      tile::ForOp loop = quietLoop(gemm, operand.get());
      std::optional<int64_t> registers;
      if (loop)
        registers = registersOf(gemm, isB, target, numWaves);
      if (!registers || used + *registers > budget)
        continue;
      used += *registers;
      OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
      tile::BufferType type = shared.getResult().getType();
      auto kept = tile::AllocOp::create(
          top, gemm.getLoc(),
          tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Fragment),
          (shared.getName() + "_kept").str(), Attribute());
      OpBuilder before(loop);
      moveElements(before, gemm.getLoc(), shared, kept);
      operand.set(kept);
    }
}

struct KeepOperandsPass : impl::KeepOperandsPassBase<KeepOperandsPass> {
  using KeepOperandsPassBase::KeepOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      keepOperands(kernel, *chip);
  }
};

} // namespace

} // namespace tilec

//===- ReadsFirst.cpp - what a round reads to registers, among its copies --===//
//
// A counter goes down in order: what a round reads to registers behind the copies that it starts is
// there when those are, which are for a later round. So
//
//   for k: wait; barrier; copies of k + 1; products; x = scales[k]; y * x
//
// becomes
//
//   for k: wait; barrier; half of the copies; x = scales[k]; the other half; products; y * x
//
// where the reads' places are known there and registers hold what they bring. In front of all
// copies, reads of a line for each lane would keep those (docs/machine-code/pipelining.md, Reads in
// rounds).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_READSFIRSTPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Registers of a lane that the reads may keep busy, of all that it can name.
constexpr int64_t partOfRegisters = 8;

/// Whether the kernel writes nothing there.
bool isOnlyRead(Value base) {
  while (auto moved = base.getDefiningOp<wave::AddGlobalOp>())
    base = moved.getBase();
  auto argument = dyn_cast<BlockArgument>(base);
  auto kernel =
      argument ? dyn_cast<wave::KernelOp>(argument.getOwner()->getParentOp()) : wave::KernelOp();
  return kernel &&
         cast<StringAttr>(kernel.getArgAccess()[argument.getArgNumber()]).getValue() == "r";
}

/// Whether a read may be moved to the front of the op: nothing that it reads is written there, or
/// seen only behind it (tensors that are not written may overlap with such that are; another kernel
/// may write what a loop waits for).
bool mayGoBefore(Operation &op) {
  if (auto barrier = dyn_cast<wave::BarrierOp>(op))
    return !barrier.getGlobal();
  if (isa<scf::IfOp, scf::ForOp>(op))
    return llvm::all_of(op.getRegions(), [](Region &region) {
      return region.empty() || llvm::all_of(region.front(), mayGoBefore);
    });
  return isa<wave::GlobalReadOp, wave::SharedReadOp, wave::SharedWriteOp, wave::LoadToSharedOp,
             wave::MmaOp, wave::GetOp, wave::SetOp, wave::WaitOp, wave::SchedFenceOp,
             wave::SetPrioOp>(op) ||
         (op.getNumRegions() == 0 && isMemoryEffectFree(&op));
}

class Round {
public:
  Round(Block &body, Operation *start) : body(body), start(start) {}

  void run(int64_t registers) {
    bool hasMoved = false;
    for (Operation &op : llvm::make_early_inc_range(
             llvm::make_range(std::next(start->getIterator()), body.end()))) {
      if (!mayGoBefore(op))
        break;
      auto read = dyn_cast<wave::GlobalReadOp>(op);
      if (!read || read.getScalar() || !isOnlyRead(read.getBase()))
        continue;
      registers -= ceilDiv(wave::bitsOf(read.getType()), 32);
      SmallVector<Operation *> places;
      if (registers < 0)
        break;
      if (llvm::all_of(read->getOperands(), [&](Value v) { return addPlace(v, places); })) {
        for (Operation *place : places)
          if (start->isBeforeInBlock(place))
            place->moveBefore(start);
        read->moveBefore(start);
        hasMoved = true;
      }
    }
    OpBuilder b(start);
    if (hasMoved) // LLVM's scheduler would bring them back to where they are needed
      wave::SchedFenceOp::create(b, start->getLoc(),
                                 /*mask=*/wave::arithmeticPasses | wave::sharedPasses, StringAttr(),
                                 DenseI64ArrayAttr(), /*groups=*/true);
  }

private:
  /// Adds what stands behind the start and `value` is computed from, in order; false where that is
  /// more than arithmetic.
  bool addPlace(Value value, SmallVector<Operation *> &places) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &body || op->isBeforeInBlock(start) ||
        llvm::is_contained(places, op))
      return true;
    if (!isPure(op) || op->getNumRegions() != 0 ||
        !llvm::all_of(op->getOperands(), [&](Value v) { return addPlace(v, places); }))
      return false;
    places.push_back(op);
    return true;
  }

  Block &body;
  Operation *start;
};

struct ReadsFirstPass : impl::ReadsFirstPassBase<ReadsFirstPass> {
  using ReadsFirstPassBase::ReadsFirstPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<wave::WaitOp> waits;
    getOperation().walk([&](wave::WaitOp wait) {
      if (wait.getGroups() && wait.getMemory() && isa<scf::ForOp>(wait->getParentOp()))
        waits.push_back(wait);
    });
    for (wave::WaitOp wait : waits) {
      SmallVector<Operation *> copies;
      for (Operation *op = wait->getNextNode(); op; op = op->getNextNode())
        if (wave::startsCopies(op))
          copies.push_back(op);
      if (!copies.empty())
        Round(*wait->getBlock(), copies[copies.size() / 2])
            .run(chip->registers.ofLane / partOfRegisters);
    }
  }
};

} // namespace

} // namespace tilec

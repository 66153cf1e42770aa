//===- Emitter.cpp - kernels, parameters, scalars -------------------------===//
//
// Takes a tile.kernel, makes the wave.kernel around its statements, and checks what only the whole
// grid tells; the files of Ops.h expand the ops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Emitter.h"
#include "ToWave/Roles.h"

#include "Memory/SharedMemory.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Places.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Target/BlocksAtOnce.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_TOWAVEPASS
#include "tilec/Transforms/Passes.h.inc"

Emitter::Emitter(tile::KernelOp kernel, const TargetInfo &target, OpBuilder &builder,
                 bool checksBounds)
    : KernelFrame(kernel, target, builder, checksBounds),
      roles(std::make_unique<RoleEmitter>(*this)) {}

Emitter::~Emitter() = default;

/// The assembler moves no read in front of wave.grid_wait, such reads neither. A `while` may wait
/// for another kernel; kernels with a producer have most from boxes.
bool Emitter::isConstant(Value root) {
  if (!target.hasConstantReads || !producers.empty())
    return false;
  return !mayWait() && !isChangedBy(written(), root);
}

bool Emitter::mayWait() {
  if (!waits)
    waits = kernel.walk([](tile::WhileOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return *waits;
}

/// Kernels with a producer meet other launches behind what that needs. Others where they have few
/// blocks: each takes a third of a microsecond to do so, and launches of more find no room beside
/// each other (docs/numbers/hopper-trials.md, "Early launches"). Blocks that wait for each other
/// are launched alone.
bool Emitter::isLaunchedEarly() {
  constexpr int64_t fewBlocks = 8; // an eighth of the units
  std::optional<int64_t> blocks = kernel.blocksOfGrid();
  return target.launchesEarly && producers.empty() && !tile::hasGridSync(kernel) && blocks &&
         *blocks * fewBlocks <= target.units;
}

/// A launch that begins early takes room, which another kernel may need that this one waits for.
void Emitter::meetLaunches() {
  if (!mayWait())
    wave::GridReleaseOp::create(b, loc);
  wave::GridWaitOp::create(b, loc);
}

bool Emitter::runsAhead(tile::ForOp loop) {
  auto [known, isNew] = loopsAhead.try_emplace(loop);
  if (isNew)
    known->second =
        llvm::any_of(*loop.bodyBlock(), [](Operation &op) { return isAsyncCopy(&op); }) ||
        readsNextRound(loop);
  return known->second;
}

bool Emitter::isDivergent(Block *block) {
  if (!uniformity)
    uniformity.emplace(kernel);
  return uniformity->isDivergent(block);
}

ArrayRef<Value> Emitter::written() {
  if (!writes)
    writes = accessesOf(kernel).writes;
  return *writes;
}

/// A launch would only say that an argument is invalid.
LogicalResult Emitter::checkGrid() {
  for (auto [dim, extent] : llvm::enumerate(kernel.getGrid()))
    if (std::optional<int64_t> known = tile::constantInt(extent);
        dim > 0 && known && *known > target.mostBlocksYZ)
      return Reported(kernel, DiagId::GridTooLarge, *known, dim, target.mostBlocksYZ);
  return success();
}

/// Blocks that wait for each other are on the chip all at once. What registers allow only the back
/// end knows; devices ask again.
static LogicalResult checkGridFits(tile::KernelOp kernel, wave::KernelOp waveKernel,
                                   const TargetInfo &target) {
  if (!tile::hasGridSync(kernel))
    return success();
  int64_t blocks = 1;
  for (Value extent : kernel.getGrid())
    if (std::optional<int64_t> known = tile::constantInt(extent))
      blocks = std::min<int64_t>(blocks, INT32_MAX) * *known;
  int64_t most = blocksAtOnce(
      target, {int64_t(waveKernel.getThreads()), int64_t(waveKernel.getSharedBytes())});
  if (blocks <= most)
    return success();
  tile::GridSyncOp first;
  kernel.walk([&](tile::GridSyncOp sync) {
    first = sync;
    return WalkResult::interrupt();
  });
  return Reported(first, DiagId::GridSyncTooLarge, blocks, nameOf(target.arch), most);
}

LogicalResult Emitter::run() {
  OpBuilder::InsertionGuard guard(b);
  if (failed(checkGrid()) || failed(checkProducts()))
    return failure();
  wave::KernelOp waveKernel = makeKernel();
  if (BlockOrder order = makeBlockIds(); !order.isLaunchOrder())
    waveKernel.setBlockOrder(order.str());
  if (failed(placeBuffers()))
    return failure();
  if (isLaunchedEarly())
    meetLaunches();
  Elements top;
  if (failed(producers.empty() ? emitBlock(kernel.getBody().front(), top)
                               : roles->emitKernel(producers.front(), waveKernel)))
    return failure();
  if (isUnplaced)
    return failure();
  int64_t sharedBytes = kernel.getSharedBytes().value_or(0);
  if (sharedBytes > target.sharedBytes) {
    Reported message(kernel, DiagId::SharedMemoryFull, sharedBytes, nameOf(target.arch),
                     target.sharedBytes);
    kernel.walk([&](tile::AllocOp alloc) {
      auto it = shared.find(alloc.getResult());
      if (it != shared.end())
        message.note(alloc, DiagId::BufferTakes, alloc.getName(),
                     bytesOf(it->second.dtype) * it->second.layout.numElems());
    });
    return failure();
  }
  waveKernel.setSharedBytes(sharedBytes);
  if (target.registersOfProducts > 0)
    if (std::optional<int64_t> blocks = kernel.blocksOfGrid())
      waveKernel.setGridBlocks(blocks);
  return checkGridFits(kernel, waveKernel, target);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ToWavePass : impl::ToWavePassBase<ToWavePass> {
  using ToWavePassBase::ToWavePassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<tile::ProgramOp, 1> programs(getOperation().getOps<tile::ProgramOp>());
    for (tile::ProgramOp program : programs)
      if (failed(emit(program, *chip)))
        return signalPassFailure();
  }

  /// Copies are written out as loops: in a copy of the program, since the program stays.
  LogicalResult emit(tile::ProgramOp program, const TargetInfo &chip) {
    OwningOpRef<tile::ProgramOp> scratch(program.clone());
    for (tile::KernelOp kernel : scratch->getBody().getOps<tile::KernelOp>()) {
      OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
      if (failed(Emitter(kernel, chip, builder, checkBounds).run()))
        return failure();
    }
    return success();
  }
};
} // namespace

} // namespace tilec

//===- Pipelines.cpp - which passes make which stage ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include "tilec/IR/Wave/Wave.h"
#include "tilec/Target/Target.h"

using namespace mlir;

namespace tilec {

std::string pipelineOf(Stage stage, Arch arch, llvm::StringRef schedule, bool checkBounds) {
  std::string target = ("{target=" + llvm::StringRef(nameOf(arch)) + "}").str();
  switch (stage) {
  case Stage::TileLaidOut:
    // Errors are found in the program as it was written; layouts are asked for by ops in their one
    // form.
    // Threads are kept apart while branches still say which of them go where.
    return "builtin.module(tile.program(tile-check,tile-expand-threads,tile-separate-threads,"
           "tile-normalize,tile-choose-threads" +
           target + ",tile-infer-layouts" + target + "))";
  case Stage::TilePipelined:
    // Matrix loops whose order is planned get their plan when they are machine operations
    // (WaveScheduled).
    if (!schedule.empty() && !targetInfo(arch).keepsOrder)
      target.insert(target.size() - 1, (" strategy=" + schedule).str());
    // Barriers come last: they separate what the pipeliner has left in order.
    return "builtin.module(tile.program(tile-expand-pipelines" + target + ",canonicalize,cse," +
           (targetInfo(arch).accumulatesColumns ? "" : "tile-stage-stores,") +
           "tile-place-shared,tile-place-barriers))";
  case Stage::Wave:
    if (checkBounds)
      target.insert(target.size() - 1, " check-bounds=true");
    return "builtin.module(tile-to-wave" + target + ",canonicalize{region-simplify=disabled},cse)";
  case Stage::WaveScheduled:
    if (targetInfo(arch).asyncCopies.completion == Completion::Groups)
      return "builtin.module(wave.kernel(wave-carry-rounds" + target +
             "),canonicalize{region-simplify=disabled},cse)";
    if (!schedule.empty())
      target.insert(target.size() - 1, (" strategy=" + schedule).str());
    return "builtin.module(wave.kernel(wave-schedule" + target +
           "),canonicalize{region-simplify=disabled},cse)";
  default:
    return "";
  }
}

namespace {

LogicalResult verifyTile(ModuleOp module) {
  auto result = module.walk([](tile::AllocOp alloc) {
    return alloc.getResult().getType().hasStaticShape() ? WalkResult::advance()
                                                        : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyLaidOut(ModuleOp module) {
  auto result = module.walk([](tile::AllocOp alloc) {
    if (alloc.getLayout() || alloc.getResult().getType().isLocal())
      return WalkResult::advance();
    alloc.emitError("stage tile-laid-out: has no layout");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyPipelined(ModuleOp module) {
  auto result = module.walk([](tile::ForOp loop) {
    if (loop.getStages() == 1)
      return WalkResult::advance();
    loop.emitError() << "stage tile-pipelined: has " << loop.getStages() << " stages left";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyWave(ModuleOp module) {
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>()) {
    auto result = kernel.walk([](Operation *op) {
      if (op->getName().getDialectNamespace() != "tile")
        return WalkResult::advance();
      op->emitError("stage wave: a tile op is left");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

} // namespace

LogicalResult verifyStage(ModuleOp module, Stage stage) {
  switch (stage) {
  case Stage::Tile:
    return verifyTile(module);
  case Stage::TileLaidOut:
    return verifyLaidOut(module);
  case Stage::TilePipelined:
    return failure(failed(verifyLaidOut(module)) || failed(verifyPipelined(module)));
  case Stage::Wave:
  case Stage::WaveScheduled:
    return verifyWave(module);
  default:
    return success();
  }
}

} // namespace tilec

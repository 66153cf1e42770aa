//===- WaveFacts.cpp - what holds of wave kernels -------------------------===//
//
// One function a fact about wave kernels: takes the IR and the target, gives the first op that
// breaks it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Contracts/WaveFacts.h"

#include "tilec/IR/Wave/Wave.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

using Complaint = std::optional<std::string>;

Complaint hasTileOp(Operation *op) {
  if (op->getName().getDialectNamespace() == "tile" && op->getParentOfType<wave::KernelOp>())
    return "is left in a wave kernel";
  return std::nullopt;
}

static Complaint unless(bool isThere) {
  return isThere ? std::nullopt : Complaint("is nothing that the target has");
}

static bool hasAtom(StringRef name, const TargetInfo &target) {
  return llvm::any_of(target.mma, [&](const MmaAtom &row) { return row.name == name; }) ||
         llvm::any_of(target.narrow, [&](const NarrowAtom &row) { return row.atom.name == name; });
}

static bool copies(int64_t bytes, Completion completion, const TargetInfo &target) {
  return target.asyncCopies.completion == completion &&
         llvm::is_contained(target.asyncCopies.bytes, bytes);
}

static Complaint isTooLarge(wave::KernelOp kernel, const TargetInfo &target) {
  if (int64_t bytes = kernel.getSharedBytes(); bytes > target.sharedBytes)
    return "takes " + std::to_string(bytes) + " bytes of shared memory of " +
           std::to_string(target.sharedBytes);
  if (int64_t threads = kernel.getThreads(); threads > target.maxThreads)
    return "has " + std::to_string(threads) + " threads";
  return unless(kernel.getCluster() == 1 || target.hasMbarriers());
}

Complaint isMissingOn(Operation *op, const TargetInfo &target) {
  using namespace wave;
  bool hasGroups = target.asyncCopies.completion == Completion::Groups;
  return llvm::TypeSwitch<Operation *, Complaint>(op)
      .Case([&](KernelOp kernel) { return isTooLarge(kernel, target); })
      .Case([&](MmaOp mma) {
        return hasAtom(mma.getAtom(), target)
                   ? std::nullopt
                   : Complaint(("names the atom `" + mma.getAtom() + "`").str());
      })
      .Case([&](LoadToSharedOp copy) {
        return unless(copies(copy.getBytes(), Completion::Counter, target));
      })
      .Case([&](CpAsyncOp copy) {
        return unless(copies(copy.getBytes(), Completion::Groups, target));
      })
      .Case<CpAsyncCommitOp, CpAsyncWaitOp>([&](auto) { return unless(hasGroups); })
      .Case([&](WaitOp wait) {
        return unless(int64_t(wait.getMemory().value_or(0)) <= target.counters.memory &&
                      int64_t(wait.getShared().value_or(0)) <= target.counters.shared);
      })
      .Case([&](BufferDescOp) { return unless(target.hasDescriptors); })
      .Case([&](LdMatrixOp) { return unless(target.hasMatrixReads); })
      .Case([&](StMatrixOp) { return unless(target.hasMatrixWrites); })
      .Case([&](SharedReadTrOp) { return unless(target.transposedBits != 0); })
      .Case<MBarrierInitOp, MBarrierExpectOp, MBarrierArriveOp, MBarrierWaitOp, ClusterBarrierOp>(
          [&](auto) { return unless(target.hasMbarriers()); })
      .Case<TmaLoadOp, TmaStoreOp, TmaPrefetchOp>(
          [&](auto) { return unless(target.tensorCopies.has_value()); })
      .Case([&](GroupMmaOp mma) {
        return unless(llvm::any_of(target.groups, [&](const GroupAtom &atom) {
          return int64_t(mma.getN()) <= atom.mostN;
        }));
      })
      .Case([&](GroupMmaWaitOp) { return unless(!target.groups.empty()); })
      .Case([&](SetPrioOp prio) {
        return unless(target.mostPriority != 0 && int64_t(prio.getLevel()) <= target.mostPriority);
      })
      .Case([&](ReduceOp) { return unless(target.hasWaveReduce); })
      .Case([&](BarrierCountOp) { return unless(target.hasBarrierCount); })
      .Default([](Operation *) { return std::nullopt; });
}

Complaint waitsForOrder(Operation *op) {
  if (isa<wave::PipelineOp>(op))
    return "is left without an order";
  auto kernel = dyn_cast<wave::KernelOp>(op);
  if (kernel && kernel.getSchedules() && !kernel.getKeepOrder())
    return "has planned loops and does not keep their order";
  return std::nullopt;
}

} // namespace tilec

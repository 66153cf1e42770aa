//===- Hopper.h - TMA, mbarriers and warp-group matrices of sm_90a --------===//
//
// Takes the ops of Wave IR that only sm_90a has, gives inline PTX and intrinsics for them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Emitter.h"

namespace tilec::lower {

/// Lowers the ops of one kernel that only chips with mbarriers have.
class HopperLowering {
public:
  /// `barrierBase` is the start of shared memory as mbarriers are reached: null before the first.
  HopperLowering(Emitter &emitter, KernelValues &kernel, llvm::Value *&barrierBase)
      : e(emitter), b(emitter.b), kernel(kernel), barrierBase(barrierBase) {}

  /// Nothing when the op is none of them.
  std::optional<mlir::LogicalResult> lower(mlir::Operation &op);

private:
  mlir::LogicalResult lowerOurs(mlir::Operation &op);
  mlir::LogicalResult lowerGroupMma(wave::GroupMmaOp op);
  mlir::LogicalResult lowerGroupMmaWait(wave::GroupMmaWaitOp op);
  mlir::LogicalResult lowerTma(mlir::Operation &op);
  mlir::LogicalResult lowerStMatrix(wave::StMatrixOp op);
  mlir::LogicalResult lowerReadOfBlock(wave::SharedReadOp op);
  void lowerMBarrierArrive(wave::MBarrierArriveOp op);
  void lowerMBarrierWait(wave::MBarrierWaitOp op);
  llvm::Value *barrierPointer(mlir::Value offset, int64_t imm);
  llvm::Value *sharedAddress(mlir::Value offset, int64_t imm);

  llvm::Value *at(mlir::Value value) const { return kernel.at(value); }
  llvm::Value *sharedPointer(mlir::Value offset, int64_t imm) {
    return kernel.sharedPointer(offset, imm);
  }

  Emitter &e;
  Builder &b;
  KernelValues &kernel;
  llvm::Value *&barrierBase;
};

} // namespace tilec::lower

//===- Application.h - the code of one planned loop -----------------------===//
//
// Takes the template of a loop and its plan, gives the loop; shared by the addresses, the steps and
// the numbers of rounds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Schedule/ApplySchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>
#include <map>

namespace tilec {

class Application {
public:
  Application(const PipelineTemplate &pipeline, const SchedulePlan &plan, const TargetInfo &chip)
      : pipeline(pipeline), plan(plan), chip(chip), shape(pipeline.shape), op(pipeline.op), b(op),
        loc(op.getLoc()) {}

  llvm::Error run();

private:
  static int64_t immOf(mlir::Operation *read) {
    if (auto plain = mlir::dyn_cast<wave::SharedReadOp>(read))
      return plain.getImm();
    return mlir::cast<wave::SharedReadTrOp>(read).getImm();
  }

  static void setImm(mlir::Operation *read, int64_t imm) {
    if (auto plain = mlir::dyn_cast<wave::SharedReadOp>(read))
      plain.setImm(imm);
    else
      mlir::cast<wave::SharedReadTrOp>(read).setImm(imm);
  }

  /// An address operand of copies that moves on with the K tile.
  struct Advancing {
    mlir::Value start; ///< for tile 0
    int64_t bytes;     ///< per tile
    int64_t block;     ///< tiles that one value serves, the rest is in immediates
    int64_t phase;     ///< the first tile that the value of block 0 serves

    bool operator==(const Advancing &) const = default;
  };

  /// Values at a place of the new code; tiles count from the origin of that place.
  struct Values {
    std::map<std::pair<llvm::StringRef, int64_t>, llvm::SmallVector<mlir::Value, 2>>
        reads;                                                   ///< step, tile
    std::map<std::pair<int64_t, int64_t>, mlir::Value> advanced; ///< index, block
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value>
        glue;                                         ///< of the template, per tile
    llvm::DenseMap<mlir::Value, mlir::Value> targets; ///< bases of copies, behind wave.opaque
  };

  void chooseAdvancing();
  void chooseAnchors();
  void emit(llvm::ArrayRef<ScheduleStep> steps, Values &values);
  void emitDma(const ScheduleStep &step, Values &values);
  void emitRead(const ScheduleStep &step, Values &values);
  void emitMma(const ScheduleStep &step, Values &values);
  void prepareNext(llvm::ArrayRef<ScheduleStep> rest, Values &values);
  void emitRounds(llvm::ArrayRef<ScheduleStep> body, mlir::Value rounds, Values &values);
  /// Copies of a round have addresses from the first tile that they are for.
  void noteFirstTiles(llvm::ArrayRef<ScheduleStep> body);
  llvm::Error emitCount(int64_t tiles);
  void emitKnownCount(const ExpandedSchedule &schedule);
  llvm::Error emitAnyCount();
  void emitAnyCount(const RuntimeSchedule &schedule);
  void emitTails(const RuntimeSchedule &schedule, mlir::Value left, Values &values);
  void emitInOrder();
  /// The kernel carries the order of its loops, to be compared with the machine code.
  void record(llvm::ArrayRef<ScheduleStep> steps);
  void recordWithoutLoop(std::vector<ScheduleStep> steps);
  void emitStagger(bool atStart);
  int64_t phaseOf(const ScheduleStep &copy, wave::LoadToSharedOp dma, int64_t advance);
  /// The index in `advancing` of a copy's moving offset.
  int64_t advancingOf(const ScheduleStep &copy, Values &values);
  mlir::Value advancedTo(int64_t index, int64_t block, Values &values);
  mlir::Value dmaTarget(mlir::Value base, int64_t bytes, Values &values);
  /// A value of the template for a tile.
  mlir::Value valueAt(mlir::Value value, int64_t tile, Values &values);
  /// `value` + `bytes`, made once in front of everything.
  mlir::Value outside(mlir::Value value, int64_t bytes);
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  llvm::ArrayRef<mlir::Operation *> opsOf(llvm::StringRef name) const {
    return pipeline.steps.find(name)->second;
  }

  const PipelineTemplate &pipeline;
  const SchedulePlan &plan;
  const TargetInfo &chip;
  const ScheduleShape &shape;
  wave::PipelineOp op;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Operation *front = nullptr; ///< what is made in front of everything stands before it
  std::vector<Advancing> advancing;
  std::array<bool, 2> movesLaneOffset = {true, true}; ///< per operand, else the uniform one
  /// The first tile of a round for which each copy is done; known from the first round on.
  std::map<std::string, int64_t> firstTiles;
  llvm::DenseMap<mlir::Value, int64_t> anchors; ///< the smallest immediate with each read address
  std::map<std::pair<void *, int64_t>, mlir::Value> outsideValues;
};

} // namespace tilec

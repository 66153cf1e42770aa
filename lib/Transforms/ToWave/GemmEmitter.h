//===- GemmEmitter.h - one product, operand by operand --------------------===//
//
// What the product (Gemm.cpp) and the reads of its operands (GemmReads.cpp) share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ToWave/Ops.h"

namespace tilec {

/// Issue priorities of a wave at a product and behind it, where they change.
struct ChainPriorities {
  std::optional<int64_t> at, behind;
};

/// Steps of a product of lanes in a round of its loop: what instruction caches hold.
constexpr int64_t laneSteps = 2;

/// One operand of a gemm. The operand's matrix is [rows, K]: A is [M, K], B is [N, K], whatever the
/// order in memory (`kIsRow`: memory has K as the slower dimension).
struct GemmOperand {
  Value buffer;
  const FragmentLayout *layout; ///< [rows, K]
  bool kIsRow;
  int64_t rows, k;
  int64_t together; ///< rows that one read fetches, each for a repetition of its own

  bool isTurned() const { return together > 1; }
};

class GemmEmitter {
public:
  GemmEmitter(Emitter &emitter, tile::GemmOp gemm, GemmPlan plan, Elements &elements)
      : e(emitter), b(emitter.b), loc(gemm.getLoc()), gemm(gemm), plan(std::move(plan)),
        elements(elements) {}

  LogicalResult run();
  /// The reads and matrix instructions of one K tile, named as `wave.pipeline` wants them.
  LogicalResult runTemplates(const PipelineOperand (&copied)[2]);

private:
  std::array<GemmOperand, 2> operands();
  ChainPriorities chainPriorities();
  void multiply(int64_t m, int64_t n, Value left, Value right);
  void multiplyLanes(const GemmOperand &left, const GemmOperand &right);
  Value withoutLowBits(Value v);
  /// Which copies fill what any wave reads for this repetition and K step.
  uint64_t coverOf(const GemmOperand &operand, int64_t rep, int64_t step,
                   const CopyAssignment &copies);
  /// The operand registers of row repetition `rep` at K step `step`.
  Value read(const GemmOperand &operand, int64_t rep, int64_t step);
  int64_t repsAtOnce(const GemmOperand &operand);
  /// Those of `reps` repetitions from `first` on, with as few reads as the target has.
  SmallVector<Value> readAll(const GemmOperand &operand, int64_t first, int64_t reps, int64_t step);
  Value readShared(const GemmOperand &operand, int64_t rep, int64_t step);
  /// 32-bit words of a lane in an operand register group.
  int64_t wordsOf(const GemmOperand &operand);
  /// `count` neighbouring repetitions, from `rep` on, with one instruction.
  SmallVector<Value> readLdMatrix(const GemmOperand &operand, int64_t rep, int64_t count,
                                  int64_t step);
  /// The registers of `together` repetitions from `rep` on, of which memory has the rows side by
  /// side. `named` is around what fetches for each of them.
  SmallVector<Value>
  readTurned(const GemmOperand &operand, int64_t rep, int64_t step,
             llvm::function_ref<void(int64_t, llvm::function_ref<void()>)> named);
  bool fitsTurned(const GemmOperand &operand);
  SmallVector<Value> turned(ArrayRef<Value> runs, const GemmOperand &operand, DType dtype);
  bool fitsTransposed(const GemmOperand &operand);
  Value readTransposed(const GemmOperand &operand, int64_t rep, int64_t step);
  /// Of the registers of a K step those of its atom `part`.
  Value partOf(Value registers, int64_t part);
  bool fitsLdMatrix(const GemmOperand &operand);
  Value zeroPastK(const GemmOperand &operand, Value registers, int64_t rep, int64_t step);
  /// K of all steps, of which operands may have less.
  int64_t covered(const GemmOperand &operand) const {
    return operand.layout->atom().boxShape()[1] * plan.kSteps;
  }
  Value offsetAt(const GemmOperand &operand, ArrayRef<LaneCoord> rowAndK, int64_t &imm);
  void clear();

  Emitter &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  tile::GemmOp gemm;
  GemmPlan plan;
  Elements &elements;
  Value kFrom; ///< of lanes' products: where the round of their loop begins; may be null
};

} // namespace tilec

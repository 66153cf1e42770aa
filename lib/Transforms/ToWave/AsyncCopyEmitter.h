//===- AsyncCopyEmitter.h - copies without registers ----------------------===//
//
// Takes a copy of a box of a tensor to a shared tile, gives the pieces that lanes bring, by what
// the chip has for it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Pipeline.h"
#include "ToWave/Ops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

class AsyncCopyEmitter {
public:
  AsyncCopyEmitter(Emitter &emitter, tile::AsyncCopyOp copy, int64_t pieceBytes, Elements &elements)
      : e(emitter), b(emitter.b), loc(copy.getLoc()), pieceBytes(pieceBytes), elements(elements),
        source(boxOf(copy.getSrc())), dest(boxOf(copy.getDst())), boxType(copy.getDst().getType()),
        tensor(emitter.tensors.find(source.root)->second),
        place(emitter.shared.find(dest.root)->second), sourceType(copy.getSrc().getType()),
        loop(copy->getParentOp()), uncounted(copy.getUncounted()) {
    while (loop && !mlir::isa<tile::ForOp, mlir::scf::ForOp, mlir::scf::WhileOp>(loop))
      loop = loop->getParentOp();
    elemBytes = bytesOf(place.dtype);
    pieceElems = pieceBytes / elemBytes;
  }

  void run();
  /// The copies of one wave, named and with the advance that `wave.pipeline` wants.
  void runTemplates(const PipelineOperand &operand);

private:
  static constexpr int64_t outside = outsideOfTensors;

  /// Coordinates in the destination box of the element at `offset` (elements, from the box's
  /// start).
  llvm::SmallVector<mlir::Value, 4> pointAt(mlir::Value offset);
  llvm::SmallVector<mlir::Value, 4> pointAt(mlir::Value row, mlir::Value inRow);
  /// Index of each source dimension for a point of the box, and whether it is inside the tensor.
  struct SourcePlace {
    llvm::SmallVector<mlir::Value, 4> indices;
    llvm::SmallVector<mlir::Value, 4> lanePart; ///< without the box's own (uniform) offset
    mlir::Value mask; ///< of the rows further on; `indices` are those of the point
    llvm::SmallVector<mlir::Value, 4> masks; ///< its parts; null where the dimension needs none
    bool endsTensor = false; ///< rows behind the last: the descriptor's check is their mask
    int64_t end = 0;         ///< bytes: no place without a mask lies behind (`hasDescriptor`)
  };
  /// `rowsOn` rows further on than the point, where the box has rows (`rowDimOfSource`).
  SourcePlace sourceOf(llvm::ArrayRef<mlir::Value> point, int64_t rowsOn = 0,
                       bool hasDescriptor = false);
  /// The tensor's dimension along which the rows of a box of rank 2 lie; -1: not known.
  int64_t rowDimOfSource() const;
  mlir::Value slotStart(); ///< byte address of the box in shared memory, uniform
  /// Where the loop is to add up the addresses of a wave's copies in shared memory, what they begin
  /// at; null where they may stay in registers.
  mlir::Value findCommonTarget(mlir::Value start, int64_t rounds);
  /// Whether the pieces of a wave's lanes lie in one row.
  bool isInOneRow() const {
    return place.layout.pitchElems % (e.target.waveLanes * pieceElems) == 0;
  }
  void emitDma(int64_t round, mlir::Value piece, mlir::Value start);
  mlir::Value chunkOf(int64_t round);
  mlir::Value pieceOf(int64_t round);
  /// Of the element with which a lane's piece begins.
  llvm::SmallVector<mlir::Value, 4> pointOf(int64_t round, mlir::Value piece);
  /// The first round in which a lane's piece lies at the same place of its row, and the rows from
  /// there on.
  std::pair<int64_t, int64_t> sameColumn(int64_t round);
  /// Of a place for which no bound was left to check: the lane's part and the uniform one.
  std::pair<mlir::Value, mlir::Value> splitOffset(const SourcePlace &from);
  /// A descriptor from the box on, for a tensor whose end only 64 bits reach, or only the run
  /// knows.
  mlir::Value describeBox();
  /// The place of a lane from there on; behind the descriptor's end where the mask is false.
  mlir::Value offsetInBox(const SourcePlace &from);
  /// Of one with a mask: past the end of any tensor where it is false.
  mlir::Value maskedOffset(const SourcePlace &from);
  /// The same where the descriptor checks the rest: what is not masked is added behind the choice.
  mlir::Value checkedOffset(const SourcePlace &from);
  void emitCpAsync(mlir::Value piece);
  /// The same for whole rounds of all lanes, whose pieces lie at one place of their rows.
  bool emitRounds(int64_t rounds);

  Emitter &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t pieceBytes, pieceElems, elemBytes;
  Elements &elements;
  BufferBox source, dest;
  tile::BufferType boxType;
  const TensorPlace &tensor;
  const SharedPlace &place;
  tile::BufferType sourceType;
  mlir::Operation *loop; ///< the innermost one around the copy; null: none
  bool uncounted;
  mlir::Value commonTarget; ///< see findCommonTarget
  mlir::Value ofBox;        ///< see describeBox; null: the tensor's descriptor reaches it all
};

} // namespace tilec

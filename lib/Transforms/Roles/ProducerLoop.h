//===- ProducerLoop.h - loops whose copies a producer warp can do ----------===//
//
// Takes a pipelined loop, gives the copies that a producer can do and their rings, or why it
// cannot. What is decided of a loop stands on it (`#tile.served`) and on its copies
// (`#tile.transfers`); ProducerLoop is how passes look at that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Memory/SharedMemory.h"
#include "Roles/ProducerSlice.h"

#include "tilec/Analysis/Buffers.h"

namespace tilec {

/// Whether the first gemm of the loop's body reads this ring.
bool feedsFirst(tile::ForOp loop, mlir::Value ring);

/// The statements of a round: the loop's body, or those of the one branch that it consists of
/// beside arithmetic. A round whose condition does not hold fills nothing.
mlir::Block *roundOf(tile::ForOp loop);

/// Whether the op reads or writes a variable, or reads an element of a tensor.
bool isOfScalars(mlir::Operation *op);

/// Whether a wait behind other statements can stand for the gemm: it is one of warp groups into a
/// whole fragment, and no sparse one.
bool canFly(tile::GemmOp gemm);

/// Whether statements of a round write shared memory or tensors: warp groups meet in each round
/// then (tile-place-barriers), so that none of them may wait for its turn with what others meet
/// for.
bool writesInRounds(tile::ForOp loop);

/// A pipelined loop around gemms of warp groups, all of whose copies a producer does.
struct ProducerLoop {
  tile::ForOp loop;
  mlir::Block *round = nullptr;
  llvm::SmallVector<tile::CopyOp, 4> copies;
  llvm::SmallVector<tile::AllocOp, 4> rings;
  llvm::SmallVector<int64_t, 4> slotBytes; ///< of each ring
  tile::Served served;                     ///< what the loop says, and will say after `write`

  void write() { loop.setServedAttr(tile::ServedAttr::get(loop.getContext(), served)); }
  bool isOverlapped() const { return served.form == tile::RoundForm::Overlapped; }
  /// The gemm that runs on over the end of a round; null where none does.
  tile::GemmOp gemmInFlight();

  /// The copies that share a pipe, by number: those of each gemm of an overlapped loop, else all.
  llvm::SmallVector<llvm::SmallVector<unsigned>> pipes();
  int64_t bytesOf(llvm::ArrayRef<unsigned> numbers);
  /// Whether both loops fill the same buffers in the same pipes, so that they can share these.
  bool sharesRings(ProducerLoop &other);
  /// Takes the slots beyond the first, and the mbarriers of all.
  void takeFrom(SharedMemory &memory);
  /// Takes so many more slots; negative: gives them back.
  void takeSlots(SharedMemory &memory, int64_t count);
  /// Takes slots away until what `takeFrom` takes is left; false when two do not fit, or the one
  /// of a loop that asks for one.
  bool fitInto(const SharedMemory &memory);
};

/// How the remark about a loop that a producer cannot serve begins.
constexpr llvm::StringLiteral noProducer = "no producer warp copies for this loop: ";

/// Why the kernel cannot have a producer warp; "" where it can.
std::string whyNoProducer(tile::KernelOp kernel, const TargetInfo &target);

/// A loop with `served`, as it stands.
ProducerLoop producerLoopOf(tile::ForOp loop, const TargetInfo &target);
/// All of the kernel; those that stand in others first.
llvm::SmallVector<ProducerLoop, 1> producerLoopsOf(tile::KernelOp kernel, const TargetInfo &target);
/// What a producer that serves these loops repeats of the kernel, which writes `written`.
ProducerSlice sliceOf(tile::KernelOp kernel, llvm::ArrayRef<mlir::Value> written,
                      llvm::ArrayRef<ProducerLoop> plans);
/// No producer serves the loop after all.
void forgetProducer(tile::ForOp loop);

/// Whether all that uses a ring of `plan` stands in loops of `plans` that share its rings.
bool hasWholeRings(ProducerLoop &plan, llvm::MutableArrayRef<ProducerLoop> plans);
/// Removes the loops whose buffers others use that have no producer, or share them differently.
void keepWholeRings(llvm::SmallVectorImpl<ProducerLoop> &plans);

} // namespace tilec

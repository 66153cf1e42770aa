//===- SharedMemory.h - what shared memory is needed for, and where --------===//
//
// Takes a kernel, gives what it needs of shared memory and for how long, and the one allocator
// that finds a place for all of it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace tilec {

/// How long a buffer is needed that a producer warp may come to fill from a tensor: in a loop, or
/// in front of one where only gemms read it. Before there is one, whose copies run ahead, the rings
/// that it will have are not known.
enum class FilledBuffers {
  Serially, ///< when its round runs: no copy is ahead, which is the least that a kernel can need
  AsAccessed,
  FromStart, ///< a producer fills it as early as it can
  Always,    ///< and in a persistent kernel for the next tile while the last one is finished
};

/// Bytes for one thing, while the ops of the kernel run whose numbers, in program order, are
/// `first` to `last`.
struct SharedNeed {
  /// What for: a tile.alloc; the kernel (its mbarriers); tile.reduce, tile.scan or tile.block_vote
  /// (what waves tell each other); tile.parallel (stores through tensor copies). Several use it in
  /// turn. None: planned only.
  llvm::SmallVector<mlir::Operation *, 1> ops;
  int64_t bytes = 0, align = 1;
  int64_t first = 0, last = INT64_MAX - 1;
  int64_t place = 0; ///< first byte

  bool meets(const SharedNeed &other) const { return first <= other.last && other.first <= last; }
  bool collides(const SharedNeed &other) const {
    return meets(other) && place < other.place + other.bytes && other.place < place + bytes;
  }
};

/// A buffer that a planner thinks of as a ring, with slots of so many bytes.
struct RingSlot {
  tile::AllocOp buffer;
  int64_t bytes;
};

/// Shared memory of a block: all that its kernel needs as it stands, each with its place. Buffers
/// that are never needed at the same time share bytes, all else has bytes of its own. A planner
/// takes a copy and asks what would be left with more slots, another pipe or buffers to store
/// through; the answer is what `tile-place-shared` will do.
class SharedMemory {
public:
  SharedMemory(tile::KernelOp kernel, const TargetInfo &target,
               FilledBuffers filled = FilledBuffers::AsAccessed);

  int64_t bytes() const {
    place();
    return allBytes;
  }
  /// Of what a block may have; negative when it does not fit.
  int64_t left() const { return target->sharedBytes - bytes(); }
  /// Whether it fits. What is needed at one time and takes too much already is not placed for that.
  bool fits() const { return mostAtOnce() <= target->sharedBytes && left() >= 0; }
  /// Bytes that are needed at least when the buffer begins to be.
  int64_t bytesAtStartOf(tile::AllocOp buffer) const;
  llvm::ArrayRef<SharedNeed> needs() const {
    place();
    return all;
  }

  /// Whether these buffers can be rings of as many slots, which a pipe fills, beside all else.
  bool hasRoomFor(llvm::ArrayRef<RingSlot> rings, int64_t slots) const;

  /// The buffer takes so many bytes.
  void setBytes(tile::AllocOp buffer, int64_t bytes);
  /// The ring becomes `slots` times the buffer that it is now.
  void setSlots(tile::AllocOp ring, int64_t slots);
  /// Nothing that is needed in the loop shares the buffer's bytes.
  void keepDuring(tile::ForOp loop, tile::AllocOp buffer);
  /// The buffer is needed as long as the other one.
  void keepWith(tile::AllocOp buffer, tile::AllocOp other);
  /// `wide` is there instead of a buffer that is gone, and is filled from right before the loop on
  /// to its end. All else is as it was.
  void replace(mlir::Operation *gone, tile::AllocOp wide, tile::ForOp loop);
  /// A pipe's mbarriers: of `stages` slots.
  void addPipe(int64_t stages);
  /// A buffer of so many bytes between the loop and the statement behind it.
  void addBehind(tile::ForOp loop, int64_t bytes);
  /// Bytes that accumulators are stored through.
  void addStaging(int64_t bytes);

private:
  /// Gives each need its place, if something has changed since.
  void place() const;
  void placeBuffers() const;
  /// Bytes that are needed at one time, at least.
  int64_t mostAtOnce() const;
  void findMeetings() const;
  SharedNeed *needOf(mlir::Operation *buffer);
  using LoopTimes = llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>>;

  mutable llvm::SmallVector<SharedNeed> all; ///< buffers first
  size_t buffers = 0;                        ///< of `all`
  std::optional<size_t> barriers;            ///< of `all`: the kernel's mbarriers
  const TargetInfo *target;
  int64_t turnBarriers = 1;
  /// When each loop runs, as needs say it.
  std::shared_ptr<LoopTimes> loops;
  mutable int64_t allBytes = 0;
  mutable bool isPlaced = false, knowsMeetings = false;
  mutable std::vector<llvm::SmallVector<unsigned, 4>> meetings; ///< of each buffer: the others
};

/// Of a shared buffer that becomes a ring of so many slots; of one that has no layout yet, without
/// what a layout may add between its rows.
int64_t bytesOfBuffer(tile::AllocOp alloc, int64_t slots = 1);

/// The first byte of what the op needs, as `tile-place-shared` has said on the op.
std::optional<int64_t> sharedPlaceOf(mlir::Operation *op);
void setSharedPlace(mlir::Operation *op, int64_t place);

/// What is wrong with the places of a kernel: an op without one, or two needs that meet and have
/// bytes in common. "" where nothing is.
std::string misplacedIn(tile::KernelOp kernel, const TargetInfo &target);

/// What a kernel stores accumulators through, if each warp group has so many buffers of so many
/// bytes.
int64_t stagingBytes(tile::KernelOp kernel, int64_t buffers, int64_t bytes,
                     const TargetInfo &target);

} // namespace tilec

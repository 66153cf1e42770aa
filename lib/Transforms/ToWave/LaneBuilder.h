//===- LaneBuilder.h - where a lane is in a layout ------------------------===//
//
// Takes a fragment layout, gives coordinates and masks of the lane as values of the kernel, each
// computed once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ToWave/WaveBuilder.h"

#include "tilec/Layout/FragmentLayout.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// A coordinate of the lane: `value` (may be null: 0) plus `constant`.
struct LaneCoord {
  Value value;
  int64_t constant = 0;
  int64_t divisor = 1; ///< of `value`
  int64_t bits = -1;   ///< that may be set in `value`; all by default
  int64_t most = -1;   ///< no value of `value` is larger; negative: not known
};

/// The elements of a repetition of the layout's atom, as what they add to the first.
SmallVector<Coords, 8> elementsOfRep(const FragmentLayout &layout, int64_t rep);

/// Who executes, and what is known of that so far. `waveId`, `threadId`: in the team, where the
/// block's consumers are several; among the waves of a branch of their own; else in the block.
struct LaneState {
  Value laneId, waveId, threadId;
  bool isShort = false;           ///< of registers, in the loop that is emitted
  Operation *topAnchor = nullptr; ///< lane arithmetic that any code may use stands before it
  std::vector<std::pair<FragmentLayout, SmallVector<LaneCoord, 4>>> laneCoordCache;
  std::vector<std::pair<FragmentLayout, Value>> primaryCache;
  std::vector<std::pair<FragmentLayout, SmallVector<int64_t, 4>>> bitsCache;
};

/// Coordinates and masks of the lane in fragment layouts.
class LaneBuilder : public WaveBuilder, public LaneState {
public:
  /// For each dimension the bits that lanes and waves set in a coordinate of the layout where no
  /// register sets one of them, else all.
  SmallVector<int64_t, 4> bitsOfLanes(const FragmentLayout &layout);
  LaneBuilder(mlir::OpBuilder &builder, Location loc, const TargetInfo &target, int64_t numWaves)
      : WaveBuilder(builder, loc), target(target), numWaves(numWaves) {}

  /// Of the lane's first element.
  SmallVector<LaneCoord, 4> laneCoords(const FragmentLayout &layout);
  /// True in one of the lanes that hold copies of the same elements; null: no lane does.
  Value primaryMask(const FragmentLayout &layout);
  /// Dimensions in which it is not certain that the elements of a group lie inside the tile.
  SmallVector<unsigned, 4> openDims(const FragmentLayout &layout, ArrayRef<LaneCoord> coords,
                                    ArrayRef<Coords> deltas);
  /// Whether the elements of a group lie inside the tile, where that is not certain: one mask when
  /// the group is inside or outside as a whole. `onlyDim`: the other dimensions do not matter.
  SmallVector<Value, 8> insideMasks(const FragmentLayout &layout, ArrayRef<LaneCoord> coords,
                                    ArrayRef<Coords> deltas,
                                    std::optional<unsigned> onlyDim = std::nullopt);
  void setLane(Value id);
  /// Code from here on computes its addresses anew: after a loop whose registers are dear.
  void renewLane();

  const TargetInfo &target;
  int64_t numWaves;             ///< of the team, or that have the branch
  Value blockWave, blockThread; ///< in the block, whoever it is
  Value team;                   ///< null where there is one
  Value programThread;          ///< the thread's number as the program knows it

private:
  SmallVector<LaneCoord, 4> computeLaneCoords(const FragmentLayout &layout);
};

/// What the lane's number is in a loop body: where registers are short, a number that LLVM does
/// not know, so that addresses are computed in every round and wait in no register.
class LaneScope {
public:
  LaneScope(LaneBuilder &lanes, bool isShort);
  ~LaneScope();
  LaneScope(const LaneScope &) = delete;
  LaneScope &operator=(const LaneScope &) = delete;

private:
  LaneBuilder &lanes;
  std::optional<LaneState> saved;
};

/// Code of a branch that `count` waves from number `first` of the block on have for themselves.
class WavesScope {
public:
  WavesScope(LaneBuilder &lanes, int64_t first, int64_t count);
  ~WavesScope();
  WavesScope(const WavesScope &) = delete;
  WavesScope &operator=(const WavesScope &) = delete;

private:
  LaneBuilder &lanes;
  LaneState saved;
  int64_t numWaves;
};

} // namespace tilec

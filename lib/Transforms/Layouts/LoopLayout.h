//===- LoopLayout.h - which lane runs which iteration of a parallel -------===//
//
// A fragment that the loop walks element by element decides; without one, lanes run
// along the last index so that memory is accessed in wide, contiguous pieces.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// The layout attribute of a fragment's allocation; null when not chosen yet.
const FragmentLayout *fragmentLayoutOf(mlir::Value root);
/// The same for a shared buffer.
const SharedLayout *sharedLayoutOf(mlir::Value root);

/// How `indices` (into a buffer) read the loop variables: for each dimension the loop variable that
/// it equals, or -1 when it is anything else.
llvm::SmallVector<int, 4> directIndices(mlir::ValueRange indices, tile::ElementLoop loop);

/// The layout of the iteration space when a fragment with a known layout decides it.
std::optional<FragmentLayout> layoutFromFragments(tile::ElementLoop loop);
/// The access that decides it; null where none does, or the loop says so itself.
mlir::Operation *layoutDecider(tile::ElementLoop loop);

/// The layout for a loop that no fragment decides. Extents must be constant.
FragmentLayout defaultLoopLayout(tile::ElementLoop loop, const TargetInfo &target,
                                 int64_t numWaves);

/// The layout for a fragment of this shape that is filled and of which nothing else is known.
FragmentLayout defaultFillLayout(llvm::ArrayRef<int64_t> shape, const TargetInfo &target,
                                 int64_t numWaves);

/// What a fragment of this shape accessed with `indices` gets from the loop's layout; nothing when
/// the access is no plain selection of loop variables.
std::optional<FragmentLayout> fragmentFromLoop(const FragmentLayout &loop, mlir::ValueRange indices,
                                               llvm::ArrayRef<int64_t> shape, tile::ElementLoop op);

/// Fragments of which the loop, with this layout, touches elements of other lanes.
llvm::SmallVector<mlir::Value> fragmentsElsewhere(tile::ElementLoop loop,
                                                  const FragmentLayout &layout);

/// The register of `fragment` that each register of the loop's layout touches with these indices
/// (-1: padding), when it is the same in all lanes and waves. `known`: numbers of values around the
/// loop.
std::optional<llvm::SmallVector<int64_t>>
matchRegisters(const FragmentLayout &loop, const FragmentLayout &fragment, mlir::ValueRange indices,
               tile::ElementLoop op, llvm::ArrayRef<std::pair<mlir::Value, int64_t>> known = {});

} // namespace tilec

//===- ScanLayout.h - where a scan wants its elements ---------------------===//
//
// Takes a scan, gives the layout in which its steps are few; says whether another layout would do.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// A layout for a scan along `dim`: a lane's neighbouring registers, then lanes, repetitions and
/// waves follow each other along it. Lanes run along the last dimension, as memory does.
FragmentLayout scanLayout(llvm::ArrayRef<int64_t> shape, int64_t dim, int64_t run, int64_t lanes,
                          int64_t numWaves);

/// The same for a scan's fragments.
FragmentLayout scanLayoutOf(tile::ScanOp scan, const TargetInfo &target, int64_t numWaves);

/// Whether the places of a layout follow each other along `dim` in that order.
bool isScannable(const FragmentLayout &layout, int64_t dim);

/// Of a scan between fragments: shared memory for what waves tell each other.
int64_t scanExchangeBytes(tile::ScanOp scan, const TargetInfo &target, int64_t numWaves);

/// What a scan into `to` of elements of `from` adds up in.
DType scanDType(DType from, DType to);

} // namespace tilec

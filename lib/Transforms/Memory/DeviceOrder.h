//===- DeviceOrder.h - barriers that device memory has no part in ---------===//
//
// Takes a kernel and a barrier of its threads, says whether accesses to tensors before it have to
// be done when threads go on.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// From the first to the last of some accesses, by their numbers in program order.
struct AccessSpan {
  int64_t first = -1, last = -1;
  void add(int64_t number) {
    first = first < 0 ? number : first;
    last = number;
  }
};

/// Of a kernel whose ops stay where they are while it is asked.
class DeviceOrder {
public:
  explicit DeviceOrder(tile::KernelOp kernel);

  /// Whether something is written to a tensor in front of the op, in program order or in a round
  /// before (who is told of it behind the barrier may be another block), or something read there
  /// that is written behind it.
  bool isKeptBy(mlir::Operation *barrier) const;

private:
  struct Uses {
    AccessSpan reads, writes;
  };

  tile::KernelOp kernel;
  llvm::DenseMap<mlir::Operation *, AccessSpan> numbers; ///< of each op, with all that is in it
  llvm::MapVector<mlir::Value, Uses> tensors;
};

} // namespace tilec

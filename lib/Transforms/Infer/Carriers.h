//===- Carriers.h - the ops that pass layouts on -------------------------===//
//
// Takes a kernel, gives the ops that layouts go through, again as long as one of their fragments
// gets its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include <set>

namespace tilec {

/// The ops that pass layouts from fragment to fragment. They are looked at in rounds, each in
/// program order, but again only if one of their fragments has got its layout since.
class Carriers {
public:
  explicit Carriers(tile::KernelOp kernel) {
    kernel.walk([&](mlir::Operation *op) {
      if (!mlir::isa<tile::ElementLoop, tile::ReduceOp, tile::ScanOp>(op))
        return;
      places[op] = ops.size();
      waiting.insert(ops.size());
      ops.push_back(op);
    });
  }

  /// `buffer` has its layout now.
  void note(mlir::Value buffer) {
    for (mlir::Operation *user : buffer.getUsers()) {
      for (mlir::Operation *op = user; op; op = op->getParentOp())
        if (auto place = places.find(op); place != places.end())
          waiting.insert(place->second);
      for (mlir::Value view : user->getResults())
        if (mlir::isa<tile::BufferType>(view.getType()))
          note(view);
    }
  }

  /// The next one to look at behind the place `from` or, in the next round, before it; null when
  /// all have been.
  mlir::Operation *next(size_t &from) {
    if (waiting.empty())
      return nullptr;
    auto found = waiting.lower_bound(from);
    size_t place = found == waiting.end() ? *waiting.begin() : *found;
    waiting.erase(place);
    from = place + 1;
    return ops[place];
  }

private:
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, size_t> places;
  std::set<size_t> waiting;
};

} // namespace tilec

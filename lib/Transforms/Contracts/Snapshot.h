//===- Snapshot.h - the part of the IR that a pass has to leave -----------===//
//
// Takes the IR before and after a pass, gives the first op that the pass should have left and has
// not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/Contracts.h"

namespace tilec {

/// A list of hashes, one an operation: what it is, its attributes, and which earlier results it
/// takes.
class Snapshot {
public:
  Snapshot(mlir::Operation *root, Untouched what);

  /// The first operation of `root` that is another than it was; nothing when all are the same.
  std::optional<Breach> differenceFrom(mlir::Operation *root) const;

private:
  struct Entry {
    llvm::hash_code hash;
    mlir::Location place;
    std::string name;
  };
  std::vector<Entry> entriesOf(mlir::Operation *root) const;

  Untouched what;
  std::vector<Entry> entries;
};

/// The first op of `root`, from outside in, of which there is something to complain.
std::optional<Breach>
firstBreach(mlir::Operation *root,
            llvm::function_ref<std::optional<std::string>(mlir::Operation *)> complaintAbout);

} // namespace tilec

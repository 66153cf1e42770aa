//===- ThreadRows.cpp - tiles whose rows single threads read and write -----===//
//
// Threads that each have a row of a shared tile, a run of whose elements they take at once, begin
// in one bank: as many accesses as lanes. Counted are the words that the lanes of the first wave
// ask each bank for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/ThreadRows.h"
#include "Normalize/ThreadValues.h"

#include "tilec/Layout/SharedLayout.h"

#include <map>
#include <set>

using namespace mlir;

namespace tilec {

namespace {

/// Elements that threads touch in one row each: loads or stores of one block.
struct RowAccess {
  const std::vector<int64_t> *rows;
  std::vector<const std::vector<int64_t> *> columns;

  /// Neighbouring elements that a lane takes at once.
  int64_t run(int64_t elemBytes, const TargetInfo &target) const {
    std::set<int64_t> first;
    for (const auto *column : columns)
      first.insert(column->front());
    int64_t run = 1;
    auto isWhole = [&](int64_t wide) {
      return llvm::all_of(first, [&](int64_t column) {
        int64_t begin = column / wide * wide;
        for (int64_t at = begin; at < begin + wide; ++at)
          if (!first.contains(at))
            return false;
        return true;
      });
    };
    while (2 * run * elemBytes <= target.accessBytes && isWhole(2 * run))
      run *= 2;
    return run;
  }

  /// How often the banks are asked for the first run.
  int64_t passes(const SharedLayout &layout, int64_t elemBytes, const TargetInfo &target) const {
    const int64_t bankBytes = target.bankBytes;
    int64_t bytes = run(elemBytes, target) * elemBytes,
            lanes = std::min<int64_t>(target.waveLanes, rows->size());
    int64_t together = target.sharedBanks * bankBytes / std::max(bytes, bankBytes), passes = 0;
    const std::vector<int64_t> &column = *columns.front();
    for (int64_t begin = 0; begin < lanes; begin += together) {
      SmallVector<std::set<int64_t>> words(target.sharedBanks);
      for (int64_t lane = begin; lane < std::min(begin + together, lanes); ++lane) {
        int64_t at = layout.offset({(*rows)[lane], column[lane]}) * elemBytes;
        for (int64_t word = at / bankBytes; word * bankBytes < at + bytes; ++word)
          words[word % target.sharedBanks].insert(word);
      }
      size_t most = 0;
      for (const std::set<int64_t> &ofBank : words)
        most = std::max(most, ofBank.size());
      passes += int64_t(most);
    }
    return passes;
  }
};

/// What threads do to the tile, by the value that is the row.
std::vector<RowAccess> accessesOf(tile::AllocOp tile, ThreadValues &values) {
  std::map<std::tuple<Block *, void *, bool>, RowAccess> found;
  auto isInside = [&](const std::vector<int64_t> *index, int64_t extent) {
    return index && llvm::all_of(*index, [&](int64_t at) { return at >= 0 && at < extent; });
  };
  ArrayRef<int64_t> shape = tile.getResult().getType().getShape();
  for (Operation *user : tile->getUsers()) {
    auto load = dyn_cast<tile::LoadOp>(user);
    auto store = dyn_cast<tile::StoreOp>(user);
    if ((!load && !store) || user->getParentOfType<tile::ElementLoop>())
      continue;
    OperandRange indices = load ? load.getIndices() : store.getIndices();
    const auto *rows = values.of(indices[0]), *columns = values.of(indices[1]);
    if (!isInside(rows, shape[0]) || !isInside(columns, shape[1]))
      continue;
    RowAccess &access = found[{user->getBlock(), indices[0].getAsOpaquePointer(), bool(store)}];
    access.rows = rows;
    access.columns.push_back(columns);
  }
  std::vector<RowAccess> accesses;
  for (auto &[where, access] : found)
    accesses.push_back(std::move(access));
  return accesses;
}

} // namespace

llvm::SmallPtrSet<Operation *, 4> tilesMetByThreads(tile::KernelOp kernel,
                                                    const TargetInfo &target) {
  llvm::SmallPtrSet<Operation *, 4> found;
  if (!kernel.getLockstep())
    return found;
  ThreadValues values(kernel.getThreads());
  kernel.walk([&](tile::AllocOp tile) {
    tile::BufferType type = tile.getResult().getType();
    int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
    if (!type.isShared() || type.rank() != 2 || bits < 8)
      return;
    SharedLayout plain = SharedLayout::plain(type.getShape()),
                 swizzled = SharedLayout::swizzled(type.getShape(), bits);
    int64_t before = 0, after = 0;
    for (const RowAccess &access : accessesOf(tile, values)) {
      int64_t pieces = int64_t(access.columns.size()) / access.run(bits / 8, target);
      before += pieces * access.passes(plain, bits / 8, target);
      after += pieces * access.passes(swizzled, bits / 8, target);
    }
    if (after < before)
      found.insert(tile);
  });
  return found;
}

} // namespace tilec

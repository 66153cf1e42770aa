//===- ForwardNumbers.cpp - tiles that only say where elements are --------===//
//
// Takes tiles that a round of a pipelined loop fills with integers from a tensor and that loops
// over elements find what they read by: `t[i] = Rows[x + i]` and `b[i, j] = B[t[i], j]`. Gives
// loops that read the tensor themselves, `b[i, j] = B[Rows[x + i], j]`, which can run ahead of
// their round as what finds its places without a tile of its round does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"
#include "Normalize/Updates.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDNUMBERSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether it may hold numbers of rows.
bool isOfNumbers(tile::BufferType type) {
  return (type.isShared() || type.isFragment()) && type.getElementType().isInteger() &&
         tile::dtypeOf(type.getElementType()) != DType::Bool;
}

/// Whether it says where an element of a tensor is.
bool isPlace(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t n = 0; n < values.size(); ++n)
    for (Operation *user : values[n].getUsers()) {
      auto load = dyn_cast<tile::LoadOp>(user);
      if (load && load.getBuffer().getType().isGlobal())
        return true;
      if (user->getNumRegions() == 0 && isPure(user))
        values.insert_range(user->getResults());
    }
  return false;
}

/// Whether the number is one of a row: all elements along the loop's last variable are found by it.
bool isOfRow(tile::LoadOp load) {
  auto loop = dyn_cast<tile::ElementLoop>(load->getParentOp());
  return loop && isPlace(load.getResult()) && llvm::none_of(load.getIndices(), [&](Value index) {
           return isComputedFrom(index, loop.ivs().back());
         });
}

/// What a round fills such a tile with, and who finds elements by it.
struct Numbers {
  Operation *fill = nullptr; ///< a copy, or a loop over elements
  SmallVector<tile::LoadOp> readers;
};

/// A copy of a tensor's box to all of the tile, or a loop that computes each of its elements once
/// from tensors that the kernel does not write.
bool fillsAll(Operation *fill, tile::AllocOp tile, const Accesses &ofKernel) {
  if (auto copy = dyn_cast<tile::CopyOp>(fill))
    return copy.getDst() == tile.getResult() && copy.getSrc().getType().isGlobal() &&
           copy.getSrc().getType().getElementType() == copy.getDst().getType().getElementType() &&
           !isChangedBy(ofKernel.writes, rootOf(copy.getSrc()));
  auto loop = dyn_cast<tile::ElementLoop>(fill);
  if (!loop || !loop.constantExtents() ||
      ArrayRef(*loop.constantExtents()) != tile.getResult().getType().getShape())
    return false;
  bool hasStore = false;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (std::exchange(hasStore, true) || store.getBuffer() != tile.getResult() ||
          !llvm::equal(store.getIndices(), loop.ivs()))
        return false;
    } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (!load.getBuffer().getType().isGlobal() ||
          isChangedBy(ofKernel.writes, rootOf(load.getBuffer())))
        return false;
    } else if (op.getNumRegions() != 0 || !isPure(&op)) {
      return false;
    }
  }
  return true;
}

bool isPipelined(Operation *op) {
  auto loop = op->getParentOfType<tile::ForOp>();
  return loop && loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1;
}

std::optional<Numbers> numbersOf(tile::AllocOp tile, const Accesses &ofKernel) {
  Numbers numbers;
  SmallVector<tile::LoadOp> loads;
  for (Operation *user : tile->getUsers()) {
    if (auto load = dyn_cast<tile::LoadOp>(user)) {
      loads.push_back(load);
      continue;
    }
    Operation *fill = isa<tile::CopyOp>(user) ? user : user->getParentOp();
    if ((numbers.fill && numbers.fill != fill) || !fillsAll(fill, tile, ofKernel))
      return std::nullopt;
    numbers.fill = fill;
  }
  if (!numbers.fill || !isPipelined(numbers.fill))
    return std::nullopt;
  llvm::SmallPtrSet<Operation *, 4> loops; ///< that find elements by it
  for (tile::LoadOp load : loads) {
    Operation *behind = numbers.fill->getBlock()->findAncestorOpInBlock(*load);
    if (!behind || !numbers.fill->isBeforeInBlock(behind))
      return std::nullopt;
    if (isOfRow(load))
      loops.insert(load->getParentOp());
  }
  for (tile::LoadOp load : loads)
    if (loops.contains(load->getParentOp()))
      numbers.readers.push_back(load);
  return numbers.readers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

void forward(Numbers &numbers) {
  OpBuilder builder(numbers.fill);
  auto copy = dyn_cast<tile::CopyOp>(numbers.fill);
  tile::ElementLoop loop = copy ? moveElements(builder, copy.getLoc(), copy.getSrc(), copy.getDst())
                                : cast<tile::ElementLoop>(numbers.fill);
  auto store = *loop.bodyBlock()->getOps<tile::StoreOp>().begin();
  for (tile::LoadOp load : numbers.readers) {
    IRMapping variables;
    for (auto [variable, index] : llvm::zip_equal(loop.ivs(), load.getIndices()))
      variables.map(Value(variable), index);
    OpBuilder here(load);
    load.getResult().replaceAllUsesWith(computed(here, store.getValue(), loop, variables));
    load->erase();
  }
  if (copy)
    loop->erase();
}

struct ForwardNumbersPass : impl::ForwardNumbersPassBase<ForwardNumbersPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      if (kernel.getLockstep())
        continue;
      SmallVector<tile::AllocOp> tiles;
      kernel.walk([&](tile::AllocOp tile) {
        if (isOfNumbers(tile.getResult().getType()))
          tiles.push_back(tile);
      });
      if (tiles.empty())
        continue;
      Accesses accesses = accessesOf(kernel);
      for (tile::AllocOp tile : tiles) {
        std::optional<Numbers> numbers = numbersOf(tile, accesses);
        if (!numbers)
          continue;
        forward(*numbers);
        auto isOfFill = [&](Operation *user) { return numbers->fill->isAncestor(user); };
        if (llvm::all_of(tile->getUsers(), isOfFill))
          numbers->fill->erase();
      }
    }
  }
};

} // namespace

} // namespace tilec

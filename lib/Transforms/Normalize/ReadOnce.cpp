//===- ReadOnce.cpp - an element of a tensor is read once -----------------===//
//
// Takes parallels whose iterations read an element of a tensor more than once, with a store to
// another one between, and gives both uses what was read first: no tensor has bytes of one that is
// written, unless the program says so (docs/decisions/0016-tensors-do-not-overlap.md). LLVM knows
// neither of kernels' parameters. For the same reason iterations that store neighbours read first,
// so that the accesses of their statements can be joined.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"
#include "Normalize/ReadsBeforeWrites.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_READONCEPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Reads of one tensor in a block that are looked at: time by the square.
constexpr size_t mostReads = 64;

/// Whether both are the same arithmetic of the same values. `deep`: as far as that is followed.
bool isSame(Value a, Value b, unsigned deep = 8) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || deep == 0 || x->getName() != y->getName() || x->getNumRegions() != 0 ||
      !isPure(x) || x->getAttrDictionary() != y->getAttrDictionary() ||
      x->getNumOperands() != y->getNumOperands() || a.getType() != b.getType() ||
      cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()), [&](auto pair) {
    return isSame(std::get<0>(pair), std::get<1>(pair), deep - 1);
  });
}

bool isSameRead(tile::LoadOp a, tile::LoadOp b) {
  return a->getAttrDictionary() == b->getAttrDictionary() && a.getType() == b.getType() &&
         a.getIndices().size() == b.getIndices().size() &&
         llvm::all_of(llvm::zip(a.getIndices(), b.getIndices()),
                      [](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
}

/// Within a block: what a branch reads may be outside of the tensor without it.
void readOnceIn(Block &block, llvm::function_ref<bool(Value)> stays) {
  llvm::DenseMap<Value, SmallVector<tile::LoadOp>> readsOf;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || !stays(load.getBuffer()))
      continue;
    auto &reads = readsOf[load.getBuffer()];
    auto first = llvm::find_if(reads, [&](tile::LoadOp read) { return isSameRead(read, load); });
    if (first != reads.end()) {
      load.replaceAllUsesWith(first->getResult());
      load.erase();
    } else if (reads.size() < mostReads) {
      reads.push_back(load);
    }
  }
}

/// Whether iterations of the loop store several elements each, all of one tensor, and otherwise
/// compute and read elements, some of them behind a store.
bool storesNeighbours(tile::ParallelOp loop) {
  Value tensor;
  int64_t stores = 0;
  bool readsBehind = false;
  for (Operation &op : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store && !isa<tile::LoadOp>(op) && (!isPure(&op) || op.getNumRegions() != 0))
      return false;
    readsBehind |= stores > 0 && isa<tile::LoadOp>(op);
    if (!store)
      continue;
    if (!store.getBuffer().getType().isGlobal() || (tensor && tensor != store.getBuffer()))
      return false;
    tensor = store.getBuffer();
    ++stores;
  }
  return stores > 1 && readsBehind;
}

} // namespace

static void readOnce(tile::ProgramOp program) {
  for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>()) {
    Accesses accesses = accessesOf(kernel);
    auto stays = [&](Value buffer) {
      return buffer.getDefiningOp<tile::TensorOp>() && !isChangedBy(accesses.writes, buffer);
    };
    kernel.walk([&](tile::ParallelOp loop) {
      loop->walk([&](Block *block) { readOnceIn(*block, stays); });
      Block &body = *loop.bodyBlock();
      if (storesNeighbours(loop))
        putReadsFirst(body.begin(), body.end());
    });
  }
}

namespace {
struct ReadOncePass : impl::ReadOncePassBase<ReadOncePass> {
  void runOnOperation() override { readOnce(getOperation()); }
};
} // namespace

} // namespace tilec

//===- LiveFragments.cpp - registers that fragments take at once -----------===//
//
// Numbers the kernel's ops in their order and sums up what lives at each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/LiveFragments.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Lives.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilec {
namespace {

class Liveness {
public:
  explicit Liveness(tile::KernelOp kernel) : kernel(kernel) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      numbers.try_emplace(op, int64_t(numbers.size()));
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<tile::BufferType>(operand.getType()); type && type.isFragment())
          users[rootOf(operand)].push_back(op);
    });
  }

  int64_t mostBits() {
    SmallVector<BufferLife> lives;
    for (auto &[root, ops] : users)
      lives.push_back(lifeOf(root, ops));
    return mostBitsAlive(lives);
  }

private:
  int64_t numberOfLast(Operation *op) {
    int64_t last = numbers.lookup(op);
    op->walk([&](Operation *inner) { last = std::max(last, numbers.lookup(inner)); });
    return last;
  }

  /// Whether a round of the loop finds in the fragment what was there before it.
  bool handsOn(tile::ForOp loop, Value root, ArrayRef<Operation *> ops) {
    Operation *first = nullptr;
    for (Operation *op : ops) {
      if (!loop->isAncestor(op))
        return true;
      Operation *inBody = loop.bodyBlock()->findAncestorOpInBlock(*op);
      if (!first || (inBody && inBody->isBeforeInBlock(first)))
        first = inBody;
    }
    // A product that clears its sum counts as a reader of it.
    auto gemm = dyn_cast_or_null<tile::GemmOp>(first);
    if (gemm && gemm.getC() == root && gemm.getClear() &&
        tile::constantInt(gemm.getClear()).value_or(0) != 0)
      return false;
    return !first || llvm::is_contained(accessesOf(first).reads, root);
  }

  BufferLife lifeOf(Value root, ArrayRef<Operation *> ops) {
    BufferLife life{numbers.lookup(ops.front()), numbers.lookup(ops.back()), bitsOfBuffer(root)};
    for (Operation *op : ops)
      for (auto loop = op->getParentOfType<tile::ForOp>(); loop;
           loop = loop->getParentOfType<tile::ForOp>())
        if (handsOn(loop, root, ops)) {
          life.first = std::min(life.first, numbers.lookup(loop));
          life.last = std::max(life.last, numberOfLast(loop));
        }
    return life;
  }

  tile::KernelOp kernel;
  llvm::DenseMap<Operation *, int64_t> numbers;
  llvm::MapVector<Value, SmallVector<Operation *>> users;
};

} // namespace

int64_t liveFragmentBits(tile::KernelOp kernel) { return Liveness(kernel).mostBits(); }

} // namespace tilec

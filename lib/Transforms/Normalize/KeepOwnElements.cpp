//===- KeepOwnElements.cpp - shared tiles whose elements nobody exchanges -===//
//
// A tile of shared memory that a loop without a ring fills, changes element by element and writes
// back:
//
//   for k { copy(A[k], S);  S[i, j] = S[i, j] * f[i];  copy(S, B[k]) }
//
// No iteration sees another's element, so S is a fragment: no barriers, and a thread's next rounds
// are read while it works on this one. It may be reduced, too. What a loop leaves in S nobody may
// read, and each round fills S first. Another loop that only fills and reads the tile keeps shared
// memory where copies can run ahead, without registers, but for one that brings the same tensor in
// few rounds: unrolled, both read it once. RMS norms of 8192 columns in two passes of 512 so read
// 32 KB of a row once, where the rows of all blocks, read twice, are more than L2 holds.
//
// The same outside of loops, where nothing can run ahead: tiles that are brought, used element by
// element and stored are registers, without a barrier between. A product's results are another
// matter: they change owners on their way to memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_KEEPOWNELEMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t mostBytes = 64;        ///< of a thread, in the tile of a loop
constexpr int64_t mostBytesOfBody = 256; ///< of a thread, in all tiles outside of loops
constexpr int64_t mostBytesOfLoop = 256; ///< of a thread, in all rounds of a loop

/// The loop of the kernel's body that the op stands in.
tile::ForOp topLoopOf(Operation *op, tile::KernelOp kernel) {
  while (op && op->getParentOp() != kernel)
    op = op->getParentOp();
  return dyn_cast_or_null<tile::ForOp>(op);
}

/// Whether iteration (i, j) of a parallel over all elements touches element (i, j).
bool isOwn(Operation *user, Value tile) {
  std::optional<ElementAccess> access = elementAccess(user);
  if (!access || access->buffer != tile || !isa<tile::LoadOp, tile::StoreOp>(user))
    return false;
  tile::ParallelOp loop;
  for (Operation *op = user->getParentOp(); op; op = op->getParentOp()) {
    if (isa<tile::ForOp>(op))
      break;
    if (auto parallel = dyn_cast<tile::ParallelOp>(op)) {
      if (loop)
        return false;
      loop = parallel;
    }
  }
  if (!loop || loop.getLayoutAttr())
    return false;
  ArrayRef<int64_t> shape = access->type().getShape();
  auto extents = loop.constantExtents();
  return extents && ArrayRef(*extents) == shape &&
         llvm::all_of(llvm::zip(access->indices, loop.ivs(), shape), [](auto each) {
           auto [index, iv, size] = each;
           return index == iv || (size == 1 && matchPattern(index, m_Zero()));
         });
}

/// Whether the copy moves all of the tile from or to a box of a tensor, which has its extents.
bool movesAll(tile::CopyOp copy, Value tile) {
  Value other = copy.getSrc() == tile ? copy.getDst() : copy.getSrc();
  auto type = cast<tile::BufferType>(other.getType()), own = cast<tile::BufferType>(tile.getType());
  return other != tile && type.isGlobal() && type.getElementType() == own.getElementType();
}

/// Whether the block (of a round, of the kernel) begins with what fills all of the tile: a copy, or
/// a loop of which each iteration stores its own element.
bool isFilledBy(Block &block, Value tile) {
  auto isUse = [&](Operation &op) { return touches(&op, tile); };
  auto first = llvm::find_if(block, isUse);
  auto parallel = first == block.end() ? tile::ParallelOp() : dyn_cast<tile::ParallelOp>(*first);
  if (!parallel)
    return isFilledFirst(block, tile);
  Block &body = parallel.getBody().front();
  auto store = llvm::find_if(body, isUse);
  return store != body.end() && isa<tile::StoreOp>(*store) && isOwn(&*store, tile);
}

/// Whether the op combines the tile's elements in registers, which exchanges them by itself.
bool reduces(Operation *user, Value tile) {
  auto reduce = dyn_cast<tile::ReduceOp>(user);
  return reduce && reduce.getSrc() == tile && reduce.getDst().getType().isFragment();
}

/// Whether copies of the loop's rounds can run ahead of these; `T.Pipelined` without stages forbids
/// it.
bool mayRunAhead(tile::ForOp loop) {
  return loop.getKind() != tile::LoopKind::Pipelined || loop.getStages() > 1;
}

/// What a loop does to the tile, element by element.
struct ElementUse {
  bool changes = false;
  llvm::SmallPtrSet<Value, 2> tensors; ///< that it brings
};

/// Null: it does something else, too.
std::optional<ElementUse> useOf(tile::ForOp loop, ArrayRef<Operation *> users, Value tile) {
  ElementUse found;
  for (Operation *user : users) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (copy ? !movesAll(copy, tile) : !isOwn(user, tile) && !reduces(user, tile))
      return std::nullopt;
    if (copy && copy.getDst() == tile)
      found.tensors.insert(rootOf(copy.getSrc()));
    found.changes |= isa<tile::StoreOp>(user);
  }
  return loop.getKind() == tile::LoopKind::Serial || !mayRunAhead(loop) ? std::optional(found)
                                                                        : std::nullopt;
}

bool isShort(tile::ForOp loop, int64_t bytesOfThread) {
  std::optional<int64_t> lower = tile::constantInt(loop.getLower()),
                         upper = tile::constantInt(loop.getUpper());
  return lower && upper && tile::constantInt(loop.getStep()) == 1 &&
         (*upper - *lower) * bytesOfThread <= mostBytesOfLoop;
}

/// Whether the copy moves all of the tile from or to registers.
bool movesRegisters(tile::CopyOp copy, Value tile) {
  Value other = copy.getSrc() == tile ? copy.getDst() : copy.getSrc();
  auto type = cast<tile::BufferType>(other.getType());
  return other != tile && type.isFragment() &&
         type.getShape() == cast<tile::BufferType>(tile.getType()).getShape();
}

/// Whether the kernel's body, outside of loops and branches, fills the tile and reads it element by
/// element. Elements of less than a byte stay packed.
bool isOwnOfBody(tile::AllocOp alloc, tile::KernelOp kernel) {
  Value tile = alloc.getResult();
  auto isRead = [&](Operation *user) { return llvm::is_contained(accessesOf(user).reads, tile); };
  if (bitsOf(tile::dtypeOf(alloc.getResult().getType().getElementType())) < 8 ||
      llvm::none_of(tile.getUsers(), isRead))
    return false;
  Block &body = kernel.getBody().front();
  return isFilledBy(body, tile) && llvm::all_of(tile.getUsers(), [&](Operation *user) {
           Operation *top = body.findAncestorOpInBlock(*user);
           if (!isa_and_nonnull<tile::CopyOp, tile::ParallelOp, tile::ReduceOp>(top))
             return false;
           auto copy = dyn_cast<tile::CopyOp>(user);
           return copy ? movesAll(copy, tile) || movesRegisters(copy, tile)
                       : isOwn(user, tile) || reduces(user, tile);
         });
}

tile::BufferType inRegisters(tile::BufferType type) {
  return tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Fragment);
}

int64_t bytesOf(tile::AllocOp alloc) {
  tile::BufferType type = alloc.getResult().getType();
  return storageBytes(tile::dtypeOf(type.getElementType()), type.numElems());
}

/// Tiles that the kernel's body uses element by element, as many as registers hold.
void keepElementsOfBody(ArrayRef<tile::AllocOp> tiles, tile::KernelOp kernel) {
  if (kernel.walk([](tile::GemmOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return;
  int64_t bytes = 0;
  SmallVector<tile::AllocOp> own;
  for (tile::AllocOp alloc : tiles)
    if (isOwnOfBody(alloc, kernel)) {
      own.push_back(alloc);
      bytes += bytesOf(alloc);
    }
  if (bytes <= mostBytesOfBody * int64_t(kernel.getThreads()))
    for (tile::AllocOp alloc : own)
      alloc.getResult().setType(inRegisters(alloc.getResult().getType()));
}

void keepElementsOf(tile::AllocOp alloc, tile::KernelOp kernel) {
  Value tile = alloc.getResult();
  llvm::MapVector<Operation *, SmallVector<Operation *>> usersOf;
  for (Operation *user : tile.getUsers()) {
    tile::ForOp loop = topLoopOf(user, kernel);
    if (!loop)
      return;
    usersOf[loop].push_back(user);
  }
  auto isFilled = [&](auto &each) {
    return isFilledBy(*cast<tile::ForOp>(each.first).bodyBlock(), tile);
  };
  if (!llvm::all_of(usersOf, isFilled))
    return;
  tile::BufferType fragment = inRegisters(alloc.getResult().getType());
  int64_t bytes = bytesOf(alloc);
  llvm::SmallPtrSet<Value, 2> again; // tensors that are brought to registers
  llvm::MapVector<tile::ForOp, ElementUse> uses;
  for (auto &[op, users] : usersOf)
    if (auto found = useOf(cast<tile::ForOp>(op), users, tile)) {
      uses.insert({cast<tile::ForOp>(op), *found});
      if (found->changes)
        again.insert_range(found->tensors);
    }
  for (auto &[loop, found] : uses) {
    bool isReadAgain =
        llvm::any_of(found.tensors, [&](Value root) { return again.contains(root); });
    if (!found.changes && mayRunAhead(loop) &&
        !(isReadAgain && isShort(loop, ceilDiv(bytes, int64_t(kernel.getThreads())))))
      continue;
    auto own = cast<tile::AllocOp>(OpBuilder(alloc).clone(*alloc));
    own.getResult().setType(fragment);
    tile.replaceUsesWithIf(own.getResult(), [&, top = loop.getOperation()](OpOperand &use) {
      return top->isAncestor(use.getOwner());
    });
  }
  if (tile.use_empty())
    alloc.erase();
}

} // namespace

/// Copies are `tile.copy`, loops over elements `tile.parallel`; kernels that name their threads
/// stay.
static void keepOwnElements(tile::ProgramOp program) {
  for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>()) {
    if (kernel.getLockstep())
      continue;
    SmallVector<tile::AllocOp> tiles;
    for (auto alloc : kernel.getBody().getOps<tile::AllocOp>()) {
      tile::BufferType type = alloc.getResult().getType();
      if (type.isShared() && !alloc.getLayout() && type.rank() > 0)
        tiles.push_back(alloc);
    }
    keepElementsOfBody(tiles, kernel);
    for (tile::AllocOp alloc : tiles)
      if (alloc.getResult().getType().isShared() &&
          bytesOf(alloc) <= mostBytes * int64_t(kernel.getThreads()))
        keepElementsOf(alloc, kernel);
  }
}

namespace {
struct KeepOwnElementsPass : impl::KeepOwnElementsPassBase<KeepOwnElementsPass> {
  void runOnOperation() override { keepOwnElements(getOperation()); }
};
} // namespace

} // namespace tilec

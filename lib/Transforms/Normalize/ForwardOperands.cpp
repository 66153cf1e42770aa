//===- ForwardOperands.cpp - what is only passed on is left out -------------===//
//
// Looks for fragments that are only filled from a shared tile and read by one product, and for
// shared tiles that are only filled from a tensor and read by one copy; ForwardOperands.h says what
// becomes of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ForwardOperands.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {
namespace {

/// Whether the view is its root, element for element.
bool isWhole(Value view) {
  while (auto sub = view.getDefiningOp<tile::SubviewOp>()) {
    if (cast<tile::BufferType>(sub.getSource().getType()).getShape() !=
        cast<tile::BufferType>(view.getType()).getShape())
      return false;
    view = sub.getSource();
  }
  return view.getDefiningOp<tile::AllocOp>() != nullptr;
}

/// What uses the buffer or a view of it; views themselves are none.
SmallVector<Operation *> usersOf(Value buffer) {
  SmallVector<Operation *> users;
  for (Operation *user : buffer.getUsers())
    if (auto sub = dyn_cast<tile::SubviewOp>(user))
      users.append(usersOf(sub.getResult()));
    else
      users.push_back(user);
  return users;
}

bool writes(Operation *op, Value root) { return llvm::is_contained(accessesOf(op).writes, root); }

/// The copy whose shared tile a product can have in place of the fragment: it is the last write of
/// the fragment in the product's block, and nothing writes the shared tile behind it.
tile::CopyOp bringerOf(tile::GemmOp gemm, Value fragment) {
  Operation *op = gemm->getPrevNode();
  while (op && !writes(op, fragment))
    op = op->getPrevNode();
  auto copy = dyn_cast_or_null<tile::CopyOp>(op);
  if (!copy || !isWhole(copy.getDst()) || !isWhole(copy.getSrc()))
    return {};
  auto source = cast<tile::BufferType>(copy.getSrc().getType());
  auto type = cast<tile::BufferType>(fragment.getType());
  if (!source.isShared() || source.getShape() != type.getShape() ||
      source.getElementType() != type.getElementType())
    return {};
  for (op = copy->getNextNode(); op != gemm; op = op->getNextNode())
    if (writes(op, rootOf(copy.getSrc())))
      return {};
  return copy;
}

/// Every product that reads the fragment, with the copy that brings it for that one alone; nothing
/// where the fragment is more than a place on the way.
SmallVector<std::pair<OpOperand *, tile::CopyOp>> passages(tile::AllocOp alloc) {
  SmallVector<std::pair<OpOperand *, tile::CopyOp>> found;
  SmallPtrSet<Operation *, 4> copies;
  SmallVector<Operation *> users = usersOf(alloc.getResult());
  for (Operation *user : users)
    if (auto gemm = dyn_cast<tile::GemmOp>(user)) {
      bool isA = rootOf(gemm.getA()) == alloc.getResult();
      OpOperand &operand = isA ? gemm.getAMutable() : gemm.getBMutable();
      tile::CopyOp copy = isWhole(operand.get()) && rootOf(operand.get()) == alloc.getResult()
                              ? bringerOf(gemm, alloc.getResult())
                              : tile::CopyOp();
      if (!copy || !copies.insert(copy).second)
        return {};
      found.push_back({&operand, copy});
    }
  bool isAll = llvm::all_of(
      users, [&](Operation *user) { return isa<tile::GemmOp>(user) || copies.contains(user); });
  return isAll ? found : SmallVector<std::pair<OpOperand *, tile::CopyOp>>();
}

//===----------------------------------------------------------------------===//
// Shared tiles
//===----------------------------------------------------------------------===//

/// Whether every value of the one type is one of the other.
bool widens(Type from, Type to) {
  return from != to && to.isF32() && tile::scalarTypeOf(from).isF32();
}

/// The copy that fills the tile from a tensor and the one that reads it into registers, the only
/// uses of it, where no asynchronous copy could bring it: it is converted on the way.
std::optional<std::pair<tile::CopyOp, tile::CopyOp>> passage(tile::AllocOp tile) {
  SmallVector<Operation *> users = usersOf(tile.getResult());
  if (!tile.getResult().getType().isShared() || users.size() != 2)
    return std::nullopt;
  tile::CopyOp in, out;
  for (Operation *user : users) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (copy && rootOf(copy.getDst()) == tile.getResult() && isWhole(copy.getDst()))
      in = copy;
    else if (copy && rootOf(copy.getSrc()) == tile.getResult() && isWhole(copy.getSrc()))
      out = copy;
  }
  if (!in || !out || in->getBlock() != out->getBlock() || !in->isBeforeInBlock(out) ||
      !in.getSrc().getType().isGlobal() || !out.getDst().getType().isFragment() ||
      !widens(in.getSrc().getType().getElementType(), tile.getResult().getType().getElementType()))
    return std::nullopt;
  // The tensor is read later, and may be another one that a caller gave twice.
  auto isGlobal = [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); };
  for (Operation *op = in->getNextNode(); op != out; op = op->getNextNode())
    if (llvm::any_of(accessesOf(op).writes, isGlobal) ||
        isa<tile::SyncThreadsOp, tile::GridSyncOp>(op))
      return std::nullopt;
  return std::pair(in, out);
}

} // namespace

void forwardTiles(tile::ProgramOp program) {
  program.walk([](tile::AllocOp tile) {
    if (auto found = passage(tile)) {
      auto [in, out] = *found;
      out.getSrcMutable().assign(in.getSrc());
      in.erase();
    }
  });
}

void forwardOperands(tile::ProgramOp program) {
  program.walk([](tile::AllocOp alloc) {
    if (!alloc.getResult().getType().isFragment() || alloc.getLayout())
      return;
    for (auto [operand, copy] : passages(alloc)) {
      operand->set(rootOf(copy.getSrc()));
      copy.erase();
    }
  });
}

} // namespace tilec

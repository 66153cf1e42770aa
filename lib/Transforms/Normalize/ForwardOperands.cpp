//===- ForwardOperands.cpp - fragments that only pass operands on ---------===//
//
// Looks for fragments that only bring a whole shared tile to one product of the same block, and
// lets the product read the shared tile, from which the target takes its operands in the way that
// it has for that (matrix descriptors, transposing reads, plans).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ForwardOperands.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

bool writes(Operation *op, Value root) { return llvm::is_contained(accessesOf(op).writes, root); }

bool isWholeRoot(Value view) {
  while (auto sub = view.getDefiningOp<tile::SubviewOp>()) {
    if (cast<tile::BufferType>(sub.getSource().getType()).getShape() !=
        cast<tile::BufferType>(view.getType()).getShape())
      return false;
    view = sub.getSource();
  }
  return view.getDefiningOp<tile::AllocOp>() != nullptr;
}

SmallVector<Operation *> usersBehindViews(Value buffer) {
  SmallVector<Operation *> users;
  for (Operation *user : buffer.getUsers())
    if (auto sub = dyn_cast<tile::SubviewOp>(user))
      users.append(usersBehindViews(sub.getResult()));
    else
      users.push_back(user);
  return users;
}

namespace {

/// The copy whose shared tile a product can have in place of the fragment: it is the last write of
/// the fragment in the product's block, and nothing writes the shared tile behind it.
tile::CopyOp bringerOf(tile::GemmOp gemm, Value fragment) {
  Operation *op = gemm->getPrevNode();
  while (op && !writes(op, fragment))
    op = op->getPrevNode();
  auto copy = dyn_cast_or_null<tile::CopyOp>(op);
  if (!copy || !isWholeRoot(copy.getDst()) || !isWholeRoot(copy.getSrc()))
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
  SmallVector<Operation *> users = usersBehindViews(alloc.getResult());
  for (Operation *user : users)
    if (auto gemm = dyn_cast<tile::GemmOp>(user)) {
      bool isA = rootOf(gemm.getA()) == alloc.getResult();
      OpOperand &operand = isA ? gemm.getAMutable() : gemm.getBMutable();
      tile::CopyOp copy = isWholeRoot(operand.get()) && rootOf(operand.get()) == alloc.getResult()
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

} // namespace

/// Takes copies that are ops, before tile-lower-copies.
static void forwardOperands(tile::ProgramOp program) {
  program.walk([](tile::AllocOp alloc) {
    if (!alloc.getResult().getType().isFragment() || alloc.getLayout())
      return;
    for (auto [operand, copy] : passages(alloc)) {
      operand->set(rootOf(copy.getSrc()));
      copy.erase();
    }
  });
}

namespace {
struct ForwardOperandsPass : impl::ForwardOperandsPassBase<ForwardOperandsPass> {
  void runOnOperation() override { forwardOperands(getOperation()); }
};
} // namespace

} // namespace tilec

//===- RollTails.cpp - last rounds that are written out -------------------===//
//
// Compares the round behind a loop with its body, op by op, with the loop variable at its end.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ROLLTAILSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Compares a loop's body with what stands behind the loop.
class Tail {
public:
  Tail(tile::ForOp loop, int64_t next) : loop(loop), next(next) {}

  /// The ops that are the body once more; empty where they are not.
  SmallVector<Operation *> match() {
    SmallVector<Operation *> tail;
    Operation *op = loop->getNextNode();
    for (Operation &body : *loop.bodyBlock()) {
      if (isMemoryEffectFree(&body))
        continue;
      while (op && isMemoryEffectFree(op))
        op = op->getNextNode();
      if (!op || !isSame(&body, op))
        return {};
      tail.push_back(op);
      op = op->getNextNode();
    }
    return keepsBuffersApart(tail) ? tail : SmallVector<Operation *>();
  }

private:
  bool isSame(Operation *body, Operation *other) {
    if (body->getName() != other->getName() || body->getNumRegions() || body->getNumResults() ||
        body->getAttrDictionary() != other->getAttrDictionary() ||
        body->getNumOperands() != other->getNumOperands())
      return false;
    return llvm::all_of(llvm::zip(body->getOperands(), other->getOperands()),
                        [&](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
  }

  bool isSame(Value body, Value other) {
    if (body.getType() != other.getType())
      return false;
    if (isa<tile::BufferType>(body.getType()))
      return isSameBuffer(body, other);
    if (body.getType().isIntOrIndex())
      return isSameIndex(body, other);
    return body == other && !loop->isAncestor(body.getParentBlock()->getParentOp());
  }

  bool isSameBuffer(Value body, Value other) {
    auto a = body.getDefiningOp<tile::SubviewOp>(), b = other.getDefiningOp<tile::SubviewOp>();
    if (a && b)
      return a.getDropped() == b.getDropped() && isSame(a.getSource(), b.getSource()) &&
             a.getOffsets().size() == b.getOffsets().size() &&
             llvm::all_of(llvm::zip(a.getOffsets(), b.getOffsets()),
                          [&](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
    if (a || b || body == other)
      return body == other;
    // A tile of the tail's own.
    if (!body.getDefiningOp<tile::AllocOp>() || !other.getDefiningOp<tile::AllocOp>() ||
        body.getDefiningOp()->getDiscardableAttrDictionary() !=
            other.getDefiningOp()->getDiscardableAttrDictionary())
      return false;
    return standsFor.try_emplace(other, body).first->second == body;
  }

  /// Whether `other` is `body` with the next value of the loop variable.
  bool isSameIndex(Value body, Value other) {
    LinearForm wanted = linearize(body), form = linearize(other);
    wanted.constant += wanted.coefficient(loop.iv()) * next;
    wanted = wanted.without(loop.iv());
    form.add(wanted, -1);
    return form.constant == 0 && form.terms.empty();
  }

  /// The tail's own tiles are its alone, and what stands for them in the loop is not looked at
  /// behind it: it would have the data of another round.
  bool keepsBuffersApart(ArrayRef<Operation *> tail) {
    auto isUsedOnlyIn = [](Value root, auto isAllowed) {
      SmallVector<Value> views = {root};
      while (!views.empty())
        for (Operation *user : views.pop_back_val().getUsers())
          if (isa<tile::SubviewOp>(user))
            views.push_back(user->getResult(0));
          else if (!isAllowed(user))
            return false;
      return true;
    };
    SmallPtrSet<Value, 4> bodies;
    for (auto [own, body] : standsFor)
      if (!bodies.insert(body).second ||
          !isUsedOnlyIn(own, [&](Operation *user) { return llvm::is_contained(tail, user); }) ||
          !isUsedOnlyIn(body, [&](Operation *user) { return loop->isProperAncestor(user); }))
        return false;
    return true;
  }

  tile::ForOp loop;
  int64_t next; ///< the value that the loop variable would have
  llvm::MapVector<Value, Value> standsFor;
};

} // namespace

/// The tail does what the body would do with the next value of the loop variable; tiles of its own
/// stand for those of the body.
static void rollTails(tile::ProgramOp program) {
  program.walk([](tile::ForOp loop) {
    auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper()),
         step = tile::constantInt(loop.getStep());
    if (loop.getKind() != tile::LoopKind::Pipelined || !lower || !upper || !step || *step <= 0 ||
        *upper <= *lower || (*upper - *lower) % *step)
      return;
    SmallVector<Operation *> tail = Tail(loop, *upper).match();
    if (tail.empty())
      return;
    for (Operation *op : llvm::reverse(tail))
      op->erase();
    OpBuilder builder(loop);
    loop.getUpperMutable().assign(
        arith::ConstantIndexOp::create(builder, loop.getLoc(), *upper + *step));
  });
}

namespace {
struct RollTailsPass : impl::RollTailsPassBase<RollTailsPass> {
  void runOnOperation() override { rollTails(getOperation()); }
};
} // namespace

} // namespace tilec

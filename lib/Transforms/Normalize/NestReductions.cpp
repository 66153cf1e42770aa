//===- NestReductions.cpp - rows that an iteration folds element by element -----===//
//
//   for i in T.Parallel(64):
//     for k in T.serial(128): sum[i] += A[i, k]
//
// has one thread a row: lanes read a row apart from each other, and those without a row nothing.
// A loop that does nothing but fold elements into what it leaves in its place, and write others
// that are each round's own, is a parallel in the parallel: a reduction of all lanes. The additions
// of such a loop have no order (docs/language/statements.md); one outside of T.Parallel keeps it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"
#include "Normalize/Updates.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_NESTREDUCTIONSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Elements of a thread that a reduction of all lanes holds, and fewer rounds than a thread does
/// sooner alone.
constexpr int64_t mostElements = 64, fewestRounds = 8;

class Nest {
public:
  explicit Nest(tile::ForOp outer) : outer(outer) {}

  /// Whether the loop folds, and lanes would do it better.
  bool find();
  void rewrite();

private:
  bool onlyFolds();
  bool isUpdate(tile::StoreOp store);
  bool pays();
  /// How many rounds of the outer loop are one parallel; 0: not enough of them.
  int64_t roundsAtOnce();

  tile::ForOp outer;
  SmallVector<tile::ForOp> loops; ///< the outer one and those that are all of it
  tile::ParallelOp around;
  int64_t iterations = 1, threads = 1, inner = 1; ///< `inner`: rounds in one of the outer loop
  int64_t atOnce = 0;
};

/// Whether the store folds its rounds into one element, which the loop does not touch otherwise.
bool Nest::isUpdate(tile::StoreOp store) {
  std::optional<Update> update = matchUpdate(store);
  if (!update || !update->old->hasOneUse() || !store.getValue().hasOneUse())
    return false; // a round does more with what another one has folded
  // Each addition rounds to what the element holds, where that is less than what is added.
  auto type = cast<tile::BufferType>(store.getBuffer().getType());
  bool rounds = update->kind == tile::ReduceKind::Sum || update->kind == tile::ReduceKind::Prod;
  Type scalar = store.getValue().getType();
  if (rounds && isa<FloatType>(scalar) && type.getElementType() != scalar)
    return false;
  for (Value index : store.getIndices())
    for (auto [term, factor] : linearize(index).terms)
      if (!isa<BlockArgument>(term) || outer.getBody().isAncestor(term.getParentRegion()))
        return false;
  WalkResult others = outer->walk([&](Operation *op) {
    if (op == store || op == update->old)
      return WalkResult::advance();
    auto load = dyn_cast<tile::LoadOp>(op);
    auto other = dyn_cast<tile::StoreOp>(op);
    Value buffer = load ? load.getBuffer() : other ? other.getBuffer() : Value();
    return buffer == store.getBuffer() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !others.wasInterrupted();
}

bool Nest::onlyFolds() {
  SmallVector<Value> folded;
  outer->walk([&](tile::StoreOp store) {
    if (isUpdate(store))
      folded.push_back(store.getBuffer());
  });
  return !folded.empty() && llvm::all_of(loops, [&](tile::ForOp loop) {
    return countsOn(loop) && areRoundsIndependent(outer, loop.iv(), folded);
  });
}

/// Elements that are each iteration's and round's own, unlike those of a product, are read by
/// threads without an iteration, or apart from each other: along the rounds, not along the
/// iterations.
bool Nest::pays() {
  SmallVector<Value> ivs(around.ivs().begin(), around.ivs().end());
  ivs.push_back(loops.back().iv());
  Value round = ivs.back(), neighbour = *std::prev(ivs.end(), 2);
  bool areOwn = false, areApart = false;
  outer->walk([&](tile::LoadOp load) {
    LinearForm place, last;
    for (Value index : load.getIndices())
      place.add(last = linearize(index), 1);
    bool isOwn = llvm::all_of(ivs, [&](Value iv) { return place.coefficient(iv) != 0; });
    areOwn |= isOwn;
    areApart |= isOwn && last.coefficient(round) == 1 && last.coefficient(neighbour) != 1;
  });
  return areApart || (areOwn && 2 * iterations <= threads);
}

int64_t Nest::roundsAtOnce() {
  int64_t rounds = *tile::constantInt(outer.getUpper());
  int64_t most = mostElements * threads / (iterations * inner);
  for (int64_t count = std::min(rounds, most); count * inner >= fewestRounds; --count)
    if (rounds % count == 0)
      return count;
  return 0;
}

bool Nest::find() {
  auto kernel = outer->getParentOfType<tile::KernelOp>();
  around = dyn_cast<tile::ParallelOp>(outer->getParentOp());
  if (!around || kernel.getLockstep())
    return false;
  for (auto loop = around; loop; loop = loop->getParentOfType<tile::ParallelOp>()) {
    auto extents = loop.constantExtents();
    // A serial loop in between has its own order, of which the statements would change.
    if (!extents || (loop != around && loop.getOperation() != around->getParentOp()))
      return false;
    for (int64_t extent : *extents)
      iterations *= extent;
  }
  threads = kernel.getThreads();
  loops = {outer};
  for (tile::ForOp next = onlyLoopIn(*outer.bodyBlock()); next;
       next = onlyLoopIn(*next.bodyBlock()))
    loops.push_back(next);
  if (!onlyFolds())
    return false;
  for (tile::ForOp loop : ArrayRef(loops).drop_front())
    inner *= *tile::constantInt(loop.getUpper());
  atOnce = roundsAtOnce();
  return atOnce != 0 && pays();
}

void Nest::rewrite() {
  OpBuilder b(outer);
  Location loc = outer.getLoc();
  int64_t rounds = *tile::constantInt(outer.getUpper());
  Value first;
  if (atOnce < rounds) {
    Value count = arith::ConstantIndexOp::create(b, loc, rounds / atOnce);
    Value whole = arith::ConstantIndexOp::create(b, loc, atOnce);
    auto pieces = tile::ForOp::create(b, loc, outer.getLower(), count, outer.getStep());
    b.setInsertionPointToEnd(pieces.bodyBlock());
    first = arith::MulIOp::create(b, loc, pieces.iv(), whole);
  }
  SmallVector<Value> extents = {arith::ConstantIndexOp::create(b, loc, atOnce)};
  for (tile::ForOp loop : ArrayRef(loops).drop_front())
    extents.push_back(arith::ConstantIndexOp::create(b, loc, *tile::constantInt(loop.getUpper())));
  auto nested = tile::ParallelOp::create(b, loc, extents);
  auto &ops = nested.bodyBlock()->getOperations();
  for (auto [n, loop] : llvm::enumerate(loops)) {
    Value iv = nested.ivs()[n];
    if (n == 0 && first) {
      b.setInsertionPointToStart(nested.bodyBlock());
      iv = arith::AddIOp::create(b, loc, first, iv);
    }
    loop.iv().replaceAllUsesWith(iv);
  }
  // The outer loops' arithmetic comes first, the innermost body last.
  for (auto [n, loop] : llvm::enumerate(loops)) {
    if (n + 1 < loops.size())
      loops[n + 1]->moveBefore(outer);
    ops.splice(ops.end(), loop.bodyBlock()->getOperations());
  }
  for (tile::ForOp loop : loops)
    loop.erase();
}

struct NestReductionsPass : impl::NestReductionsPassBase<NestReductionsPass> {
  void runOnOperation() override {
    SmallVector<Nest> found;
    getOperation().walk<WalkOrder::PreOrder>([&](tile::ForOp loop) {
      Nest nest(loop);
      if (!nest.find())
        return WalkResult::advance();
      found.push_back(std::move(nest));
      return WalkResult::skip();
    });
    for (Nest &nest : found)
      nest.rewrite();
  }
};

} // namespace

} // namespace tilec

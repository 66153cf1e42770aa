//===- SumBeforeAtomics.cpp - sums that many iterations add to ------------===//
//
//   parallel (i, j): if (c(j)) atomic_add(X[f(j)], v(i, j))
//
// becomes a sum over i in the block, and an atomic one for each j: of updates of one element the
// memory does one after the other, from all blocks of the grid. Their order is nobody's in either
// form.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/MeetingIterations.h"
#include "Normalize/Normalize.h"
#include "Normalize/Updates.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SUMBEFOREATOMICSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Fewer updates of one element are not worth a sum of the block.
constexpr int64_t fewestUpdates = 8;
/// Terms of a thread, which wait in registers for their sum.
constexpr int64_t mostTerms = 64;

/// A parallel that does nothing but add to elements of a tensor.
class AtomicSums {
public:
  explicit AtomicSums(tile::ParallelOp loop) : loop(loop), loc(loop.getLoc()) {}

  bool matches();
  void rewrite();

private:
  /// Whether the value is computed from a variable that the updates do not name.
  bool dependsOnSummed(Value value) {
    Variables used = variablesIn(value, loop);
    return llvm::any_of(summed, [&](unsigned n) { return used.contains(n); });
  }
  /// The parts of a conjunction that are the same for all of the iterations that are summed.
  void conditionsOfKept(Value condition, SmallVectorImpl<Value> &kept);
  /// The fragment whose elements the terms are, one for each iteration; null: they are computed.
  Value fragmentOfTerms();
  /// A fragment with the terms, zero where there is none; the loop fills it.
  Value termsOfLoop();

  tile::ParallelOp loop;
  Location loc;
  tile::AtomicOp atomic;
  scf::IfOp guard; ///< null: there is none
  SmallVector<unsigned, 2> summed, kept;
};

bool AtomicSums::matches() {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  if (!loop.constantExtents() || kernel.getLockstep())
    return false;
  WalkResult plain = loop.walk([&](Operation *op) {
    if (op == loop || isa<scf::YieldOp>(op))
      return WalkResult::advance();
    if (auto add = dyn_cast<tile::AtomicOp>(op)) {
      bool isSum = !atomic && add.getKind() == tile::AtomicKind::Add && add.use_empty() &&
                   add.getBuffer().getType().isGlobal() && add.getValue().getType().isF32() &&
                   add.getBuffer().getType().getElementType().isF32();
      atomic = add;
      return isSum ? WalkResult::advance() : WalkResult::interrupt();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      bool isGuard = !guard && branch->getNumResults() == 0 && branch.getElseRegion().empty();
      guard = branch;
      return isGuard ? WalkResult::advance() : WalkResult::interrupt();
    }
    bool isPlain = op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isa<tile::LoadOp>(op));
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (plain.wasInterrupted() || !atomic || (guard && !guard->isProperAncestor(atomic)))
    return false;
  WalkResult others = loop.walk([&](tile::LoadOp load) {
    bool readsSum = rootOf(load.getBuffer()) == rootOf(atomic.getBuffer());
    return readsSum ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (others.wasInterrupted())
    return false;
  int64_t updates = 1, terms = 1;
  Variables named = variablesIn(atomic.getIndices(), loop);
  for (auto [n, extent] : llvm::enumerate(*loop.constantExtents())) {
    bool isNamed = named.contains(n);
    (isNamed ? kept : summed).push_back(n);
    updates *= isNamed ? 1 : extent;
    terms *= extent;
  }
  // What no variable tells apart is one number, which each iteration adds.
  return updates >= fewestUpdates && terms <= mostTerms * int64_t(kernel.getThreads()) &&
         dependsOnSummed(atomic.getValue());
}

void AtomicSums::conditionsOfKept(Value condition, SmallVectorImpl<Value> &kept) {
  if (!dependsOnSummed(condition))
    kept.push_back(condition);
  else if (auto both = condition.getDefiningOp<arith::AndIOp>())
    for (Value part : both->getOperands())
      conditionsOfKept(part, kept);
}

Value AtomicSums::fragmentOfTerms() {
  auto load = atomic.getValue().getDefiningOp<tile::LoadOp>();
  if (!load || !load.getBuffer().getType().isFragment() ||
      !load.getBuffer().getType().getElementType().isF32() ||
      load.getBuffer().getType().getShape() != ArrayRef<int64_t>(*loop.constantExtents()) ||
      !llvm::equal(load.getIndices(), loop.ivs()))
    return {};
  return guard && dependsOnSummed(guard.getCondition()) ? Value() : load.getBuffer();
}

Value AtomicSums::termsOfLoop() {
  SmallVector<Value> ivs(loop.ivs());
  auto type = tile::BufferType::get(*loop.constantExtents(), atomic.getValue().getType(),
                                    tile::Scope::Fragment);
  OpBuilder before(loop);
  Value terms = tile::AllocOp::create(before, loc, type, "summed", Attribute());
  if (guard) {
    OpBuilder top = OpBuilder::atBlockBegin(loop.bodyBlock());
    Value zero = arith::ConstantOp::create(top, loc, top.getF32FloatAttr(0));
    tile::StoreOp::create(top, loc, zero, terms, ivs);
  }
  OpBuilder b(atomic);
  tile::StoreOp::create(b, loc, atomic.getValue(), terms, ivs);
  return terms;
}

void AtomicSums::rewrite() {
  SmallVector<int64_t> shape(*loop.constantExtents());
  SmallVector<Value> ivs(loop.ivs());
  Type f32 = atomic.getValue().getType();
  Value sums = fragmentOfTerms();
  const bool keepsLoop = !sums;
  if (keepsLoop)
    sums = termsOfLoop();
  OpBuilder after(loop->getContext());
  after.setInsertionPointAfter(loop);
  for (unsigned n : llvm::reverse(summed)) {
    shape.erase(shape.begin() + n);
    SmallVector<int64_t> left = shape.empty() ? SmallVector<int64_t>{1} : shape;
    auto type = tile::BufferType::get(left, f32, tile::Scope::Fragment);
    Value next = tile::AllocOp::create(after, loc, type, "summed", Attribute());
    tile::ReduceOp::create(after, loc, tile::ReduceKind::Sum, sums, next, n, /*clear=*/true,
                           /*nan_propagate=*/false, tile::ReduceStep::Whole, /*shared_place=*/{});
    sums = next;
  }

  // One update an element.
  SmallVector<Value> extents;
  for (unsigned n : kept)
    extents.push_back(arith::ConstantIndexOp::create(after, loc, (*loop.constantExtents())[n]));
  if (extents.empty())
    extents.push_back(arith::ConstantIndexOp::create(after, loc, 1));
  auto updates = tile::ParallelOp::create(after, loc, extents);
  OpBuilder inner = OpBuilder::atBlockEnd(updates.bodyBlock());
  IRMapping mapping;
  for (auto [n, variable] : llvm::zip(kept, updates.ivs()))
    mapping.map(ivs[n], variable);
  SmallVector<Value> conditions;
  if (guard)
    conditionsOfKept(guard.getCondition(), conditions);
  for (Value condition : conditions) {
    Value holds = computed(inner, condition, loop, mapping);
    auto branch = scf::IfOp::create(inner, loc, holds, /*withElseRegion=*/false);
    inner.setInsertionPointToStart(branch.thenBlock());
  }
  SmallVector<Value> at;
  for (Value index : atomic.getIndices())
    at.push_back(computed(inner, index, loop, mapping));
  Value sum = tile::LoadOp::create(inner, loc, f32, sums, updates.ivs(), FloatAttr());
  tile::AtomicOp::create(inner, atomic.getLoc(), f32, tile::AtomicKind::Add, sum,
                         atomic.getBuffer(), at, atomic.getIsUnsigned());
  if (keepsLoop)
    atomic->erase();
  else
    loop->erase();
}

struct SumBeforeAtomicsPass : impl::SumBeforeAtomicsPassBase<SumBeforeAtomicsPass> {
  void runOnOperation() override {
    for (tile::ParallelOp loop : outermostParallels(getOperation()))
      if (AtomicSums sums(loop); sums.matches())
        sums.rewrite();
  }
};

} // namespace

} // namespace tilec

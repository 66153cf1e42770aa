//===- DelaySums.cpp - sums over rounds are combined over lanes once -------===//
//
// A row of S lies in several lanes (and waves). Adding up is linear: what a loop makes of
// the sums by sums and products with factors that all lanes of a row have alike, it may
// make of each lane's part of them. The buffers that hold parts are found from the
// reduction on, through the loop's statements; each must start at zero. The largest of what
// a loop has seen, which nothing else of it reads, is one of each lane's part as well, from
// whatever all lanes began with.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Layouts/Stores.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_DELAYSUMSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

class Finder {
public:
  Finder(tile::ForOp loop, tile::ReduceOp first) : loop(loop), first(first) {}

  /// Whether parts may stand for sums in the whole loop.
  bool run();

  SmallVector<Value> parts; ///< buffers that hold parts of sums
  SmallVector<tile::ReduceOp> reductions;

private:
  bool add(Value buffer);
  bool follow(Operation *statement);
  bool follow(tile::ElementLoop statement);
  bool isPart(Value buffer) { return llvm::is_contained(parts, buffer); }
  /// Parts, or what does not come from parts, or a mixture of both.
  enum class Form { Parts, Zero, Other, Mixed };
  Form formOf(Value value, tile::ElementLoop statement);
  /// An exponential that the loop computes: at most 1 where a maximum was subtracted, never
  /// infinite where the program's own results are finite (0 times infinity would be NaN).
  bool isScale(Value value, tile::ElementLoop statement);

  tile::ForOp loop;
  tile::ReduceOp first;
};

bool Finder::add(Value buffer) {
  if (isPart(buffer))
    return true;
  auto type = cast<tile::BufferType>(buffer.getType());
  const FragmentLayout *layout = fragmentLayoutOf(buffer),
                       *known = fragmentLayoutOf(first.getDst());
  if (!buffer.getDefiningOp<tile::AllocOp>() || !type.isFragment() ||
      !type.getElementType().isF32() || !layout || !known || !(*layout == *known))
    return false;
  parts.push_back(buffer);
  return true;
}

bool Finder::isScale(Value value, tile::ElementLoop statement) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  if (!load || isPart(load.getBuffer()) || !load.getBuffer().getDefiningOp<tile::AllocOp>() ||
      !llvm::equal(load.getIndices(), statement.ivs()))
    return false;
  bool isExponential = false;
  for (Operation &op : *loop.bodyBlock()) {
    if (!llvm::is_contained(accessesOf(&op).writes, load.getBuffer()))
      continue;
    auto writer = dyn_cast<tile::ElementLoop>(op);
    if (!writer)
      return false;
    auto result = writer.walk([&](tile::StoreOp store) {
      bool isOther = store.getBuffer() == load.getBuffer() &&
                     !isa_and_nonnull<math::ExpOp, math::Exp2Op>(store.getValue().getDefiningOp());
      return isOther ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
    isExponential = true;
  }
  return isExponential;
}

Finder::Form Finder::formOf(Value value, tile::ElementLoop statement) {
  if (isZero(value))
    return Form::Zero;
  Operation *op = value.getDefiningOp();
  if (!op || !statement->isProperAncestor(op))
    return Form::Other;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (!isPart(load.getBuffer()))
      return Form::Other;
    return llvm::equal(load.getIndices(), statement.ivs()) ? Form::Parts : Form::Mixed;
  }
  SmallVector<Form> forms;
  for (Value operand : op->getOperands())
    forms.push_back(formOf(operand, statement));
  if (llvm::none_of(forms, [](Form f) { return f == Form::Parts || f == Form::Mixed; }))
    return Form::Other;
  if (isa<arith::AddFOp, arith::SubFOp>(op) &&
      llvm::all_of(forms, [](Form f) { return f == Form::Parts || f == Form::Zero; }))
    return Form::Parts;
  if (isa<arith::NegFOp>(op) && forms[0] == Form::Parts)
    return Form::Parts;
  if (isa<arith::MulFOp>(op))
    for (unsigned i : {0, 1})
      if (forms[i] == Form::Parts && forms[1 - i] == Form::Other &&
          isScale(op->getOperand(1 - i), statement))
        return Form::Parts;
  return Form::Mixed;
}

bool Finder::follow(tile::ElementLoop statement) {
  auto touches = [&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    auto store = dyn_cast<tile::StoreOp>(op);
    return (load && isPart(load.getBuffer())) || (store && isPart(store.getBuffer()));
  };
  // Places in views are not followed.
  auto throughView = [&](Value buffer) { return isPart(rootOf(buffer)) && !isPart(buffer); };
  auto views = statement.walk([&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    auto store = dyn_cast<tile::StoreOp>(op);
    bool isView =
        (load && throughView(load.getBuffer())) || (store && throughView(store.getBuffer()));
    return isView ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (views.wasInterrupted())
    return false;
  // What is made of parts is parts, or nothing is.
  for (auto store : statement.bodyBlock()->getOps<tile::StoreOp>()) {
    Form form = formOf(store.getValue(), statement);
    if ((form == Form::Parts || form == Form::Mixed) && !add(store.getBuffer()))
      return false;
  }
  // Every use of a part is an operand of something on the way to a store.
  for (Operation &op : *statement.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store) {
      Form form = formOf(store.getValue(), statement);
      bool toPart = isPart(store.getBuffer());
      if (form == Form::Mixed || (toPart && form == Form::Other) ||
          (toPart && !llvm::equal(store.getIndices(), statement.ivs())))
        return false;
      for (Value index : store.getIndices())
        if (formOf(index, statement) != Form::Other && !isZero(index))
          return false;
      continue;
    }
    if (isa<tile::LoadOp>(op) && touches(&op))
      continue;
    if (op.getNumRegions() != 0) {
      if (op.walk([&](Operation *inner) {
              bool usesPart = touches(inner);
              for (Value operand : inner->getOperands())
                usesPart |= operand.getType().isF32() && formOf(operand, statement) == Form::Parts;
              return usesPart ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted())
        return false;
      continue;
    }
    for (Value result : op.getResults())
      if (formOf(result, statement) == Form::Mixed)
        return false;
    if (op.getNumResults() == 0) // an atomic, a print
      for (Value operand : op.getOperands())
        if (!isa<tile::BufferType>(operand.getType()) && formOf(operand, statement) == Form::Parts)
          return false;
  }
  return true;
}

bool Finder::follow(Operation *statement) {
  Accesses accesses = accessesOf(statement);
  bool reads = llvm::any_of(accesses.reads, [&](Value v) { return isPart(v); });
  bool writes = llvm::any_of(accesses.writes, [&](Value v) { return isPart(v); });
  if (!reads && !writes)
    return true;
  if (auto reduce = dyn_cast<tile::ReduceOp>(statement)) {
    const FragmentLayout *layout = fragmentLayoutOf(reduce.getSrc()),
                         *known = fragmentLayoutOf(first.getSrc());
    bool isLike = reduce.getKind() == tile::ReduceKind::Sum && isPart(reduce.getDst()) &&
                  !isPart(rootOf(reduce.getSrc())) && reduce.getDim() == first.getDim() && layout &&
                  known && *layout == *known &&
                  tile::scalarTypeOf(reduce.getSrc().getType().getElementType()).isF32();
    if (isLike && !llvm::is_contained(reductions, reduce))
      reductions.push_back(reduce);
    return isLike;
  }
  if (auto fill = dyn_cast<tile::FillOp>(statement))
    return isZero(fill.getValue());
  auto parallel = dyn_cast<tile::ElementLoop>(statement);
  return parallel && follow(parallel);
}

bool Finder::run() {
  if (!add(first.getDst()))
    return false;
  for (size_t known = 0; known != parts.size();) {
    known = parts.size();
    for (Operation &op : *loop.bodyBlock())
      if (!follow(&op))
        return false;
  }
  // Where parts are read or written elsewhere they start at zero, right in front of the loop.
  bool isCarried = false;
  for (Value buffer : parts) {
    bool isUsedOutside =
        llvm::any_of(buffer.getUsers(), [&](Operation *user) { return !loop->isAncestor(user); });
    if (!isUsedOutside)
      continue;
    Operation *before = loop->getPrevNode();
    while (before && !touches(before, buffer))
      before = before->getPrevNode();
    auto fill = dyn_cast_or_null<tile::FillOp>(before);
    if (!fill || !isZero(fill.getValue()))
      return false;
    isCarried = true;
  }
  return isCarried;
}

/// Whether lanes or waves share a row.
bool isSpread(tile::ReduceOp reduce) {
  const FragmentLayout *layout = fragmentLayoutOf(reduce.getSrc());
  if (!layout)
    return false;
  int64_t dim = reduce.getDim();
  return llvm::any_of(layout->atom().inputs()[1].bases,
                      [&](const auto &base) { return base[dim] != 0; }) ||
         llvm::any_of(layout->waves(),
                      [&](const Factor &f) { return f.dim == dim && f.count > 1; });
}

/// Lanes keep parts in the loop. Those in `parts` that are read elsewhere are combined behind it.
void combineBehind(tile::ForOp loop, ArrayRef<tile::ReduceOp> reductions, ArrayRef<Value> parts) {
  for (tile::ReduceOp reduce : reductions)
    reduce.setStep(tile::ReduceStep::Parts);
  tile::ReduceOp first = reductions.front();
  // What is combined behind the loop has the layout of what is summed inside: a buffer of the
  // loop's own, where a parallel's reduction was recognised, is known there as well.
  auto summed = first.getSrc().getDefiningOp<tile::AllocOp>();
  if (loop->isProperAncestor(summed))
    summed->moveBefore(loop);
  // Parts are magnitudes, or what the buffer had in front of a loop without a round.
  tile::ReduceKind kind = first.getKind();
  if (kind == tile::ReduceKind::AbsMax)
    kind = tile::ReduceKind::Max;
  OpBuilder b(loop->getContext());
  b.setInsertionPointAfter(loop);
  for (Value buffer : parts)
    if (llvm::any_of(buffer.getUsers(), [&](Operation *user) { return !loop->isAncestor(user); }))
      tile::ReduceOp::create(b, first.getLoc(), kind, first.getSrc(), buffer, first.getDim(),
                             /*clear=*/true, first.getNanPropagate(), tile::ReduceStep::Combine,
                             /*shared_place=*/{});
}

void delaySum(tile::ForOp loop, tile::ReduceOp first) {
  Finder finder(loop, first);
  if (finder.run())
    combineBehind(loop, finder.reductions, finder.parts);
}

/// To combine a value twice changes nothing.
bool isIdempotent(tile::ReduceKind kind) {
  return kind == tile::ReduceKind::Max || kind == tile::ReduceKind::Min ||
         kind == tile::ReduceKind::AbsMax;
}

Type scalarTypeOf(Value buffer) {
  return tile::scalarTypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
}

/// All lanes begin with what the buffer had in front of the loop, and nothing of the loop has
/// anything to do with it but such reductions, of which one may stand for all.
void delayExtreme(tile::ForOp loop, tile::ReduceOp first) {
  Value buffer = first.getDst();
  auto alloc = buffer.getDefiningOp<tile::AllocOp>();
  if (first.getClear() || !alloc || loop->isAncestor(alloc) || !fragmentLayoutOf(buffer) ||
      !first.getSrc().getDefiningOp<tile::AllocOp>() ||
      scalarTypeOf(first.getSrc()) != scalarTypeOf(buffer))
    return;
  SmallVector<tile::ReduceOp> reductions;
  for (Operation *user : buffer.getUsers()) {
    if (isa<tile::SubviewOp, tile::ReshapeOp>(user))
      return;
    if (!loop->isAncestor(user))
      continue;
    auto reduce = dyn_cast<tile::ReduceOp>(user);
    const FragmentLayout *layout = reduce ? fragmentLayoutOf(reduce.getSrc()) : nullptr;
    bool isLike = layout && *layout == *fragmentLayoutOf(first.getSrc()) &&
                  reduce->getBlock() == loop.bodyBlock() && reduce.getDst() == buffer &&
                  reduce.getSrc() != buffer && reduce.getKind() == first.getKind() &&
                  reduce.getDim() == first.getDim() && !reduce.getClear() &&
                  reduce.getNanPropagate() == first.getNanPropagate() &&
                  reduce.getSrc().getType() == first.getSrc().getType();
    if (!isLike)
      return;
    reductions.push_back(reduce);
  }
  combineBehind(loop, reductions, buffer);
}

} // namespace

/// `l[i] = l[i] * alpha[i] + sum(row i of S)` in every round of a loop, from l = 0: each lane keeps
/// the sum of its own elements, and lanes and waves combine theirs after the loop. So with
/// `m[i] = max(m[i], max(row i of S))`.
static void delaySums(tile::KernelOp kernel) {
  if (kernel.getLockstep())
    return;
  SmallVector<tile::ReduceOp> found;
  kernel.walk([&](tile::ReduceOp reduce) {
    if ((reduce.getKind() == tile::ReduceKind::Sum || isIdempotent(reduce.getKind())) &&
        isa<tile::ForOp>(reduce->getParentOp()) && isSpread(reduce))
      found.push_back(reduce);
  });
  for (tile::ReduceOp reduce : found) {
    auto loop = cast<tile::ForOp>(reduce->getParentOp());
    if (reduce.getStep() != tile::ReduceStep::Whole)
      continue;
    if (isIdempotent(reduce.getKind()))
      delayExtreme(loop, reduce);
    else
      delaySum(loop, reduce);
  }
}

namespace {
struct DelaySumsPass : impl::DelaySumsPassBase<DelaySumsPass> {
  using DelaySumsPassBase::DelaySumsPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      delaySums(kernel);
  }
};
} // namespace

} // namespace tilec

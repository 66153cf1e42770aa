//===- SplitEdges.cpp - wide pieces up to the end of a row -----------------===//
//
// Rows of a length that only the run knows, or that is odd, may end within a piece of several
// elements, so that each element is moved by an access of its own. Tiles that lie in their rows
// whole, most of them, need not: the branch that asks for it has the same copy or loop on both
// sides, and what it asks is known on one of them (knownEnds).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SPLITEDGESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Elements of which a lane holds several in a row have an access for each word at most; wider ones
/// are moved by words anyway.
bool isNarrow(tile::BufferType type) {
  unsigned bits = bitsOf(tile::dtypeOf(type.getElementType()));
  return bits == 8 || bits == 16;
}

/// Whether the rows of the tensor lie one behind the other.
bool hasRows(tile::TensorOp tensor) {
  return tensor && tensor.getStrides().empty() && tensor.getType().rank() > 0 &&
         isNarrow(tensor.getType());
}

/// Asks in front of a copy or loop whether all of its columns are the tensors'.
class EdgeTest {
public:
  EdgeTest(Operation *op, const TargetInfo &chip, int64_t waves)
      : op(op), chip(chip), waves(waves), b(op) {}

  /// What is to be asked; null where that gains nothing or is not known in front of the op.
  Value findCondition();

private:
  bool addCopy(tile::CopyOp copy);
  bool addLoop(tile::ElementLoop loop);
  /// A column of the loop in its first or last round.
  Value columnIn(bool isLast, Value column, tile::ElementLoop loop);
  /// Asks what is not known of a tensor's columns from the first to the last one.
  void add(Value root, Value first, Value last);
  void ask(arith::CmpIPredicate predicate, Value left, Value right);

  Operation *op;
  const TargetInfo &chip;
  int64_t waves;
  OpBuilder b;
  Value condition;
};

void EdgeTest::ask(arith::CmpIPredicate predicate, Value left, Value right) {
  Value asked = arith::CmpIOp::create(b, op->getLoc(), predicate, left, right);
  condition = condition ? arith::AndIOp::create(b, op->getLoc(), condition, asked).getResult() : asked;
}

void EdgeTest::add(Value root, Value first, Value last) {
  auto type = cast<tile::BufferType>(root.getType());
  int64_t elems = type.getShape().back();
  const llvm::SmallPtrSet<Operation *, 1> none;
  std::optional<IndexRange> begin = rangeOf(first), end = rangeOf(last);
  bool isNotNegative =
      (begin && begin->low >= 0) || knownEnds(op, first, Value(), 0, none).isNotNegative;
  if (isNotNegative && end && !ShapedType::isDynamic(elems) && end->high < elems)
    return;
  if (isNotNegative && ShapedType::isDynamic(elems) &&
      liesBelow(IndexSum{{last}}, 1, cast<tile::TensorOp>(root.getDefiningOp()).getDims().back(), op))
    return;
  Location loc = op->getLoc();
  if (!isNotNegative)
    ask(arith::CmpIPredicate::sge, first, arith::ConstantIndexOp::create(b, loc, 0));
  Value rowElems = ShapedType::isDynamic(elems)
                       ? cast<tile::TensorOp>(root.getDefiningOp()).getDims().back()
                       : arith::ConstantIndexOp::create(b, loc, elems).getResult();
  ask(arith::CmpIPredicate::slt, last, rowElems);
}

bool EdgeTest::addCopy(tile::CopyOp copy) {
  for (Value view : {copy.getSrc(), copy.getDst()}) {
    auto type = cast<tile::BufferType>(view.getType());
    if (!type.isGlobal())
      continue;
    BufferBox box = boxOf(view);
    int64_t last = box.rootType().rank() - 1;
    auto tensor = box.root.getDefiningOp<tile::TensorOp>();
    if (!hasRows(tensor) || box.dims.empty() || box.dims.back() != last)
      return false;
    int64_t extent = type.getShape().back();
    if (extent < 2)
      return false;
    Value first = arith::ConstantIndexOp::create(b, op->getLoc(), 0);
    for (Value term : box.offsets.back().terms)
      first = arith::AddIOp::create(b, op->getLoc(), term, first);
    Value rest = arith::ConstantIndexOp::create(b, op->getLoc(), extent - 1);
    add(box.root, first, arith::AddIOp::create(b, op->getLoc(), first, rest));
  }
  return true;
}

Value EdgeTest::columnIn(bool isLast, Value column, tile::ElementLoop loop) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> work{column};
  while (!work.empty()) {
    Operation *inner = work.pop_back_val().getDefiningOp();
    if (!inner || !loop->isProperAncestor(inner) || !slice.insert(inner))
      continue;
    if (!isPure(inner) || inner->getNumRegions() != 0)
      return nullptr;
    llvm::append_range(work, inner->getOperands());
  }
  IRMapping mapping;
  for (auto [iv, extent] : llvm::zip(loop.ivs(), *loop.constantExtents()))
    mapping.map(iv, arith::ConstantIndexOp::create(b, op->getLoc(), isLast ? extent - 1 : 0));
  for (Operation &inner : *loop.bodyBlock())
    if (slice.contains(&inner))
      b.clone(inner, mapping);
  return mapping.lookupOrDefault(column);
}

/// Whether the column is one of the first loop round's and what is the same in all of them, and
/// grows with the loop's variables, so that its ends are those of the loop.
bool growsWith(Value column, tile::ElementLoop loop) {
  return llvm::all_of(linearize(column).terms, [&](auto term) {
    return llvm::is_contained(loop.ivs(), term.first)
               ? term.second >= 0
               : !loop->isAncestor(term.first.getParentRegion()->getParentOp());
  });
}

/// Whether a lane's second element is the first one's neighbour in the row.
bool isRun(const LinearForm &column, tile::ElementLoop loop, ArrayRef<Coords> bases) {
  int64_t moves = 0;
  for (auto [d, iv] : llvm::enumerate(loop.ivs()))
    moves += bases.empty() ? 0 : bases.front()[d] * column.coefficient(iv);
  return moves == 1;
}

bool EdgeTest::addLoop(tile::ElementLoop loop) {
  if (isa<tile::StoreTileOp, tile::TransposeBytesOp, tile::GatherOp>(*loop) ||
      !loop.constantExtents() || loop.ivs().empty())
    return false;
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = defaultLoopLayout(loop, chip, waves);
  ArrayRef<Coords> bases = layout->atom().inputs()[0].bases;
  for (Operation &inner : *loop.bodyBlock()) {
    std::optional<ElementAccess> access = elementAccess(&inner);
    if (!access || !isa<tile::LoadOp, tile::StoreOp>(inner) || access->indices.empty() ||
        !hasRows(access->buffer.getDefiningOp<tile::TensorOp>()))
      continue;
    Value column = access->indices.back();
    if (!isRun(linearize(column), loop, bases) || !growsWith(column, loop))
      continue;
    Value first = columnIn(/*isLast=*/false, column, loop);
    Value last = columnIn(/*isLast=*/true, column, loop);
    if (first && last)
      add(access->buffer, first, last);
  }
  return true;
}

Value EdgeTest::findCondition() {
  bool isKnown = false;
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    isKnown = addCopy(copy);
  else
    isKnown = addLoop(cast<tile::ElementLoop>(op));
  return isKnown ? condition : Value();
}

struct SplitEdgesPass : impl::SplitEdgesPassBase<SplitEdgesPass> {
  using SplitEdgesPassBase::SplitEdgesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (!chip->unalignedAccess)
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      if (kernel.getLockstep())
        continue;
      int64_t waves = wavesOf(kernel, *chip);
      SmallVector<Operation *> ops;
      kernel.walk([&](Operation *op) {
        if (isa<tile::CopyOp, tile::ElementLoop>(op) && !op->getParentOfType<tile::ElementLoop>())
          ops.push_back(op);
      });
      for (Operation *op : ops)
        split(op, *chip, waves);
    }
  }

  static void split(Operation *op, const TargetInfo &chip, int64_t waves) {
    Value condition = EdgeTest(op, chip, waves).findCondition();
    if (!condition)
      return;
    OpBuilder b(op);
    auto branch = scf::IfOp::create(b, op->getLoc(), condition, /*withElseRegion=*/true);
    branch.elseBlock()->getOperations().push_front(op->clone());
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  }
};

} // namespace

} // namespace tilec

//===- TileStore.cpp - which loops store accumulators through TMA ---------===//
//
// Matches loops that write what they compute of an accumulator to boxes of tensors; TileStore.h
// has the form.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/TileStore.h"

#include "Layouts/LoopLayout.h"
#include "Layouts/WarpGroups.h"
#include "Roles/TmaBox.h"
#include "Roles/WholeTiles.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// The shape behind an accumulator's layout (WarpGroups.cpp, planWarpGroupGemm).
bool readLayout(const FragmentLayout &layout, const TargetInfo &target, TileStore &store) {
  if (target.groups.empty() || !target.tensorCopies || layout.rank() != 2 ||
      layout.waves().empty() || layout.waves().size() > 3 || layout.reps().size() != 1)
    return false;
  ArrayRef<Factor> waves = layout.waves();
  if (!(waves[0] == Factor{0, warpsPerGroup}))
    return false;
  store.slabRows = target.groups.front().m;
  store.slabs = layout.atomRegs() * target.groupLanes() / (store.slabRows * groupColumns);
  // Factors of 1 are left out.
  for (const Factor &factor : waves.drop_front()) {
    int64_t &groups = factor.dim == 0 ? store.groupsM : store.groupsN;
    bool isInOrder = factor.dim == 1 || (factor.dim == 0 && store.groupsN == 1);
    if (groups != 1 || !isInOrder)
      return false;
    groups = factor.count;
  }
  return layout.atom() == target.groupAccumulator(store.slabs) &&
         store.rows() <= target.tensorCopies->widestExtent &&
         layout.shape()[0] == store.rows() * store.groupsM;
}

bool isInside(Value value, tile::ElementLoop loop) {
  return loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// Whether `index` is `iv` plus something that no loop variable moves.
bool isMovedBy(Value index, BlockArgument iv, tile::ElementLoop loop) {
  LinearForm form = linearize(index);
  for (auto [term, factor] : form.terms)
    if (isInside(term, loop) && (term != iv || factor != 1))
      return false;
  return form.coefficient(iv) == 1;
}

bool isFixed(Value index, tile::ElementLoop loop) {
  return llvm::none_of(linearize(index).terms,
                       [&](auto term) { return isInside(term.first, loop); });
}

bool isSame(Value a, Value b) {
  LinearForm difference = linearize(a);
  difference.add(linearize(b), -1);
  return difference.terms.empty() && difference.constant == 0;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Whether the condition holds for every element that lies inside of the tensor.
bool holdsInside(Value condition, const TileTarget &target) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return holdsInside(both.getLhs(), target) && holdsInside(both.getRhs(), target);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  auto shape = cast<tile::BufferType>(target.tensor.getType()).getShape();
  auto tensor = target.tensor.getDefiningOp<tile::TensorOp>();
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  Value left = compare.getLhs(), right = compare.getRhs();
  size_t dynamic = 0;
  for (auto [d, index] : llvm::enumerate(target.indices)) {
    Value extent = ShapedType::isDynamic(shape[d]) ? tensor.getDims()[dynamic++] : Value();
    auto isExtent = [&](Value value) {
      std::optional<int64_t> known = tile::constantInt(value);
      return extent ? isSame(value, extent) : known && *known >= shape[d];
    };
    bool isBelow = (predicate == P::slt && isSame(left, index) && isExtent(right)) ||
                   (predicate == P::sgt && isSame(right, index) && isExtent(left));
    bool isPositive =
        predicate == P::sge && isSame(left, index) && tile::constantInt(right).value_or(1) <= 0;
    if (isBelow || isPositive)
      return true;
  }
  return false;
}

/// Whether the op may run where its guard would have kept it from running.
bool isHarmless(Operation *op) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return tile::constantInt(op->getOperand(1)).value_or(0) > 0;
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load || load.getBuffer().getType().isGlobal()) // zero outside
    return true;
  return llvm::all_of(llvm::zip(load.getIndices(), load.getBuffer().getType().getShape()),
                      [](auto pair) {
                        std::optional<IndexRange> range = rangeOf(std::get<0>(pair));
                        return range && range->low >= 0 && range->high < std::get<1>(pair);
                      });
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// What a tile.store or tile.atomic writes, and where.
TileTarget writtenBy(Operation *op) {
  TileTarget target;
  auto store = dyn_cast<tile::StoreOp>(op);
  auto atomic = dyn_cast<tile::AtomicOp>(op);
  target.op = op;
  target.adds = bool(atomic);
  target.tensor = store ? store.getBuffer() : atomic.getBuffer();
  target.value = store ? store.getValue() : atomic.getValue();
  ValueRange indices = store ? store.getIndices() : atomic.getIndices();
  target.indices.assign(indices.begin(), indices.end());
  auto type = cast<tile::BufferType>(target.tensor.getType());
  target.elemBytes = bytesOf(tile::dtypeOf(type.getElementType()));
  return target;
}

/// The box of one transfer, for a target with `rowDim` and `rowBytes`.
void setExtents(TileTarget &target, const TileStore &store) {
  target.extents.assign(target.indices.size(), 1);
  target.extents[target.rowDim] = store.rows();
  target.extents.back() = target.cols();
}

/// Whether TMA can write what the op writes; fills the target.
bool readTarget(Operation *op, tile::ElementLoop loop, const TileStore &match,
                const TensorCopies &copies, TileTarget &target) {
  target = writtenBy(op);
  auto atomic = dyn_cast<tile::AtomicOp>(op);
  auto type = cast<tile::BufferType>(target.tensor.getType());
  DType dtype = tile::dtypeOf(type.getElementType());
  if (!mappedTensorOf(target.tensor) || bitsOf(dtype) < 8 || bitsOf(dtype) > 32 ||
      dtype == DType::Bool)
    return false;
  if (atomic && (atomic.getKind() != tile::AtomicKind::Add || !atomic.getOld().use_empty() ||
                 dtype != DType::F32))
    return false;
  int64_t rank = type.rank(), rowElems = rank ? type.getShape().back() : 0;
  if (rank < 2 || rank > copies.mostDims || ShapedType::isDynamic(rowElems) ||
      rowElems * target.elemBytes % copies.pitchBytes != 0)
    return false;
  target.rowBytes = copies.widestRowBytes;
  while (match.cols() * target.elemBytes % target.rowBytes != 0)
    target.rowBytes /= 2;
  if (target.rowBytes < copies.narrowestRowBytes)
    return false;
  for (auto [d, index] : llvm::enumerate(target.indices)) {
    if (int64_t(d) == rank - 1) {
      if (!isMovedBy(index, loop.ivs()[1], loop))
        return false;
    } else if (target.rowDim < 0 && isMovedBy(index, loop.ivs()[0], loop)) {
      target.rowDim = d;
    } else if (!isFixed(index, loop)) {
      return false;
    }
  }
  if (target.rowDim < 0)
    return false;
  setExtents(target, match);
  return true;
}

/// The ops of the body, a guard looked through; nothing when there are others than element by
/// element ones.
bool collectOps(tile::ElementLoop loop, TileStore &match, scf::IfOp &guard) {
  auto take = [&](Block &block) {
    for (Operation &op : block) {
      auto branch = dyn_cast<scf::IfOp>(op);
      bool isEnd = !op.getNextNode() || isa<scf::YieldOp>(op.getNextNode());
      if (branch && !guard && isEnd && branch.getNumResults() == 0 &&
          branch.getElseRegion().empty())
        guard = branch;
      else if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(op) ||
               (isMemoryEffectFree(&op) && op.getNumRegions() == 0))
        match.ops.push_back(&op);
      else
        return false;
    }
    return true;
  };
  if (!take(*loop.bodyBlock()))
    return false;
  if (!guard)
    return true;
  if (!take(guard.getThenRegion().front()) || !isa<scf::YieldOp>(match.ops.back()))
    return false;
  match.ops.pop_back();
  return true;
}

//===----------------------------------------------------------------------===//
// What else touches the tensor
//===----------------------------------------------------------------------===//

bool readsWhatItWrites(tile::LoadOp load, const TileTarget &target) {
  return llvm::all_of(llvm::zip(load.getIndices(), target.indices), [](auto pair) {
    LinearForm difference = linearize(std::get<0>(pair));
    difference.add(linearize(std::get<1>(pair)), -1);
    return difference.terms.empty() && difference.constant == 0;
  });
}

/// Whether nothing else of the kernel has to see, or be seen by, what the loop writes to the
/// tensor.
bool isAlone(const TileTarget &target, tile::ElementLoop loop, tile::KernelOp kernel) {
  auto result = kernel.walk([&](Operation *op) {
    if (op == target.op || op->getNumRegions() != 0 || isMemoryEffectFree(op))
      return WalkResult::advance();
    Accesses accesses = accessesOf(op);
    Value root = rootOf(target.tensor);
    if (!isChangedBy(accesses.reads, root) && !isChangedBy(accesses.writes, root))
      return WalkResult::advance();
    if (areExclusive(op, loop) && !isInAuthorsLoop(loop))
      return WalkResult::advance();
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isSafe = load && load.getBuffer() == target.tensor && loop->isAncestor(op) &&
                  !isInAuthorsLoop(loop) && readsWhatItWrites(load, target);
    return isSafe ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether the op reads a thread's variable that the loop leaves as it is.
bool readsVariable(Operation &op, ArrayRef<Value> written) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && load.getBuffer().getType().isLocal() &&
         !llvm::is_contained(written, rootOf(load.getBuffer()));
}

} // namespace

bool isInAuthorsLoop(Operation *op) {
  for (Operation *up = op->getParentOp(); up && !isa<tile::KernelOp>(up); up = up->getParentOp())
    if (auto loop = dyn_cast<tile::ForOp>(up);
        isa<tile::WhileOp>(up) || (loop && !loop.getPersistent()))
      return true;
  return false;
}

bool isAlone(const TileStore &store, tile::ElementLoop loop, tile::KernelOp kernel) {
  return llvm::all_of(store.targets,
                      [&](const TileTarget &to) { return isAlone(to, loop, kernel); });
}

bool coversTile(tile::ElementLoop loop, ValueRange indices, tile::BufferType type) {
  auto extents = loop.constantExtents();
  return extents && ArrayRef<int64_t>(*extents) == type.getShape() &&
         llvm::equal(indices, loop.ivs());
}

void hoistInvariants(tile::ElementLoop loop) {
  const Accesses accesses = accessesOf(loop);
  for (Operation &op : llvm::make_early_inc_range(*loop.bodyBlock()))
    if ((isMemoryEffectFree(&op) || readsVariable(op, accesses.writes)) &&
        op.getNumRegions() == 0 && llvm::none_of(op.getOperands(), [&](Value operand) {
          return loop->isAncestor(operand.getParentRegion()->getParentOp());
        }))
      op.moveBefore(loop);
}

int64_t TileStore::stepCols() const {
  int64_t most = 0;
  for (const TileTarget &target : targets)
    most = std::max(most, target.cols());
  return most;
}

int64_t TileStore::transfers() const {
  int64_t count = 0;
  for (const TileTarget &target : targets)
    count += cols() / target.cols();
  return count;
}

int64_t TileStore::bufferBytes() const {
  int64_t most = 0;
  for (const TileTarget &target : targets)
    most = std::max(most, rows() * target.rowBytes);
  return most;
}

TileStore tileStoreOf(tile::StoreTileOp loop, const TargetInfo &chip) {
  TileStore store;
  store.layout = *layoutFromFragments(loop);
  readLayout(store.layout, chip, store);
  // Transfers leave out what is outside of the tensor: no guard is needed that keeps it in.
  loop.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::IfOp, scf::YieldOp>(op))
      return;
    store.ops.push_back(op);
    if (!isa<tile::StoreOp, tile::AtomicOp>(op))
      return;
    TileTarget target = writtenBy(op);
    target.rowDim = loop.getRows()[store.targets.size()];
    target.rowBytes = loop.getRowBytes()[store.targets.size()];
    setExtents(target, store);
    store.targets.push_back(std::move(target));
  });
  return store;
}

std::optional<TileStore> matchTileStore(tile::ElementLoop loop, const TargetInfo &chip) {
  TileStore match;
  auto extents = loop.constantExtents();
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!extents || extents->size() != 2 || !layout || !readLayout(*layout, chip, match) ||
      ArrayRef<int64_t>(*extents) != ArrayRef<int64_t>(layout->shape()))
    return std::nullopt;
  match.layout = *layout;
  scf::IfOp guard;
  if (!collectOps(loop, match, guard))
    return std::nullopt;
  for (Operation *op : match.ops) {
    if (isa<tile::StoreOp, tile::AtomicOp>(op)) {
      TileTarget target;
      if (!readTarget(op, loop, match, *chip.tensorCopies, target) ||
          (guard && !holdsInside(guard.getCondition(), target)))
        return std::nullopt;
      match.targets.push_back(target);
    }
    if (guard && guard->isAncestor(op) && !isHarmless(op))
      return std::nullopt;
  }
  return match.targets.empty() ? std::nullopt : std::optional(match);
}

std::optional<TileStore> tileStoreIn(tile::ElementLoop loop, tile::KernelOp kernel,
                                     const TargetInfo &target) {
  std::optional<TileStore> match = matchTileStore(loop, target);
  return match && isAlone(*match, loop, kernel) ? match : std::nullopt;
}

} // namespace tilec

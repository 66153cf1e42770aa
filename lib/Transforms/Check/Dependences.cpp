//===- Dependences.cpp - iterations of a parallel that are not independent -===//
//
// For most buffers a look at the indices proves that different iterations touch
// different elements. The rest is tried out: indices and conditions are evaluated for
// the first iterations, and an element that one iteration writes and another one reads
// or writes is an error, unless the update is a reduction. Accesses whose place or
// condition depends on memory are left to the author.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "Normalize/IterationValues.h"
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"
#include "Normalize/Updates.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {
namespace {

/// Iterations that are tried out, all dimensions together.
constexpr int64_t mostIterations = 4096;
/// Of a loop inside of the parallel.
constexpr int64_t mostInnerIterations = 8;

//===----------------------------------------------------------------------===//
// One parallel
//===----------------------------------------------------------------------===//

struct Access {
  Operation *op;
  ValueRange indices;
  bool isStore = false;
  std::optional<ReductionUpdate> update; ///< of a store
  Operation *oldOf = nullptr;            ///< of a load: the update whose old value it is
  bool sameValue = false;                ///< of a store: all iterations write one value
};

class LoopCheck {
public:
  explicit LoopCheck(tile::ParallelOp loop)
      : loop(loop), values(loop), written(accessesOf(loop).writes) {}

  LogicalResult run();

private:
  void collect();
  bool isSeparated(ArrayRef<Access> accesses);
  bool variesInLoop(Value value, ValueRange given = {});
  LogicalResult tryOut(Value buffer, SmallVectorImpl<Access> &accesses);
  /// Calls `visit(iteration, place)` for the places that the access touches for certain.
  void forEachPlace(const Access &access, tile::BufferType type,
                    llvm::function_ref<bool(int64_t, uint64_t)> visit);
  bool forInner(ArrayRef<Operation *> around, llvm::function_ref<bool()> visit);
  LogicalResult report(const Access &at, const Access &other, Value buffer);
  bool dependsOnMemory(Value value);
  bool isReduction(const Access &a, const Access &b);
  void warnOfScatter(ArrayRef<Access> list, Value buffer);

  tile::ParallelOp loop;
  IterationValues values;
  SmallVector<Value, 4> written;  ///< buffers, in the loop
  Operation *innermost = nullptr; ///< the access that is being tried out
  llvm::MapVector<Value, SmallVector<Access, 4>> accesses;
};

void LoopCheck::collect() {
  auto isOutside = [&](Value buffer) {
    return !loop.getBody().isAncestor(buffer.getParentRegion());
  };
  llvm::DenseMap<Operation *, Operation *> oldValues;
  loop.walk([&](tile::StoreOp store) {
    if (!isOutside(store.getBuffer()))
      return;
    Access access{store, store.getIndices(), true, matchReduction(store)};
    access.sameValue = !variesInLoop(store.getValue(), store.getIndices());
    if (access.update)
      oldValues[access.update->old] = store;
    accesses[store.getBuffer()].push_back(access);
  });
  loop.walk([&](tile::LoadOp load) {
    auto it = accesses.find(load.getBuffer());
    if (it == accesses.end())
      return;
    Access access{load, load.getIndices(), false, std::nullopt};
    access.oldOf = oldValues.lookup(load);
    it->second.push_back(access);
  });
}

/// Whether the value may differ between iterations in which the values `given` do not.
bool LoopCheck::variesInLoop(Value value, ValueRange given) {
  if (!loop.getBody().isAncestor(value.getParentRegion()) || llvm::is_contained(given, value))
    return false;
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  bool readsConstant = load && !llvm::is_contained(written, rootOf(load.getBuffer()));
  if (!op || (!isPure(op) && !readsConstant) || op->getNumRegions() != 0)
    return true;
  return llvm::any_of(op->getOperands(), [&](Value v) { return variesInLoop(v, given); });
}

/// Whether for each loop variable some dimension is the same in all accesses and holds the variable
/// and, beside it, only what does not vary in the loop.
bool LoopCheck::isSeparated(ArrayRef<Access> list) {
  for (auto [n, iv] : llvm::enumerate(loop.ivs())) {
    if (tile::constantInt(loop.getExtents()[n]).value_or(2) == 1)
      continue;
    bool separates = false;
    for (size_t d = 0; d < list[0].indices.size() && !separates; ++d) {
      LinearForm first = linearize(list[0].indices[d]);
      separates = first.coefficient(iv) != 0;
      for (auto [term, factor] : first.terms)
        separates &= term == iv || !variesInLoop(term);
      for (const Access &other : list.drop_front()) {
        LinearForm difference = linearize(other.indices[d]);
        difference.add(first, -1);
        separates &= difference.terms.empty() && difference.constant == 0;
      }
    }
    if (!separates)
      return false;
  }
  return true;
}

/// Runs `visit` for the iterations of the loops in `around`, outermost first, where the conditions
/// in it hold; false when it has stopped.
bool LoopCheck::forInner(ArrayRef<Operation *> around, llvm::function_ref<bool()> visit) {
  if (around.empty())
    return visit();
  Operation *op = around.front();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> condition = values.of(branch.getCondition(), /*exact=*/true);
    bool inThen = branch.getThenRegion().isAncestor(innermost->getParentRegion());
    if (!condition || (*condition != 0) != inThen)
      return true;
    return forInner(around.drop_front(), visit);
  }
  if (auto serial = dyn_cast<tile::ForOp>(op)) {
    auto lower = values.of(serial.getLower(), true), upper = values.of(serial.getUpper(), true);
    auto step = tile::constantInt(serial.getStep());
    if (!lower || !upper || !step)
      return true;
    for (int64_t n = 0, at = *lower;
         n < mostInnerIterations && (*step > 0 ? at < *upper : at > *upper); ++n, at += *step) {
      values.variables[serial.iv()] = at;
      if (!forInner(around.drop_front(), visit))
        return false;
    }
    return true;
  }
  if (auto nested = dyn_cast<tile::ParallelOp>(op)) {
    int64_t count = 1;
    SmallVector<int64_t, 3> extents;
    for (Value extent : nested.getExtents()) {
      std::optional<int64_t> known = values.of(extent, true);
      if (!known)
        return true;
      extents.push_back(std::min(*known, mostInnerIterations));
      count *= extents.back();
    }
    for (int64_t n = 0; n < count; ++n) {
      int64_t rest = n;
      for (size_t d = extents.size(); d-- > 0; rest /= extents[d])
        values.variables[nested.ivs()[d]] = rest % extents[d];
      if (!forInner(around.drop_front(), visit))
        return false;
    }
    return true;
  }
  return true; // tile.while: not known
}

void LoopCheck::forEachPlace(const Access &access, tile::BufferType type,
                             llvm::function_ref<bool(int64_t, uint64_t)> visit) {
  SmallVector<Operation *> around;
  for (Operation *at = access.op->getParentOp(); at != loop; at = at->getParentOp())
    around.insert(around.begin(), at);
  innermost = access.op;
  size_t rank = loop.ivs().size();
  int64_t each = rank == 1 ? mostIterations : rank == 2 ? 64 : rank == 3 ? 16 : 4;
  SmallVector<int64_t, 4> extents;
  int64_t count = 1;
  for (Value extent : loop.getExtents()) {
    // Of an extent that is not known, two iterations are enough to meet.
    extents.push_back(std::min(tile::constantInt(extent).value_or(2), each));
    count *= extents.back();
  }
  for (int64_t iteration = 0; iteration < std::min(count, mostIterations); ++iteration) {
    int64_t rest = iteration;
    for (size_t d = rank; d-- > 0; rest /= extents[d])
      values.variables[loop.ivs()[d]] = rest % extents[d];
    bool goesOn = forInner(around, [&] {
      uint64_t place = 0;
      for (auto [d, index] : llvm::enumerate(access.indices)) {
        std::optional<int64_t> at = values.of(index, /*exact=*/false);
        if (!at)
          return false; // depends on memory: nothing is certain
        int64_t size = type.getShape()[d];
        bool isOutside = !ShapedType::isDynamic(size) && (*at < 0 || *at >= size);
        if (isOutside && values.of(index, /*exact=*/true)) // not a number that stands for another
          return true;                                     // no element
        place = place * 1000003 + uint64_t(*at);
      }
      return visit(iteration, place);
    });
    if (!goesOn)
      return;
  }
}

LogicalResult LoopCheck::report(const Access &at, const Access &other, Value buffer) {
  bool bothWrite = at.isStore && other.isStore;
  Reported message(at.op, DiagId::IterationsDepend,
                   bothWrite ? "different ones write different values to one element of"
                             : "one reads what another one writes of",
                   nameOfRoot(buffer));
  if (&at != &other)
    message.note(other.op, DiagId::OtherAccess, other.isStore ? "written" : "read");
  else
    message.note(loop, DiagId::OfThisLoop);
  return message;
}

/// Whether an iteration computes the value from what it loads.
bool LoopCheck::dependsOnMemory(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return false;
  return isa<tile::LoadOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value v) { return dependsOnMemory(v); });
}

/// H[x[i]] = H[x[i]] + e is atomic, or done by one iteration after another. H[i] = H[x[i]] is
/// neither: nothing says that it reads nothing that another iteration writes.
void LoopCheck::warnOfScatter(ArrayRef<Access> list, Value buffer) {
  auto isByMemory = [&](const Access &access) {
    return llvm::any_of(access.indices, [&](Value index) { return dependsOnMemory(index); });
  };
  for (const Access &store : list) {
    auto mayBeShared = [&](const Access &access) {
      return !access.isStore && access.oldOf != store.op &&
             (isByMemory(access) || isByMemory(store));
    };
    if (!store.isStore)
      continue;
    if (updatesInTurns(cast<tile::StoreOp>(store.op)))
      Reported(store.op, DiagId::UpdatesMayMeet, nameOfRoot(buffer))
          .note(store.update->old, DiagId::OldValueRead);
    auto read = llvm::find_if(list, mayBeShared);
    if (read == list.end())
      continue;
    Reported(store.op, DiagId::IterationsMayDepend, nameOfRoot(buffer))
        .note(read->op, DiagId::OtherAccess, "read");
    return;
  }
}

/// Whether what the accesses do to an element that iterations share is one reduction: both are the
/// same update, or update the same place. Of two that pass each other, or of one that goes from
/// place to place in a loop of the iteration, each step is one that iterations race in.
bool LoopCheck::isReduction(const Access &a, const Access &b) {
  if (!a.update || !b.update || a.update->kind != b.update->kind)
    return false;
  if (a.op != b.op)
    return sameIndices(a.indices, b.indices);
  for (auto inner = a.op->getParentOfType<tile::ForOp>(); inner && loop->isAncestor(inner);
       inner = inner->getParentOfType<tile::ForOp>()) {
    bool isNamed = llvm::any_of(a.indices, [&](Value index) {
      return isComputedFrom(index, cast<BlockArgument>(inner.iv()));
    });
    if (isNamed && inner != loopToWiden(loop))
      return false;
  }
  return true;
}

LogicalResult LoopCheck::tryOut(Value buffer, SmallVectorImpl<Access> &list) {
  auto type = cast<tile::BufferType>(buffer.getType());
  struct Writer {
    int64_t iteration;
    const Access *access;
  };
  llvm::DenseMap<uint64_t, Writer> writers;
  const Access *conflict = nullptr, *with = nullptr;
  for (const Access &access : list) {
    if (conflict)
      break;
    forEachPlace(access, type, [&](int64_t iteration, uint64_t place) {
      if (access.isStore) {
        auto [it, isNew] = writers.try_emplace(place, Writer{iteration, &access});
        const Access &other = *it->second.access;
        bool isSame = &other == &access && access.sameValue;
        if (isNew || it->second.iteration == iteration || isSame || isReduction(access, other))
          return true;
        conflict = &access;
        with = &other;
        return false;
      }
      auto it = writers.find(place);
      if (it == writers.end() || it->second.iteration == iteration)
        return true;
      // The old value of a reduction.
      if (access.oldOf && it->second.access->update)
        return true;
      conflict = &access;
      with = it->second.access;
      return false;
    });
  }
  if (conflict)
    return report(*conflict, *with, buffer);
  warnOfScatter(list, buffer);
  return success();
}

LogicalResult LoopCheck::run() {
  collect();
  for (auto &[buffer, list] : accesses)
    if (!isSeparated(list) && failed(tryOut(buffer, list)))
      return failure();
  return success();
}

} // namespace

LogicalResult checkDependences(tile::KernelOp kernel) {
  bool isLegal = true;
  kernel.walk([&](tile::ParallelOp loop) { isLegal &= succeeded(LoopCheck(loop).run()); });
  return success(isLegal);
}

} // namespace tilec

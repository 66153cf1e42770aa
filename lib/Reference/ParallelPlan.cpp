//===- ParallelPlan.cpp - reductions and independence of iterations -------===//
//
// Takes a tile.parallel, says whether its iterations are independent, and which of its updates are
// reductions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ParallelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

using namespace mlir;

namespace tilec::reference {
namespace {

/// constant + sum(coefficient * value)
struct Affine {
  std::map<void *, int64_t> terms; // keyed by Value
  int64_t constant = 0;
  bool operator==(const Affine &) const = default;

  void add(const Affine &other, int64_t factor) {
    constant += other.constant * factor;
    for (auto [value, coefficient] : other.terms)
      if ((terms[value] += coefficient * factor) == 0)
        terms.erase(value);
  }
};

Affine affineOf(Value value, int depth = 0) {
  Affine result;
  if (std::optional<int64_t> constant = tile::constantInt(value)) {
    result.constant = *constant;
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (op && depth < 32) {
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      result.add(affineOf(op->getOperand(0), depth + 1), 1);
      result.add(affineOf(op->getOperand(1), depth + 1), isa<arith::SubIOp>(op) ? -1 : 1);
      return result;
    }
    if (isa<arith::MulIOp>(op))
      for (int side : {0, 1})
        if (std::optional<int64_t> factor = tile::constantInt(op->getOperand(side))) {
          result.add(affineOf(op->getOperand(1 - side), depth + 1), *factor);
          return result;
        }
    if (isa<arith::IndexCastOp>(op))
      return affineOf(op->getOperand(0), depth + 1);
  }
  result.terms[value.getAsOpaquePointer()] = 1;
  return result;
}

/// One use of a buffer inside the nest.
struct BufferAccess {
  Operation *op;
  Value buffer; ///< as named by the op
  SmallVector<Value, 4> indices;
  bool writes, isElement; ///< element: load, store, atomic; else all of `buffer`
};

SmallVector<BufferAccess, 1> accessesOf(Operation *op) {
  SmallVector<BufferAccess, 1> result;
  auto indices = [](auto typed) { return SmallVector<Value, 4>(typed.getIndices()); };
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    result.push_back({op, load.getBuffer(), indices(load), false, true});
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    result.push_back({op, store.getBuffer(), indices(store), true, true});
  } else if (auto atomic = dyn_cast<tile::AtomicOp>(op)) {
    result.push_back({op, atomic.getBuffer(), indices(atomic), true, true});
  } else if (!isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp>(op)) {
    for (Value operand : op->getOperands())
      if (isa<tile::BufferType>(operand.getType()))
        result.push_back({op, operand, {}, true, false});
  }
  return result;
}

bool isDefinedIn(Value value, Operation *scope) {
  return scope->isAncestor(value.getParentBlock()->getParentOp());
}

/// All values that `value` is computed from, as far as they are inside `scope`. What memory holds
/// is not: equal places may have been loaded from different ones.
void collectSlice(Value value, Operation *scope, llvm::SmallDenseSet<Value, 16> &slice) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!isDefinedIn(next, scope) || !slice.insert(next).second)
      continue;
    if (Operation *op = next.getDefiningOp(); op && !isa<tile::LoadOp>(op)) {
      llvm::append_range(worklist, op->getOperands());
      // Results of an scf.if depend on what its regions yield.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Operation &inner : block)
            llvm::append_range(worklist, inner.getOperands());
    }
  }
}

class Planner {
public:
  explicit Planner(tile::ElementLoop outermost) : outermost(outermost) {}

  ParallelPlan plan() {
    outermost->walk([&](Operation *op) {
      if (op == outermost)
        return;
      for (BufferAccess &access : accessesOf(op))
        accesses[rootBuffer(access.buffer)].push_back(access);
      keepsOrder |= isa<tile::PrintOp>(op);
    });
    findReductions();
    ParallelPlan result;
    result.mayRunTogether = !keepsOrder && llvm::all_of(accesses, [&](auto &entry) {
      return isIndependent(entry.first, entry.second);
    });
    for (auto &[store, reduction] : candidates)
      if (reduction.level)
        result.reductions.push_back(std::move(reduction));
    return result;
  }

private:
  void findReductions();
  std::optional<FoundReduction> matchUpdate(tile::StoreOp store);
  bool gatherSteps(Value value, const BufferAccess &target, DType dtype, FoundReduction &reduction);
  void assignLevels(Value root, ArrayRef<BufferAccess> uses);
  bool dependsOnAllIndices(const BufferAccess &use, Operation *level);
  bool sameLocation(const BufferAccess &a, const BufferAccess &b);
  bool isSameComputation(Value a, Value b, int depth = 0);
  bool isIndependent(Value root, ArrayRef<BufferAccess> uses);
  bool separatesIterations(ArrayRef<BufferAccess> uses);

  tile::ElementLoop outermost;
  llvm::MapVector<Value, SmallVector<BufferAccess, 2>> accesses; // by root
  llvm::MapVector<Operation *, FoundReduction> candidates;       // by store
  llvm::DenseSet<Operation *> absorbed;
  bool keepsOrder = false;
};

/// Whether both are the same computation, of values and of what the nest reads and does not write;
/// scripts write an index twice.
bool Planner::isSameComputation(Value a, Value b, int depth) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth >= 16 || x->getName() != y->getName() || a.getType() != b.getType() ||
      x->getNumRegions() != 0 || x->getNumOperands() != y->getNumOperands() ||
      x->getAttrs() != y->getAttrs() ||
      x->getPropertiesAsAttribute() != y->getPropertiesAsAttribute())
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(x)) {
    auto uses = accesses.find(rootBuffer(load.getBuffer()));
    if (uses == accesses.end() ||
        llvm::any_of(uses->second, [](const BufferAccess &use) { return use.writes; }))
      return false;
  } else if (!isPure(x)) {
    return false;
  }
  return llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()), [&](auto pair) {
    return isSameComputation(std::get<0>(pair), std::get<1>(pair), depth + 1);
  });
}

bool Planner::sameLocation(const BufferAccess &a, const BufferAccess &b) {
  if (a.buffer != b.buffer || a.indices.size() != b.indices.size())
    return false;
  return llvm::all_of(llvm::zip(a.indices, b.indices), [&](auto pair) {
    auto [x, y] = pair;
    return isSameComputation(x, y) || affineOf(x) == affineOf(y);
  });
}

std::optional<Combine> combineOf(Operation *op, DType dtype) {
  bool isFloatOp = isa<FloatType>(op->getResult(0).getType());
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op))
    return Combine::Sum;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Combine::Prod;
  if (isa<arith::MaxNumFOp, arith::MaxSIOp>(op))
    return isFloatOp || !isUnsigned(dtype) ? std::optional(Combine::Max) : std::nullopt;
  if (isa<arith::MinNumFOp, arith::MinSIOp>(op))
    return isFloatOp || !isUnsigned(dtype) ? std::optional(Combine::Min) : std::nullopt;
  if (isa<arith::MaximumFOp>(op))
    return Combine::MaxNan;
  if (isa<arith::MinimumFOp>(op))
    return Combine::MinNan;
  if (isa<arith::MaxUIOp>(op))
    return Combine::MaxU;
  if (isa<arith::MinUIOp>(op))
    return Combine::MinU;
  if (isa<arith::AndIOp>(op))
    return Combine::And;
  if (isa<arith::OrIOp>(op))
    return Combine::Or;
  if (isa<arith::XOrIOp>(op))
    return Combine::Xor;
  return std::nullopt;
}

std::optional<FoundReduction> Planner::matchUpdate(tile::StoreOp store) {
  FoundReduction reduction;
  reduction.store = store;
  DType dtype = tile::dtypeOf(store.getBuffer().getType().getElementType());
  // A sum of 4-bit or bool elements would need its scalar's width; nobody writes it.
  if (bitsOf(dtype) < 8 || dtype == DType::Bool)
    return std::nullopt;
  // A view of another type has elements of its own; running values are kept per element.
  auto rootType = cast<tile::BufferType>(rootBuffer(store.getBuffer()).getType());
  if (rootType.getElementType() != store.getBuffer().getType().getElementType())
    return std::nullopt;
  BufferAccess target = accessesOf(store)[0];
  if (!gatherSteps(store.getValue(), target, dtype, reduction) || reduction.steps.empty())
    return std::nullopt;
  return reduction;
}

/// Whether `value` is the load of `target`, or combines it with other values; notes how.
bool Planner::gatherSteps(Value value, const BufferAccess &target, DType dtype,
                          FoundReduction &reduction) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != reduction.store->getBlock() || !op->hasOneUse())
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (load.getPad() || !sameLocation(accessesOf(load)[0], target))
      return false;
    reduction.absorbed.push_back(op);
    return true;
  }
  std::optional<Combine> combine = combineOf(op, dtype);
  if (!combine)
    return false;
  bool isSubtract = isa<arith::SubFOp, arith::SubIOp>(op);
  size_t numSteps = reduction.steps.size(), numAbsorbed = reduction.absorbed.size();
  for (unsigned side : {0u, 1u}) {
    if (side == 1 && isSubtract)
      break;
    if (gatherSteps(op->getOperand(side), target, dtype, reduction) &&
        (reduction.steps.size() == numSteps || reduction.combine == *combine)) {
      reduction.combine = *combine;
      reduction.steps.push_back({op->getOperand(1 - side), isSubtract});
      reduction.absorbed.push_back(op);
      return true;
    }
    // What a path that leads nowhere has noted must not stay.
    reduction.steps.truncate(numSteps);
    reduction.absorbed.truncate(numAbsorbed);
  }
  return false;
}

/// A serial loop that is a statement of an iteration: what it folds has no order.
bool mayFold(tile::ForOp loop) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  if (!isa<tile::ElementLoop>(loop->getParentOp()) || (kernel && kernel.getLockstep()) ||
      loop.getKind() == tile::LoopKind::Pipelined)
    return false;
  return !loop->walk([](tile::BreakOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether each step rounds to less than what is added.
bool roundsItsSteps(FoundReduction &update) {
  Type scalar = update.store.getValue().getType();
  return isa<FloatType>(scalar) && update.combine != Combine::Max &&
         update.combine != Combine::Min && update.combine != Combine::MaxNan &&
         update.combine != Combine::MinNan &&
         update.store.getBuffer().getType().getElementType() != scalar;
}

/// Assigns each update of `root` to the outermost loop at whose end it may be rounded: all that
/// happens to the buffer there are updates of one kind, and some index does not matter.
void Planner::assignLevels(Value root, ArrayRef<BufferAccess> uses) {
  SmallVector<Operation *> levels;
  outermost->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto serial = dyn_cast<tile::ForOp>(op);
    if (isa<tile::ElementLoop>(op) || (serial && mayFold(serial)))
      levels.push_back(op);
  });
  for (Operation *level : levels) {
    if (isDefinedIn(root, level))
      continue;
    SmallVector<FoundReduction *> updates;
    bool onlyUpdates = true, missesIndex = false;
    for (const BufferAccess &use : uses) {
      if (!level->isProperAncestor(use.op))
        continue;
      if (absorbed.contains(use.op))
        continue;
      auto it = candidates.find(use.op);
      if (it == candidates.end() || it->second.level ||
          (!updates.empty() && it->second.combine != updates[0]->combine) ||
          (isa<tile::ForOp>(level) && roundsItsSteps(it->second))) {
        onlyUpdates = false;
        break;
      }
      updates.push_back(&it->second);
      missesIndex |= !dependsOnAllIndices(use, level);
    }
    if (!onlyUpdates || !missesIndex)
      continue;
    for (FoundReduction *update : updates)
      update->level = level;
  }
}

/// Whether every index of the loops from `level` to the access decides where it goes.
bool Planner::dependsOnAllIndices(const BufferAccess &use, Operation *level) {
  llvm::SmallDenseSet<Value, 16> slice;
  for (Value index : use.indices)
    collectSlice(index, level, slice);
  collectSlice(use.buffer, level, slice);
  if (auto serial = dyn_cast<tile::ForOp>(level); serial && !slice.contains(serial.iv()))
    return false;
  for (Operation *at = use.op->getParentOp();; at = at->getParentOp()) {
    if (auto loop = dyn_cast<tile::ElementLoop>(at))
      for (auto [iv, extent] : llvm::zip(loop.ivs(), loop.getExtents()))
        if (tile::constantInt(extent) != 1 && !slice.contains(iv))
          return false;
    if (at == level)
      return true;
  }
}

void Planner::findReductions() {
  outermost->walk([&](tile::StoreOp store) {
    if (std::optional<FoundReduction> update = matchUpdate(store)) {
      for (Operation *op : update->absorbed)
        absorbed.insert(op);
      candidates[store] = std::move(*update);
    }
  });
  for (auto &[root, uses] : accesses)
    assignLevels(root, uses);
}

bool Planner::isIndependent(Value root, ArrayRef<BufferAccess> uses) {
  if (llvm::none_of(uses, [](const BufferAccess &use) { return use.writes; }))
    return true;
  if (isDefinedIn(root, outermost))
    return cast<tile::BufferType>(root.getType()).isLocal();
  auto isReduction = [&](const BufferAccess &use) {
    auto it = candidates.find(use.op);
    return absorbed.contains(use.op) ||
           (it != candidates.end() && it->second.level == outermost.getOperation());
  };
  auto isStoreOnly = [&] {
    if (uses.size() != 1 || !uses[0].isElement)
      return false;
    for (Operation *at = uses[0].op->getParentOp(); at != outermost; at = at->getParentOp())
      if (!isa<scf::IfOp>(at))
        return false;
    return true;
  };
  return llvm::all_of(uses, isReduction) || isStoreOnly() || separatesIterations(uses);
}

/// Whether iterations touch different elements: all uses have the same indices, and these tell the
/// parallel indices apart.
bool Planner::separatesIterations(ArrayRef<BufferAccess> uses) {
  if (isDefinedIn(uses[0].buffer, outermost))
    return false;
  SmallVector<Affine> forms;
  for (const BufferAccess &use : uses) {
    if (!use.isElement || use.buffer != uses[0].buffer)
      return false;
    for (auto [d, index] : llvm::enumerate(use.indices)) {
      Affine form = affineOf(index);
      if (&use == &uses[0])
        forms.push_back(form);
      else if (!(form == forms[d]))
        forms[d] = Affine{}; // says nothing
    }
  }
  std::map<void *, std::optional<int64_t>> open; // parallel indices not yet told apart
  for (auto [iv, extent] : llvm::zip(outermost.ivs(), outermost.getExtents()))
    if (std::optional<int64_t> size = tile::constantInt(extent); size != 1)
      open[Value(iv).getAsOpaquePointer()] = size;
  for (const Affine &form : forms) {
    SmallVector<std::pair<int64_t, std::optional<int64_t>>> parts; // |coefficient|, extent
    bool isUsable = true;
    for (auto [term, coefficient] : form.terms) {
      Value value = Value::getFromOpaquePointer(term);
      if (auto it = open.find(term); it != open.end())
        parts.push_back({std::abs(coefficient), it->second});
      else
        isUsable &= !isDefinedIn(value, outermost) || llvm::is_contained(outermost.ivs(), value);
    }
    llvm::sort(parts);
    int64_t reach = 0; // the largest sum of the smaller parts
    for (auto [i, part] : llvm::enumerate(parts)) {
      isUsable &= part.first > reach && (part.second || i + 1 == parts.size());
      reach += part.first * (part.second.value_or(1) - 1);
    }
    if (isUsable)
      for (auto [term, coefficient] : form.terms)
        open.erase(term);
  }
  return open.empty();
}

} // namespace

Value rootBuffer(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return buffer;
}

ParallelPlan planParallel(tile::ElementLoop outermost) { return Planner(outermost).plan(); }

} // namespace tilec::reference

//===- EarlyReads.cpp - reads of tensors in front of a loop's writes ------===//
//
// Neither LLVM nor an assembler moves a read in front of a write to what may be the same place, and
// on some chips a wave's operations on memory end in order. Repetitions of a loop that reads a
// tensor and writes another one,
//
//   C[i, j] = c[i, j] + R[i, j]
//
// would each wait for memory, and for the write before. No tensor overlaps one that is written
// (docs/decisions/0016-tensors-do-not-overlap.md), and no iteration reads what another one writes:
// so many repetitions read first as registers hold, and each of the others reads when one of these
// has written. What several repetitions read alike is read once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/FragmentRegisters.h"
#include "Normalize/MeetingIterations.h"
#include "ToWave/GroupGuards.h"
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"
#include "tilec/Target/BlocksAtOnce.h"

#include <deque>
#include <map>

using namespace mlir;

namespace tilec {

namespace {

/// Coordinates of a group's elements in the dimensions by which a read goes.
using ReadKey = std::pair<Operation *, SmallVector<int64_t, 16>>;

/// A repetition that has read, and what it makes of that: LLVM would wait where this stands.
struct Repetition {
  Elements elements;
  SmallVector<Operation *, 16> behind;
};

class EarlyReads {
public:
  EarlyReads(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout)
      : e(e), loop(loop), layout(layout) {}

  /// Whether the loop has such reads, and its writes would keep them.
  bool find();
  LogicalResult emit(std::pair<int64_t, int64_t> reps, Elements &outer, Value dynamicRep);

private:
  bool isPlain();
  void addReads(Block &block, llvm::SmallPtrSetImpl<Operation *> &before);
  bool goesFirst(tile::LoadOp load);
  bool isOwnElement(tile::LoadOp load);
  void addPlaces();
  int64_t registersAtHand(int64_t waves) const;
  /// How many repetitions may read with so many registers of a lane; and how many bytes a lane
  /// reads for one.
  int64_t shareOut(int64_t registers);
  SmallVector<Value, 8> masksOf(tile::LoadOp load, Elements &elements);
  LogicalResult read(tile::LoadOp load, Repetition &rep);
  LogicalResult readIn(Block &block, Repetition &rep);

  Emitter &e;
  tile::ElementLoop loop;
  const FragmentLayout &layout;
  Accesses all;
  llvm::SmallPtrSet<Operation *, 8> reads;
  llvm::SmallPtrSet<Operation *, 16> first; ///< the reads, and what their places are computed from
  llvm::SmallPtrSet<Operation *, 4> places; ///< reads by which others go
  llvm::SmallPtrSet<Operation *, 4> shared; ///< reads that repetitions have in common
  std::map<ReadKey, SmallVector<Value, 4>> known;
  int64_t most = 1; ///< repetitions that have read at once
  /// LLVM would move reads back: into their branches, or between writes of the same tensor whose
  /// places it sees to be others.
  bool isMoved = false;
};

} // namespace

/// Whether nothing in the loop waits, or moves more than single elements.
bool EarlyReads::isPlain() {
  auto result = loop.walk([&](Operation *op) {
    auto atomic = dyn_cast<tile::AtomicOp>(op);
    bool isPlain = op == loop || isa<tile::AllocOp, tile::LoadOp, tile::StoreOp, scf::IfOp>(op) ||
                   (atomic && atomic.getOld().use_empty()) ||
                   (isPure(op) && op->getNumRegions() == 0) ||
                   op->hasTrait<OpTrait::IsTerminator>();
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether what the loop writes of the tensor that is read is what the iteration itself has read.
bool EarlyReads::isOwnElement(tile::LoadOp load) {
  auto parallel = dyn_cast<tile::ParallelOp>(loop.getOperation());
  if (!parallel)
    return false;
  Variables used = variablesIn(load.getIndices(), parallel);
  if (used.size() != parallel.ivs().size())
    return false;
  bool isBehind = false; // a write in front of the read would give it another value
  auto result = loop.walk([&](Operation *op) {
    isBehind |= op == load;
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access || isa<tile::LoadOp>(op) ||
        !isChangedBy({rootOf(access->buffer)}, rootOf(load.getBuffer())))
      return WalkResult::advance();
    auto store = dyn_cast<tile::StoreOp>(op);
    bool isOwn = isBehind && store && store.getBuffer() == load.getBuffer() &&
                 store.getIndices() == load.getIndices() && !mayMeet(store, used, parallel);
    return isOwn ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool EarlyReads::goesFirst(tile::LoadOp load) {
  Value root = rootOf(load.getBuffer());
  auto type = cast<tile::BufferType>(load.getBuffer().getType());
  if (type.isFragment())
    return !llvm::is_contained(all.writes, root);
  return type.isGlobal() && (!isChangedBy(all.writes, root) || isOwnElement(load));
}

/// Adds the reads that need nothing which is not there when the loop begins, also of a branch.
void EarlyReads::addReads(Block &block, llvm::SmallPtrSetImpl<Operation *> &before) {
  auto isThere = [&](Value v) {
    Operation *op = v.getDefiningOp();
    return !op || !loop->isProperAncestor(op) || before.contains(op);
  };
  for (Operation &op : block) {
    if (!llvm::all_of(op.getOperands(), isThere))
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (!goesFirst(load))
        continue;
      before.insert(load);
      if (load.getBuffer().getType().isGlobal())
        reads.insert(load);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      addReads(branch.getThenRegion().front(), before);
    } else if (isPure(&op) && op.getNumRegions() == 0) {
      before.insert(&op);
    }
  }
}

/// Adds what places and masks of the reads are computed from.
void EarlyReads::addPlaces() {
  SmallVector<Operation *> open(reads.begin(), reads.end());
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!first.insert(op).second)
      continue;
    auto add = [&](Value v) {
      Operation *from = v.getDefiningOp();
      if (!from || !loop->isProperAncestor(from))
        return;
      open.push_back(from);
      if (reads.contains(from))
        places.insert(from);
    };
    llvm::for_each(op->getOperands(), add);
    for (Operation *at = op->getParentOp(); at != loop; at = at->getParentOp())
      add(cast<scf::IfOp>(at).getCondition());
  }
}

int64_t wavesAtOnce(Emitter &e) {
  const TargetInfo &target = e.target;
  BlockNeeds needs{e.numWaves * target.waveLanes, int64_t(e.kernel.getSharedBytes().value_or(0)),
                   e.heldRegisters() + besideFragments};
  int64_t blocks = blocksAtOnce(target, needs) / target.units;
  if (std::optional<int64_t> ofGrid = e.kernel.blocksOfGrid())
    blocks = std::min(blocks, ceilDiv(*ofGrid, target.units));
  return std::max<int64_t>(blocks, 1) * e.numWaves;
}

/// The rest of the registers is for addresses and what is being converted.
static int64_t partOfReads(int64_t registers) { return registers * 3 / 4; }

bool EarlyReads::find() {
  if (layout.numReps() == 1 || !isPlain())
    return false;
  all = accessesOf(loop);
  if (!anyGlobal(all.writes))
    return false;
  llvm::SmallPtrSet<Operation *, 16> before;
  addReads(*loop.bodyBlock(), before);
  addPlaces();
  if (reads.empty())
    return false;
  for (Operation *read : reads)
    isMoved |= read->getParentOp() != loop ||
               isChangedBy(all.writes, rootOf(cast<tile::LoadOp>(read).getBuffer()));
  int64_t waves = wavesAtOnce(e);
  int64_t bytes = shareOut(registersAtHand(waves));
  if (waves * e.target.waveLanes * bytes < enoughInFlight)
    return true;
  if (e.target.keepsOrder)
    return false;
  // Further reads pay where they do not take the place of waves.
  constexpr int64_t enoughThreads = 1024; // of a unit
  shareOut(partOfReads(e.target.registers.ofUnit / enoughThreads));
  return most > 1;
}

int64_t EarlyReads::registersAtHand(int64_t waves) const {
  const RegisterFile &file = e.target.registers;
  int64_t left = e.target.registersOf(waves) - e.heldRegisters();
  return partOfReads(std::clamp(left, besideFragments, file.ofLane - file.accumulators));
}

int64_t EarlyReads::shareOut(int64_t atHand) {
  const RegisterFile &file = e.target.registers;
  int64_t bitsOfLane = 0;
  shared.clear();
  int64_t ofRep = 0, forKept = atHand / 2, masksOfRep = 0;
  auto reps = layout.repsPerDim();
  auto deltas = elementsOfRep(layout, 0);
  auto differs = [&](const Variables &variables) {
    return llvm::any_of(variables, [&](unsigned d) {
      return llvm::any_of(deltas, [&](const Coords &delta) { return delta[d] != 0; });
    });
  };
  for (Operation *op : reads) {
    auto load = cast<tile::LoadOp>(op);
    Variables variables = variablesIn(load.getIndices(), loop);
    int64_t places = 1, elements = differs(variables) ? layout.atomRegs() : 1;
    for (unsigned d : variables)
      places *= reps[d];
    int64_t bits = bitsOf(tile::dtypeOf(load.getBuffer().getType().getElementType()));
    // What is used again is kept as arithmetic takes it.
    int64_t kept = places * elements * ceilDiv(bits, 32);
    bitsOfLane += elements * bits;
    bool isOfBranch = load->getParentOp() != loop;
    for (Operation *at = load->getParentOp(); at != loop; at = at->getParentOp())
      masksOfRep = std::max<int64_t>(
          masksOfRep,
          differs(variablesIn(cast<scf::IfOp>(at).getCondition(), loop)) ? layout.atomRegs() : 1);
    if (places < layout.numReps() && !isOfBranch && kept <= forKept) {
      shared.insert(load);
      forKept -= kept;
      atHand -= kept;
    } else {
      ofRep += isOfBranch ? elements * ceilDiv(bits, 32) : ceilDiv(elements * bits, 32);
    }
  }
  ++ofRep; // an address
  most = std::max<int64_t>(atHand / ofRep, 1);
  if (masksOfRep > 0) // of several LLVM also keeps what they are made of
    most = std::clamp<int64_t>(
        file.scalars / (masksOfRep > 1 ? 4 : 2) / (masksOfRep * e.target.waveLanes / 32), 1, most);
  return bitsOfLane / 8;
}

SmallVector<Value, 8> EarlyReads::masksOf(tile::LoadOp load, Elements &elements) {
  if (readsInside(e, load, elements))
    return {};
  // A lane that only repeats what others do must not read what they write.
  bool isOwn = isChangedBy(all.writes, rootOf(load.getBuffer()));
  SmallVector<Value, 4> conditions;
  Value ofGroup; // what else is read for an element that does not take the branch is not used
  for (Operation *at = load->getParentOp(); at != loop; at = at->getParentOp()) {
    auto branch = cast<scf::IfOp>(at);
    // What is entered is known to hold for each element that is read.
    if (!e.entered.contains(branch) && cutsGroup(e, branch, elements))
      ofGroup = e.andMasks(ofGroup, anyTakes(e, branch.getCondition(), elements));
    else
      conditions.push_back(branch.getCondition());
  }
  bool isOne = elements.masks.size() <= 1 && llvm::all_of(conditions, [&](Value condition) {
                 return e.isSameForAll(condition, elements);
               });
  SmallVector<Value, 8> masks;
  for (int64_t n = 0; n < (isOne ? 1 : elements.count); ++n) {
    Value mask = isOwn ? e.andMasks(elements.maskOf(n), elements.primary) : elements.maskOf(n);
    for (Value condition : conditions)
      mask = e.andMasks(mask, e.lookup(condition, n, elements));
    masks.push_back(e.andMasks(mask, ofGroup));
  }
  return masks.front() ? masks : SmallVector<Value, 8>();
}

/// What stands behind `last` and is computed from what is read there.
static void addUses(Operation *last, OpBuilder &b, SmallVectorImpl<Operation *> &uses) {
  llvm::SmallPtrSet<Operation *, 16> read;
  Block *block = b.getInsertionBlock();
  for (auto it = last ? std::next(last->getIterator()) : block->begin();
       it != b.getInsertionPoint(); ++it) {
    bool isUse =
        it->getNumRegions() == 0 && isMemoryEffectFree(&*it) &&
        llvm::any_of(it->getOperands(), [&](Value v) { return read.contains(v.getDefiningOp()); });
    if (isUse)
      uses.push_back(&*it);
    if (isUse || isa<wave::GlobalReadOp, scf::IfOp>(*it))
      read.insert(&*it);
  }
}

LogicalResult EarlyReads::read(tile::LoadOp load, Repetition &rep) {
  Elements &elements = rep.elements;
  SmallVector<Value, 8> masks = masksOf(load, elements);
  bool isShared = shared.contains(load) && masks.empty();
  ReadKey key(load, {});
  if (isShared) {
    for (unsigned d : variablesIn(load.getIndices(), loop))
      for (const Coords &delta : elements.deltas)
        key.second.push_back(elements.coords[d].constant + delta[d]);
    if (auto it = known.find(key); it != known.end()) {
      elements.map[load.getResult()] = it->second;
      return success();
    }
  }
  SmallVector<Value, 8> ofElements = std::exchange(elements.masks, masks);
  Block *block = e.b.getInsertionBlock();
  Operation *last =
      e.b.getInsertionPoint() == block->begin() ? nullptr : &*std::prev(e.b.getInsertionPoint());
  LogicalResult result = e.emitOp(*load, elements);
  elements.masks = ofElements;
  if (!places.contains(load))
    addUses(last, e.b, rep.behind);
  if (isShared)
    known[key] = elements.map[load.getResult()];
  return result;
}

LogicalResult EarlyReads::readIn(Block &block, Repetition &rep) {
  for (Operation &op : block) {
    LogicalResult result = success();
    if (reads.contains(&op)) {
      result = read(cast<tile::LoadOp>(op), rep);
    } else if (first.contains(&op)) {
      result = e.emitOp(op, rep.elements);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      // The masks ask what the branch does.
      bool isNew = !cutsGroup(e, branch, rep.elements) && e.entered.insert(branch).second;
      result = readIn(branch.getThenRegion().front(), rep);
      if (isNew)
        e.entered.erase(branch);
    }
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult EarlyReads::emit(std::pair<int64_t, int64_t> reps, Elements &outer,
                               Value dynamicRep) {
  std::deque<Repetition> ahead;
  auto [next, end] = reps;
  for (int64_t rep = next; rep < end; ++rep) {
    for (; next < end && int64_t(ahead.size()) < most; ++next) {
      ahead.push_back({elementsOf(e, loop, layout, next, dynamicRep, outer), {}});
      if (failed(readIn(*loop.bodyBlock(), ahead.back())))
        return failure();
    }
    if (rep == reps.first && isMoved)
      wave::SchedFenceOp::create(e.b, e.loc, wave::arithmeticPasses | wave::sharedPasses,
                                 StringAttr(), DenseI64ArrayAttr(), /*groups=*/true);
    for (Operation *op : ahead.front().behind)
      op->moveBefore(e.b.getInsertionBlock(), e.b.getInsertionPoint());
    e.emitted = &first;
    LogicalResult result = e.emitBlock(*loop.bodyBlock(), ahead.front().elements);
    e.emitted = nullptr;
    if (failed(result))
      return failure();
    ahead.pop_front();
  }
  return success();
}

bool readsFirst(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout) {
  return EarlyReads(e, loop, layout).find();
}

std::optional<LogicalResult> emitReadsFirst(Emitter &e, tile::ElementLoop loop,
                                            const FragmentLayout &layout,
                                            std::pair<int64_t, int64_t> reps, Elements &outer,
                                            Value dynamicRep) {
  EarlyReads early(e, loop, layout);
  if (!early.find())
    return std::nullopt;
  return early.emit(reps, outer, dynamicRep);
}

} // namespace tilec

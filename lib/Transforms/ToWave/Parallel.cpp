//===- Parallel.cpp - loops over elements, their loads and stores ---------===//
//
// A parallel is computed register group by register group: the elements that one
// lane holds of one repetition of the layout's atom. Each op of the body is emitted
// for all elements of the group before the next one, so that contiguous loads and
// stores become one wide access.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/TileStore.h"
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"

#include <deque>
#include <numeric>

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool touchesFragments(tile::ElementLoop loop) {
  auto result = loop.walk([](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<tile::BufferType>(operand.getType()); type && type.isFragment())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Of a loop that only moves elements from tensors to shared memory: how many repetitions are read
/// before the first is written, so that their latencies overlap. 1 where that is left to others.
static int64_t copiesTogether(tile::ElementLoop loop, const FragmentLayout &layout,
                              const TargetInfo &target) {
  if (!target.keepsOrder) // asynchronous copies, and the assembler moves loads up
    return 1;
  int64_t bytes = 0;
  for (Operation &op : *loop.bodyBlock()) {
    auto load = dyn_cast<tile::LoadOp>(op);
    auto store = dyn_cast<tile::StoreOp>(op);
    if (load && load.getBuffer().getType().isGlobal())
      bytes +=
          layout.atomRegs() * bytesOf(tile::dtypeOf(load.getBuffer().getType().getElementType()));
    else if (!(store && store.getBuffer().getType().isShared()) && !isMemoryEffectFree(&op))
      return 1;
  }
  int64_t registers = ceilDiv(bytes, 4);
  return registers == 0 ? 1 : std::max<int64_t>(target.registers.ofLane / 8 / registers, 1);
}

/// Whether the loop only moves elements from tensors to buffers of this kind that it does not read.
static bool movesFromTensors(tile::ElementLoop loop, tile::Scope scope) {
  SmallVector<Value, 4> read, written;
  for (Operation &op : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    if ((load && !load.getBuffer().getType().isGlobal()) ||
        (store && store.getBuffer().getType().getScope() != scope) ||
        (!load && !store && !(isMemoryEffectFree(&op) && op.getNumRegions() == 0)))
      return false;
    if (load)
      read.push_back(rootOf(load.getBuffer()));
    if (store)
      written.push_back(rootOf(store.getBuffer()));
  }
  return !written.empty() && !read.empty() &&
         llvm::none_of(read, [&](Value root) { return isChangedBy(written, root); });
}

/// The loop's own layout, or one whose waves take several rows at once, if that is done in fewer
/// repetitions: of rows of 576 a wave of 128 elements needs five, of two rows together nine.
static FragmentLayout layoutOfMoves(tile::ElementLoop loop, FragmentLayout layout,
                                    const TargetInfo &target, int64_t numWaves) {
  unsigned narrowest = 128;
  loop.walk([&](Operation *op) {
    if (std::optional<ElementAccess> access = elementAccess(op))
      narrowest = std::min(narrowest, bitsOf(tile::dtypeOf(access->type().getElementType())));
  });
  int64_t vec = layout.atomRegs();
  auto isLine = [&](int64_t rows) { // that lanes of a row have together
    return target.waveLanes / rows * vec * narrowest >= 8 * target.cacheLine;
  };
  FragmentLayout best = layout;
  for (int64_t rows = 2; rows < target.waveLanes && isLine(rows); rows *= 2)
    if (FragmentLayout other = blockedLayout(layout.shape(), target.waveLanes, numWaves, vec, rows);
        other.numReps() < best.numReps())
      best = other;
  return best;
}

/// Of a loop between tensors that is written out: how many repetitions are read ahead of their
/// write, in registers that the grid's blocks leave each other. 0 where a loop does as well.
static int64_t readsAhead(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout) {
  constexpr int64_t mostWrittenOut = 128; // repetitions
  const TargetInfo &target = e.target;
  std::optional<int64_t> blocks = e.kernel.blocksOfGrid();
  if (target.keepsOrder || !blocks || layout.numReps() > mostWrittenOut)
    return 0;
  int64_t bits = 0;
  for (auto load : loop.bodyBlock()->getOps<tile::LoadOp>())
    bits += layout.atomRegs() * bitsOf(tile::dtypeOf(load.getBuffer().getType().getElementType()));
  int64_t threads = e.numWaves * target.waveLanes;
  int64_t ofUnit = std::clamp<int64_t>(ceilDiv(*blocks, target.units), 1,
                                       std::max<int64_t>(target.part.threadsOfUnit / threads, 1));
  int64_t registers =
      std::min(target.registers.ofLane, target.registers.ofUnit / (threads * ofUnit));
  // An eighth is for addresses and what is being converted.
  return registers * 7 / 8 / ceilDiv(bits, 32);
}

/// Of a loop whose repetitions are counted by the machine: how many of them one round has, `most`
/// at most. Repetitions that begin at a multiple of it differ by constants. What the rounds leave
/// over is written out.
static int64_t repsInRound(const FragmentLayout &layout, int64_t most) {
  int64_t together = 1;
  for (const Factor &factor : layout.reps()) {
    bool isLast = together * factor.count == layout.numReps();
    int64_t rounds = ceilDiv(factor.count, std::max<int64_t>(most / together, 1));
    int64_t digit = ceilDiv(factor.count, rounds);
    // Of a little fewer none may be left over.
    for (int64_t fewer = digit; fewer >= (isLast ? ceilDiv(2 * digit, 3) : 1); --fewer)
      if (factor.count % fewer == 0) {
        digit = fewer;
        break;
      }
    together *= digit;
    if (digit != factor.count)
      break;
  }
  return together;
}

/// Of a loop that only moves elements from tensors to shared memory or to other tensors: how many
/// repetitions read before the first writes, so that their latencies overlap. 0 of other loops.
static int64_t copiesInRound(tile::ElementLoop loop, const TargetInfo &target) {
  SmallVector<Value, 4> read, written;
  for (Operation &op : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    // A target that keeps the program's order has batches of its own.
    bool isWrite = store && (store.getBuffer().getType().isShared() ||
                             (store.getBuffer().getType().isGlobal() && !target.keepsOrder));
    if (!isMemoryEffectFree(&op) && !(load && load.getBuffer().getType().isGlobal()) && !isWrite)
      return 0;
    if (load)
      read.push_back(rootOf(load.getBuffer()));
    if (store)
      written.push_back(rootOf(store.getBuffer()));
  }
  if (llvm::any_of(read, [&](Value root) { return isChangedBy(written, root); }))
    return 0;
  bool isBetweenTensors = llvm::all_of(
      written, [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); });
  // Pieces of 16 bytes in 32 registers. The latter is a kernel's only loop, as a rule.
  return isBetweenTensors ? 16 : 8;
}

/// Repetitions `reps` of a loop that moves elements, `together` of them at once; `dynamicRep` comes
/// on top.
static LogicalResult emitCopyLoop(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout,
                                  std::pair<int64_t, int64_t> reps, int64_t together,
                                  Elements &outer, Value dynamicRep = {}) {
  for (int64_t first = reps.first; first < reps.second; first += together) {
    SmallVector<Elements, 8> batch;
    for (int64_t rep = first; rep < std::min(first + together, reps.second); ++rep)
      batch.push_back(elementsOf(e, loop, layout, rep, dynamicRep, outer));
    for (bool writes : {false, true})
      for (Elements &elements : batch)
        for (Operation &op : *loop.bodyBlock())
          if (isa<tile::StoreOp>(op) == writes && failed(e.emitOp(op, elements)))
            return failure();
  }
  return success();
}

/// All repetitions of a loop that moves elements, each of which is read `ahead` repetitions before
/// it is written.
static LogicalResult emitCopyAhead(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout,
                                   int64_t ahead, Elements &outer) {
  int64_t reps = layout.numReps();
  std::deque<Elements> read;
  for (int64_t n = 0; n < reps + ahead; ++n) {
    auto emit = [&](Elements &elements, bool writes) {
      for (Operation &op : *loop.bodyBlock())
        if (isa<tile::StoreOp>(op) == writes && failed(e.emitOp(op, elements)))
          return failure();
      return success();
    };
    if (n >= ahead) {
      if (failed(emit(read.front(), true)))
        return failure();
      read.pop_front();
    }
    if (n < reps) {
      read.push_back(elementsOf(e, loop, layout, n, nullptr, outer));
      if (failed(emit(read.back(), false)))
        return failure();
    }
  }
  return success();
}

tile::LoadOp factorOf(tile::ElementLoop loop) {
  tile::StoreOp store;
  for (Operation &op : *loop.bodyBlock())
    if (auto other = dyn_cast<tile::StoreOp>(op)) {
      if (store)
        return nullptr;
      store = other;
    } else if (!isMemoryEffectFree(&op) && !isa<tile::LoadOp>(op)) {
      return nullptr;
    }
  auto product = store ? store.getValue().getDefiningOp<arith::MulFOp>() : nullptr;
  bool isSum = store && llvm::any_of(store.getBuffer().getUsers(), [&](Operation *user) {
                 auto gemm = dyn_cast<tile::GemmOp>(user);
                 return gemm && gemm.getChained() && gemm.getC() == store.getBuffer() &&
                        gemm->getBlock() == loop->getBlock() &&
                        isa<tile::ForOp>(gemm->getParentOp());
               });
  if (!product || !isSum || !product.getType().isF32())
    return nullptr;
  for (bool swapped : {false, true}) {
    auto old = (swapped ? product.getRhs() : product.getLhs()).getDefiningOp<tile::LoadOp>();
    auto factor = (swapped ? product.getLhs() : product.getRhs()).getDefiningOp<tile::LoadOp>();
    if (old && factor && old.getBuffer() == store.getBuffer() &&
        old.getIndices() == store.getIndices() && factor.getBuffer() != store.getBuffer())
      return factor;
  }
  return nullptr;
}

/// Whether the loop reads and writes one buffer that other threads see.
static bool updatesMemory(tile::ElementLoop loop) {
  llvm::SmallPtrSet<Value, 4> read;
  loop.walk([&](tile::LoadOp load) {
    tile::BufferType type = load.getBuffer().getType();
    if (type.isShared() || type.isGlobal())
      read.insert(load.getBuffer());
  });
  auto result = loop.walk([&](tile::StoreOp store) {
    return read.contains(store.getBuffer()) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

static bool storesFragments(tile::ElementLoop loop) {
  auto result = loop.walk([](tile::StoreOp store) {
    return store.getBuffer().getType().isFragment() ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The loop variables of every element. A lane outside of the tile takes those of a lane inside, so
/// that it reads what the loop reads anyway: never past a buffer, nor what nobody has written.
static void bindLoopVariables(Emitter &e, tile::ElementLoop loop, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  SmallVector<unsigned, 4> open = e.openDims(*elements.layout, elements.coords, elements.deltas);
  for (auto [d, iv] : llvm::enumerate(loop.ivs())) {
    SmallVector<Value, 4> values;
    const LaneCoord &coord = elements.coords[d];
    int64_t extent = (*loop.constantExtents())[d];
    bool isOpen = llvm::is_contained(open, d);
    bool hasOneMask = isOpen && elements.masks.size() == 1;
    bool hasMasks = isOpen && elements.masks.size() > 1;
    bool moves =
        hasMasks || llvm::any_of(elements.deltas, [&](const Coords &c) { return c[d] != 0; });
    auto select = [&](int64_t n, Value inside, Value outside) -> Value {
      return arith::SelectOp::create(b, loc, elements.maskOf(n), inside, outside);
    };
    bool isFirstInside = llvm::all_of(
        elements.deltas, [&](const Coords &c) { return coord.constant + c[d] < extent; });
    Value lane = coord.value;
    if (hasOneMask && isFirstInside && lane)
      lane = select(0, lane, e.index(0));
    for (int64_t n = 0; n < (moves ? elements.count : 1); ++n) {
      Value v = e.addIndex(lane, coord.constant + elements.deltas[n][d]);
      if (hasOneMask && !isFirstInside)
        v = select(0, v, e.index(0));
      // Another element of the same lane, if that one is inside.
      if (hasMasks)
        v = select(n, v, n == 0 ? e.index(0) : values[0]);
      values.push_back(v);
    }
    elements.map[iv] = values;
  }
}

Elements elementsOf(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout, int64_t rep,
                    Value dynamicRep, Elements &outer) {
  Elements elements;
  elements.loop = loop;
  elements.layout = &layout;
  elements.count = layout.atomRegs();
  elements.rep = rep;
  elements.outer = &outer;
  elements.coords = e.laneCoords(layout);
  elements.primary = e.primaryMask(layout);
  Coords origin = layout.coords(rep * layout.atomRegs(), 0, 0);
  Coords box = layout.atom().boxShape();
  for (unsigned d = 0; d < layout.rank(); ++d)
    elements.coords[d].constant = origin[d];
  if (dynamicRep) {
    int64_t below = 1;
    Coords weight(layout.rank(), 1);
    for (const Factor &f : layout.reps()) {
      Value digit = e.divIndex(dynamicRep, below);
      if (below * f.count < layout.numReps())
        digit = e.remIndex(digit, f.count);
      LaneCoord &coord = elements.coords[f.dim];
      Value part = e.mulIndex(digit, box[f.dim] * weight[f.dim]);
      coord.value = coord.value ? e.addIndex(coord.value, part) : part;
      coord.divisor = std::gcd(coord.divisor, box[f.dim]);
      coord.most = -1;
      weight[f.dim] *= f.count;
      below *= f.count;
    }
  }
  for (const Coords &delta : elementsOfRep(layout, rep))
    elements.deltas.push_back(delta);
  elements.masks = e.insideMasks(layout, elements.coords, elements.deltas);
  bindLoopVariables(e, loop, elements);
  return elements;
}

static LogicalResult emitRep(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout,
                             int64_t rep, Value dynamicRep, Elements &outer) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  Elements elements = elementsOf(e, loop, layout, rep, dynamicRep, outer);
  // A lane that only repeats what others do must not read what they write. Element 0 is the first
  // of its lane: a lane where it is outside has none inside.
  OpBuilder::InsertionGuard guard(b);
  if (updatesMemory(loop) && !storesFragments(loop))
    if (Value lanes = e.andMasks(elements.primary, elements.maskOf(0)))
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, lanes, false).thenBlock());
  for (Operation &op : *loop.bodyBlock())
    if (failed(e.emitOp(op, elements)))
      return failure();
  return success();
}

/// A factor of 1 changes no element, so the wave skips the loop where all of its lanes have that.
static std::optional<LogicalResult> emitScaling(Emitter &e, tile::ElementLoop loop,
                                                const FragmentLayout &layout, Elements &outer) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  constexpr int64_t fewest = 16; // elements of a factor that are worth a branch
  tile::LoadOp factor = factorOf(loop);
  auto place = factor ? e.fragments.find(factor.getBuffer()) : e.fragments.end();
  if (place == e.fragments.end() || place->second.dtype != DType::F32 ||
      layout.numRegs() < fewest * place->second.layout.numRegs())
    return std::nullopt;
  const FragmentLayout &ofFactor = place->second.layout;
  for (const FragmentLayout *whole : {&layout, &ofFactor})
    for (unsigned d = 0; d < whole->rank(); ++d)
      if (whole->atom().boxShape()[d] * whole->repsPerDim()[d] * whole->wavesPerDim()[d] >
          whole->shape()[d])
        return std::nullopt; // registers outside of the tile have any value
  Value changes, one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1.0F));
  for (int64_t rep = 0; rep < place->second.layout.numReps(); ++rep)
    for (Value value : e.registersOf(place->second, rep)) {
      Value differs =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, one).getResult();
      changes = changes ? arith::OrIOp::create(b, loc, changes, differs).getResult() : differs;
    }
  Value anywhere = wave::VoteOp::create(b, loc, b.getI1Type(), changes, /*all=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, anywhere, false).thenBlock());
  for (int64_t rep = 0; rep < layout.numReps(); ++rep)
    if (failed(emitRep(e, loop, layout, rep, nullptr, outer)))
      return failure();
  return success();
}

LogicalResult emitParallel(Emitter &e, tile::ElementLoop loop, Elements &outer) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (auto store = dyn_cast<tile::StoreTileOp>(*loop))
    return emitTileStore(e, store, outer);
  if (auto transpose = dyn_cast<tile::TransposeBytesOp>(*loop))
    return emitByteTranspose(e, transpose, outer);
  if (auto gather = dyn_cast<tile::GatherOp>(*loop))
    if (std::optional<LogicalResult> done = emitGather(e, gather, outer))
      return *done;
  if (!loop.constantExtents())
    return e.unsupported(*loop, "a T.Parallel with an extent that is not known at compile time");
  if (outer.loop)
    return e.unsupported(*loop, "this nesting of T.Parallel");
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  // Without e.fragments nothing ties a repetition to a register: many repetitions are a loop.
  constexpr int64_t mostUnrolled = 16;
  bool isBetweenTensors = !layout && movesFromTensors(loop, tile::Scope::Global);
  bool isToShared = !layout && !e.target.keepsOrder && movesFromTensors(loop, tile::Scope::Shared);
  if (!layout)
    layout = defaultLoopLayout(loop, e.target, e.numWaves);
  if (isBetweenTensors || (isToShared && layout->numReps() <= mostUnrolled))
    layout = layoutOfMoves(loop, *layout, e.target, e.numWaves);
  int64_t reps = layout->numReps();
  auto [from, to] = tile::rangeOfPart(loop.getPart(), reps);
  if (int64_t together = copiesTogether(loop, *layout, e.target); together > 1)
    return emitCopyLoop(e, loop, *layout, {from, to}, together, outer);
  if (std::optional<LogicalResult> done = emitScaling(e, loop, *layout, outer))
    return *done;
  bool ofFragments = touchesFragments(loop);
  if (ofFragments)
    if (std::optional<LogicalResult> done = emitMatrixWrites(e, loop, *layout, {from, to}, outer))
      return *done;
  auto emitReps = [&](std::pair<int64_t, int64_t> range, Value dynamicRep) -> LogicalResult {
    if (std::optional<LogicalResult> done =
            emitReadsFirst(e, loop, *layout, range, outer, dynamicRep))
      return *done;
    for (int64_t rep = range.first; rep < range.second; ++rep)
      if (failed(emitRep(e, loop, *layout, rep, dynamicRep, outer)))
        return failure();
    return success();
  };
  if (ofFragments || reps <= mostUnrolled)
    return emitReps({from, to}, nullptr);
  bool isWhole = from == 0 && to == reps;
  int64_t copies = copiesInRound(loop, e.target);
  int64_t mostInRound = copies > 0 ? copies : readsFirst(e, loop, *layout) ? mostUnrolled : 1;
  int64_t inRound = isWhole ? repsInRound(*layout, mostInRound) : 1;
  if (int64_t ahead = isBetweenTensors && isWhole ? readsAhead(e, loop, *layout) : 0;
      ahead > inRound)
    return emitCopyAhead(e, loop, *layout, std::min(ahead, reps), outer);
  auto emitRound = [&](std::pair<int64_t, int64_t> range, Value dynamicRep) {
    return copies > 0 ? emitCopyLoop(e, loop, *layout, range, inRound, outer, dynamicRep)
                      : emitReps(range, dynamicRep);
  };
  int64_t left = (to - from) % inRound;
  auto counter = scf::ForOp::create(b, loc, e.index(from), e.index(to - left), e.index(inRound));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(counter.getBody());
    if (failed(emitRound({0, inRound}, counter.getInductionVar())))
      return failure();
  }
  return left == 0 ? success() : emitRound({to - left, to}, nullptr);
}

} // namespace tilec

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
#include "ToWave/Emitter.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool touchesFragments(tile::ParallelOp loop) {
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
static int64_t copiesTogether(tile::ParallelOp loop, const FragmentLayout &layout,
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

/// Repetitions `reps` of a loop that moves elements, `together` of them at once.
LogicalResult Emitter::emitCopyLoop(tile::ParallelOp loop, const FragmentLayout &layout,
                                    std::pair<int64_t, int64_t> reps, int64_t together,
                                    Elements &outer) {
  for (int64_t first = reps.first; first < reps.second; first += together) {
    SmallVector<Elements, 8> batch;
    for (int64_t rep = first; rep < std::min(first + together, reps.second); ++rep)
      batch.push_back(elementsOf(loop, layout, rep, nullptr, outer));
    for (bool writes : {false, true})
      for (Elements &elements : batch)
        for (Operation &op : *loop.bodyBlock())
          if (isa<tile::StoreOp>(op) == writes && failed(emitOp(op, elements)))
            return failure();
  }
  return success();
}

LogicalResult Emitter::emitParallel(tile::ParallelOp loop, Elements &outer) {
  if (loop.getStoreBuffers())
    return emitTileStore(loop, outer);
  if (std::optional<LogicalResult> done = emitByteTranspose(loop, outer))
    return *done;
  if (!loop.constantExtents())
    return unsupported(*loop, "a T.Parallel with an extent that is not known at compile time");
  if (outer.loop)
    return unsupported(*loop, "this nesting of T.Parallel");
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  if (!layout)
    layout = defaultLoopLayout(loop, target, numWaves);
  // Without fragments nothing ties a repetition to a register: many repetitions are a loop.
  constexpr int64_t mostUnrolled = 16;
  int64_t reps = layout->numReps();
  auto [from, to] = tile::rangeOfPart(loop.getPart(), reps);
  if (int64_t together = copiesTogether(loop, *layout, target); together > 1)
    return emitCopyLoop(loop, *layout, {from, to}, together, outer);
  if (std::optional<LogicalResult> done = emitScaling(loop, *layout, outer))
    return *done;
  if (touchesFragments(loop) || reps <= mostUnrolled) {
    for (int64_t rep = from; rep < to; ++rep)
      if (failed(emitRep(loop, *layout, rep, nullptr, outer)))
        return failure();
    return success();
  }
  auto counter = scf::ForOp::create(b, loc, index(from), index(to), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(counter.getBody());
  return emitRep(loop, *layout, 0, counter.getInductionVar(), outer);
}

/// Of a loop that is `F[i] *= G[i]`, both fragments, and nothing else: what reads G. F sums the
/// products of a chain, which is where a running maximum scales it (online softmax).
static tile::LoadOp factorOf(tile::ParallelOp loop) {
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
                 return gemm && gemm->hasAttr(chainedAttrName) &&
                        gemm.getC() == store.getBuffer() && gemm->getBlock() == loop->getBlock() &&
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

/// A factor of 1 changes no element, so the wave skips the loop where all of its lanes have that.
std::optional<LogicalResult> Emitter::emitScaling(tile::ParallelOp loop,
                                                  const FragmentLayout &layout, Elements &outer) {
  constexpr int64_t fewest = 16; // elements of a factor that are worth a branch
  tile::LoadOp factor = factorOf(loop);
  auto place = factor ? fragments.find(factor.getBuffer()) : fragments.end();
  if (place == fragments.end() || place->second.dtype != DType::F32 ||
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
    for (Value value : registersOf(place->second, rep)) {
      Value differs =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, one).getResult();
      changes = changes ? arith::OrIOp::create(b, loc, changes, differs).getResult() : differs;
    }
  Value anywhere = wave::VoteOp::create(b, loc, b.getI1Type(), changes, /*all=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, anywhere, false).thenBlock());
  for (int64_t rep = 0; rep < layout.numReps(); ++rep)
    if (failed(emitRep(loop, layout, rep, nullptr, outer)))
      return failure();
  return success();
}

/// Whether the loop reads and writes one buffer that other threads see.
static bool updatesMemory(tile::ParallelOp loop) {
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

static bool storesFragments(tile::ParallelOp loop) {
  auto result = loop.walk([](tile::StoreOp store) {
    return store.getBuffer().getType().isFragment() ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The loop variables of every element. A lane outside of the tile takes those of a lane inside, so
/// that it reads what the loop reads anyway: never past a buffer, nor what nobody has written.
void Emitter::bindLoopVariables(tile::ParallelOp loop, Elements &elements) {
  bool hasOneMask = elements.masks.size() == 1;
  for (auto [d, iv] : llvm::enumerate(loop.ivs())) {
    SmallVector<Value, 4> values;
    const LaneCoord &coord = elements.coords[d];
    int64_t extent = (*loop.constantExtents())[d];
    bool moves = elements.masks.size() > 1 ||
                 llvm::any_of(elements.deltas, [&](const Coords &c) { return c[d] != 0; });
    auto select = [&](int64_t e, Value inside, Value outside) -> Value {
      return arith::SelectOp::create(b, loc, elements.maskOf(e), inside, outside);
    };
    bool isFirstInside = llvm::all_of(
        elements.deltas, [&](const Coords &c) { return coord.constant + c[d] < extent; });
    Value lane = coord.value;
    if (hasOneMask && isFirstInside && lane)
      lane = select(0, lane, index(0));
    for (int64_t e = 0; e < (moves ? elements.count : 1); ++e) {
      Value v = addIndex(lane, coord.constant + elements.deltas[e][d]);
      if (hasOneMask && !isFirstInside)
        v = select(0, v, index(0));
      // Another element of the same lane, if that one is inside.
      if (elements.masks.size() > 1)
        v = select(e, v, e == 0 ? index(0) : values[0]);
      values.push_back(v);
    }
    elements.map[iv] = values;
  }
}

Elements Emitter::elementsOf(tile::ParallelOp loop, const FragmentLayout &layout, int64_t rep,
                             Value dynamicRep, Elements &outer) {
  Elements elements;
  elements.loop = loop;
  elements.layout = &layout;
  elements.count = layout.atomRegs();
  elements.rep = rep;
  elements.outer = &outer;
  elements.coords = laneCoords(layout);
  elements.primary = primaryMask(layout);
  Coords origin = layout.coords(rep * layout.atomRegs(), 0, 0);
  Coords box = layout.atom().boxShape();
  for (unsigned d = 0; d < layout.rank(); ++d)
    elements.coords[d].constant = origin[d];
  if (dynamicRep) {
    int64_t below = 1;
    Coords weight(layout.rank(), 1);
    for (const Factor &f : layout.reps()) {
      Value digit = divIndex(dynamicRep, below);
      if (below * f.count < layout.numReps())
        digit = remIndex(digit, f.count);
      LaneCoord &coord = elements.coords[f.dim];
      Value part = mulIndex(digit, box[f.dim] * weight[f.dim]);
      coord.value = coord.value ? addIndex(coord.value, part) : part;
      coord.divisor = std::gcd(coord.divisor, box[f.dim]);
      coord.most = -1;
      weight[f.dim] *= f.count;
      below *= f.count;
    }
  }
  for (const Coords &delta : elementsOfRep(layout, rep))
    elements.deltas.push_back(delta);
  elements.masks = insideMasks(layout, elements.coords, elements.deltas);
  bindLoopVariables(loop, elements);
  return elements;
}

LogicalResult Emitter::emitRep(tile::ParallelOp loop, const FragmentLayout &layout, int64_t rep,
                               Value dynamicRep, Elements &outer) {
  Elements elements = elementsOf(loop, layout, rep, dynamicRep, outer);
  // A lane that only repeats what others do must not read what they write. Element 0 is the first
  // of its lane: a lane where it is outside has none inside.
  OpBuilder::InsertionGuard guard(b);
  if (updatesMemory(loop) && !storesFragments(loop))
    if (Value lanes = andMasks(elements.primary, elements.maskOf(0)))
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, lanes, false).thenBlock());
  for (Operation &op : *loop.bodyBlock())
    if (failed(emitOp(op, elements)))
      return failure();
  return success();
}

Value Emitter::writerMask(Elements &elements, int64_t element) {
  if (!elements.loop && kernel.getLockstep()) // a statement of every thread that is here
    return nullptr;
  if (!elements.loop) // a statement of the block: one thread does it
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId, index(0));
  return andMasks(elements.maskOf(element), elements.primary);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool isProvedInside(Value index, int64_t size) {
  std::optional<IndexRange> range = rangeOf(index);
  return range && range->low >= 0 && range->high < size;
}

bool Emitter::wantsTrap(Value buffer, ValueRange tileIndices) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return checksBounds && !type.isGlobal() &&
         !llvm::all_of(llvm::zip(tileIndices, type.getShape()), [](auto pair) {
           return isProvedInside(std::get<0>(pair), std::get<1>(pair));
         });
}

void Emitter::trapOutside(Value buffer, ValueRange tileIndices, ArrayRef<Value> indices,
                          Value mask) {
  if (!wantsTrap(buffer, tileIndices))
    return;
  auto type = cast<tile::BufferType>(buffer.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (isProvedInside(tileIndices[d], size))
      continue;
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indices[d], index(size));
    trapUnless(isInside, mask, b.getStringAttr("an index is outside of its buffer"));
  }
}

/// Lanes that the mask turns off do not count.
void Emitter::trapUnless(Value holds, Value mask, StringAttr message) {
  if (mask) {
    Value truth = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    Value isOff = arith::XOrIOp::create(b, loc, mask, truth);
    holds = arith::OrIOp::create(b, loc, holds, isOff);
  }
  wave::TrapOp::create(b, loc, holds, message);
}

LogicalResult Emitter::emitLoad(tile::LoadOp load, Elements &elements) {
  Value root = load.getBuffer();
  tile::BufferType type = load.getBuffer().getType();
  if (type.isFragment())
    return loadFragment(load, elements);
  if (type.isLocal())
    return loadLocal(load, elements);
  if (!shared.contains(root) && !tensors.contains(root))
    return unsupported(*load, "an access through this view");
  DType dtype = tile::dtypeOf(type.getElementType());
  bool isSame = llvm::all_of(load.getIndices(), [&](Value v) { return isSameForAll(v, elements); });
  int64_t count = isSame ? 1 : elements.count;
  int64_t width = isSame ? 1 : accessWidth(load.getIndices(), root, elements);
  if (elements.masks.size() > 1 || wantsTrap(root, load.getIndices()))
    width = 1;
  SmallVector<Value, 4> values;
  for (int64_t e = 0; e < count; e += width) {
    SmallVector<Value, 4> indices;
    for (Value v : load.getIndices())
      indices.push_back(indexFor(v, e, elements));
    Type vector = vectorOf(width, memoryType(dtype));
    Value raw;
    if (type.isShared()) {
      trapOutside(root, load.getIndices(), indices, elements.maskOf(e));
      Value offset = sharedOffset(shared.find(root)->second, indices);
      raw = wave::SharedReadOp::create(b, loc, vector, offset, 0);
    } else {
      const TensorPlace &place = tensors.find(root)->second;
      Value bounds = boundsMask(place, load.getIndices(), indices, elements);
      Value mask = andMasks(bounds, elements.maskOf(e));
      raw = isPacked(dtype) ? loadPacked(place, indices, width, mask)
                            : wave::GlobalReadOp::create(b, loc, vector, place.base,
                                                         accessOffset(place, indices), mask,
                                                         globalAlign(place, width))
                                  .getResult();
      if (load.getPad() && bounds) {
        Value scalar = toScalar(raw, dtype);
        double pad = load.getPad()->convertToDouble();
        Type element = wave::elementOf(scalar.getType());
        TypedAttr attr = isa<FloatType>(element)
                             ? TypedAttr(b.getFloatAttr(element, pad))
                             : TypedAttr(b.getIntegerAttr(element, int64_t(pad)));
        if (auto shape = dyn_cast<VectorType>(scalar.getType()))
          attr = DenseElementsAttr::get(shape, Attribute(attr));
        Value other = arith::ConstantOp::create(b, loc, attr);
        values.append(unpack(arith::SelectOp::create(b, loc, bounds, scalar, other), width));
        continue;
      }
    }
    values.append(unpack(toScalar(raw, dtype), width));
  }
  elements.map[load.getResult()] = values;
  return success();
}

LogicalResult Emitter::emitStore(tile::StoreOp store, Elements &elements) {
  Value root = store.getBuffer();
  tile::BufferType type = store.getBuffer().getType();
  if (type.isFragment())
    return storeFragment(store, elements);
  if (type.isLocal())
    return storeLocal(store, elements);
  if (!shared.contains(root) && !tensors.contains(root))
    return unsupported(*store, "an access through this view");
  DType dtype = tile::dtypeOf(type.getElementType());
  int64_t width = accessWidth(store.getIndices(), root, elements);
  if (elements.masks.size() > 1 || wantsTrap(root, store.getIndices()))
    width = 1;
  for (int64_t e = 0; e < elements.count; e += width) {
    SmallVector<Value, 4> indices;
    for (Value v : store.getIndices())
      indices.push_back(indexFor(v, e, elements));
    SmallVector<Value, 8> parts;
    for (int64_t i = 0; i < width; ++i)
      parts.push_back(lookup(store.getValue(), e + i, elements));
    Value value = fromScalar(pack(parts), dtype);
    Value mask = writerMask(elements, e);
    if (type.isShared()) {
      trapOutside(root, store.getIndices(), indices, elements.maskOf(e));
      wave::SharedWriteOp::create(b, loc, value, sharedOffset(shared.find(root)->second, indices),
                                  mask, 0);
      continue;
    }
    const TensorPlace &place = tensors.find(root)->second;
    mask = andMasks(mask, boundsMask(place, store.getIndices(), indices, elements));
    if (isPacked(dtype)) {
      storePacked(value, place, indices, mask);
      continue;
    }
    wave::GlobalWriteOp::create(b, loc, value, place.base, accessOffset(place, indices), mask,
                                globalAlign(place, width));
  }
  return success();
}

static wave::AtomicKind atomicKindOf(tile::AtomicOp atomic) {
  bool isUnsignedType = atomic.getIsUnsigned();
  switch (atomic.getKind()) {
  case tile::AtomicKind::Add:
    return wave::AtomicKind::Add;
  case tile::AtomicKind::Max:
    return isUnsignedType ? wave::AtomicKind::UMax : wave::AtomicKind::Max;
  case tile::AtomicKind::Min:
    return isUnsignedType ? wave::AtomicKind::UMin : wave::AtomicKind::Min;
  case tile::AtomicKind::And:
    return wave::AtomicKind::And;
  case tile::AtomicKind::Or:
    return wave::AtomicKind::Or;
  case tile::AtomicKind::Xor:
    return wave::AtomicKind::Xor;
  case tile::AtomicKind::Exchange:
    return wave::AtomicKind::Exchange;
  }
  llvm_unreachable("unknown atomic");
}

LogicalResult Emitter::emitAtomic(tile::AtomicOp atomic, Elements &elements) {
  Value root = atomic.getBuffer();
  auto type = cast<tile::BufferType>(root.getType());
  if (!type.isGlobal() && !type.isShared())
    return unsupported(*atomic, "an atomic on registers");
  if (!tensors.contains(root) && !shared.contains(root))
    return unsupported(*atomic, "an atomic through this view");
  DType dtype = tile::dtypeOf(type.getElementType());
  if (isPacked(dtype))
    return unsupported(*atomic, "an atomic on elements of 4 bits");
  // Neighbours are added by one instruction, where there is one and nobody asks what was there.
  int64_t width = 1;
  if (type.isGlobal() && atomic.getKind() == tile::AtomicKind::Add && dtype == DType::F32 &&
      atomic.getOld().use_empty() && elements.masks.size() <= 1)
    width = std::min(accessWidth(atomic.getIndices(), root, elements),
                     std::max<int64_t>(1, target.vectorAddBytes / bytesOf(dtype)));
  SmallVector<Value, 4> olds;
  for (int64_t e = 0; e < elements.count; e += width) {
    SmallVector<Value, 4> indices;
    for (Value v : atomic.getIndices())
      indices.push_back(indexFor(v, e, elements));
    SmallVector<Value, 4> parts;
    for (int64_t i = 0; i < width; ++i)
      parts.push_back(lookup(atomic.getValue(), e + i, elements));
    Value value = fromScalar(pack(parts), dtype);
    Value mask = writerMask(elements, e);
    Value old;
    if (type.isShared()) {
      trapOutside(root, atomic.getIndices(), indices, elements.maskOf(e));
      old = wave::SharedAtomicOp::create(b, loc, value.getType(), atomicKindOf(atomic), value,
                                         sharedOffset(shared.find(root)->second, indices), mask);
    } else {
      const TensorPlace &place = tensors.find(root)->second;
      mask = andMasks(mask, boundsMask(place, atomic.getIndices(), indices, elements));
      old = wave::GlobalAtomicOp::create(b, loc, value.getType(), atomicKindOf(atomic), value,
                                         place.base, accessOffset(place, indices), mask);
    }
    if (width == 1)
      olds.push_back(toScalar(old, dtype));
  }
  if (width == 1)
    elements.map[atomic.getOld()] = olds;
  return success();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

const SmallVector<int64_t> *Emitter::registersOf(Operation *access, ValueRange indices, Value root,
                                                 Elements &elements) {
  auto it = registerCache.find(access);
  if (it != registerCache.end())
    return &it->second;
  auto registers =
      matchRegisters(*elements.layout, fragments.find(root)->second.layout, indices, elements.loop);
  if (!registers)
    return nullptr;
  return &(registerCache[access] = *registers);
}

Value Emitter::getSlot(const FragmentPlace &place, int64_t slot) {
  return wave::GetOp::create(b, loc, vectorOf(place.slotRegs, memoryType(place.dtype)), place.regs,
                             slot);
}

SmallVector<Value, 8> Emitter::registersOf(const FragmentPlace &place, int64_t rep) {
  llvm::DenseMap<int64_t, SmallVector<Value, 8>> slots;
  SmallVector<Value, 8> values;
  int64_t group = place.layout.atomRegs();
  for (int64_t reg = rep * group; reg < (rep + 1) * group; ++reg) {
    auto [it, isNew] = slots.try_emplace(place.slotOf(reg));
    if (isNew)
      it->second = unpack(toScalar(getSlot(place, it->first), place.dtype), place.slotRegs);
    values.push_back(it->second[place.placeInSlot(reg)]);
  }
  return values;
}

void Emitter::setRegisters(const FragmentPlace &place, ArrayRef<Value> scalars) {
  std::vector<SmallVector<Value, 8>> slots(place.slots(), SmallVector<Value, 8>(place.slotRegs));
  for (auto [reg, value] : llvm::enumerate(scalars))
    slots[place.slotOf(reg)][place.placeInSlot(reg)] = value;
  for (auto [slot, parts] : llvm::enumerate(slots))
    wave::SetOp::create(b, loc, fromScalar(pack(parts), place.dtype), place.regs, slot);
}

LogicalResult Emitter::loadFragment(tile::LoadOp load, Elements &elements) {
  if (!fragments.contains(load.getBuffer()))
    return unsupported(*load, "an access through this view");
  const FragmentPlace &place = fragments.find(load.getBuffer())->second;
  if (!elements.loop)
    return unsupported(*load, "reading a fragment outside of T.Parallel");
  const SmallVector<int64_t> *registers =
      registersOf(load, load.getIndices(), load.getBuffer(), elements);
  if (!registers)
    return unsupported(*load, "this access to a fragment");
  llvm::DenseMap<int64_t, SmallVector<Value, 8>> slots; // scalars of each slot, read once
  SmallVector<Value, 4> values;
  for (int64_t e = 0; e < elements.count; ++e) {
    int64_t reg = std::max<int64_t>((*registers)[elements.registerOf(e)], 0);
    auto [it, isNew] = slots.try_emplace(place.slotOf(reg));
    if (isNew)
      it->second = unpack(toScalar(getSlot(place, it->first), place.dtype), place.slotRegs);
    values.push_back(it->second[place.placeInSlot(reg)]);
  }
  elements.map[load.getResult()] = values;
  return success();
}

LogicalResult Emitter::storeFragment(tile::StoreOp store, Elements &elements) {
  if (!fragments.contains(store.getBuffer()))
    return unsupported(*store, "an access through this view");
  const FragmentPlace &place = fragments.find(store.getBuffer())->second;
  if (!elements.loop)
    return unsupported(*store, "writing a fragment outside of T.Parallel");
  const SmallVector<int64_t> *registers =
      registersOf(store, store.getIndices(), store.getBuffer(), elements);
  if (!registers)
    return unsupported(*store, "this access to a fragment");
  int64_t group = place.slotRegs;
  std::map<int64_t, SmallVector<Value, 8>> slots;
  for (int64_t e = 0; e < elements.count; ++e) {
    int64_t reg = (*registers)[elements.registerOf(e)];
    if (reg < 0) // padding
      continue;
    auto &slot = slots[place.slotOf(reg)];
    slot.resize(group);
    slot[place.placeInSlot(reg)] = lookup(store.getValue(), e, elements);
  }
  for (auto &[slot, parts] : slots) {
    if (llvm::is_contained(parts, Value())) {
      // The rest of the slot keeps its value.
      SmallVector<Value, 8> kept = unpack(getSlot(place, slot), group);
      for (int64_t i = 0; i < group; ++i)
        parts[i] = parts[i] ? fromScalar(parts[i], place.dtype) : kept[i];
      wave::SetOp::create(b, loc, pack(parts), place.regs, slot);
      continue;
    }
    wave::SetOp::create(b, loc, fromScalar(pack(parts), place.dtype), place.regs, slot);
  }
  return success();
}

/// The local buffer of each element: private ones inside a parallel, one outside.
static const LocalPlace *findLocal(Value root, int64_t element, const Elements &elements) {
  for (const Elements *level = &elements; level; level = level->outer) {
    auto it = level->locals.find(root);
    if (it != level->locals.end())
      return &it->second[it->second.size() == 1 ? 0 : element];
  }
  return nullptr;
}

LogicalResult Emitter::loadLocal(tile::LoadOp load, Elements &elements) {
  SmallVector<Value, 4> values;
  auto type = cast<tile::BufferType>(load.getBuffer().getType());
  // A view of equally wide elements: the same registers, other bits.
  Value root = rootOf(load.getBuffer());
  DType dtype = tile::dtypeOf(type.getElementType());
  if (bitsOf(dtype) !=
      bitsOf(tile::dtypeOf(cast<tile::BufferType>(root.getType()).getElementType())))
    return unsupported(*load, "a view of a local array with elements of another width");
  bool isPrivate = elements.locals.contains(root);
  bool isSame = !isPrivate &&
                llvm::all_of(load.getIndices(), [&](Value v) { return isSameForAll(v, elements); });
  for (int64_t e = 0; e < (isSame ? 1 : elements.count); ++e) {
    const LocalPlace *place = findLocal(root, e, elements);
    // Row-major position; an index that is not constant selects among all slots.
    Value at = index(0);
    SmallVector<Value, 4> indices;
    for (auto [d, v] : llvm::enumerate(load.getIndices())) {
      indices.push_back(indexFor(v, e, elements));
      at = addIndex(mulIndex(at, type.getShape()[d]), indices.back());
    }
    if (!tile::constantInt(at))
      trapOutside(load.getBuffer(), load.getIndices(), indices, elements.maskOf(e));
    auto read = [&](int64_t slot) {
      return wave::GetOp::create(b, loc, memoryType(place->dtype), place->regs, slot).getResult();
    };
    Value value;
    if (auto constant = tile::constantInt(at)) {
      if (*constant < 0 || *constant >= type.numElems())
        return Reported(load, DiagId::OutsideLocalArray, "reads");
      value = read(*constant);
    } else {
      value = read(0);
      for (int64_t slot = 1; slot < type.numElems(); ++slot) {
        Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, index(slot));
        value = arith::SelectOp::create(b, loc, hit, read(slot), value);
      }
    }
    if (memoryType(dtype) != value.getType())
      value = wave::BitcastOp::create(b, loc, memoryType(dtype), value);
    values.push_back(toScalar(value, dtype));
  }
  elements.map[load.getResult()] = values;
  return success();
}

LogicalResult Emitter::storeLocal(tile::StoreOp store, Elements &elements) {
  auto type = cast<tile::BufferType>(store.getBuffer().getType());
  if (!store.getBuffer().getDefiningOp<tile::AllocOp>())
    return unsupported(*store, "a write through a view of a local array");
  for (int64_t e = 0; e < elements.count; ++e) {
    const LocalPlace *place = findLocal(store.getBuffer(), e, elements);
    Value at = index(0);
    SmallVector<Value, 4> indices;
    for (auto [d, v] : llvm::enumerate(store.getIndices())) {
      indices.push_back(indexFor(v, e, elements));
      at = addIndex(mulIndex(at, type.getShape()[d]), indices.back());
    }
    if (!tile::constantInt(at))
      trapOutside(store.getBuffer(), store.getIndices(), indices, elements.maskOf(e));
    Value value = fromScalar(lookup(store.getValue(), e, elements), place->dtype);
    if (auto constant = tile::constantInt(at)) {
      if (*constant < 0 || *constant >= type.numElems())
        return Reported(store, DiagId::OutsideLocalArray, "writes");
      wave::SetOp::create(b, loc, value, place->regs, *constant);
      continue;
    }
    for (int64_t slot = 0; slot < type.numElems(); ++slot) {
      Value old = wave::GetOp::create(b, loc, memoryType(place->dtype), place->regs, slot);
      Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, index(slot));
      wave::SetOp::create(b, loc, arith::SelectOp::create(b, loc, hit, value, old).getResult(),
                          place->regs, slot);
    }
  }
  return success();
}

} // namespace tilec

//===- RegisterAccesses.cpp - loads and stores of elements in registers ---===//
//
// Takes loads and stores of fragments and of threads' own buffers, gives registers of the lane that
// holds the element.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Accesses.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

using namespace mlir;

namespace tilec {

LogicalResult loadFragment(Emitter &e, tile::LoadOp load, Elements &elements) {
  if (!e.fragments.contains(load.getBuffer()))
    return e.unsupported(*load, "an access through this view");
  const FragmentPlace &place = e.fragments.find(load.getBuffer())->second;
  if (!elements.loop)
    return e.unsupported(*load, "reading a fragment outside of T.Parallel");
  const SmallVector<int64_t> *registers =
      e.registersOf(load, load.getIndices(), load.getBuffer(), elements);
  if (!registers)
    return e.unsupported(*load, "this access to a fragment");
  llvm::DenseMap<int64_t, SmallVector<Value, 8>> slots; // scalars of each slot, read once
  SmallVector<Value, 4> values;
  for (int64_t n = 0; n < elements.count; ++n) {
    int64_t reg = std::max<int64_t>((*registers)[elements.registerOf(n)], 0);
    auto [it, isNew] = slots.try_emplace(place.slotOf(reg));
    if (isNew)
      it->second = e.unpack(e.toScalar(e.getSlot(place, it->first), place.dtype), place.slotRegs);
    values.push_back(it->second[place.placeInSlot(reg)]);
  }
  elements.map[load.getResult()] = values;
  return success();
}

/// Whether the loop may be over less than the fragment: lanes that it leaves out, because they are
/// behind its extents, hold elements all the same.
static bool leavesElements(tile::StoreOp store, const Elements &elements) {
  if (elements.masks.empty())
    return false;
  tile::ElementLoop loop = elements.loop;
  for (auto [index, size] : llvm::zip(store.getIndices(), store.getBuffer().getType().getShape())) {
    if (tile::constantInt(index))
      continue;
    auto iv = dyn_cast<BlockArgument>(index);
    if (!iv || iv.getOwner()->getParentOp() != loop.getOperation() ||
        elements.layout->shape()[iv.getArgNumber()] < size)
      return true;
  }
  return false;
}

LogicalResult storeFragment(Emitter &e, tile::StoreOp store, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (!e.fragments.contains(store.getBuffer()))
    return e.unsupported(*store, "an access through this view");
  const FragmentPlace &place = e.fragments.find(store.getBuffer())->second;
  if (!elements.loop)
    return e.unsupported(*store, "writing a fragment outside of T.Parallel");
  const SmallVector<int64_t> *registers =
      e.registersOf(store, store.getIndices(), store.getBuffer(), elements);
  if (!registers)
    return e.unsupported(*store, "this access to a fragment");
  int64_t group = place.slotRegs;
  bool mayKeep = leavesElements(store, elements), isMoved = tile::movesElement(store);
  std::map<int64_t, SmallVector<Value, 8>> slots, masks;
  for (int64_t n = 0; n < elements.count; ++n) {
    int64_t reg = (*registers)[elements.registerOf(n)];
    if (reg < 0) // padding
      continue;
    auto &slot = slots[place.slotOf(reg)];
    slot.resize(group);
    slot[place.placeInSlot(reg)] = e.lookup(store.getValue(), n, elements);
    auto &mask = masks[place.slotOf(reg)];
    mask.resize(group);
    mask[place.placeInSlot(reg)] = elements.maskOf(n);
  }
  for (auto &[slot, parts] : slots) {
    if (mayKeep || llvm::is_contained(parts, Value())) {
      // The rest of the slot keeps its value.
      SmallVector<Value, 8> kept = e.unpack(e.getSlot(place, slot), group);
      for (int64_t i = 0; i < group; ++i) {
        Value part = parts[i] ? e.fromScalar(parts[i], place.dtype, isMoved) : kept[i];
        Value mask = mayKeep && parts[i] ? masks[slot][i] : Value();
        parts[i] = mask ? arith::SelectOp::create(b, loc, mask, part, kept[i]).getResult() : part;
      }
      wave::SetOp::create(b, loc, e.pack(parts), place.regs, slot);
      continue;
    }
    wave::SetOp::create(b, loc, e.fromScalar(e.pack(parts), place.dtype, isMoved), place.regs,
                        slot);
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

/// Where an element of a local array may be: in one slot, or in those of which the index `at` has
/// the number that is beside each.
struct LocalSlots {
  Value at;
  SmallVector<std::pair<int64_t, int64_t>, 4> slots; ///< number, slot
};

/// Indices that are constant leave less to choose from; others are checked.
static LocalSlots slotsInLocal(Emitter &e, Value buffer, ValueRange tileIndices, int64_t n,
                               Elements &elements) {
  auto type = cast<tile::BufferType>(buffer.getType());
  LocalSlots result{Value(), {{0, 0}}};
  bool isInside = true;
  SmallVector<Value, 4> indices;
  for (auto [d, v] : llvm::enumerate(tileIndices)) {
    indices.push_back(e.indexFor(v, n, elements));
    int64_t extent = type.getShape()[d];
    std::optional<int64_t> known = tile::constantInt(indices.back());
    bool isKnown = known && *known >= 0 && *known < extent;
    isInside &= isKnown;
    IndexRange range{0, extent - 1};
    if (isKnown)
      range = {*known, *known};
    else if (std::optional<IndexRange> possible = rangeOf(v))
      range = {std::clamp<int64_t>(possible->low, 0, extent - 1),
               std::clamp<int64_t>(possible->high, 0, extent - 1)};
    SmallVector<std::pair<int64_t, int64_t>, 4> wider;
    for (auto [number, slot] : result.slots)
      for (int64_t index = range.low; index <= range.high; ++index)
        wider.push_back({isKnown ? number : number * extent + index, slot * extent + index});
    result.slots = std::move(wider);
    if (!isKnown)
      result.at = e.addIndex(result.at ? e.mulIndex(result.at, extent) : Value(), indices.back());
  }
  if (!isInside)
    trapOutside(e, buffer, tileIndices, indices, elements.maskOf(n));
  return result;
}

LogicalResult loadLocal(Emitter &e, tile::LoadOp load, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  SmallVector<Value, 4> values;
  auto type = cast<tile::BufferType>(load.getBuffer().getType());
  // A view of equally wide elements: the same registers, other bits.
  Value root = rootOf(load.getBuffer());
  DType dtype = tile::dtypeOf(type.getElementType());
  if (bitsOf(dtype) != bitsOf(tile::dtypeOf(root)))
    return e.unsupported(*load, "a view of a local array with elements of another width");
  bool isPrivate = elements.locals.contains(root);
  bool isSame = !isPrivate && llvm::all_of(load.getIndices(),
                                           [&](Value v) { return e.isSameForAll(v, elements); });
  for (int64_t n = 0; n < (isSame ? 1 : elements.count); ++n) {
    const LocalPlace *place = findLocal(root, n, elements);
    LocalSlots found = slotsInLocal(e, load.getBuffer(), load.getIndices(), n, elements);
    auto read = [&](int64_t slot) {
      return wave::GetOp::create(b, loc, e.memoryType(place->dtype), place->regs, slot).getResult();
    };
    Value value = read(found.slots.front().second);
    for (auto [number, slot] : llvm::drop_begin(found.slots)) {
      Value hit =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found.at, e.index(number));
      value = arith::SelectOp::create(b, loc, hit, read(slot), value);
    }
    if (e.memoryType(dtype) != value.getType())
      value = wave::BitcastOp::create(b, loc, e.memoryType(dtype), value);
    values.push_back(e.toScalar(value, dtype));
  }
  elements.map[load.getResult()] = values;
  return success();
}

LogicalResult storeLocal(Emitter &e, tile::StoreOp store, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (!store.getBuffer().getDefiningOp<tile::AllocOp>())
    return e.unsupported(*store, "a write through a view of a local array");
  for (int64_t n = 0; n < elements.count; ++n) {
    const LocalPlace *place = findLocal(store.getBuffer(), n, elements);
    LocalSlots found = slotsInLocal(e, store.getBuffer(), store.getIndices(), n, elements);
    Value value = e.fromScalar(e.lookup(store.getValue(), n, elements), place->dtype,
                               tile::movesElement(store));
    if (!found.at) {
      wave::SetOp::create(b, loc, value, place->regs, found.slots.front().second);
      continue;
    }
    for (auto [number, slot] : found.slots) {
      Value old = wave::GetOp::create(b, loc, e.memoryType(place->dtype), place->regs, slot);
      Value hit =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found.at, e.index(number));
      wave::SetOp::create(b, loc, arith::SelectOp::create(b, loc, hit, value, old).getResult(),
                          place->regs, slot);
    }
  }
  return success();
}

} // namespace tilec

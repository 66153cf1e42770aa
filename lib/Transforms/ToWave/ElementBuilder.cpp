//===- ElementBuilder.cpp - values, one an element ------------------------===//
//
// Looks up what a value of the program is for one element, and repeats index arithmetic of the
// program in the kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/ElementBuilder.h"

#include "Layouts/LoopLayout.h"
#include "Pipelines/AsyncPieces.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include <numeric>

using namespace mlir;

namespace tilec {

Value ElementBuilder::lookup(Value value, int64_t element, const Elements &elements) {
  for (const Elements *level = &elements; level; level = level->outer) {
    auto it = level->map.find(value);
    if (it == level->map.end())
      continue;
    // Enclosing parallels compute one element at a time around inner code.
    const SmallVector<Value, 4> &values = it->second;
    return values.size() == 1 ? values[0] : values[level == &elements ? element : 0];
  }
  if (Value known = programValues.lookupOrNull(value))
    return known;
  return cloneProgramValue(value);
}

bool ElementBuilder::isSameForAll(Value value, const Elements &elements) {
  auto it = elements.map.find(value);
  return it == elements.map.end() || it->second.size() == 1;
}

/// Index arithmetic of the program, repeated in the kernel.
Value ElementBuilder::cloneProgramValue(Value value) {
  Operation *op = value.getDefiningOp();
  assert(op && isPure(op) && "a value of the program that is no parameter is arithmetic");
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, lookup(operand, 0, Elements()));
  Operation *copy = b.clone(*op, mapping);
  // Usable from anywhere in the kernel only when it stands at its top.
  if (b.getInsertionBlock() == constantAnchor->getBlock())
    programValues.map(value, copy->getResult(0));
  return copy->getResult(0);
}

/// Arithmetic on parameters, in 64 bits from the parameters on.
Value ElementBuilder::wideProgramValue(Value value) {
  Operation *op = value.getDefiningOp();
  Type i64 = b.getI64Type();
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return arith::ConstantIntOp::create(b, loc, *constant, 64);
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    Value parameter = wideDims.lookup(value);
    return parameter
               ? parameter
               : arith::IndexCastOp::create(b, loc, i64, lookup(value, 0, Elements())).getResult();
  }
  if (isa<arith::IndexCastOp>(op))
    return wideProgramValue(op->getOperand(0));
  bool isInteger = llvm::all_of(op->getOperandTypes(), [](Type t) { return t.isIntOrIndex(); });
  if (!isInteger || op->getNumOperands() != 2 || !op->getResult(0).getType().isIndex()) {
    Value narrow = lookup(value, 0, Elements());
    if (narrow.getType() == i64)
      return narrow;
    if (narrow.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, i64, narrow);
    return arith::ExtSIOp::create(b, loc, i64, narrow);
  }
  OperationState state(loc, op->getName());
  state.addOperands({wideProgramValue(op->getOperand(0)), wideProgramValue(op->getOperand(1))});
  state.addTypes(i64);
  return b.create(state)->getResult(0);
}

Value ElementBuilder::indexFor(Value value, int64_t element, Elements &elements) {
  Value image = lookup(value, element, elements);
  if (!image.getType().isIndex())
    image = arith::IndexCastOp::create(b, loc, b.getIndexType(), image);
  return image;
}

Value ElementBuilder::indexFor(const IndexSum &sum, int64_t element, Elements &elements) {
  Value whole;
  for (Value term : sum.terms) {
    Value part = indexFor(term, element, elements);
    whole = whole ? addIndex(whole, part) : part;
  }
  return whole;
}

Value ElementBuilder::sharedOffsetOf(const SharedPlace &place, ValueRange indices, int64_t element,
                                     Elements &elements, int64_t &imm) {
  SmallVector<LaneCoord, 4> coords(indices.size());
  SmallVector<Value, 4> offsets(indices.size());
  bool isSwizzled = place.layout.phases > 1 && place.layout.panelElems == 0;
  // Elements outside of the tile have other places (insideMasks).
  bool isOfLanes = isSwizzled && elements.loop && elements.layout && elements.masks.empty() &&
                   indices.size() >= 2;
  if (isOfLanes)
    for (auto [d, variable] : llvm::enumerate(directIndices(indices, elements.loop))) {
      if (variable < 0) {
        isOfLanes &= d + 2 < indices.size() && isSameForAll(indices[d], elements);
        offsets[d] = isOfLanes ? indexFor(indices[d], 0, elements) : Value();
        continue;
      }
      coords[d] = elements.coords[variable];
      coords[d].constant += elements.deltas[element][variable];
      coords[d].bits = bitsOfLanes(*elements.layout)[variable];
      // Of a repetition that is counted when the kernel runs nothing is known.
      isOfLanes &= coords[d].bits != -1 && coords[d].most >= 0;
    }
  if (isOfLanes)
    return sharedOffset(place, coords, offsets, imm);
  SmallVector<Value, 4> at;
  for (Value index : indices)
    at.push_back(indexFor(index, element, elements));
  imm = 0;
  return sharedOffset(place, at);
}

/// Whether the value is the same in each group of so many elements.
static bool agreeInGroups(Value value, const Elements &elements, int64_t width) {
  if (elements.count % width != 0)
    return false;
  for (int64_t first = 0; first < elements.count; first += width)
    if (!ElementBuilder::agrees(value, elements, first, width))
      return false;
  return true;
}

/// What divides the column with which a group begins.
int64_t ElementBuilder::divisorOfPlace(const LinearForm &last, Elements &elements) {
  int64_t divisor = 1 << 20;
  divisor = std::gcd(divisor, last.constant == 0 ? divisor : std::abs(last.constant));
  for (auto [term, factor] : last.terms) {
    int64_t own = divisorOf(term);
    for (auto [n, iv] : llvm::enumerate(elements.loop.ivs()))
      if (term == iv)
        own = std::gcd(elements.coords[n].divisor, elements.coords[n].constant == 0
                                                       ? divisor
                                                       : std::abs(elements.coords[n].constant));
    divisor = std::gcd(divisor, std::min<int64_t>(std::abs(factor) * own, 1 << 20));
  }
  return divisor;
}

/// As far as the elements and the buffer's own layout go.
int64_t ElementBuilder::groupWidth(ValueRange indices, Value root, Elements &elements,
                                   bool isAligned) {
  if (elements.count == 1 || indices.empty())
    return 1;
  auto type = cast<tile::BufferType>(root.getType());
  int64_t elemBits = bitsOf(tile::dtypeOf(type.getElementType()));
  if (type.isShared())
    elemBits = std::max<int64_t>(elemBits, 8); // a byte at least
  int64_t width =
      std::min<int64_t>(elements.count, std::max<int64_t>(1, 8 * target.accessBytes / elemBits));
  // How each index moves from element to element, and what divides its first value.
  SmallVector<LinearForm, 4> forms;
  for (Value value : indices)
    forms.push_back(linearize(value));
  auto moves = [&](size_t d, int64_t e) {
    int64_t by = 0;
    for (auto [n, iv] : llvm::enumerate(elements.loop.ivs()))
      by += forms[d].coefficient(iv) * elements.deltas[e][n];
    return by;
  };
  // An index that is no linear form of the loop variables may depend on them in any way: of a group
  // it is the same where it is made of what is the same (a row whose number is read).
  for (const LinearForm &form : forms)
    for (auto [term, factor] : form.terms)
      if (!isSameForAll(term, elements) && !llvm::is_contained(elements.loop.ivs(), term))
        while (width > 1 && !agreeInGroups(term, elements, width))
          width /= 2;
  int64_t divisor = isAligned ? divisorOfPlace(forms.back(), elements) : 1 << 20;
  while (width > 1 && divisor % width != 0)
    width /= 2;
  // Groups of elements, not the first one alone, begin at a multiple of the width and move by one.
  auto areGroups = [&](int64_t width) {
    size_t last = forms.size() - 1;
    for (int64_t e = 0; e < elements.count; ++e) {
      int64_t first = e - e % width;
      for (size_t d = 0; d <= last; ++d)
        if (moves(d, e) - moves(d, first) != (d == last ? e - first : 0))
          return false;
      if (isAligned && moves(last, first) % width != 0)
        return false;
    }
    return elements.count % width == 0;
  };
  while (width > 1 && !areGroups(width))
    width /= 2;
  if (auto it = shared.find(root); it != shared.end()) {
    const SharedLayout &layout = it->second.layout;
    while (width > 1 &&
           (layout.pitchElems % width != 0 || (layout.phases > 1 && layout.vecElems % width != 0)))
      width /= 2;
  }
  return width;
}

int64_t ElementBuilder::accessWidth(ValueRange indices, Value root, Elements &elements) {
  return widthOf(nullptr, indices, root, elements).elems;
}

/// Of a row that the loop around the elements moves.
static int64_t columnsOf(Value column, Elements &elements) {
  int64_t columns = 1;
  LinearForm form = linearize(column);
  for (auto [iv, extent] : llvm::zip(elements.loop.ivs(), *elements.loop.constantExtents()))
    columns += std::abs(form.coefficient(iv)) * (extent - 1);
  return columns;
}

ElementBuilder::AccessWidth ElementBuilder::widthOf(Operation *access, ValueRange indices,
                                                    Value root, Elements &elements) {
  if (elements.count == 1 || indices.empty())
    return {};
  int64_t width = groupWidth(indices, root, elements, /*isAligned=*/true);
  if (shared.contains(root))
    return {width, true};
  const TensorPlace &place = tensors.find(root)->second;
  if (place.staticStrides.back() != 1)
    return {};
  KnownEnds ends = endsOfColumn(access, indices.back(), place);
  bool isInside = ends.isNotNegative && ends.isBelow;
  int64_t aligned = alignedWidth(width, place, isInside);
  bool isFree = access && target.unalignedAccess && !isPacked(place.dtype) && ends.isNotNegative;
  if (isFree && (isInside || partsRowEnds(cast<tile::BufferType>(root.getType()),
                                          columnsOf(indices.back(), elements), target)))
    if (int64_t wide = groupWidth(indices, root, elements, /*isAligned=*/false); wide > aligned)
      return {wide, false, !isInside};
  return {aligned, true, false};
}

KnownEnds ElementBuilder::endsOfColumn(Operation *access, Value column, const TensorPlace &place) {
  std::optional<IndexRange> range = rangeOf(column);
  int64_t rowElems = place.staticShape.back();
  Value dim = place.dims.back();
  bool isStatic = !ShapedType::isDynamic(rowElems);
  KnownEnds ends{range && range->low >= 0, range && isStatic && range->high < rowElems};
  if (!access || !target.unalignedAccess || (ends.isNotNegative && ends.isBelow) ||
      !(isStatic || dim))
    return ends;
  if (dim && isWithin(column, dim, access))
    return {true, true};
  KnownEnds known =
      knownEnds(access, column, isStatic ? Value() : dim, isStatic ? rowElems : 0, entered);
  return {ends.isNotNegative || known.isNotNegative, ends.isBelow || known.isBelow};
}

int64_t ElementBuilder::alignedWidth(int64_t width, const TensorPlace &place, bool isInside) {
  for (int64_t d = 0; d + 1 < int64_t(place.staticStrides.size()); ++d) {
    int64_t stride = place.staticStrides[d];
    while (width > 1 &&
           (ShapedType::isDynamic(stride) ? place.dynamicDivisor : stride) % width != 0)
      width /= 2;
  }
  // A vector that may straddle the end of a row is taken apart.
  int64_t rowElems = place.staticShape.back();
  while (!isInside && width > 1 && (ShapedType::isDynamic(rowElems) || rowElems % width != 0))
    width /= 2;
  return width;
}

/// Whether some elements of a lane have one quotient by a number, of a variable of the loop.
static bool haveOneQuotient(arith::DivUIOp quotient, const Elements &elements, int64_t first,
                            int64_t count) {
  auto variable = dyn_cast<BlockArgument>(quotient.getLhs());
  std::optional<int64_t> by = tile::constantInt(quotient.getRhs());
  if (!variable || !by || *by <= 0)
    return false;
  unsigned d = variable.getArgNumber();
  const LaneCoord &coord = elements.coords[d];
  // The lane's first element begins a piece of so many, which lies in one multiple of the divisor.
  int64_t piece = std::gcd(coord.constant, coord.value ? std::gcd(coord.divisor, *by) : *by);
  for (int64_t e = first; e < first + count; ++e)
    if (elements.deltas[e][d] / piece != elements.deltas[first][d] / piece)
      return false;
  return true;
}

bool ElementBuilder::agrees(Value value, const Elements &elements, int64_t first, int64_t count) {
  auto agree = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return agrees(v, elements, first, count); });
  };
  if (count == 1)
    return true;
  tile::ElementLoop loop = elements.loop;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.bodyBlock())
      return true;
    unsigned d = argument.getArgNumber();
    for (int64_t e = first; e < first + count; ++e)
      if (elements.deltas[e][d] != elements.deltas[first][d])
        return false;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return true;
  if (auto quotient = dyn_cast<arith::DivUIOp>(op);
      quotient && llvm::is_contained(loop.ivs(), quotient.getLhs()) &&
      haveOneQuotient(quotient, elements, first, count))
    return true;
  if (auto load = dyn_cast<tile::LoadOp>(op)) // each element has local buffers of its own
    return !load.getBuffer().getType().isLocal() && agree(load.getIndices());
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 && agree(op->getOperands());
}

Elements ElementBuilder::elementsOf(Elements &elements, int64_t first, int64_t count) {
  Elements some;
  some.outer = &elements;
  some.loop = elements.loop;
  some.layout = elements.layout;
  some.count = count;
  some.rep = elements.rep;
  some.groupCount = elements.groupCount ? elements.groupCount : elements.count;
  some.firstElement = elements.firstElement + first;
  bool masksAgree = elements.masks.size() <= 1;
  for (int64_t e = 0; e < (masksAgree ? 1 : count); ++e)
    if (Value mask = elements.maskOf(first + e))
      some.masks.push_back(mask);
  some.primary = elements.primary;
  some.coords = elements.coords;
  for (size_t d = 0; d < some.coords.size(); ++d) {
    some.coords[d].constant += elements.deltas[first][d];
    some.coords[d].divisor = count == 1 ? 1 : some.coords[d].divisor;
  }
  for (int64_t e = first; e < first + count; ++e) {
    Coords &delta = some.deltas.emplace_back(elements.deltas[e]);
    for (size_t d = 0; d < delta.size(); ++d)
      delta[d] -= elements.deltas[first][d];
  }
  // Values of the group that differ between elements; the rest is found through `outer`.
  for (auto &[key, values] : elements.map)
    if (values.size() > 1)
      some.map[key].assign(values.begin() + first,
                           values.begin() + first +
                               (agrees(key, elements, first, count) ? 1 : count));
  for (auto &[key, places] : elements.locals)
    if (places.size() == 1)
      some.locals[key] = {places[0]};
    else
      some.locals[key].assign(places.begin() + first, places.begin() + first + count);
  return some;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

const SmallVector<int64_t> *ElementBuilder::registersOf(Operation *access, ValueRange indices,
                                                        Value root, Elements &elements) {
  auto it = registerCache.find(access);
  if (it != registerCache.end())
    return &it->second;
  auto registers =
      matchRegisters(*elements.layout, fragments.find(root)->second.layout, indices, elements.loop);
  if (!registers)
    return nullptr;
  return &(registerCache[access] = *registers);
}

Value ElementBuilder::getSlot(const FragmentPlace &place, int64_t slot) {
  return wave::GetOp::create(b, loc, vectorOf(place.slotRegs, memoryType(place.dtype)), place.regs,
                             slot);
}

SmallVector<Value, 8> ElementBuilder::registersOf(const FragmentPlace &place, int64_t rep) {
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

void ElementBuilder::setRegisters(const FragmentPlace &place, ArrayRef<Value> scalars) {
  std::vector<SmallVector<Value, 8>> slots(place.slots(), SmallVector<Value, 8>(place.slotRegs));
  for (auto [reg, value] : llvm::enumerate(scalars))
    slots[place.slotOf(reg)][place.placeInSlot(reg)] = value;
  for (auto [slot, parts] : llvm::enumerate(slots))
    wave::SetOp::create(b, loc, fromScalar(pack(parts), place.dtype), place.regs, slot);
}

} // namespace tilec

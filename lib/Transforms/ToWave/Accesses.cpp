//===- Accesses.cpp - loads, stores and atomics of elements ---------------===//
//
// Takes loads, stores and atomics on elements, gives Wave IR for the elements that a lane holds,
// with masks and traps where an index may be outside.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Accesses.h"
#include "Normalize/MeetingIterations.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/IR/Reported.h"

#include <map>

using namespace mlir;

namespace tilec {

/// Lanes that the mask turns off do not count.
void trapUnless(Emitter &e, Value holds, Value mask, StringAttr message) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (mask) {
    Value truth = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    Value isOff = arith::XOrIOp::create(b, loc, mask, truth);
    holds = arith::OrIOp::create(b, loc, holds, isOff);
  }
  wave::TrapOp::create(b, loc, holds, message);
}

static Value writerMask(Emitter &e, Elements &elements, int64_t element) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (!elements.loop && e.kernel.getLockstep()) // a statement of every thread that is here
    return nullptr;
  if (!elements.loop) // a statement of the block: one thread does it
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, e.threadId, e.index(0));
  return e.andMasks(elements.maskOf(element), elements.primary);
}

static bool wantsTrap(Emitter &e, Value buffer, ValueRange tileIndices) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return e.checksBounds && !type.isGlobal() &&
         !llvm::all_of(llvm::zip(tileIndices, type.getShape()), [](auto pair) {
           return isProvedInside(std::get<0>(pair), std::get<1>(pair));
         });
}

void trapOutside(Emitter &e, Value buffer, ValueRange tileIndices, ArrayRef<Value> indices,
                 Value mask) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (!wantsTrap(e, buffer, tileIndices))
    return;
  auto type = cast<tile::BufferType>(buffer.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (isProvedInside(tileIndices[d], size))
      continue;
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indices[d], e.index(size));
    trapUnless(e, isInside, mask, b.getStringAttr("an index is outside of its buffer"));
  }
}

/// Whether it is a read of whole words, the same for all lanes, in a loop that starts copies, or
/// reads tiles, which are counted with what lanes read, in order: scalar registers read it without
/// a wait for those.
static bool readsBesideCopies(Emitter &e, tile::LoadOp load) {
  auto loop = load->getParentOfType<tile::ForOp>();
  if (e.target.asyncCopies.completion == Completion::Groups || e.kernel.getLockstep() || !loop ||
      load->getParentOfType<tile::ElementLoop>() || !e.runsAhead(loop))
    return false;
  return isOfWords(load.getBuffer()) && !isChangedBy(e.written(), rootOf(load.getBuffer()));
}

/// An element that is narrower than a word, of the word that scalar registers read.
static Value readInWord(Emitter &e, const TensorPlace &place, Value offset, Value mask,
                        Type element) {
  OpBuilder &b = e.b;
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(b, e.loc, b.getIntegerAttr(type, value));
  };
  Type word = b.getI32Type(), narrow = b.getIntegerType(element.getIntOrFloatBitWidth());
  Value inWord = arith::AndIOp::create(b, e.loc, offset, constant(offset.getType(), 3));
  Value start = arith::SubIOp::create(b, e.loc, offset, inWord);
  Value read = wave::GlobalReadOp::create(b, e.loc, word, place.base, start, mask, /*align=*/4,
                                          /*scalar=*/true, /*constant=*/false);
  Value bit = offset.getType().isIndex()
                  ? arith::IndexCastUIOp::create(b, e.loc, word, inWord).getResult()
                  : arith::TruncIOp::create(b, e.loc, word, inWord).getResult();
  bit = arith::MulIOp::create(b, e.loc, bit, constant(word, 8));
  Value shifted = arith::ShRUIOp::create(b, e.loc, read, bit);
  Value value = arith::TruncIOp::create(b, e.loc, narrow, shifted);
  return narrow == element ? value : wave::BitcastOp::create(b, e.loc, element, value).getResult();
}

/// Whether the read says that nobody writes there: in loops, whose rounds wait for what they read.
/// Elsewhere the assembler would start all reads of a kernel at its beginning, and hold them in
/// registers (docs/numbers/hopper-trials.md, "Constant reads").
static bool isConstant(Emitter &e, tile::LoadOp load) {
  return load->getParentOfType<tile::ForOp>() && e.isConstant(rootOf(load.getBuffer()));
}

bool readsInside(Emitter &e, tile::LoadOp load, const Elements &elements) {
  Value root = rootOf(load.getBuffer());
  if (elements.masks.empty() || load->getParentOp() != elements.loop || !elements.layout ||
      !load.getBuffer().getType().isGlobal() || isChangedBy(e.written(), root))
    return false;
  Variables variables = variablesIn(load.getIndices(), elements.loop);
  return llvm::none_of(e.openDims(*elements.layout, elements.coords, elements.deltas),
                       [&](unsigned d) { return variables.contains(d); });
}

/// Whether a tensor of this type is never empty.
static bool holdsElements(tile::BufferType type) {
  return llvm::all_of(type.getShape(),
                      [](int64_t extent) { return !ShapedType::isDynamic(extent) && extent > 0; });
}

/// Elements of a tensor that are neighbours in memory in another order than in the loop, or in rows
/// that quotients of its variables number; fails where there are none, or where what lies outside
/// of the tensor is not zero.
static LogicalResult emitRuns(Emitter &e, tile::LoadOp load, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  tile::BufferType type = load.getBuffer().getType();
  DType dtype = tile::dtypeOf(type.getElementType());
  if (!elements.loop || !type.isGlobal() || e.isPacked(dtype) || elements.masks.size() > 1 ||
      load.getPad())
    return failure();
  const TensorPlace &place = e.tensors.find(load.getBuffer())->second;
  ElementRuns runs = e.runsOf(load.getIndices(), place, dtype, elements);
  if (int64_t(runs.size()) == elements.count || runs.empty())
    return failure();
  SmallVector<Value, 4> values(elements.count);
  for (const auto &run : runs) {
    SmallVector<Value, 4> indices;
    for (Value v : load.getIndices())
      indices.push_back(e.indexFor(v, run.front().front(), elements));
    Value raw = wave::GlobalReadOp::create(
        b, loc, e.vectorOf(int64_t(run.size()), e.memoryType(dtype)), place.base,
        e.accessOffset(place, indices),
        e.andMasks(e.boundsMask(place, load.getIndices(), indices, load),
                   readsInside(e, load, elements) ? Value() : elements.maskOf(0)),
        e.globalAlign(place, int64_t(run.size())), /*scalar=*/false, isConstant(e, load),
        !holdsElements(type));
    for (auto [here, value] : llvm::zip(run, e.unpack(e.toScalar(raw, dtype), int64_t(run.size()))))
      for (int64_t n : here)
        values[n] = value;
  }
  elements.map[load.getResult()] = values;
  return success();
}

/// Whether threads read in a branch in a loop: LLVM would do it once in front of the loop, in
/// lanes, too, that do not take the branch and whose reads no barrier keeps from others' writes.
static bool staysInBranch(tile::LoadOp load) {
  auto branch = load->getParentOfType<scf::IfOp>();
  return branch && load->getParentOfType<tile::KernelOp>().getLockstep() &&
         (branch->getParentOfType<tile::ForOp>() || branch->getParentOfType<tile::WhileOp>());
}

/// The indices of an element that is so many further on in its row, and the mask of its column.
static std::pair<SmallVector<Value, 4>, Value> furtherOn(Emitter &e, const TensorPlace &place,
                                                         ArrayRef<Value> indices, int64_t n) {
  SmallVector<Value, 4> at(indices);
  at.back() = e.addIndex(at.back(), n);
  Value extent = place.extents.back() ? place.extents.back() : e.index(place.staticShape.back());
  return {at, arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult, at.back(), extent)};
}

/// Elements in a row of which some may lie behind its end: one piece where none does, else each on
/// its own, in a branch that few waves take.
static Value readToEnd(Emitter &e, tile::LoadOp load, const TensorPlace &place,
                       ArrayRef<Value> indices, int64_t width, Value mask) {
  OpBuilder &b = e.b;
  Type element = e.memoryType(place.dtype), piece = e.vectorOf(width, element);
  auto [all, some] = e.endMasks(place, load.getIndices(), indices, width, load);
  auto read = [&](Type type, ArrayRef<Value> at, Value mask) -> Value {
    return wave::GlobalReadOp::create(
        b, e.loc, type, place.base, e.accessOffset(place, at), mask, e.globalAlign(place, 1),
        /*scalar=*/false, isConstant(e, load), !holdsElements(load.getBuffer().getType()));
  };
  Value whole = read(piece, indices, e.andMasks(all, mask));
  auto branch = scf::IfOp::create(b, e.loc, TypeRange{piece}, e.andMasks(some, mask),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // Zeros behind the end are those of the piece, which is masked off here: as both sides use it, it
  // is read in front of the branch, where it is counted like others that are in flight.
  SmallVector<Value, 8> parts = e.unpack(whole, width);
  for (auto [n, part] : llvm::enumerate(parts)) {
    auto [at, isInside] = furtherOn(e, place, indices, int64_t(n));
    part = arith::SelectOp::create(b, e.loc, isInside, read(element, at, isInside), part);
  }
  scf::YieldOp::create(b, e.loc, e.pack(parts));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, e.loc, whole);
  return branch.getResult(0);
}

/// The same of a write.
static void writeToEnd(Emitter &e, tile::StoreOp store, const TensorPlace &place, Value value,
                       ArrayRef<Value> indices, int64_t width, Value mask) {
  OpBuilder &b = e.b;
  auto [all, some] = e.endMasks(place, store.getIndices(), indices, width, store);
  auto write = [&](Value part, ArrayRef<Value> at, Value mask) {
    wave::GlobalWriteOp::create(b, e.loc, part, place.base, e.accessOffset(place, at), mask,
                                e.globalAlign(place, 1));
  };
  write(value, indices, e.andMasks(all, mask));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, e.loc, e.andMasks(some, mask), false).thenBlock());
  for (auto [n, part] : llvm::enumerate(e.unpack(value, width))) {
    auto [at, isInside] = furtherOn(e, place, indices, int64_t(n));
    write(part, at, isInside);
  }
}

/// How many bytes the place of an element is behind that of the first one without the constants of
/// its indices, which is no place before the tensor; nothing where that is not known.
static std::optional<int64_t> bytesBehind(const TensorPlace &place, ValueRange tileIndices,
                                          int64_t n, Elements &elements) {
  int64_t bytes = 0;
  for (auto [d, index] : llvm::enumerate(tileIndices)) {
    LinearForm form = linearize(index);
    int64_t moved = form.constant;
    for (auto [term, factor] : form.terms) {
      auto iv = llvm::find(elements.loop.ivs(), term);
      if (iv != elements.loop.ivs().end())
        moved += factor * elements.deltas[n][iv - elements.loop.ivs().begin()];
      else if (!ElementBuilder::agrees(term, elements, 0, elements.count))
        return std::nullopt;
    }
    form.constant = 0;
    std::optional<IndexRange> range = rangeOf(form);
    bool isKnown = moved == 0 || !ShapedType::isDynamic(place.staticStrides[d]);
    if (!range || range->low < 0 || moved < 0 || !isKnown)
      return std::nullopt;
    bytes += moved == 0 ? 0 : moved * place.staticStrides[d] * int64_t(bytesOf(place.dtype));
  }
  return bytes;
}

/// Whether there are places for neighbours of other statements between the statement's elements,
/// close enough that one access may move them all.
static bool leavesGaps(Emitter &e, const TensorPlace &place, ValueRange tileIndices,
                       Elements &elements) {
  if (!elements.loop || elements.count == 1 || !elements.masks.empty() || place.isWide)
    return false;
  std::optional<int64_t> begin = bytesBehind(place, tileIndices, 0, elements);
  std::optional<int64_t> next = bytesBehind(place, tileIndices, 1, elements);
  return begin && next && *next - *begin > int64_t(bytesOf(place.dtype)) &&
         *next - *begin <= e.target.accessBytes;
}

/// Offsets of elements that have an access each, of one statement, as constants behind what they
/// share with those of others: so LLVM sees which are neighbours (`B[2 * i]`, `B[2 * i + 1]`), and
/// joins them. The tensor ends within 4 GiB, so that what is accessed is reached without a wrap.
static Value offsetOfOne(Emitter &e, const TensorPlace &place, ValueRange tileIndices,
                         ArrayRef<Value> indices, int64_t n, Value &first, Elements &elements) {
  std::optional<int64_t> behind;
  bool isOwn = e.target.constants.global != 0; // accessOffset has constants of its own
  if (!isOwn && (n == 0 || first) && leavesGaps(e, place, tileIndices, elements))
    behind = bytesBehind(place, tileIndices, n, elements);
  if (!behind)
    return e.accessOffset(place, indices);
  if (!first) {
    SmallVector<Value, 4> rest;
    for (auto [index, tileIndex] : llvm::zip_equal(indices, tileIndices))
      rest.push_back(e.addIndex(index, -linearize(tileIndex).constant));
    first = e.accessOffset(place, rest);
  }
  return arith::AddIOp::create(e.b, e.loc, first, e.index(*behind),
                               arith::IntegerOverflowFlags::nuw);
}

LogicalResult emitLoad(Emitter &e, tile::LoadOp load, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  Value root = load.getBuffer();
  tile::BufferType type = load.getBuffer().getType();
  if (type.isFragment())
    return loadFragment(e, load, elements);
  if (type.isLocal())
    return loadLocal(e, load, elements);
  if (!e.shared.contains(root) && !e.tensors.contains(root))
    return e.unsupported(*load, "an access through this view");
  DType dtype = tile::dtypeOf(type.getElementType());
  bool isSame =
      llvm::all_of(load.getIndices(), [&](Value v) { return e.isSameForAll(v, elements); });
  int64_t count = isSame ? 1 : elements.count;
  auto [width, isAligned, passesEnd] =
      isSame ? Emitter::AccessWidth() : e.widthOf(load, load.getIndices(), root, elements);
  bool isInside = readsInside(e, load, elements);
  auto maskOf = [&](int64_t n) { return isInside ? Value() : elements.maskOf(n); };
  if ((elements.masks.size() > 1 && !isInside) || wantsTrap(e, root, load.getIndices()) ||
      (passesEnd && load.getPad()))
    width = 1;
  if (width == 1 && count > 1 && succeeded(emitRuns(e, load, elements)))
    return success();
  SmallVector<Value, 4> values;
  Value first; // what offsets of elements are behind
  for (int64_t n = 0; n < count; n += width) {
    SmallVector<Value, 4> indices;
    for (Value v : load.getIndices())
      indices.push_back(e.indexFor(v, n, elements));
    Type vector = e.vectorOf(width, e.memoryType(dtype));
    Value raw;
    if (type.isShared()) {
      trapOutside(e, root, load.getIndices(), indices, maskOf(n));
      int64_t imm = 0;
      Value offset =
          e.sharedOffsetOf(e.shared.find(root)->second, load.getIndices(), n, elements, imm);
      auto read = wave::SharedReadOp::create(b, loc, vector, offset, imm);
      read.setBlockAttr(load.getBlockAttr());
      read.setStays(staysInBranch(load));
      raw = read;
    } else {
      const TensorPlace &place = e.tensors.find(root)->second;
      if (width > 1 && passesEnd) {
        values.append(e.unpack(
            e.toScalar(readToEnd(e, load, place, indices, width, maskOf(n)), dtype), width));
        continue;
      }
      Value bounds = e.boundsMask(place, load.getIndices(), indices, load);
      Value mask = e.andMasks(bounds, maskOf(n));
      bool isScalar = !e.isPacked(dtype) && readsBesideCopies(e, load);
      if (e.isPacked(dtype))
        raw = e.loadPacked(place, indices, width, mask, isConstant(e, load));
      else if (isScalar && bitsOf(dtype) < 32)
        raw = readInWord(e, place, e.accessOffset(place, indices), mask, vector);
      else
        raw = wave::GlobalReadOp::create(
            b, loc, vector, place.base,
            offsetOfOne(e, place, load.getIndices(), indices, n, first, elements), mask,
            e.globalAlign(place, isAligned ? width : 1), isScalar, isConstant(e, load),
            !holdsElements(type));
      if (load.getPad() && bounds) {
        Value scalar = e.toScalar(raw, dtype);
        double pad = load.getPad()->convertToDouble();
        Type element = wave::elementOf(scalar.getType());
        TypedAttr attr = isa<FloatType>(element)
                             ? TypedAttr(b.getFloatAttr(element, pad))
                             : TypedAttr(b.getIntegerAttr(element, int64_t(pad)));
        if (auto shape = dyn_cast<VectorType>(scalar.getType()))
          attr = DenseElementsAttr::get(shape, Attribute(attr));
        Value other = arith::ConstantOp::create(b, loc, attr);
        values.append(e.unpack(arith::SelectOp::create(b, loc, bounds, scalar, other), width));
        continue;
      }
    }
    values.append(e.unpack(e.toScalar(raw, dtype), width));
  }
  elements.map[load.getResult()] = values;
  return success();
}

LogicalResult emitStore(Emitter &e, tile::StoreOp store, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  Value root = store.getBuffer();
  tile::BufferType type = store.getBuffer().getType();
  if (type.isFragment())
    return storeFragment(e, store, elements);
  if (type.isLocal())
    return storeLocal(e, store, elements);
  if (!e.shared.contains(root) && !e.tensors.contains(root))
    return e.unsupported(*store, "an access through this view");
  DType dtype = tile::dtypeOf(type.getElementType());
  auto [width, isAligned, passesEnd] = e.widthOf(store, store.getIndices(), root, elements);
  if (elements.masks.size() > 1 || wantsTrap(e, root, store.getIndices()))
    width = 1;
  Value first; // what offsets of elements are behind
  for (int64_t n = 0; n < elements.count; n += width) {
    SmallVector<Value, 4> indices;
    for (Value v : store.getIndices())
      indices.push_back(e.indexFor(v, n, elements));
    SmallVector<Value, 8> parts;
    for (int64_t i = 0; i < width; ++i)
      parts.push_back(e.lookup(store.getValue(), n + i, elements));
    Value value = e.fromScalar(e.pack(parts), dtype, tile::movesElement(store));
    Value mask = writerMask(e, elements, n);
    if (type.isShared()) {
      trapOutside(e, root, store.getIndices(), indices, elements.maskOf(n));
      int64_t imm = 0;
      Value offset =
          e.sharedOffsetOf(e.shared.find(root)->second, store.getIndices(), n, elements, imm);
      wave::SharedWriteOp::create(b, loc, value, offset, mask, imm);
      continue;
    }
    const TensorPlace &place = e.tensors.find(root)->second;
    if (width > 1 && passesEnd) {
      writeToEnd(e, store, place, value, indices, width, mask);
      continue;
    }
    mask = e.andMasks(mask, e.boundsMask(place, store.getIndices(), indices, store));
    if (e.isPacked(dtype)) {
      e.storePacked(value, place, indices, mask);
      continue;
    }
    wave::GlobalWriteOp::create(
        b, loc, value, place.base,
        width > 1 ? e.accessOffset(place, indices)
                  : offsetOfOne(e, place, store.getIndices(), indices, n, first, elements),
        mask, e.globalAlign(place, isAligned ? width : 1));
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
  case tile::AtomicKind::Read: // of no bits
    return wave::AtomicKind::Or;
  }
  llvm_unreachable("unknown atomic");
}

/// Neighbouring elements that one addition in global memory covers at most.
static int64_t mostAdded(const TargetInfo &target, DType dtype) {
  bool isHalf = dtype == DType::F16 || dtype == DType::BF16;
  int64_t bytes = dtype == DType::F32 ? target.vectorAddBytes : isHalf ? target.halfAddBytes : 0;
  return std::max<int64_t>(1, bytes / bytesOf(dtype));
}

LogicalResult emitAtomic(Emitter &e, tile::AtomicOp atomic, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  Value root = atomic.getBuffer();
  auto type = cast<tile::BufferType>(root.getType());
  if (!type.isGlobal() && !type.isShared())
    return e.unsupported(*atomic, "an atomic on registers");
  if (!e.tensors.contains(root) && !e.shared.contains(root))
    return e.unsupported(*atomic, "an atomic through this view");
  DType dtype = tile::dtypeOf(type.getElementType());
  if (e.isPacked(dtype))
    return e.unsupported(*atomic, "an atomic on elements of 4 bits");
  // Neighbours are added by one instruction, where there is one and nobody asks what was there.
  int64_t width = 1;
  if (type.isGlobal() && atomic.getKind() == tile::AtomicKind::Add && atomic.getOld().use_empty() &&
      elements.masks.size() <= 1)
    width =
        std::min(e.accessWidth(atomic.getIndices(), root, elements), mostAdded(e.target, dtype));
  SmallVector<Value, 4> olds;
  for (int64_t n = 0; n < elements.count; n += width) {
    SmallVector<Value, 4> indices;
    for (Value v : atomic.getIndices())
      indices.push_back(e.indexFor(v, n, elements));
    SmallVector<Value, 4> parts;
    for (int64_t i = 0; i < width; ++i)
      parts.push_back(e.lookup(atomic.getValue(), n + i, elements));
    Value value = e.fromScalar(e.pack(parts), dtype);
    Type held = value.getType(), word = b.getIntegerType(wave::bitsOf(held));
    bool isRead = atomic.getKind() == tile::AtomicKind::Read;
    // Memory holds bits; its instructions know few kinds of floats.
    bool isMoved = isRead || atomic.getKind() == tile::AtomicKind::Exchange;
    if (isRead)
      value = arith::ConstantOp::create(b, loc, b.getIntegerAttr(word, 0));
    else if (isMoved && held != word && wave::bitsOf(held) == 8)
      value = arith::BitcastOp::create(b, loc, word, value);
    Value mask = writerMask(e, elements, n);
    Value old;
    if (type.isShared()) {
      trapOutside(e, root, atomic.getIndices(), indices, elements.maskOf(n));
      old =
          wave::SharedAtomicOp::create(b, loc, value.getType(), atomicKindOf(atomic), value,
                                       e.sharedOffset(e.shared.find(root)->second, indices), mask);
    } else {
      const TensorPlace &place = e.tensors.find(root)->second;
      mask = e.andMasks(mask, e.boundsMask(place, atomic.getIndices(), indices, atomic));
      old = wave::GlobalAtomicOp::create(b, loc, value.getType(), atomicKindOf(atomic), value,
                                         place.base, e.accessOffset(place, indices), mask);
    }
    if (old.getType() != held)
      old = arith::BitcastOp::create(b, loc, held, old);
    if (width == 1)
      olds.push_back(e.toScalar(old, dtype));
  }
  if (width == 1)
    elements.map[atomic.getOld()] = olds;
  return success();
}

} // namespace tilec

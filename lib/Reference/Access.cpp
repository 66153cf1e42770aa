//===- Access.cpp - loads, stores, atomics, reductions into a location ----===//
//
// Executes loads, stores, atomics and reductions into one place, for all lanes of a frame, with
// bounds checked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BlockOrder.h"
#include "Combine.h"

using namespace mlir;

namespace tilec::reference {
namespace {

/// The lanes that any frame can have: threads of a block at most.
constexpr int maxLanes = 1024;
static_assert(chunkLanes <= maxLanes);

void sumSlots(Frame &frame, ArrayRef<Slot> slots, int64_t *__restrict sum) {
  if (slots.empty()) {
    std::fill_n(sum, frame.lanes, 0);
    return;
  }
  std::memcpy(sum, frame.at<int64_t>(slots[0]), frame.lanes * sizeof(int64_t));
  for (Slot slot : slots.drop_front()) {
    const int64_t *__restrict part = frame.at<int64_t>(slot);
    for (int lane = 0; lane < frame.lanes; ++lane)
      sum[lane] += part[lane];
  }
}

void failOutside(Frame &frame, Operation *op, int64_t index, size_t dim, int64_t extent) {
  frame.machine.fail(op, "index " + Twine(index) + " of dimension " + Twine(dim) +
                             " is outside of its " + Twine(extent) + " elements");
}

void checkBoxes(Frame &frame, const Access &access, Operation *op) {
  int64_t sum[maxLanes];
  for (auto [dim, check] : llvm::enumerate(access.boxChecks)) {
    sumSlots(frame, check.slots, sum);
    for (int lane = 0; lane < frame.lanes; ++lane)
      if (uint64_t(sum[lane]) >= uint64_t(check.extent) && frame.isOn(lane))
        return failOutside(frame, op, sum[lane], dim, check.extent);
  }
}

/// Through a reshaped part of a buffer: lane by lane.
void indirectOffsets(Frame &frame, const Access &access, Operation *op, int64_t *offsets) {
  for (int lane = 0; lane < frame.lanes; ++lane) {
    offsets[lane] = -1;
    if (!frame.isOn(lane))
      continue;
    View view = evalView(frame, access.chain, lane, op);
    if (frame.machine.failed)
      return;
    int64_t at = view.first, linear = 0;
    bool isInside = !view.empty;
    for (size_t d = 0; d < access.dims.size(); ++d) {
      int64_t index = 0;
      for (Slot slot : access.dims[d])
        index += frame.at<int64_t>(slot)[lane];
      if (access.traps && (index < 0 || index >= view.shape[d]))
        return failOutside(frame, op, index, d, view.shape[d]);
      if (!view.table.empty()) {
        isInside &= index >= 0 && index < view.shape[d];
        linear = linear * view.shape[d] + index;
      } else {
        isInside &= index >= view.lo[d] && index < view.hi[d];
        at += isInside ? index * view.strides[d] : 0;
      }
    }
    if (isInside)
      offsets[lane] = view.table.empty() ? at : view.table[linear];
  }
}

} // namespace

void offsetsOf(Frame &frame, const Access &access, Operation *op, int64_t *offsets) {
  if (access.indirect)
    return indirectOffsets(frame, access, op, offsets);
  if (!access.boxChecks.empty()) {
    checkBoxes(frame, access, op);
    if (frame.machine.failed)
      return;
  }
  const BufferState &buffer = frame.machine.buffers[access.chain.buffer];
  int lanes = frame.lanes;
  for (int lane = 0; lane < lanes; ++lane)
    offsets[lane] = lane * buffer.laneStride;
  uint8_t outside[maxLanes];
  std::memset(outside, 0, lanes);
  int64_t index[maxLanes];
  ArrayRef<int64_t> shape = access.ownShape ? ArrayRef(access.shape) : ArrayRef(buffer.shape);
  int64_t ownStride = 1;
  for (size_t d = access.dims.size(); d-- > 0;) {
    sumSlots(frame, access.dims[d], index);
    int64_t stride = access.ownShape ? ownStride : buffer.strides[d];
    ownStride *= shape[d];
    uint64_t extent = shape[d];
    uint8_t any = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      uint8_t isOutside = uint64_t(index[lane]) >= extent;
      outside[lane] |= isOutside;
      any |= isOutside;
      // Unsigned: an index far outside may overflow, and is not used.
      offsets[lane] = int64_t(uint64_t(offsets[lane]) + uint64_t(index[lane]) * uint64_t(stride));
    }
    if (any && access.traps)
      for (int lane = 0; lane < lanes; ++lane)
        if (uint64_t(index[lane]) >= extent && frame.isOn(lane))
          return failOutside(frame, op, index[lane], d, shape[d]);
  }
  for (int lane = 0; lane < lanes; ++lane)
    if (outside[lane])
      offsets[lane] = -1;
}

//===----------------------------------------------------------------------===//
// Load and store
//===----------------------------------------------------------------------===//

/// Whether lanes access consecutive elements, all of them inside.
static bool isRun(const int64_t *offsets, int lanes) {
  if (offsets[0] < 0 || offsets[lanes - 1] != offsets[0] + lanes - 1)
    return false;
  int64_t differs = 0;
  for (int lane = 0; lane < lanes; ++lane)
    differs |= offsets[lane] ^ (offsets[0] + lane);
  return differs == 0;
}

template <typename T>
static void gather(DType dtype, const uint8_t *base, const int64_t *offsets, int lanes, T pad,
                   T *out) {
  if (isRun(offsets, lanes))
    return decodeSpan(dtype, base, offsets[0], 1, lanes, out);
  for (int lane = 0; lane < lanes; ++lane) {
    out[lane] = pad;
    if (offsets[lane] >= 0)
      decodeSpan(dtype, base, offsets[lane], 1, 1, out + lane);
  }
}

template <typename T>
static void scatter(Frame &frame, DType dtype, uint8_t *base, const int64_t *offsets, const T *in) {
  if (!frame.mask && isRun(offsets, frame.lanes))
    return frame.machine.encode(dtype, base, offsets[0], 1, frame.lanes, in);
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (offsets[lane] >= 0 && frame.isOn(lane))
      frame.machine.encode(dtype, base, offsets[lane], 1, 1, in + lane);
}

/// Infinities of an fp8, of which its encoding makes the largest number: the code behind that.
static void scatterInfinities(Frame &frame, DType dtype, uint8_t *base, const int64_t *offsets,
                              const float *in) {
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (offsets[lane] >= 0 && frame.isOn(lane) && std::isinf(in[lane]))
      writeBits(base, bitsOf(dtype), offsets[lane], encodeFloat(dtype, double(in[lane])) + 1);
}

void execLoad(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const LoadAux *>(instr.aux);
  int64_t offsets[maxLanes];
  offsetsOf(frame, aux.access, instr.op, offsets);
  if (frame.machine.failed)
    return;
  noteReads(frame, aux.access, offsets, instr.op);
  // Lanes that are off have offsets that were not checked: for buffers that trap they are -1 too.
  const uint8_t *base = frame.machine.buffers[aux.access.chain.buffer].base;
  DType dtype = aux.access.dtype;
  switch (repOf(dtype)) {
  case Rep::F32:
    return gather(dtype, base, offsets, frame.lanes, static_cast<float>(aux.pad),
                  frame.at<float>(instr.dst));
  case Rep::F64:
    return gather(dtype, base, offsets, frame.lanes, aux.pad, frame.at<double>(instr.dst));
  case Rep::Int: {
    int64_t *out = frame.at<int64_t>(instr.dst);
    gather(dtype, base, offsets, frame.lanes, static_cast<int64_t>(aux.pad), out);
    unsigned bits = std::max(8u, bitsOf(dtype));
    if (isUnsigned(dtype))
      for (int lane = 0; lane < frame.lanes; ++lane)
        out[lane] = wrapInt(out[lane], bits);
    return;
  }
  }
}

void execStore(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const StoreAux *>(instr.aux);
  int64_t offsets[maxLanes];
  offsetsOf(frame, aux.access, instr.op, offsets);
  if (frame.machine.failed)
    return;
  uint8_t *base = frame.machine.buffers[aux.access.chain.buffer].base;
  DType dtype = aux.access.dtype;
  BlockWrites writes(frame.machine, aux.access.chain.buffer, instr.op);
  for (int lane = 0; lane < frame.lanes; ++lane)
    if (offsets[lane] >= 0 && frame.isOn(lane))
      writes.note(dtype, offsets[lane]);
  switch (repOf(dtype)) {
  case Rep::F32:
    scatter(frame, dtype, base, offsets, frame.at<float>(instr.a));
    if (aux.keepsInfinity)
      scatterInfinities(frame, dtype, base, offsets, frame.at<float>(instr.a));
    break;
  case Rep::F64:
    scatter(frame, dtype, base, offsets, frame.at<double>(instr.a));
    break;
  case Rep::Int:
    scatter(frame, dtype, base, offsets, frame.at<int64_t>(instr.a));
    break;
  }
  writes.finish();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static int64_t atomicInt(tile::AtomicKind kind, bool isUnsigned, int64_t old, int64_t value) {
  auto less = [&](int64_t a, int64_t b) { return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b; };
  switch (kind) {
  case tile::AtomicKind::Add:
    return int64_t(uint64_t(old) + uint64_t(value));
  case tile::AtomicKind::Max:
    return less(old, value) ? value : old;
  case tile::AtomicKind::Min:
    return less(value, old) ? value : old;
  case tile::AtomicKind::And:
    return old & value;
  case tile::AtomicKind::Or:
    return old | value;
  case tile::AtomicKind::Xor:
    return old ^ value;
  case tile::AtomicKind::Exchange:
    return value;
  case tile::AtomicKind::Read:
    return old;
  }
  llvm_unreachable("unknown atomic");
}

/// In the scalar's own type: hardware adds in it, and the buffer rounds once more when narrower.
template <typename T> static T atomicFloat(tile::AtomicKind kind, T old, T value) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return old + value;
  case tile::AtomicKind::Max:
    return std::fmax(old, value);
  case tile::AtomicKind::Min:
    return std::fmin(old, value);
  default:
    return value; // bitwise kinds are refused when compiled
  }
}

/// ReferenceOptions::spreadSums: one more term of the sum in an element that holds `held`. What
/// memory holds then; `held` becomes the sum before.
static float addSpread(Machine &machine, uint32_t buffer, int64_t offset, DType dtype, float &held,
                       float value) {
  machine.atomicSums.resize(machine.buffers.size());
  std::vector<AtomicSum> &sums = machine.atomicSums[buffer];
  if (int64_t(sums.size()) <= offset)
    sums.resize(std::max(offset + 1, int64_t(2 * sums.size())));
  AtomicSum &own = sums[offset];
  if (held != own.held || own.terms.isEmpty()) { // something else has written it
    own = {held, held, SumTerms()};
    own.terms.add(held);
  }
  held = own.sum;
  own.terms.add(value);
  auto rounded = [&](float unrounded) {
    uint8_t bytes[4];
    encodeSpan(dtype, bytes, 0, 1, 1, &unrounded);
    decodeSpan(dtype, bytes, 0, 1, 1, &unrounded);
    return unrounded;
  };
  own.sum = rounded(own.sum + value);
  double by = own.terms.spread(significantBits(dtype));
  own.held = rounded(spread(own.sum, by, uint64_t(offset) + (uint64_t(buffer) << 32)));
  return own.held;
}

template <typename T>
static void runAtomic(Frame &frame, const Instr &instr, const AtomicAux &aux,
                      const int64_t *offsets) {
  uint8_t *base = frame.machine.buffers[aux.access.chain.buffer].base;
  const T *values = frame.at<T>(instr.a);
  T *olds = frame.at<T>(instr.dst);
  DType dtype = aux.access.dtype;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    T old = 0;
    if (offsets[lane] >= 0 && frame.isOn(lane)) {
      decodeSpan(dtype, base, offsets[lane], 1, 1, &old);
      if (aux.kind == tile::AtomicKind::Read) {
        olds[lane] = old;
        continue;
      }
      T updated;
      if constexpr (std::is_same_v<T, int64_t>) {
        bool isUnsignedKind = aux.isUnsigned || isUnsigned(dtype);
        unsigned bits = bitsOf(dtype);
        // Compare unsigned values of the buffer's width.
        uint64_t low = bits >= 64 ? ~0ull : (1ull << bits) - 1;
        int64_t a = isUnsignedKind ? int64_t(uint64_t(old) & low) : old;
        int64_t b = isUnsignedKind ? int64_t(uint64_t(values[lane]) & low) : values[lane];
        updated = atomicInt(aux.kind, isUnsignedKind, a, b);
        old = wrapInt(old, std::max(8u, bits));
      } else if (bool isSpread = frame.machine.options.spreadSums &&
                                 aux.kind == tile::AtomicKind::Add && bitsOf(dtype) >= 16;
                 isSpread && std::is_same_v<T, float>) {
        auto held = static_cast<float>(old);
        updated = addSpread(frame.machine, aux.access.chain.buffer, offsets[lane], dtype, held,
                            static_cast<float>(values[lane]));
        old = held;
      } else {
        updated = atomicFloat(aux.kind, old, values[lane]);
      }
      encodeSpan(dtype, base, offsets[lane], 1, 1, &updated);
    }
    olds[lane] = old;
  }
}

void execAtomic(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const AtomicAux *>(instr.aux);
  int64_t offsets[maxLanes];
  offsetsOf(frame, aux.access, instr.op, offsets);
  if (frame.machine.failed)
    return;
  noteAtomics(frame, aux.access, offsets, instr.op);
  switch (repOf(aux.access.dtype)) {
  case Rep::F32:
    return runAtomic<float>(frame, instr, aux, offsets);
  case Rep::F64:
    return runAtomic<double>(frame, instr, aux, offsets);
  case Rep::Int:
    return runAtomic<int64_t>(frame, instr, aux, offsets);
  }
}

//===----------------------------------------------------------------------===//
// Reductions of a tile.parallel
//===----------------------------------------------------------------------===//

/// Buffers of at most so many elements have a running value per element.
constexpr int64_t denseReductionElems = 1 << 20;

static bool isDenseReduction(const Machine &machine, const ReductionDecl &decl) {
  const BufferDecl &buffer = machine.unit.buffers[decl.buffer];
  return !buffer.type.isGlobal() &&
         buffer.type.numElems() * buffer.allocLanes <= denseReductionElems;
}

/// Where the running value of an element is; new ones start from the stored value.
static int64_t positionOf(Machine &machine, const ReductionDecl &decl, bool isDense,
                          int64_t offset) {
  ReductionState &state = machine.reductions[decl.id];
  const BufferState &buffer = machine.buffers[decl.buffer];
  bool isInt = decl.rep == Rep::Int;
  int64_t position = offset;
  bool isNew;
  if (isDense) {
    if (state.seen.size() <= size_t(offset)) {
      state.seen.resize(offset + 1);
      isInt ? state.ints.resize(offset + 1) : state.floats.resize(offset + 1);
    }
    isNew = !state.seen[offset];
    state.seen[offset] = 1;
  } else {
    auto [entry, inserted] = state.sparse.try_emplace(offset, int64_t(state.touched.size()));
    position = entry->second;
    isNew = inserted;
    if (isNew)
      isInt ? state.ints.resize(position + 1) : state.floats.resize(position + 1);
  }
  if (!isNew)
    return position;
  state.touched.push_back(offset);
  noteRead(machine, decl.buffer, decl.dtype, offset, nullptr);
  if (isInt)
    decodeSpan(decl.dtype, buffer.base, offset, 1, 1, &state.ints[position]);
  else
    decodeSpan(decl.dtype, buffer.base, offset, 1, 1, &state.floats[position]);
  return position;
}

void execReduceInto(Frame &frame, const Instr &instr) {
  const auto &aux = *static_cast<const ReduceIntoAux *>(instr.aux);
  Machine &machine = frame.machine;
  int64_t offsets[maxLanes];
  offsetsOf(frame, aux.access, instr.op, offsets);
  if (machine.failed)
    return;
  const ReductionDecl &decl = *aux.decl;
  ReductionState &state = machine.reductions[decl.id];
  bool inF32 = machine.isSequential() && decl.rep == Rep::F32;
  bool isDense = isDenseReduction(machine, decl);
  bool isSubtract = aux.isSubtract && decl.combine == Combine::Sum;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    if (offsets[lane] < 0 || !frame.isOn(lane))
      continue;
    int64_t position = positionOf(machine, decl, isDense, offsets[lane]);
    if (decl.rep == Rep::Int) {
      int64_t value = frame.at<int64_t>(instr.a)[lane];
      int64_t &sum = state.ints[position];
      if (decl.combine == Combine::MaxU || decl.combine == Combine::MinU) {
        unsigned bits = bitsOf(decl.dtype);
        uint64_t low = bits >= 64 ? ~0ull : (1ull << bits) - 1;
        sum = int64_t(uint64_t(sum) & low);
        value = int64_t(uint64_t(value) & low);
      }
      sum = combine(decl.combine, sum, isSubtract ? int64_t(-uint64_t(value)) : value);
      continue;
    }
    double value =
        decl.rep == Rep::F32 ? frame.at<float>(instr.a)[lane] : frame.at<double>(instr.a)[lane];
    double &sum = state.floats[position];
    if (decl.combine == Combine::Sum && machine.sumsWide(decl.dtype, decl.dtype)) {
      auto [wide, isNew] = state.wideSums.try_emplace(position, sum);
      wide->second.add(isSubtract ? -value : value);
      sum = wide->second.value();
      continue;
    }
    if (machine.options.spreadSums && decl.combine == Combine::Sum && decl.rep == Rep::F32) {
      auto [terms, isNew] = state.terms.try_emplace(position);
      if (isNew)
        terms->second.add(sum);
      terms->second.add(value);
    }
    sum = combine(decl.combine, sum, isSubtract ? -value : value);
    if (inF32)
      sum = static_cast<float>(sum);
  }
}

void flushReduction(Machine &machine, const ReductionDecl &decl) {
  ReductionState &state = machine.reductions[decl.id];
  uint8_t *base = machine.buffers[decl.buffer].base;
  bool isDense = isDenseReduction(machine, decl);
  BlockWrites writes(machine, decl.buffer, nullptr);
  for (int64_t offset : state.touched)
    writes.note(decl.dtype, offset);
  for (auto [order, offset] : llvm::enumerate(state.touched)) {
    int64_t position = isDense ? offset : int64_t(order);
    if (decl.rep == Rep::Int) {
      encodeSpan(decl.dtype, base, offset, 1, 1, &state.ints[position]);
    } else {
      if (auto terms = state.terms.find(position); terms != state.terms.end())
        state.floats[position] = spread(state.floats[position], terms->second.spread(),
                                        order + (machine.movedSums << 20));
      if (decl.combine == Combine::Sum || decl.combine == Combine::Prod)
        machine.moveSums(decl.dtype, &state.floats[position], 1);
      machine.encode(decl.dtype, base, offset, 1, 1, &state.floats[position]);
    }
    if (isDense)
      state.seen[offset] = 0;
  }
  writes.finish();
  machine.movedSums += !state.terms.empty();
  state.terms.clear();
  state.touched.clear();
  state.sparse.clear();
  state.wideSums.clear();
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

void execAlloc(Frame &frame, const Instr &instr) {
  const BufferDecl &decl = frame.machine.unit.buffers[instr.imm];
  BufferState &buffer = frame.machine.buffers[instr.imm];
  int64_t copies = decl.allocLanes == 1 ? 1 : frame.lanes;
  int64_t count = buffer.laneStride ? buffer.laneStride * copies : decl.type.numElems();
  fillUninitialised(decl.dtype, buffer.base, count);
}

} // namespace tilec::reference

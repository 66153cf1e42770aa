//===- MemOps.cpp - what memory instructions share ------------------------===//
//
// Takes a memory operation, issues it, and checks what it touches when it completes; atomics are
// done here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MemOps.h"

#include "Checker.h"
#include "CodeObjectImpl.h"
#include "Execute.h"
#include "GlobalOrder.h"
#include "LdsBanks.h"
#include "SwapLoops.h"
#include "Timing/Recorder.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace tilec::sim {
namespace {

float pairLow(uint64_t bits, bool bf16) {
  return bf16 ? f32FromBf16(bits & 0xffff) : f32FromF16(bits & 0xffff);
}
uint32_t addHalves(uint64_t a, uint64_t b, bool bf16) {
  auto sum = [&](unsigned shift) -> uint32_t {
    float s = pairLow(a >> shift, bf16) + pairLow(b >> shift, bf16);
    return bf16 ? bf16FromF32(s) : f16FromF32(s);
  };
  return sum(0) | sum(16) << 16;
}

template <class F, class U> U floatAtomic(AtomicOp op, U old, U data) {
  F a = std::bit_cast<F>(old), b = std::bit_cast<F>(data);
  F result = op == AtomicOp::AddF   ? a + b
             : op == AtomicOp::MinF ? std::fmin(a, b)
                                    : std::fmax(a, b);
  return std::bit_cast<U>(result);
}

template <class U, class S> U intAtomic(AtomicOp op, U old, U data, U compare) {
  switch (op) {
  case AtomicOp::Swap:
    return data;
  case AtomicOp::CmpSwap:
    return old == compare ? data : old;
  case AtomicOp::Add:
    return old + data;
  case AtomicOp::Sub:
    return old - data;
  case AtomicOp::RSub:
    return data - old;
  case AtomicOp::SMin:
    return static_cast<U>(std::min(static_cast<S>(old), static_cast<S>(data)));
  case AtomicOp::UMin:
    return std::min(old, data);
  case AtomicOp::SMax:
    return static_cast<U>(std::max(static_cast<S>(old), static_cast<S>(data)));
  case AtomicOp::UMax:
    return std::max(old, data);
  case AtomicOp::And:
    return old & data;
  case AtomicOp::Or:
    return old | data;
  case AtomicOp::Xor:
    return old ^ data;
  case AtomicOp::Inc:
    return old >= data ? 0 : old + 1;
  case AtomicOp::Dec:
    return old == 0 || old > data ? data : old - 1;
  case AtomicOp::PkAddF16:
    return addHalves(old, data, false);
  case AtomicOp::PkAddBf16:
    return addHalves(old, data, true);
  case AtomicOp::CmpSwapF:
    if constexpr (sizeof(U) == 4)
      return std::bit_cast<float>(old) == std::bit_cast<float>(compare) ? data : old;
    else
      return std::bit_cast<double>(old) == std::bit_cast<double>(compare) ? data : old;
  case AtomicOp::MskOr:
    return (old & ~compare) | data;
  case AtomicOp::Wrap:
    return old >= compare ? old - compare : old + data;
  case AtomicOp::AddF:
  case AtomicOp::MinF:
  case AtomicOp::MaxF:
    if constexpr (sizeof(U) == 4)
      return floatAtomic<float, U>(op, old, data);
    else
      return floatAtomic<double, U>(op, old, data);
  }
  return old;
}

template <class U, class S>
uint64_t atomicOn(uint8_t *host, AtomicOp op, uint64_t data, uint64_t compare) {
  std::atomic_ref<U> location(*reinterpret_cast<U *>(host));
  U old = location.load();
  while (!location.compare_exchange_weak(
      old, intAtomic<U, S>(op, old, static_cast<U>(data), static_cast<U>(compare)))) {
  }
  return old;
}

} // namespace

uint64_t applyAtomic(AtomicOp op, unsigned bytes, uint64_t old, uint64_t data, uint64_t compare) {
  if (bytes == 4)
    return intAtomic<uint32_t, int32_t>(op, static_cast<uint32_t>(old), static_cast<uint32_t>(data),
                                        static_cast<uint32_t>(compare));
  return intAtomic<uint64_t, int64_t>(op, old, data, compare);
}

uint64_t atomicAt(uint8_t *host, AtomicOp op, unsigned bytes, uint64_t data, uint64_t compare) {
  return bytes == 4 ? atomicOn<uint32_t, int32_t>(host, op, data, compare)
                    : atomicOn<uint64_t, int64_t>(host, op, data, compare);
}

bool isGuess(const Wave &wave, const MemOp &op, bool isSecond) {
  const SwapLoops *loops = wave.group->engine->swapLoops;
  return loops && loops->isGuess(*op.instr, isSecond);
}

uint32_t bytesChanged(const MemOp &op, unsigned lane, unsigned bytes) {
  uint32_t changed = 0, traits = op.instr->traits;
  for (unsigned i = 0; i < bytes; ++i) {
    uint32_t differs = op.data[i / 4][lane];
    if (traits & isCompareAndSwap) // the new value and the expected one, in either order
      differs ^= op.data[(bytes + i) / 4][lane];
    else if (traits & isAndOfBits)
      differs = ~differs;
    changed |= static_cast<uint32_t>((differs >> i % 4 * 8 & 0xff) != 0) << i;
  }
  return changed;
}

/// touchGlobal of one that may leave bytes. Returns the first byte without a value, or `bytes`.
static uint64_t touchChanged(const MemOp &op, unsigned lane, uint8_t *written, unsigned bytes) {
  uint32_t changed = bytesChanged(op, lane, bytes);
  uint64_t missing = bytes;
  for (unsigned i = bytes; i-- > 0;)
    if (changed >> i & 1) {
      missing = written[i] ? missing : i;
      written[i] = 1;
    }
  return missing;
}

void touchGlobal(Wave &wave, const MemOp &op, int lane, uint64_t address, uint8_t *written,
                 unsigned bytes, Touch touch) {
  static constexpr uint8_t yes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  uint64_t offset = bytes;
  if (mayLeaveBytes(op, lane)) {
    offset = touchChanged(op, static_cast<unsigned>(lane), written, bytes);
  } else {
    if (touch != Touch::Write)
      offset = static_cast<uint64_t>(std::find(written, written + bytes, 0) - written);
    if (touch != Touch::Read)
      copyBytes(written, yes, bytes);
  }
  if (offset == bytes || !wave.checker || isGuess(wave, op))
    return;
  const Allocation *allocation = wave.group->engine->memory->find(address);
  uint64_t at = address + offset;
  report(wave, *op.instr, CheckKind::Uninitialized, FindingClass::Error, false, lane,
         "byte 0x" + llvm::Twine::utohexstr(at) + ", " + llvm::Twine(at - allocation->base) +
             " of `" + allocation->name + "`, is read and nothing has written it");
}

void reportGlobal(Wave &wave, const MemOp &op, unsigned lane, uint64_t address, unsigned bytes,
                  bool store) {
  const Memory &memory = *wave.group->engine->memory;
  const Allocation *held = memory.find(address), *near = memory.nearest(address);
  std::string hint = "no allocation is near";
  if (held && held->isReadOnly) {
    hint = "`" + held->name + "` is only there to be read";
  } else if (near) {
    uint64_t end = near->base + near->sizeBytes;
    if (address >= near->base && address < end)
      hint = "it crosses the end of `" + near->name + "`";
    else if (address >= end)
      hint = std::to_string(address - end) + " bytes past the end of `" + near->name + "` (" +
             std::to_string(near->sizeBytes) + " bytes)";
    else
      hint = std::to_string(near->base - address) + " bytes before `" + near->name + "`";
  }
  report(wave, *op.instr, CheckKind::OutOfBounds, FindingClass::Error, false,
         static_cast<int>(lane),
         llvm::Twine(store ? "store" : "load") + " of " + llvm::Twine(bytes) + " bytes at 0x" +
             llvm::Twine::utohexstr(address) + ": " + hint);
}

void checkGlobalOrder(Wave &wave, const MemOp &op, int lane, uint64_t address, unsigned bytes,
                      Touch touch, const void *data) {
  MemoryPort &port = wave.group->engine->port;
  if (op.checkId && port.cells.dwords)
    port.order->access(wave, op, lane, port.cells, address, bytes, touch != Touch::Read, data);
}

uint8_t *ldsAt(Wave &wave, const MemOp &op, unsigned lane, uint64_t offset, unsigned bytes,
               bool store, const void *data) {
  std::vector<uint8_t> &lds = wave.group->lds;
  bool isInside = offset < lds.size() && bytes <= lds.size() - offset;
  if (isInside && op.checkId && op.phase != Phase::Move)
    wave.group->checker->ldsAccess(wave, op, lane, static_cast<uint32_t>(offset), bytes, store,
                                   data);
  if (op.phase == Phase::Check)
    return nullptr;
  if (isInside) {
    if (store)
      watchWrite(*wave.group, lds.data() + offset, bytes);
    return lds.data() + offset;
  }
  report(wave, *op.instr, CheckKind::OutOfBounds, FindingClass::Error, false,
         static_cast<int>(lane),
         llvm::Twine("LDS ") + (store ? "store" : "load") + " of " + llvm::Twine(bytes) +
             " bytes at offset " + llvm::Twine(offset) + "; the work-group has " +
             llvm::Twine(lds.size()) + " bytes");
  return nullptr;
}

/// Reads and writes of the LDS pipe; both halves of a pair count alone.
static void countBanks(Wave &wave, const MemOp &op) {
  const Instr &instr = *op.instr;
  if (!(instr.flags & isLds) || (instr.flags & isAtomic) || !(instr.flags & (isLoad | isStore)))
    return;
  Group &group = *wave.group;
  LdsUse &use = group.ldsUse[instr.pc];
  unsigned stride = instr.op->aux >> 16; // of pairs, see Ds.cpp
  uint64_t second[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    second[lane] = op.addr[lane] + static_cast<uint64_t>(
                                       static_cast<int64_t>(instr.offset1 - instr.offset) * stride);
  for (const uint64_t *addr :
       {static_cast<const uint64_t *>(op.addr), static_cast<const uint64_t *>(second)}) {
    LdsCost cost = ldsCost(group.engine->program->arch(), instr.flags & isStore,
                           instr.op->aux & 0xff, op.mask, addr);
    use.dataCycles += cost.phases + cost.conflicts;
    use.conflicts += cost.conflicts;
    if (!stride)
      break;
  }
  ++use.executions;
}

void watchGlobal(Wave &wave, const MemOp &op, uint64_t address, const uint8_t *host, unsigned bytes,
                 Touch touch) {
  ProgressWatch &watch = *wave.group->watch;
  if (touch != Touch::Read)
    watch.willWrite(host, bytes, true);
  if (touch == Touch::Read || touch == Touch::Update)
    watch.readsGlobal(wave, *op.instr, address);
}

void performNow(Wave &wave, MemOp &op) {
  op.perform(wave, op);
  Group &group = *wave.group;
  if (group.watch) [[unlikely]]
    group.watch->settle(group);
  else if ((op.instr->flags & (isStore | isLds)) == isStore)
    group.changedGlobal = true;
}

/// Performs the oldest operations until `keep` are left.
static void drain(Wave &wave, std::deque<MemOp> &queue, size_t keep) {
  while (queue.size() > keep) {
    MemOp op = queue.front();
    queue.pop_front();
    performNow(wave, op);
  }
}

/// What performing the operation would report of its order, and nothing else.
static void checkOnly(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  if (op.checkId) {
    op.phase = Phase::Check;
    std::vector<uint32_t> before;
    auto registers = [&](auto each) {
      for (unsigned i = 0; i < instr.numDefs; ++i)
        for (uint16_t reg = instr.defs[i].first; reg < instr.defs[i].first + instr.defs[i].count;
             ++reg)
          if (reg < regSgpr0)
            each(wave.v[reg], numLanes);
          else if (reg < regScc)
            each(&wave.s[reg - regSgpr0], 1u);
    };
    registers([&](uint32_t *first, unsigned n) { before.insert(before.end(), first, first + n); });
    op.perform(wave, op);
    const uint32_t *from = before.data();
    registers([&](uint32_t *first, unsigned n) {
      std::copy_n(from, n, first);
      from += n;
    });
  }
  op.phase = Phase::Move;
}

void issue(Wave &wave, MemOp &op) {
  if (wave.group->engine->options->countLdsConflicts)
    countBanks(wave, op);
  if (wave.group->record)
    wave.group->record->access(wave, op);
  op.checkId = wave.checker ? wave.checker->currentAccess : 0;
  if (wave.group->engine->options->memoryMode == MemoryMode::Eager) {
    performNow(wave, op);
    return;
  }
  checkOnly(wave, op);
  uint32_t flags = op.instr->flags;
  auto &queue = flags & isSmem  ? wave.pendingSmem
                : flags & isLds ? wave.pendingLds
                                : wave.pendingVm;
  queue.push_back(op);
  // A counter that is full holds the wave until its oldest operation is done.
  drain(wave, queue, &queue == &wave.pendingVm ? mostVmemInFlight : mostLgkmInFlight);
}

void retire(Wave &wave, int vm, int lgkm) {
  if (vm >= 0)
    drain(wave, wave.pendingVm, static_cast<size_t>(vm));
  if (lgkm < 0)
    return;
  drain(wave, wave.pendingLds, static_cast<size_t>(lgkm));
  if (lgkm == 0) // scalar loads return out of order: only zero says that one is there
    drain(wave, wave.pendingSmem, 0);
}

} // namespace tilec::sim

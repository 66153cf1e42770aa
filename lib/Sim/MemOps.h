//===- MemOps.h - what memory instructions share --------------------------===//
//
// A memory instruction reads its operands into a MemOp and issues it; `perform` then
// moves the data. Only `perform` touches memory, LDS and destination registers, so
// strict mode can delay it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Progress.h"
#include "Wave.h"

namespace tilec::sim {

/// How the bytes of one lane meet the registers.
enum class Format : uint8_t {
  Dwords, ///< 1 to 4 registers
  U8,     ///< zero-extended to a register; stores use the low bits
  I8,
  U16,
  I16,
  U8D16, ///< to the low half, the high half is kept
  I8D16,
  B16D16,
  U8D16Hi, ///< to (from) the high half
  I8D16Hi,
  B16D16Hi,
};

struct Access {
  Format format;
  uint8_t bytes;
};

/// Bytes in memory to the register bits that a load writes; `old` is what the register held.
inline uint32_t loadBits(Format format, uint32_t raw, uint32_t old) {
  switch (format) {
  case Format::Dwords:
  case Format::U8:
  case Format::U16:
    return raw;
  case Format::I8:
    return static_cast<uint32_t>(signExtend(raw, 8));
  case Format::I16:
    return static_cast<uint32_t>(signExtend(raw, 16));
  case Format::U8D16:
  case Format::B16D16:
    return (old & 0xffff0000u) | (raw & 0xffff);
  case Format::I8D16:
    return (old & 0xffff0000u) | (static_cast<uint32_t>(signExtend(raw, 8)) & 0xffff);
  case Format::U8D16Hi:
  case Format::B16D16Hi:
    return (old & 0xffffu) | raw << 16;
  case Format::I8D16Hi:
    return (old & 0xffffu) | static_cast<uint32_t>(signExtend(raw, 8)) << 16;
  }
  return raw;
}

/// memcpy of an access's size: constant sizes are moves, a variable one is a call.
inline void copyBytes(void *to, const void *from, unsigned bytes) {
  switch (bytes) {
  case 4:
    __builtin_memcpy(to, from, 4);
    return;
  case 8:
    __builtin_memcpy(to, from, 8);
    return;
  case 12:
    __builtin_memcpy(to, from, 12);
    return;
  case 16:
    __builtin_memcpy(to, from, 16);
    return;
  case 2:
    __builtin_memcpy(to, from, 2);
    return;
  default:
    __builtin_memcpy(to, from, 1);
  }
}

enum class AtomicOp : uint8_t {
  Swap,
  CmpSwap,
  Add,
  Sub,
  RSub,
  SMin,
  UMin,
  SMax,
  UMax,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  AddF,
  MinF,
  MaxF,
  PkAddF16,
  PkAddBf16,
  // With two operands, `compare` the first of them:
  CmpSwapF, ///< CmpSwap of floats: -0 equals 0, NaN nothing
  MskOr,    ///< clears the bits of the first, sets those of the second
  Wrap,     ///< a ring index: minus the first where it is at least that, else plus the second
};

/// The new value of a 4- or 8-byte location.
uint64_t applyAtomic(AtomicOp op, unsigned bytes, uint64_t old, uint64_t data, uint64_t compare);
/// Does it on host memory, atomically among host threads; returns the old value. `host` must be
/// aligned to `bytes`.
uint64_t atomicAt(uint8_t *host, AtomicOp op, unsigned bytes, uint64_t data, uint64_t compare);

/// What an access does with the bytes that it names; `None` only asks where they are.
enum class Touch : uint8_t { Read, Write, Update, None };

/// Whether it loads what only a compare-and-swap of the same bytes will judge (SwapLoops.h): it
/// needs no order, and the bytes no value.
bool isGuess(const Wave &wave, const MemOp &op, bool isSecond = false);
/// Of a lane's compare-and-swap only the bytes count that it changes: the others it puts back as it
/// has found them, or fails. So elements of 8 and 16 bits are updated within their word. Of an or,
/// xor or and in LDS those count whose operand may change them. (In memory LLVM stores bytes of a
/// word so, also where nothing has written the others.)
inline bool mayLeaveBytes(const MemOp &op, int lane) {
  return (op.instr->traits & (isCompareAndSwap | isOrOfBits | isAndOfBits)) && lane >= 0;
}
/// Those bytes, as bits.
uint32_t bytesChanged(const MemOp &op, unsigned lane, unsigned bytes);

/// Keeps the flags of initialized bytes and reports reads of others. `lane` < 0: a scalar access.
void touchGlobal(Wave &wave, const MemOp &op, int lane, uint64_t address, uint8_t *written,
                 unsigned bytes, Touch touch);

/// Before bytes that only this work-group sees are written.
inline void watchWrite(const Group &group, const uint8_t *host, unsigned bytes) {
  if (group.watch) [[unlikely]]
    group.watch->willWrite(host, bytes, false);
}
/// Before an access of global memory while the work-group is watched.
void watchGlobal(Wave &wave, const MemOp &op, uint64_t address, const uint8_t *host, unsigned bytes,
                 Touch touch);

/// Looks at the order of an access of global memory that `MemoryPort::translate` has found.
void checkGlobalOrder(Wave &wave, const MemOp &op, int lane, uint64_t address, unsigned bytes,
                      Touch touch, const void *data);

/// Host address of global memory, or nullptr when no allocation holds it all, and while only checks
/// are made. `data` as for `ldsAt`.
inline uint8_t *globalAt(Wave &wave, const MemOp &op, int lane, uint64_t address, unsigned bytes,
                         Touch touch, const void *data = nullptr) {
  MemoryPort &port = wave.group->engine->port;
  uint8_t *host = port.translate(address, bytes);
  if (host && port.isReadOnly && touch != Touch::Read && touch != Touch::None) [[unlikely]]
    host = nullptr;
  if (host && port.order && touch != Touch::None && op.phase != Phase::Move)
    checkGlobalOrder(wave, op, lane, address, bytes, touch, data);
  if (op.phase == Phase::Check)
    return nullptr;
  if (host && port.isWatched) [[unlikely]]
    watchGlobal(wave, op, address, host, bytes, touch);
  if (host && touch != Touch::None)
    if (uint8_t *written = port.writtenOf(host)) [[unlikely]]
      touchGlobal(wave, op, lane, address, written, bytes, touch);
  return host;
}

/// Reports a global access outside every allocation; the lane then reads 0 or stores nothing.
void reportGlobal(Wave &wave, const MemOp &op, unsigned lane, uint64_t address, unsigned bytes,
                  bool store);
/// Host address of LDS bytes, or nullptr after reporting, and while only checks are made. `data`:
/// what a plain store is about to write.
uint8_t *ldsAt(Wave &wave, const MemOp &op, unsigned lane, uint64_t offset, unsigned bytes,
               bool store, const void *data = nullptr);

/// Copies `bytes` of the operand's registers of all active lanes into `op.data`.
inline void readData(const Wave &wave, const Operand &operand, unsigned dwords, MemOp &op,
                     unsigned at = 0) {
  for (unsigned i = 0; i < dwords; ++i)
    __builtin_memcpy(op.data[at + i], wave.v[operand.reg + i], sizeof(Row));
}

/// A row of a table of memory instructions.
constexpr OpInfo memoryRow(const char *name, ExecFn exec, const char *form, uint32_t flags,
                           uint32_t aux) {
  OpInfo op;
  op.name = name;
  op.exec = exec;
  op.form = form;
  op.flags = flags;
  op.aux = aux;
  return op;
}

} // namespace tilec::sim

//===- GlobalAccess.cpp - moving lanes' data to and from global memory ----===//
//
// Takes the addresses of lanes, checks them, and moves data between memory and registers or LDS.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "GlobalAccess.h"

#include "Checker.h"

#include <cstring>

namespace tilec::sim {
namespace {

unsigned bytesOf(const Instr &i) { return i.op->aux & 0xff; }
Format formatOf(const Instr &i) { return static_cast<Format>(i.op->aux >> 8 & 0xff); }

inline uint8_t *laneBytes(Wave &wave, MemOp &op, unsigned lane, uint64_t address, unsigned bytes,
                          Touch touch, const void *data = nullptr) {
  if (uint8_t *host = globalAt(wave, op, static_cast<int>(lane), address, bytes, touch, data))
    return host;
  bool store = touch != Touch::Read;
  if (address >> 32 == sharedAperture >> 32 && (op.instr->flags & isFlat))
    return ldsAt(wave, op, lane, address & 0xffffffff, bytes, store);
  if (op.phase == Phase::Check)
    return nullptr;
  if (address >> 32 == privateAperture >> 32 && wave.scratch) {
    uint64_t offset = address & 0xffffffff;
    if (offset < wave.scratchBytes && bytes <= wave.scratchBytes - offset) {
      uint64_t at = static_cast<uint64_t>(lane) * wave.scratchBytes + offset;
      if (store)
        watchWrite(*wave.group, wave.scratch + at, bytes);
      if (wave.checker)
        wave.checker->scratchAccess(wave, op, lane, at, bytes, store);
      return wave.scratch + at;
    }
    report(wave, *op.instr, CheckKind::OutOfBounds, FindingClass::Error, false,
           static_cast<int>(lane),
           "scratch access of " + llvm::Twine(bytes) + " bytes at offset " + llvm::Twine(offset) +
               "; a lane has " + llvm::Twine(wave.scratchBytes) + " bytes");
    return nullptr;
  }
  reportGlobal(wave, op, lane, address, bytes, store);
  return nullptr;
}

/// What an atomic adds to or compares with must be there; a swap may find anything. The bytes of
/// `and` and `or` differ, see touchBits.
Touch touchOf(AtomicOp op, bool returns) {
  if (returns)
    return Touch::Update;
  return op == AtomicOp::Swap                        ? Touch::Write
         : op == AtomicOp::And || op == AtomicOp::Or ? Touch::None
                                                     : Touch::Update;
}

/// `and` and `or` without result are how one of several elements in a byte is written: `and` clears
/// it, whatever was there, `or` sets it. Neither names the bytes that it leaves as they are.
void touchBits(Wave &wave, const MemOp &op, unsigned lane, unsigned bytes, AtomicOp kind,
               uint64_t data) {
  bool clears = kind == AtomicOp::And;
  for (unsigned i = 0; i < bytes; ++i)
    if ((data >> 8 * i & 0xff) != (clears ? 0xff : 0))
      globalAt(wave, op, static_cast<int>(lane), op.addr[lane] + i, 1,
               clears ? Touch::Write : Touch::Update);
}

} // namespace

uint8_t *hostOf(Wave &wave, MemOp &op, unsigned lane, uint64_t address, unsigned bytes,
                Touch touch) {
  return laneBytes(wave, op, lane, address, bytes, touch);
}

void performLoad(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr), words = (bytes + 3) / 4, reg = instr.dst[0].reg;
  forEachActiveLane(op.mask, [&](unsigned lane) {
    uint32_t data[4] = {};
    if (!(op.zeroMask >> lane & 1))
      if (const uint8_t *from = laneBytes(wave, op, lane, op.addr[lane], bytes, Touch::Read))
        copyBytes(data, from, bytes);
    if (formatOf(instr) != Format::Dwords)
      data[0] = loadBits(formatOf(instr), data[0], wave.v[reg][lane]);
    for (unsigned i = 0; i < words; ++i)
      wave.v[reg + i][lane] = data[i];
  });
}

void performStore(Wave &wave, MemOp &op) {
  unsigned bytes = bytesOf(*op.instr), words = (bytes + 3) / 4;
  Format format = formatOf(*op.instr);
  forEachActiveLane(op.mask & ~op.zeroMask, [&](unsigned lane) {
    uint32_t data[4];
    for (unsigned i = 0; i < words; ++i)
      data[i] = op.data[i][lane];
    if (format == Format::B16D16Hi || format == Format::U8D16Hi)
      data[0] >>= 16;
    if (uint8_t *to = laneBytes(wave, op, lane, op.addr[lane], bytes, Touch::Write, data))
      copyBytes(to, data, bytes);
  });
}

void performLdsDma(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr);
  // Sub-dword loads still fill a dword of LDS.
  unsigned ldsBytes = bytes < 4 ? 4 : bytes;
  forEachActiveLane(op.mask, [&](unsigned lane) {
    uint32_t data[4] = {};
    if (!(op.zeroMask >> lane & 1))
      if (const uint8_t *from = laneBytes(wave, op, lane, op.addr[lane], bytes, Touch::Read))
        copyBytes(data, from, bytes);
    if (bytes < 4)
      data[0] = loadBits(formatOf(instr), data[0], 0);
    uint64_t at = op.ldsBase + static_cast<uint64_t>(lane) * ldsBytes;
    if (uint8_t *to = ldsAt(wave, op, lane, at, ldsBytes, true))
      copyBytes(to, data, ldsBytes);
  });
}

void performAtomic(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr), words = bytes / 4;
  auto kind = static_cast<AtomicOp>(instr.op->aux >> 8 & 0xff);
  auto value = [&](unsigned at, unsigned lane) {
    uint64_t v = op.data[at][lane];
    return words == 2 ? v | static_cast<uint64_t>(op.data[at + 1][lane]) << 32 : v;
  };
  bool returns = instr.dst[0].isVgpr();
  Touch touch = touchOf(kind, returns);
  forEachActiveLane(op.mask, [&](unsigned lane) {
    uint64_t old = 0;
    uint8_t *host =
        op.zeroMask >> lane & 1 ? nullptr : laneBytes(wave, op, lane, op.addr[lane], bytes, touch);
    if ((host || op.phase == Phase::Check) && touch == Touch::None && !(op.zeroMask >> lane & 1))
      touchBits(wave, op, lane, bytes, kind, value(0, lane));
    if (host && op.addr[lane] % bytes != 0) {
      report(wave, instr, CheckKind::OutOfBounds, FindingClass::Error, false,
             static_cast<int>(lane),
             "atomic on 0x" + llvm::Twine::utohexstr(op.addr[lane]) +
                 ", which is not a multiple of " + llvm::Twine(bytes));
      host = nullptr;
    }
    // Compare-and-swap takes the new value in the low registers, the compared one above.
    if (host)
      old = atomicAt(host, kind, bytes, value(0, lane),
                     kind == AtomicOp::CmpSwap ? value(words, lane) : 0);
    if (returns) {
      wave.v[instr.dst[0].reg][lane] = static_cast<uint32_t>(old);
      if (words == 2)
        wave.v[instr.dst[0].reg + 1][lane] = static_cast<uint32_t>(old >> 32);
    }
  });
}

uint32_t ldsDmaBase(const Wave &wave, const Instr &instr) {
  return (wave.s[sgprM0] & 0x3ffff) + static_cast<uint32_t>(instr.offset);
}

} // namespace tilec::sim

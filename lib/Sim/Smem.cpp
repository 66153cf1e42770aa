//===- Smem.cpp - scalar memory -------------------------------------------===//
//
// One access a wave; addresses are dword-aligned by dropping the low two bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "MemOps.h"

#include <cstring>
#include <optional>

namespace tilec::sim {
namespace {

unsigned dwordsOf(const Instr &i) { return i.op->aux & 0xff; }

uint64_t offsetOf(const Wave &wave, const Operand &operand) {
  // An immediate is signed (21 bits, printed as such); a register is an unsigned 32-bit offset.
  return operand.isImm()
             ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(operand.imm)))
             : scalar32(wave, operand);
}

uint8_t *hostOf(Wave &wave, MemOp &op, uint64_t address, unsigned bytes, Touch touch) {
  if (uint8_t *host = globalAt(wave, op, -1, address, bytes, touch))
    return host;
  if (op.phase == Phase::Check)
    return nullptr;
  const Allocation *near = wave.group->engine->memory->nearest(address);
  report(wave, *op.instr, CheckKind::OutOfBounds, FindingClass::Error, false, -1,
         llvm::Twine("scalar ") + (touch == Touch::Read ? "load" : "store") + " of " +
             llvm::Twine(bytes) + " bytes at 0x" + llvm::Twine::utohexstr(address) +
             " is in no allocation" +
             (near ? "; the nearest is `" + near->name + "`" : std::string()));
  return nullptr;
}

/// Dword by dword, so that a report names the first one outside.
void performLoad(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned reg = instr.dst[0].reg, dwords = dwordsOf(instr);
  for (unsigned i = 0; i < dwords; ++i) {
    uint32_t value = 0;
    if (op.zeroMask >> i & 1) {
      wave.s[reg + i] = 0;
      continue;
    }
    if (uint8_t *host = hostOf(wave, op, op.addr[0] + 4 * i, 4, Touch::Read))
      std::memcpy(&value, host, 4);
    wave.s[reg + i] = value;
  }
}
void execLoad(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  op.addr[0] = (wave.pair(instr.src[0].reg) + offsetOf(wave, instr.src[1]) +
                static_cast<uint64_t>(static_cast<int64_t>(instr.offset))) &
               ~3ull;
  op.perform = performLoad;
  issue(wave, op);
}

/// Through a buffer descriptor: dwords beyond num_records * max(stride, 1) are 0.
void execBufferLoad(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  const uint32_t *s = &wave.s[instr.src[0].reg];
  uint64_t base = s[0] | static_cast<uint64_t>(s[1] & 0xffff) << 32;
  uint64_t stride = s[1] >> 16 & 0x3fff, range = s[2] * (stride ? stride : 1);
  uint64_t offset = (offsetOf(wave, instr.src[1]) + static_cast<uint64_t>(instr.offset)) & ~3ull;
  op.addr[0] = base + offset;
  for (unsigned i = 0; i < dwordsOf(instr); ++i)
    op.zeroMask |= static_cast<uint64_t>(offset + 4 * i + 4 > range) << i;
  op.perform = performLoad;
  issue(wave, op);
}

void performStore(Wave &wave, MemOp &op) {
  unsigned dwords = dwordsOf(*op.instr);
  uint32_t data[4];
  for (unsigned i = 0; i < dwords; ++i)
    data[i] = op.data[i][0];
  if (uint8_t *host = hostOf(wave, op, op.addr[0], 4 * dwords, Touch::Write))
    std::memcpy(host, data, 4 * dwords);
}
/// The data is the first printed operand.
void execStore(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  op.addr[0] = (wave.pair(instr.src[0].reg) + offsetOf(wave, instr.src[1]) +
                static_cast<uint64_t>(static_cast<int64_t>(instr.offset))) &
               ~3ull;
  for (unsigned i = 0; i < dwordsOf(instr); ++i)
    op.data[i][0] = wave.s[instr.src[2].reg + i];
  op.perform = performStore;
  issue(wave, op);
}

/// The address through a buffer descriptor; nothing where the access leaves its range.
std::optional<uint64_t> bufferAddress(const Wave &wave, const Instr &instr, unsigned bytes) {
  const uint32_t *s = &wave.s[instr.src[0].reg];
  uint64_t base = s[0] | static_cast<uint64_t>(s[1] & 0xffff) << 32;
  uint64_t stride = s[1] >> 16 & 0x3fff, range = s[2] * (stride ? stride : 1);
  uint64_t offset = (offsetOf(wave, instr.src[1]) + static_cast<uint64_t>(instr.offset)) & ~3ull;
  if (offset + bytes > range)
    return std::nullopt;
  return base + offset;
}
void execBufferStore(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  auto address = bufferAddress(wave, instr, 4 * dwordsOf(instr));
  for (unsigned i = 0; i < dwordsOf(instr); ++i)
    op.data[i][0] = wave.s[instr.src[2].reg + i];
  op.addr[0] = address.value_or(0);
  op.perform = address ? performStore : [](Wave &, MemOp &) {};
  issue(wave, op);
}

void performAtomic(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = dwordsOf(instr) * 4;
  auto kind = static_cast<AtomicOp>(instr.op->aux >> 8);
  auto value = [&](unsigned at) {
    uint64_t v = op.data[at][0];
    return bytes == 8 ? v | static_cast<uint64_t>(op.data[at + 1][0]) << 32 : v;
  };
  uint64_t old = 0;
  uint8_t *host = op.zeroMask ? nullptr : hostOf(wave, op, op.addr[0], bytes, Touch::Update);
  if (host)
    old = atomicAt(host, kind, bytes, value(0), kind == AtomicOp::CmpSwap ? value(bytes / 4) : 0);
  if (!instr.glc) // only the form that returns the old value writes its register
    return;
  wave.s[instr.src[2].reg] = static_cast<uint32_t>(old);
  if (bytes == 8)
    wave.s[instr.src[2].reg + 1] = static_cast<uint32_t>(old >> 32);
}
void execAtomic(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  op.addr[0] = (wave.pair(instr.src[0].reg) + offsetOf(wave, instr.src[1]) +
                static_cast<uint64_t>(static_cast<int64_t>(instr.offset)));
  if (op.addr[0] % (dwordsOf(instr) * 4) != 0)
    return fault(wave, instr, CheckKind::OutOfBounds, "scalar atomic on an unaligned address");
  for (unsigned i = 0; i < instr.src[2].dwords && i < 4; ++i)
    op.data[i][0] = wave.s[instr.src[2].reg + i];
  op.perform = performAtomic;
  issue(wave, op);
}

void execBufferAtomic(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  unsigned bytes = dwordsOf(instr) * 4;
  auto address = bufferAddress(wave, instr, bytes);
  op.zeroMask = !address; // out of range: nothing changes and 0 is returned
  op.addr[0] = address.value_or(0);
  if (op.addr[0] % bytes != 0)
    return fault(wave, instr, CheckKind::OutOfBounds, "scalar atomic on an unaligned address");
  for (unsigned i = 0; i < instr.src[2].dwords && i < 4; ++i)
    op.data[i][0] = wave.s[instr.src[2].reg + i];
  op.perform = performAtomic;
  issue(wave, op);
}

void execTime(Wave &wave, const Instr &instr) {
  // No cycle is modelled here: the number of instructions so far grows as time does.
  wave.setPair(instr.dst[0].reg, wave.group->instructions + wave.instructions);
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags,
                     uint32_t aux) {
  return memoryRow(name, exec, form, flags | isSmem, aux);
}
constexpr OpInfo load(const char *name, unsigned dwords, bool buffer = false) {
  return row(name, buffer ? execBufferLoad : execLoad, "d01", isLoad, dwords);
}
constexpr OpInfo store(const char *name, unsigned dwords) {
  return row(name, execStore, "201", isStore, dwords);
}
constexpr OpInfo bufferStore(const char *name, unsigned dwords) {
  return row(name, execBufferStore, "201", isStore, dwords);
}
constexpr OpInfo atomic(const char *name, AtomicOp op, unsigned dwords) {
  return row(name, execAtomic, "201", isLoad | isStore | isAtomic,
             dwords | static_cast<uint32_t>(op) << 8);
}
using enum AtomicOp;
constexpr OpInfo bufferAtomic(const char *name, AtomicOp op, unsigned dwords) {
  OpInfo made = atomic(name, op, dwords);
  made.exec = execBufferAtomic;
  return made;
}
const OpInfo table[] = {
    load("s_load_dword", 1),
    load("s_load_dwordx2", 2),
    load("s_load_dwordx4", 4),
    load("s_load_dwordx8", 8),
    load("s_load_dwordx16", 16),
    load("s_buffer_load_dword", 1, true),
    load("s_buffer_load_dwordx2", 2, true),
    load("s_buffer_load_dwordx4", 4, true),
    load("s_buffer_load_dwordx8", 8, true),
    load("s_buffer_load_dwordx16", 16, true),
    store("s_store_dword", 1),
    store("s_store_dwordx2", 2),
    store("s_store_dwordx4", 4),
    bufferStore("s_buffer_store_dword", 1),
    bufferStore("s_buffer_store_dwordx2", 2),
    bufferStore("s_buffer_store_dwordx4", 4),
    row("s_memtime", execTime, "d", isLoad, 2),
    row("s_memrealtime", execTime, "d", isLoad, 2),
#define TILEC_ATOMIC_BITS(Name, Op)                                                                \
  atomic("s_atomic_" Name, Op, 1), atomic("s_atomic_" Name "_x2", Op, 2),                          \
      bufferAtomic("s_buffer_atomic_" Name, Op, 1),                                                \
      bufferAtomic("s_buffer_atomic_" Name "_x2", Op, 2),
#include "Accesses.def"
};

} // namespace

llvm::ArrayRef<OpInfo> smemOps() { return table; }

} // namespace tilec::sim

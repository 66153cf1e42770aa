//===- Ds.cpp - local data share ------------------------------------------===//
//
// Addresses are bytes from the start of the work-group's LDS. Operations of a wave
// complete in order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "MemOps.h"

#include <cstring>

namespace tilec::sim {
namespace {

// OpInfo::aux of reads and writes: bytes | format << 8 | bytes between two accesses of a pair
// << 16.
constexpr uint32_t pack(unsigned bytes, Format format, unsigned pairStride = 0) {
  return bytes | static_cast<uint32_t>(format) << 8 | pairStride << 16;
}
unsigned bytesOf(const Instr &i) { return i.op->aux & 0xff; }
Format formatOf(const Instr &i) { return static_cast<Format>(i.op->aux >> 8 & 0xff); }
unsigned pairStride(const Instr &i) { return i.op->aux >> 16; }

void readAddresses(Wave &wave, const Instr &instr, MemOp &op) {
  op.instr = &instr;
  op.mask = wave.exec();
  const uint32_t *base = wave.v[instr.src[0].reg];
  unsigned stride = pairStride(instr);
  uint32_t offset = static_cast<uint32_t>(instr.offset) * (stride ? stride : 1);
  for (unsigned lane = 0; lane < numLanes; ++lane)
    op.addr[lane] = base[lane] + offset; // 32-bit wrap, as hardware adds
}
/// Second address of a pair, relative to the first.
int64_t secondOffset(const Instr &instr) {
  return (static_cast<int64_t>(instr.offset1) - instr.offset) * pairStride(instr);
}

void loadOne(Wave &wave, MemOp &op, unsigned lane, uint64_t offset, unsigned reg) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr);
  uint32_t words[4] = {};
  if (const uint8_t *from = ldsAt(wave, op, lane, offset, bytes, false))
    copyBytes(words, from, bytes);
  if (bytes < 4)
    words[0] = loadBits(formatOf(instr), words[0], wave.v[reg][lane]);
  for (unsigned i = 0; i < (bytes + 3) / 4; ++i)
    wave.v[reg + i][lane] = words[i];
}

void performRead(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned reg = instr.dst[0].reg, words = (bytesOf(instr) + 3) / 4;
  bool pair = pairStride(instr);
  forEachActiveLane(op.mask, [&](unsigned lane) {
    loadOne(wave, op, lane, op.addr[lane], reg);
    if (pair)
      loadOne(wave, op, lane, op.addr[lane] + static_cast<uint64_t>(secondOffset(instr)),
              reg + words);
  });
}
void execRead(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  op.perform = performRead;
  issue(wave, op);
}

void storeOne(Wave &wave, MemOp &op, unsigned lane, uint64_t offset, unsigned at) {
  unsigned bytes = bytesOf(*op.instr);
  uint32_t words[4];
  for (unsigned i = 0; i < (bytes + 3) / 4; ++i)
    words[i] = op.data[at + i][lane];
  if (formatOf(*op.instr) == Format::B16D16Hi || formatOf(*op.instr) == Format::U8D16Hi)
    words[0] >>= 16;
  if (uint8_t *to = ldsAt(wave, op, lane, offset, bytes, true, words))
    copyBytes(to, words, bytes);
}
void performWrite(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned words = (bytesOf(instr) + 3) / 4;
  bool pair = pairStride(instr);
  forEachActiveLane(op.mask, [&](unsigned lane) {
    storeOne(wave, op, lane, op.addr[lane], 0);
    if (pair)
      storeOne(wave, op, lane, op.addr[lane] + static_cast<uint64_t>(secondOffset(instr)), words);
  });
}
void execWrite(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  unsigned words = (bytesOf(instr) + 3) / 4;
  readData(wave, instr.src[1], words, op);
  if (pairStride(instr))
    readData(wave, instr.src[4], words, op, words);
  op.perform = performWrite;
  issue(wave, op);
}

// ---- atomics: old = LDS[addr]; LDS[addr] = op(old, data); D = old (_rtn)
// -------------------------

constexpr uint32_t packAtomic(AtomicOp op, unsigned bytes) {
  return bytes | static_cast<uint32_t>(op) << 8;
}
void performAtomic(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr);
  auto kind = static_cast<AtomicOp>(instr.op->aux >> 8 & 0xff);
  unsigned words = bytes / 4;
  auto value = [&](unsigned at, unsigned lane) {
    uint64_t v = op.data[at][lane];
    return words == 2 ? v | static_cast<uint64_t>(op.data[at + 1][lane]) << 32 : v;
  };
  bool returns = instr.dst[0].isVgpr();
  forEachActiveLane(op.mask, [&](unsigned lane) {
    uint8_t *at = ldsAt(wave, op, lane, op.addr[lane], bytes, true);
    uint64_t old = 0;
    if (at) {
      std::memcpy(&old, at, bytes);
      // Of two data operands (ds_cmpst) the first is compared, the second stored.
      bool two = instr.src[4].isVgpr();
      uint64_t data = value(two ? words : 0, lane), compare = two ? value(0, lane) : 0;
      uint64_t result = applyAtomic(kind, bytes, old, data, compare);
      std::memcpy(at, &result, bytes);
    }
    if (returns) {
      wave.v[instr.dst[0].reg][lane] = static_cast<uint32_t>(old);
      if (words == 2)
        wave.v[instr.dst[0].reg + 1][lane] = static_cast<uint32_t>(old >> 32);
    }
  });
}
void execAtomic(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  unsigned words = bytesOf(instr) / 4;
  readData(wave, instr.src[1], words, op);
  if (instr.src[4].isVgpr())
    readData(wave, instr.src[4], words, op, words);
  op.perform = performAtomic;
  issue(wave, op);
}

/// Two swaps, the addresses as those of ds_write2.
void performExchange2(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr), words = bytes / 4;
  forEachActiveLane(op.mask, [&](unsigned lane) {
    for (unsigned i = 0; i < 2; ++i) {
      uint64_t offset = op.addr[lane] + (i ? static_cast<uint64_t>(secondOffset(instr)) : 0);
      uint32_t old[4] = {}, data[4] = {}; // as wide as the widest access that copyBytes knows
      for (unsigned w = 0; w < words; ++w)
        data[w] = op.data[i * words + w][lane];
      if (uint8_t *at = ldsAt(wave, op, lane, offset, bytes, true)) {
        copyBytes(old, at, bytes);
        copyBytes(at, data, bytes);
      }
      for (unsigned w = 0; w < words; ++w)
        wave.v[instr.dst[0].reg + i * words + w][lane] = old[w];
    }
  });
}
void execExchange2(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  unsigned words = bytesOf(instr) / 4;
  readData(wave, instr.src[1], words, op);
  readData(wave, instr.src[4], words, op, words);
  op.perform = performExchange2;
  issue(wave, op);
}

/// Each half of the data whose top bit is set replaces a dword, without that bit.
void performConditionalExchange(Wave &wave, MemOp &op) {
  unsigned dst = op.instr->dst[0].reg;
  forEachActiveLane(op.mask, [&](unsigned lane) {
    uint8_t *at = ldsAt(wave, op, lane, op.addr[lane] & ~7ull, 8, true);
    for (unsigned i = 0; i < 2; ++i) {
      uint32_t old = 0, data = op.data[i][lane], kept = data & 0x7fffffffu;
      if (at) {
        std::memcpy(&old, at + 4 * i, 4);
        if (data >> 31)
          std::memcpy(at + 4 * i, &kept, 4);
      }
      wave.v[dst + i][lane] = old;
    }
  });
}
void execConditionalExchange(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  readData(wave, instr.src[1], 2, op);
  op.perform = performConditionalExchange;
  issue(wave, op);
}

/// A counter at M0 + offset goes up (down) by the number of active lanes; all get its old value.
template <bool up> void performCount(Wave &wave, MemOp &op) {
  if (!op.mask)
    return;
  unsigned lane = static_cast<unsigned>(__builtin_ctzll(op.mask));
  uint32_t old = 0, lanes = static_cast<uint32_t>(__builtin_popcountll(op.mask));
  if (uint8_t *at = ldsAt(wave, op, lane, op.addr[0], 4, true)) {
    std::memcpy(&old, at, 4);
    uint32_t next = up ? old + lanes : old - lanes;
    std::memcpy(at, &next, 4);
  }
  uint32_t *to = wave.v[op.instr->dst[0].reg];
  forEachActiveLane(op.mask, [&](unsigned l) { to[l] = old; });
}
template <bool up> void execCount(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  op.mask = wave.exec();
  op.addr[0] = (wave.s[sgprM0] & 0xffff) + static_cast<uint32_t>(instr.offset);
  op.perform = performCount<up>;
  issue(wave, op);
}

// ---- lane permutations: no memory is touched, but the LDS pipe and its counter are used
// ----------

void writePermuted(Wave &wave, MemOp &op) {
  uint32_t *to = wave.v[op.instr->dst[0].reg];
  forEachActiveLane(op.mask, [&](unsigned lane) { to[lane] = op.data[1][lane]; });
}
/// D[i] = data[(addr[i] + offset) / 4 % 64], 0 from inactive lanes.
void execBpermute(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  readData(wave, instr.src[1], 1, op);
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    unsigned from = op.addr[lane] / 4 % numLanes;
    op.data[1][lane] = op.mask >> from & 1 ? op.data[0][from] : 0;
  }
  op.perform = writePermuted;
  issue(wave, op);
}
/// D[(addr[i] + offset) / 4 % 64] = data[i]; lanes that nobody sends to get 0, the highest lane
/// wins.
void execPermute(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  readData(wave, instr.src[1], 1, op);
  std::memset(op.data[1], 0, sizeof(Row));
  forEachActiveLane(
      op.mask, [&](unsigned lane) { op.data[1][op.addr[lane] / 4 % numLanes] = op.data[0][lane]; });
  op.perform = writePermuted;
  issue(wave, op);
}
/// Offset bit 15: quads are permuted by 2-bit selectors; else in groups of 32 lanes
/// from = ((lane & and) | or) ^ xor.
void execSwizzle(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  op.mask = wave.exec();
  unsigned code = static_cast<unsigned>(instr.offset) & 0xffff;
  const uint32_t *data = wave.v[instr.src[0].reg];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    unsigned in = lane & 31;
    unsigned from = code & 0x8000 ? (lane & ~3u) | (code >> (2 * (lane & 3)) & 3)
                                  : (lane & ~31u) | (((in & code) | code >> 5) ^ code >> 10) % 32;
    op.data[1][lane] = op.mask >> from & 1 ? data[from] : 0;
  }
  op.perform = writePermuted;
  issue(wave, op);
}

/// Address = M0[15:0] + offset + 4 * lane: no address register.
template <bool store> void execAddTid(Wave &wave, const Instr &instr) {
  MemOp op;
  op.instr = &instr;
  op.mask = wave.exec();
  for (unsigned lane = 0; lane < numLanes; ++lane)
    op.addr[lane] = (wave.s[sgprM0] & 0xffff) + static_cast<uint32_t>(instr.offset) + 4 * lane;
  if (store)
    readData(wave, instr.src[1], 1, op);
  op.perform = store ? performWrite : performRead;
  issue(wave, op);
}

// ---- transposed reads (gfx950)
// ------------------------------------------------------------------- In each group of 16 lanes,
// lane i loads E elements; taken in lane order they are an E x 16 tile. Lane j receives column j:
// element r is number r * 16 + j of the tile.

unsigned elementBits(const Instr &instr) { return instr.op->aux >> 8 & 0xff; }
uint32_t elementAt(const uint32_t *words, unsigned index, unsigned bits) {
  unsigned at = index * bits;
  uint64_t window = words[at / 32];
  if (at % 32 + bits > 32)
    window |= static_cast<uint64_t>(words[at / 32 + 1]) << 32;
  return static_cast<uint32_t>(window >> at % 32) & ((1u << bits) - 1);
}
void performTranspose(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  unsigned bytes = bytesOf(instr), bits = elementBits(instr), elems = bytes * 8 / bits;
  uint32_t loaded[numLanes][4] = {};
  forEachActiveLane(op.mask, [&](unsigned lane) {
    if (const uint8_t *from = ldsAt(wave, op, lane, op.addr[lane], bytes, false))
      copyBytes(loaded[lane], from, bytes);
  });
  forEachActiveLane(op.mask, [&](unsigned lane) {
    uint32_t words[4] = {};
    for (unsigned r = 0; r < elems; ++r) {
      unsigned number = r * 16 + lane % 16, from = (lane & ~15u) + number / elems;
      uint64_t value = elementAt(loaded[from], number % elems, bits);
      unsigned at = r * bits;
      words[at / 32] |= static_cast<uint32_t>(value << at % 32);
      if (at % 32 + bits > 32)
        words[at / 32 + 1] |= static_cast<uint32_t>(value >> (32 - at % 32));
    }
    for (unsigned i = 0; i < bytes / 4; ++i)
      wave.v[instr.dst[0].reg + i][lane] = words[i];
  });
}
void execTranspose(Wave &wave, const Instr &instr) {
  MemOp op;
  readAddresses(wave, instr, op);
  op.perform = performTranspose;
  issue(wave, op);
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags,
                     uint32_t aux) {
  return memoryRow(name, exec, form, flags | isLds | readsExec, aux);
}
constexpr OpInfo read(const char *name, uint32_t aux) {
  return row(name, execRead, "d0", isLoad, aux);
}
constexpr OpInfo write(const char *name, uint32_t aux, bool pair = false) {
  return row(name, execWrite, pair ? "014" : "01", isStore, aux);
}
constexpr OpInfo transpose(const char *name, unsigned bytes, unsigned bits) {
  return row(name, execTranspose, "d0", isLoad, bytes | bits << 8);
}
constexpr OpInfo atomic(const char *name, AtomicOp op, unsigned bytes, const char *form) {
  return row(name, execAtomic, form, isLoad | isStore | isAtomic, packAtomic(op, bytes));
}
constexpr OpInfo exchange2(const char *name, uint32_t aux) {
  return row(name, execExchange2, "d014", isLoad | isStore | isAtomic, aux);
}
using enum Format;
const OpInfo table[] = {
    read("ds_read_b32", pack(4, Dwords)),
    read("ds_read_b64", pack(8, Dwords)),
    read("ds_read_b96", pack(12, Dwords)),
    read("ds_read_b128", pack(16, Dwords)),
    read("ds_read_u8", pack(1, U8)),
    read("ds_read_i8", pack(1, I8)),
    read("ds_read_u16", pack(2, U16)),
    read("ds_read_i16", pack(2, I16)),
    read("ds_read_u8_d16", pack(1, U8D16)),
    read("ds_read_u8_d16_hi", pack(1, U8D16Hi)),
    read("ds_read_i8_d16", pack(1, I8D16)),
    read("ds_read_i8_d16_hi", pack(1, I8D16Hi)),
    read("ds_read_u16_d16", pack(2, B16D16)),
    read("ds_read_u16_d16_hi", pack(2, B16D16Hi)),
    read("ds_read2_b32", pack(4, Dwords, 4)),
    read("ds_read2st64_b32", pack(4, Dwords, 256)),
    read("ds_read2_b64", pack(8, Dwords, 8)),
    read("ds_read2st64_b64", pack(8, Dwords, 512)),
    write("ds_write_b32", pack(4, Dwords)),
    write("ds_write_b64", pack(8, Dwords)),
    write("ds_write_b96", pack(12, Dwords)),
    write("ds_write_b128", pack(16, Dwords)),
    write("ds_write_b8", pack(1, U8)),
    write("ds_write_b16", pack(2, U16)),
    write("ds_write_b8_d16_hi", pack(1, U8D16Hi)),
    write("ds_write_b16_d16_hi", pack(2, B16D16Hi)),
    write("ds_write2_b32", pack(4, Dwords, 4), true),
    write("ds_write2st64_b32", pack(4, Dwords, 256), true),
    write("ds_write2_b64", pack(8, Dwords, 8), true),
    write("ds_write2st64_b64", pack(8, Dwords, 512), true),
    transpose("ds_read_b64_tr_b16", 8, 16),
    transpose("ds_read_b64_tr_b8", 8, 8),
    transpose("ds_read_b64_tr_b4", 8, 4),
    transpose("ds_read_b96_tr_b6", 12, 6),
    row("ds_bpermute_b32", execBpermute, "d01", readsExec, 0),
    row("ds_permute_b32", execPermute, "d01", readsExec, 0),
    row("ds_swizzle_b32", execSwizzle, "d0", readsExec, 0),
    row("ds_read_addtid_b32", execAddTid<false>, "d", isLoad | readsM0, pack(4, Dwords)),
    row("ds_write_addtid_b32", execAddTid<true>, "1", isStore | readsM0, pack(4, Dwords)),
    row(
        "ds_nop", [](Wave &, const Instr &) {}, "", 0, 0),
#define BOTH_WIDTHS(Base, Op, S32, S64)                                                            \
  atomic("ds_" Base "_" S32, AtomicOp::Op, 4, "01"),                                               \
      atomic("ds_" Base "_rtn_" S32, AtomicOp::Op, 4, "d01"),                                      \
      atomic("ds_" Base "_" S64, AtomicOp::Op, 8, "01"),                                           \
      atomic("ds_" Base "_rtn_" S64, AtomicOp::Op, 8, "d01")
    BOTH_WIDTHS("add", Add, "u32", "u64"),
    BOTH_WIDTHS("sub", Sub, "u32", "u64"),
    BOTH_WIDTHS("rsub", RSub, "u32", "u64"),
    BOTH_WIDTHS("inc", Inc, "u32", "u64"),
    BOTH_WIDTHS("dec", Dec, "u32", "u64"),
    BOTH_WIDTHS("min", SMin, "i32", "i64"),
    BOTH_WIDTHS("max", SMax, "i32", "i64"),
    BOTH_WIDTHS("min", UMin, "u32", "u64"),
    BOTH_WIDTHS("max", UMax, "u32", "u64"),
    BOTH_WIDTHS("and", And, "b32", "b64"),
    BOTH_WIDTHS("or", Or, "b32", "b64"),
    BOTH_WIDTHS("xor", Xor, "b32", "b64"),
    BOTH_WIDTHS("add", AddF, "f32", "f64"),
    BOTH_WIDTHS("min", MinF, "f32", "f64"),
    BOTH_WIDTHS("max", MaxF, "f32", "f64"),
    atomic("ds_pk_add_f16", AtomicOp::PkAddF16, 4, "01"),
    atomic("ds_pk_add_rtn_f16", AtomicOp::PkAddF16, 4, "d01"),
    atomic("ds_pk_add_bf16", AtomicOp::PkAddBf16, 4, "01"),
    atomic("ds_pk_add_rtn_bf16", AtomicOp::PkAddBf16, 4, "d01"),
    atomic("ds_wrxchg_rtn_b32", AtomicOp::Swap, 4, "d01"),
    atomic("ds_wrxchg_rtn_b64", AtomicOp::Swap, 8, "d01"),
    atomic("ds_cmpst_b32", AtomicOp::CmpSwap, 4, "014"),
    atomic("ds_cmpst_rtn_b32", AtomicOp::CmpSwap, 4, "d014"),
    atomic("ds_cmpst_b64", AtomicOp::CmpSwap, 8, "014"),
    atomic("ds_cmpst_rtn_b64", AtomicOp::CmpSwap, 8, "d014"),
    atomic("ds_cmpst_f32", AtomicOp::CmpSwapF, 4, "014"),
    atomic("ds_cmpst_rtn_f32", AtomicOp::CmpSwapF, 4, "d014"),
    atomic("ds_cmpst_f64", AtomicOp::CmpSwapF, 8, "014"),
    atomic("ds_cmpst_rtn_f64", AtomicOp::CmpSwapF, 8, "d014"),
    atomic("ds_mskor_b32", AtomicOp::MskOr, 4, "014"),
    atomic("ds_mskor_rtn_b32", AtomicOp::MskOr, 4, "d014"),
    atomic("ds_mskor_b64", AtomicOp::MskOr, 8, "014"),
    atomic("ds_mskor_rtn_b64", AtomicOp::MskOr, 8, "d014"),
    atomic("ds_wrap_rtn_b32", AtomicOp::Wrap, 4, "d014"),
    exchange2("ds_wrxchg2_rtn_b32", pack(4, Dwords, 4)),
    exchange2("ds_wrxchg2st64_rtn_b32", pack(4, Dwords, 256)),
    exchange2("ds_wrxchg2_rtn_b64", pack(8, Dwords, 8)),
    exchange2("ds_wrxchg2st64_rtn_b64", pack(8, Dwords, 512)),
    row("ds_condxchg32_rtn_b64", execConditionalExchange, "d01", isLoad | isStore | isAtomic, 0),
    row("ds_append", execCount<true>, "d", isLoad | isStore | isAtomic | readsM0, 0),
    row("ds_consume", execCount<false>, "d", isLoad | isStore | isAtomic | readsM0, 0),
};

} // namespace

llvm::ArrayRef<OpInfo> dsOps() { return table; }

} // namespace tilec::sim

//===- DefinedBits.cpp - definedness of the bits of a register ------------===//
//
// Compilers keep two halves or four bytes in a register and write them one by one: the
// first one merges with a register that nothing has written. Elements of four bits are
// shifted by less than a byte and taken out by a mask.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "DefinedBits.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::sim {
namespace {

constexpr uint32_t allBits = ~0u;

bool isNarrow(Type type) { return type == Type::F16 || type == Type::BF16 || type == Type::B16; }

unsigned bytesOf(Sel sel) {
  switch (sel) {
  case Sel::Dword:
    return 15;
  case Sel::Word0:
    return 3;
  case Sel::Word1:
    return 12;
  default:
    return 1u << (static_cast<unsigned>(sel) - static_cast<unsigned>(Sel::Byte0));
  }
}

/// The bits of bytes that are given as bits of a number.
uint32_t bitsOfBytes(unsigned bytes) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i)
    bits |= bytes >> i & 1 ? 0xffu << 8 * i : 0;
  return bits;
}

/// Truth table of a bitwise operation as v_bitop3 numbers it; -1: none.
int truthTable(const Instr &instr) {
  constexpr int a = 0xf0, b = 0xcc, c = 0xaa;
  llvm::StringRef name = instr.op->name;
  if (name == "v_bitop3_b32" || name == "v_bitop3_b16")
    return instr.bitop3;
  return llvm::StringSwitch<int>(name)
      .Cases({"v_mov_b32", "v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"}, a)
      .Case("v_not_b32", ~a & 0xff)
      .Case("v_and_b32", a & b)
      .Case("v_or_b32", a | b)
      .Case("v_xor_b32", a ^ b)
      .Case("v_xnor_b32", ~(a ^ b) & 0xff)
      .Case("v_or3_b32", a | b | c)
      .Case("v_and_or_b32", (a & b) | c)
      .Case("v_bfi_b32", (a & b) | (~a & c & 0xff))
      .Default(-1);
}

/// A source as the operation gets it: where SDWA chooses, in the low bits.
struct Source {
  BitRow defined, value;
};

constexpr uint32_t extended(uint32_t bits, unsigned count, bool isSigned) {
  unsigned unused = 32 - count;
  uint32_t upper = bits << unused;
  return isSigned ? static_cast<uint32_t>(static_cast<int32_t>(upper) >> unused) : upper >> unused;
}

Source sourceOf(const Wave &wave, const Operand &operand, const BitRow &defined) {
  Source source;
  unsigned chosen = bytesOf(operand.sel);
  auto first = 8 * static_cast<unsigned>(__builtin_ctz(chosen));
  auto count = 8 * static_cast<unsigned>(__builtin_popcount(chosen));
  uint32_t zeros = operand.sext ? 0 : ~extended(allBits, count, false); // these come in
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint32_t value = operand.isVgpr() ? wave.v[operand.reg][lane] : scalar32(wave, operand);
    source.value[lane] = extended(value >> first, count, operand.sext);
    source.defined[lane] = extended(defined[lane] >> first, count, operand.sext) | zeros;
  }
  return source;
}

using Sources = std::array<Source, 3>;

/// Fn(lane): the bits of the result that are defined.
template <class Fn> BitRow eachLane(Fn fn) {
  BitRow result;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    result[lane] = fn(lane);
  return result;
}

/// A bit is defined if it is the same whatever the undefined bits of the sources are.
BitRow bitwise(int table, const Sources &s) {
  return eachLane([&](unsigned lane) {
    uint32_t zeros = 0, ones = 0; // what the result may be
    for (unsigned row = 0; row < 8; ++row) {
      uint32_t possible = allBits;
      for (unsigned i = 0; i < 3; ++i) {
        uint32_t bit = row >> (2 - i) & 1 ? allBits : 0;
        possible &= ~s[i].defined[lane] | ~(s[i].value[lane] ^ bit);
      }
      (table >> row & 1 ? ones : zeros) |= possible;
    }
    return ~(ones & zeros);
  });
}

/// To the left by source `amount`, of `width` bits; zeros come in.
BitRow shiftedLeft(const Source &value, const Source &amount, unsigned width) {
  uint32_t most = width - 1, inside = extended(allBits, width, false);
  return eachLane([&](unsigned lane) {
    if (~amount.defined[lane] & most)
      return ~inside;
    uint32_t by = amount.value[lane] & most;
    return value.defined[lane] << by | ((1u << by) - 1) | ~inside;
  });
}

BitRow shiftedRight(const Source &value, const Source &amount, unsigned width) {
  uint32_t most = width - 1, inside = extended(allBits, width, false);
  return eachLane([&](unsigned lane) {
    if (~amount.defined[lane] & most)
      return ~inside;
    uint32_t by = amount.value[lane] & most;
    return (value.defined[lane] & inside) >> by | ~(inside >> by);
  });
}

/// `count` bits from bit `start` on; above them zeros, or the last one again.
BitRow extracted(const Source &value, const Source &start, const Source &count, bool isSigned) {
  return eachLane([&](unsigned lane) {
    if ((~start.defined[lane] | ~count.defined[lane]) & 31)
      return 0u;
    unsigned from = start.value[lane] & 31, bits = count.value[lane] & 31;
    if (bits == 0)
      return allBits;
    // What is shifted in from above is zero, or the sign.
    uint32_t low = isSigned ? extended(value.defined[lane] >> from, 32 - from, true)
                            : value.defined[lane] >> from | ~(allBits >> from);
    uint32_t above = isSigned ? 0 : ~extended(allBits, bits, false);
    return extended(low, bits, isSigned) | above;
  });
}

BitRow permuted(const Source &high, const Source &low, const Source &selector) {
  return eachLane([&](unsigned lane) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (selector.defined[lane] >> 8 * i << 24 != 0xffu << 24)
        continue;
      unsigned from = selector.value[lane] >> 8 * i & 0xff;
      bool isSign = from >= 8 && from < 12;
      if (isSign)
        from = 2 * (from - 8) + 1;
      uint32_t bits = 0xff; // a constant
      if (from < 8)
        bits = (from < 4 ? low : high).defined[lane] >> 8 * (from % 4) & 0xff;
      if (isSign)
        bits = bits & 0x80 ? 0xff : 0;
      result |= bits << 8 * i;
    }
    return result;
  });
}

/// Two halves, each from a half of every source.
BitRow packed(const Instr &instr, const std::array<BitRow, 3> &sources) {
  return eachLane([&](unsigned lane) {
    uint32_t result = allBits;
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned i = 0; i < instr.numSrc; ++i) {
        unsigned from = (half ? instr.opSelHi : instr.opSel) >> i & 1u;
        if ((sources[i][lane] >> 16 * from & 0xffff) != 0xffff)
          result &= ~(0xffffu << 16 * half);
      }
    return result;
  });
}

BitRow inAll(const BitRow &a, const BitRow &b, const BitRow &c) {
  return eachLane([&](unsigned lane) { return a[lane] & b[lane] & c[lane]; });
}

/// Of the operation, before SDWA puts the result in its place.
std::optional<BitRow> definedByOperation(const Wave &wave, const Instr &instr,
                                         const std::array<BitRow, 3> &sources) {
  if (instr.dpp != DppKind::None || !instr.dst[0].isVgpr() || instr.dst[0].dwords != 1 ||
      instr.numSrc > 3)
    return std::nullopt;
  llvm::StringRef name = instr.op->name;
  if (name.starts_with("v_pk_"))
    return packed(instr, sources);
  if (instr.opSel)
    return std::nullopt;
  if (instr.flags & isSelect)
    return inAll(sourceOf(wave, instr.src[0], sources[0]).defined,
                 sourceOf(wave, instr.src[1], sources[1]).defined, sources[2]);
  Sources s;
  for (unsigned i = 0; i < 3; ++i) {
    const Operand &operand = instr.src[i];
    if (i < instr.numSrc && (operand.neg || operand.abs))
      return std::nullopt; // it is a float
    s[i] = i < instr.numSrc ? sourceOf(wave, operand, sources[i])
                            : Source{eachLane([](unsigned) { return allBits; }), {}};
  }
  if (int table = truthTable(instr); table >= 0) {
    uint32_t other = name.ends_with("_b16") ? 0xffff0000 : 0; // zero, or it stays
    BitRow result = bitwise(table, s);
    return eachLane([&](unsigned lane) { return result[lane] | other; });
  }
  if (name == "v_perm_b32")
    return permuted(s[0], s[1], s[2]);
  if (name == "v_bfe_u32" || name == "v_bfe_i32")
    return extracted(s[0], s[1], s[2], name == "v_bfe_i32");
  unsigned width = name.ends_with("_b16") ? 16 : 32;
  if (name == "v_lshlrev_b32" || name == "v_lshlrev_b16")
    return shiftedLeft(s[1], s[0], width);
  if (name == "v_lshrrev_b32" || name == "v_lshrrev_b16")
    return shiftedRight(s[1], s[0], width);
  if (name == "v_lshl_or_b32") {
    s[0].defined = shiftedLeft(s[0], s[1], 32);
    s[0].value =
        eachLane([&](unsigned lane) { return s[0].value[lane] << (s[1].value[lane] & 31); });
    s[1] = {eachLane([](unsigned) { return allBits; }), {}};
    return bitwise(0xfa, s); // s0 or s2
  }
  return std::nullopt;
}

/// The low bits go to the chosen ones; the others are zero, or count as defined.
uint32_t placed(uint32_t bits, const Instr &instr) {
  unsigned chosen = bytesOf(instr.dstSel);
  auto first = 8 * static_cast<unsigned>(__builtin_ctz(chosen));
  auto count = 8 * static_cast<unsigned>(__builtin_popcount(chosen));
  bool isSext = instr.dstUnused == SdwaUnused::Sext;
  uint32_t zeros = isSext ? 0 : ~extended(allBits, count, false);
  return (extended(bits, count, isSext) | zeros) << first | ((1u << first) - 1);
}

/// The bytes, as bits of a number.
unsigned bytesRead(const Instr &instr, unsigned source) {
  const Operand &operand = instr.src[source];
  llvm::StringRef name = instr.op->name;
  if (instr.flags & (isVmem | isLds)) {
    bool isData = (instr.flags & isStore) && !(instr.flags & isAtomic) && source == 1;
    if (!isData)
      return 15;
    unsigned bytes = name.contains("store_byte") || name.starts_with("ds_write_b8")     ? 1
                     : name.contains("store_short") || name.starts_with("ds_write_b16") ? 3
                                                                                        : 15;
    return name.ends_with("_d16_hi") ? bytes << 2 : bytes;
  }
  if (instr.sdwa)
    return bytesOf(operand.sel);
  if (isNarrow(instr.op->src[source]))
    return instr.opSel >> source & 1 ? 12 : 3;
  if ((name == "v_cvt_f32_bf8" || name == "v_cvt_f32_fp8") && !instr.opSel)
    return 1;
  if ((name == "v_cvt_pk_f32_bf8" || name == "v_cvt_pk_f32_fp8") && !instr.opSel)
    return 3;
  if (name.starts_with("v_fma_mix") || name.starts_with("v_mad_mix"))
    return !(instr.opSelHi >> source & 1) ? 15 : instr.opSel >> source & 1 ? 12 : 3;
  if (name.consume_front("v_cvt_f32_ubyte") && name.size() == 1)
    return 1u << (name[0] - '0');
  return 15;
}

} // namespace

uint32_t bitsRead(const Instr &instr, unsigned source) {
  return bitsOfBytes(bytesRead(instr, source));
}

bool isPairShift(const Instr &instr) {
  llvm::StringRef name = instr.op->name;
  return (name == "v_lshrrev_b64" || name == "v_lshlrev_b64") && instr.dpp == DppKind::None;
}

BitRow definedOfPair(const Wave &wave, const Instr &instr, unsigned to, const BitRow &amount,
                     const std::array<BitRow, 2> &value) {
  bool isRight = llvm::StringRef(instr.op->name) == "v_lshrrev_b64";
  Source by = sourceOf(wave, instr.src[0], amount);
  return eachLane([&](unsigned lane) {
    if (~by.defined[lane] & 63)
      return 0u;
    unsigned n = by.value[lane] & 63;
    uint64_t defined = value[0][lane] | static_cast<uint64_t>(value[1][lane]) << 32;
    uint64_t result = isRight ? defined >> n | ~(~0ull >> n) : defined << n | ((1ull << n) - 1);
    return static_cast<uint32_t>(result >> 32 * to);
  });
}

std::optional<BitRow> definedBits(const Wave &wave, const Instr &instr,
                                  const std::array<BitRow, 3> &sources) {
  std::optional<BitRow> bits = definedByOperation(wave, instr, sources);
  if (bits && instr.dstSel != Sel::Dword && instr.dpp == DppKind::None)
    for (uint32_t &ofLane : *bits)
      ofLane = placed(ofLane, instr);
  return bits;
}

} // namespace tilec::sim

//===- DefinedBytes.cpp - definedness of the bytes of a register ----------===//
//
// Compilers keep two halves or four bytes in a register and write them one by one: the
// first one merges with a register that nothing has written.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "DefinedBytes.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace tilec::sim {
namespace {

constexpr BytePlanes allDefined = {~0ull, ~0ull, ~0ull, ~0ull};

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

/// Truth table of a bitwise operation as v_bitop3 numbers it; -1: none.
int truthTable(const Instr &instr) {
  constexpr int a = 0xf0, b = 0xcc, c = 0xaa;
  llvm::StringRef name = instr.op->name;
  if (name == "v_bitop3_b32" || name == "v_bitop3_b16")
    return instr.bitop3;
  return llvm::StringSwitch<int>(name)
      .Case("v_mov_b32", a)
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

/// Whether byte `byte` of input `input` can change the same byte of the result, where inputs that
/// are the same in all lanes have the values `known`.
bool matters(int table, unsigned input, unsigned byte, const std::optional<uint32_t> (&known)[3]) {
  unsigned flip = 4u >> input;
  for (unsigned bit = 8 * byte; bit < 8 * byte + 8; ++bit)
    for (unsigned row = 0; row < 8; ++row) {
      bool possible = !(row & flip);
      for (unsigned other = 0; other < 3; ++other)
        if (other != input && known[other])
          possible &= (row >> (2 - other) & 1) == (*known[other] >> bit & 1);
      if (possible && (table >> row & 1) != (table >> (row | flip) & 1))
        return true;
    }
  return false;
}

/// The value of a scalar source, or of a vector register that holds a constant.
std::optional<uint32_t> sameInAllLanes(const Wave &wave, const Operand &operand,
                                       const BytePlanes &defined) {
  if (!operand.isVgpr())
    return scalar32(wave, operand);
  uint64_t exec = wave.exec();
  if (!exec || exec & ~(defined[0] & defined[1] & defined[2] & defined[3]))
    return std::nullopt; // it has no value
  const uint32_t *row = wave.v[operand.reg];
  uint32_t value = row[__builtin_ctzll(exec)];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    if (exec >> lane & 1 && row[lane] != value)
      return std::nullopt;
  return value;
}

/// The bytes as the operation gets them.
BytePlanes selected(const BytePlanes &bytes, const Operand &operand) {
  unsigned chosen = bytesOf(operand.sel);
  if (chosen == 15)
    return bytes;
  unsigned first = static_cast<unsigned>(__builtin_ctz(chosen));
  auto count = static_cast<unsigned>(__builtin_popcount(chosen));
  BytePlanes result = allDefined;
  for (unsigned i = 0; i < 4; ++i)
    if (i < count || operand.sext)
      result[i] = bytes[first + std::min(i, count - 1)];
  return result;
}

/// Bit 0 of the result is bit `by` of the source; of `width` bytes, zeros come in.
BytePlanes shifted(const BytePlanes &bytes, int by, int width) {
  BytePlanes result = allDefined;
  for (int i = 0; i < width; ++i)
    for (int bit : {8 * i + by, 8 * i + by + 7}) // a byte comes from at most two
      if (bit >= 0 && bit < 8 * width)
        result[static_cast<size_t>(i)] &= bytes[static_cast<size_t>(bit / 8)];
  return result;
}

/// What an operand that has `value` in all lanes is for the operation.
uint32_t selectedValue(uint32_t value, const Operand &operand) {
  unsigned chosen = bytesOf(operand.sel);
  unsigned unused = 32 - 8 * static_cast<unsigned>(__builtin_popcount(chosen));
  uint32_t upper = value >> (8 * __builtin_ctz(chosen)) << unused;
  return operand.sext ? static_cast<uint32_t>(static_cast<int32_t>(upper) >> unused)
                      : upper >> unused;
}

BytePlanes permuted(const BytePlanes &high, const BytePlanes &low, uint32_t selector) {
  BytePlanes result = allDefined;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned from = selector >> (8 * i) & 0xff;
    if (from >= 8 && from < 12)
      from = 2 * (from - 8) + 1; // the sign of a byte
    if (from < 8)
      result[i] = from < 4 ? low[from] : high[from - 4];
  }
  return result;
}

BytePlanes both(BytePlanes a, const BytePlanes &b) {
  for (unsigned i = 0; i < 4; ++i)
    a[i] &= b[i];
  return a;
}

/// Two halves, each from a half of every source.
BytePlanes packed(const Instr &instr, const std::array<BytePlanes, 3> &sources) {
  BytePlanes result = allDefined;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned i = 0; i < instr.numSrc; ++i) {
      unsigned from = 2 * ((half ? instr.opSelHi : instr.opSel) >> i & 1u);
      uint64_t defined = sources[i][from] & sources[i][from + 1];
      result[2 * half] &= defined;
      result[2 * half + 1] &= defined;
    }
  return result;
}

/// Of the operation, before SDWA puts the result in its place.
std::optional<BytePlanes> definedByOperation(const Wave &wave, const Instr &instr,
                                             const std::array<BytePlanes, 3> &sources) {
  if (instr.dpp != DppKind::None || !instr.dst[0].isVgpr() || instr.dst[0].dwords != 1 ||
      instr.numSrc > 3)
    return std::nullopt;
  llvm::StringRef name = instr.op->name;
  if (name.starts_with("v_pk_"))
    return packed(instr, sources);
  if (instr.opSel)
    return std::nullopt;
  std::array<BytePlanes, 3> s = {allDefined, allDefined, allDefined};
  std::optional<uint32_t> known[3] = {0, 0, 0}; // of a source that there is not: any
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const Operand &operand = instr.src[i];
    s[i] = selected(sources[i], operand);
    known[i] = operand.hasModifiers() ? std::nullopt : sameInAllLanes(wave, operand, s[i]);
    if (known[i])
      known[i] = selectedValue(*known[i], operand);
  }
  if (int table = truthTable(instr); table >= 0) {
    BytePlanes result = allDefined;
    // The other half is zero or stays.
    for (unsigned byte = 0; byte < (name.ends_with("_b16") ? 2u : 4u); ++byte)
      for (unsigned i = 0; i < instr.numSrc; ++i)
        if (matters(table, i, byte, known))
          result[byte] &= s[i][byte];
    return result;
  }
  if (instr.flags & isSelect)
    return both(both(s[0], s[1]), s[2]);
  if (name == "v_perm_b32" && known[2])
    return both(permuted(s[0], s[1], *known[2]), s[2]);
  int width = name.ends_with("_b16") ? 2 : 4;
  if ((name == "v_lshlrev_b32" || name == "v_lshlrev_b16") && known[0])
    return both(shifted(s[1], -static_cast<int>(*known[0] & (width == 2 ? 15u : 31u)), width),
                s[0]);
  if ((name == "v_lshrrev_b32" || name == "v_lshrrev_b16") && known[0])
    return both(shifted(s[1], static_cast<int>(*known[0] & (width == 2 ? 15u : 31u)), width), s[0]);
  if (name == "v_lshl_or_b32" && known[1])
    return both(both(shifted(s[0], -static_cast<int>(*known[1] & 31), 4), s[1]), s[2]);
  return std::nullopt;
}

/// The low bytes go to the chosen ones; the others are zero, or count as defined.
BytePlanes placed(const BytePlanes &bytes, const Instr &instr) {
  BytePlanes result = allDefined;
  unsigned chosen = bytesOf(instr.dstSel), from = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (chosen >> i & 1)
      result[i] = bytes[from++];
    else if (from && instr.dstUnused == SdwaUnused::Sext)
      result[i] = bytes[from - 1];
  return result;
}

} // namespace

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

bool isPairShift(const Instr &instr) {
  llvm::StringRef name = instr.op->name;
  return (name == "v_lshrrev_b64" || name == "v_lshlrev_b64") && instr.dpp == DppKind::None;
}

std::optional<BytePlanes> definedOfPair(const Wave &wave, const Instr &instr, unsigned to,
                                        const BytePlanes &amount,
                                        const std::array<BytePlanes, 2> &value) {
  std::optional<uint32_t> known = sameInAllLanes(wave, instr.src[0], amount);
  if (!known)
    return std::nullopt;
  bool isRight = llvm::StringRef(instr.op->name) == "v_lshrrev_b64";
  int by = isRight ? static_cast<int>(*known & 63) : -static_cast<int>(*known & 63);
  BytePlanes result = amount;
  for (unsigned i = 0; i < 4; ++i)
    for (int edge : {0, 7}) { // a byte comes from at most two
      int bit = 8 * static_cast<int>(4 * to + i) + by + edge;
      if (bit >= 0 && bit < 64)
        result[i] &= value[static_cast<size_t>(bit / 32)][static_cast<size_t>(bit / 8 % 4)];
    }
  return result;
}

std::optional<BytePlanes> definedBytes(const Wave &wave, const Instr &instr,
                                       const std::array<BytePlanes, 3> &sources) {
  std::optional<BytePlanes> bytes = definedByOperation(wave, instr, sources);
  if (instr.dstSel == Sel::Dword || instr.dpp != DppKind::None)
    return bytes;
  return bytes ? std::optional(placed(*bytes, instr)) : std::nullopt;
}

} // namespace tilec::sim

//===- Decode.cpp - assembler text to Instr -------------------------------===//
//
// Takes the text that LLVM's printer gave, which the AMDGPU assembler syntax
// documents (llvm.org/docs/AMDGPUOperandSyntax.html, AMDGPUModifierSyntax.html);
// gives an Instr. A modifier or operand that is not understood is an error, never
// ignored.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"

#include "Bits.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilec::sim {
namespace {

using llvm::StringRef;

template <class... Args> llvm::Error fail(const char *format, Args... args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format, args...);
}

// ---- words --------------------------------------------------------------------------------------

/// Splits at `separator` outside of brackets, bars and quotes; trims and drops empty parts.
llvm::SmallVector<StringRef, 8> split(StringRef text, char separator) {
  llvm::SmallVector<StringRef, 8> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  auto take = [&](size_t end) {
    StringRef part = text.slice(begin, end).trim();
    if (!part.empty())
      parts.push_back(part);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      quoted = !quoted;
    else if (c == '[' || c == '(')
      ++depth;
    else if (c == ']' || c == ')')
      --depth;
    else if (c == separator && depth == 0 && !quoted) {
      take(i);
      begin = i + 1;
    }
  }
  take(text.size());
  return parts;
}

bool isFlagWord(StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases({"offen", "idxen", "lds", "sc0", "sc1", "nt", "clamp", "gds", "glc"}, true)
      .Cases({"row_mirror", "row_half_mirror"}, true)
      .Default(false);
}

bool isModifier(StringRef word) {
  if (isFlagWord(word) || word.starts_with("vmcnt(") || word.starts_with("lgkmcnt(") ||
      word.starts_with("expcnt("))
    return true;
  size_t colon = word.find(':');
  return colon != StringRef::npos && word.find('[') > colon;
}

std::optional<int64_t> number(StringRef text) {
  int64_t value;
  if (!text.getAsInteger(0, value))
    return value;
  uint64_t wide;
  if (!text.getAsInteger(0, wide))
    return static_cast<int64_t>(wide);
  return std::nullopt;
}

/// `[1,0,1]` as bits, first element lowest.
std::optional<unsigned> bitList(StringRef text, unsigned *count = nullptr) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  unsigned bits = 0, at = 0;
  for (StringRef part : split(text, ',')) {
    if (part != "0" && part != "1")
      return std::nullopt;
    bits |= (part == "1") << at++;
  }
  if (count)
    *count = at;
  return bits;
}

// ---- operands -----------------------------------------------------------------------------------

struct Named {
  const char *name;
  OperandKind kind;
  uint16_t reg, dwords;
};
constexpr Named namedRegisters[] = {
    {"vcc", OperandKind::Sgpr, sgprVcc, 2},
    {"vcc_lo", OperandKind::Sgpr, sgprVcc, 1},
    {"vcc_hi", OperandKind::Sgpr, sgprVcc + 1, 1},
    {"exec", OperandKind::Sgpr, sgprExec, 2},
    {"exec_lo", OperandKind::Sgpr, sgprExec, 1},
    {"exec_hi", OperandKind::Sgpr, sgprExec + 1, 1},
    {"m0", OperandKind::Sgpr, sgprM0, 1},
    {"flat_scratch", OperandKind::Sgpr, sgprFlatScratch, 2},
    {"flat_scratch_lo", OperandKind::Sgpr, sgprFlatScratch, 1},
    {"flat_scratch_hi", OperandKind::Sgpr, sgprFlatScratch + 1, 1},
    {"xnack_mask", OperandKind::Sgpr, sgprXnackMask, 2},
    {"xnack_mask_lo", OperandKind::Sgpr, sgprXnackMask, 1},
    {"xnack_mask_hi", OperandKind::Sgpr, sgprXnackMask + 1, 1},
    {"src_scc", OperandKind::Scc, 0, 1},
    {"src_vccz", OperandKind::Vccz, 0, 1},
    {"src_execz", OperandKind::Execz, 0, 1},
    {"scc", OperandKind::Scc, 0, 1},
    {"vccz", OperandKind::Vccz, 0, 1},
    {"execz", OperandKind::Execz, 0, 1},
    {"off", OperandKind::Off, 0, 0},
};

struct Aperture {
  const char *name;
  uint64_t value;
};
constexpr Aperture apertures[] = {
    {"src_shared_base", sharedAperture},
    {"src_shared_limit", sharedAperture + 0xffffffff},
    {"src_private_base", privateAperture},
    {"src_private_limit", privateAperture + 0xffffffff},
};

/// v7, a[0:3], s[4:5], ttmp4: letter(s), then a number or a range.
std::optional<Operand> parseRegister(StringRef word, uint32_t firstAgpr) {
  Operand result;
  StringRef rest = word;
  unsigned base = 0, limit = 0;
  if (rest.consume_front("ttmp")) {
    result.kind = OperandKind::Sgpr;
    base = sgprTtmp0, limit = sgprM0;
  } else if (rest.consume_front("v")) {
    result.kind = OperandKind::Vgpr;
    limit = 256;
  } else if (rest.consume_front("a")) {
    result.kind = OperandKind::Vgpr;
    base = firstAgpr, limit = firstAgpr + 256;
  } else if (rest.consume_front("s")) {
    result.kind = OperandKind::Sgpr;
    limit = sgprFlatScratch;
  } else {
    return std::nullopt;
  }
  unsigned first, last;
  if (rest.consume_front("[") && rest.consume_back("]")) {
    auto [low, high] = rest.split(':');
    if (low.getAsInteger(10, first))
      return std::nullopt;
    last = first;
    if (!high.empty() && high.getAsInteger(10, last))
      return std::nullopt;
  } else {
    if (rest.getAsInteger(10, first))
      return std::nullopt;
    last = first;
  }
  if (last < first || base + last >= limit)
    return std::nullopt;
  result.reg = static_cast<uint16_t>(base + first);
  result.dwords = static_cast<uint16_t>(last - first + 1);
  return result;
}

/// An inline or literal constant; a floating one is kept as a double until its type is known.
std::optional<Operand> parseConstant(StringRef word) {
  Operand result;
  result.kind = OperandKind::Imm;
  if (auto value = number(word)) {
    result.imm = static_cast<uint64_t>(*value);
    return result;
  }
  double value;
  if (word.contains('.') && !word.getAsDouble(value)) {
    result.inlineFloat = true;
    result.imm = bitsOf(value);
    return result;
  }
  return std::nullopt;
}

llvm::Expected<uint32_t> parseHwreg(StringRef inner) {
  auto parts = split(inner, ',');
  if (parts.empty())
    return fail("hwreg() names no register");
  int id = llvm::StringSwitch<int>(parts[0])
               .Case("HW_REG_MODE", 1)
               .Case("HW_REG_STATUS", 2)
               .Case("HW_REG_TRAPSTS", 3)
               .Case("HW_REG_HW_ID", 4)
               .Case("HW_REG_GPR_ALLOC", 5)
               .Case("HW_REG_LDS_ALLOC", 6)
               .Case("HW_REG_IB_STS", 7)
               .Case("HW_REG_XCC_ID", 20)
               .Default(-1);
  if (id < 0)
    return fail("the simulator does not model hardware register `%s`", parts[0].str().c_str());
  int64_t offset = 0, width = 32;
  if (parts.size() == 3) {
    auto o = number(parts[1]), w = number(parts[2]);
    if (!o || !w || *o < 0 || *o > 31 || *w < 1 || *w > 32)
      return fail("hwreg(%s) is malformed", inner.str().c_str());
    offset = *o, width = *w;
  }
  return static_cast<uint32_t>(id | offset << 6 | (width - 1) << 11);
}

llvm::Expected<Operand> parseOperand(StringRef word, const DecodeContext &context, Instr &instr) {
  Operand result;
  bool neg = false, abs = false, sext = false;
  StringRef rest = word;
  if (rest.size() > 1 && rest[0] == '-' && !(rest[1] >= '0' && rest[1] <= '9')) {
    neg = true;
    rest = rest.drop_front();
  }
  if (rest.starts_with("neg(") && rest.consume_back(")")) {
    neg = true;
    rest = rest.drop_front(4);
  }
  if (rest.starts_with("sext(") && rest.consume_back(")")) {
    sext = true;
    rest = rest.drop_front(5);
  }
  if (rest.starts_with("|") && rest.ends_with("|") && rest.size() > 2) {
    abs = true;
    rest = rest.drop_front().drop_back();
  } else if (rest.starts_with("abs(") && rest.consume_back(")")) {
    abs = true;
    rest = rest.drop_front(4);
  }
  if (rest.starts_with("hwreg(") && rest.consume_back(")")) {
    auto encoded = parseHwreg(rest.drop_front(6));
    if (!encoded)
      return encoded.takeError();
    instr.simm = *encoded;
    result.kind = OperandKind::Imm;
    result.imm = *encoded;
    return result;
  }
  if (rest.starts_with("gpr_idx(") && rest.consume_back(")")) {
    for (StringRef part : split(rest.drop_front(8), ','))
      result.imm |= llvm::StringSwitch<unsigned>(part)
                        .Case("SRC0", 1)
                        .Case("SRC1", 2)
                        .Case("SRC2", 4)
                        .Case("DST", 8)
                        .Default(0);
    result.kind = OperandKind::Imm;
    return result;
  }
  // A literal where an inline constant would do.
  if (rest.starts_with("lit(") && rest.consume_back(")"))
    rest = rest.drop_front(4);
  if (rest.starts_with("sendmsg(")) {
    result.kind = OperandKind::Imm;
    return result;
  }
  bool found = false;
  for (const Named &named : namedRegisters)
    if (rest == named.name) {
      result.kind = named.kind;
      result.reg = named.reg;
      result.dwords = named.dwords;
      found = true;
    }
  for (const Aperture &aperture : apertures)
    if (rest == aperture.name) {
      result.kind = OperandKind::Imm;
      result.dwords = 2; // marks an aperture: only 64-bit operands may read one
      result.imm = aperture.value;
      found = true;
    }
  if (!found) {
    if (auto reg = parseRegister(rest, context.firstAgpr))
      result = *reg;
    else if (auto constant = parseConstant(rest))
      result = *constant;
    else
      return fail("the simulator does not know operand `%s`", word.str().c_str());
  }
  result.neg = neg;
  result.abs = abs;
  result.sext = sext;
  return result;
}

// ---- modifiers ----------------------------------------------------------------------------------

std::optional<Sel> parseSel(StringRef text) {
  return llvm::StringSwitch<std::optional<Sel>>(text)
      .Case("DWORD", Sel::Dword)
      .Case("WORD_0", Sel::Word0)
      .Case("WORD_1", Sel::Word1)
      .Case("BYTE_0", Sel::Byte0)
      .Case("BYTE_1", Sel::Byte1)
      .Case("BYTE_2", Sel::Byte2)
      .Case("BYTE_3", Sel::Byte3)
      .Default(std::nullopt);
}

/// quad_perm, row_* and wave_*: true when `key` is one of them and `value` fits.
bool parseDpp(StringRef key, StringRef value, Instr &instr) {
  if (key == "quad_perm") {
    if (!value.consume_front("[") || !value.consume_back("]"))
      return false;
    auto parts = split(value, ',');
    if (parts.size() != 4)
      return false;
    instr.dppArg = 0;
    for (unsigned i = 0; i < 4; ++i) {
      auto lane = number(parts[i]);
      if (!lane || *lane < 0 || *lane > 3)
        return false;
      instr.dppArg |= static_cast<uint8_t>(*lane << (2 * i));
    }
    instr.dpp = DppKind::QuadPerm;
    return true;
  }
  instr.dpp = llvm::StringSwitch<DppKind>(key)
                  .Case("row_shl", DppKind::RowShl)
                  .Case("row_shr", DppKind::RowShr)
                  .Case("row_ror", DppKind::RowRor)
                  .Case("wave_shl", DppKind::WaveShl)
                  .Case("wave_rol", DppKind::WaveRol)
                  .Case("wave_shr", DppKind::WaveShr)
                  .Case("wave_ror", DppKind::WaveRor)
                  .Case("row_newbcast", DppKind::RowNewBcast)
                  .Case("row_bcast", value == "15" ? DppKind::RowBcast15 : DppKind::RowBcast31)
                  .Default(DppKind::None);
  auto amount = number(value);
  if (instr.dpp == DppKind::None || !amount || *amount < 0 || *amount > 31)
    return false;
  instr.dppArg = static_cast<uint8_t>(*amount);
  return true;
}

/// offset:swizzle(QUAD_PERM, 0,1,2,3) and its sisters, as the encoded offset field.
std::optional<int32_t> parseSwizzle(StringRef value) {
  if (!value.consume_front("swizzle(") || !value.consume_back(")"))
    return std::nullopt;
  auto parts = split(value, ',');
  auto arg = [&](size_t i) -> int64_t {
    return i < parts.size() ? number(parts[i]).value_or(0) : 0;
  };
  if (parts.empty())
    return std::nullopt;
  auto bits = [](unsigned andMask, unsigned orMask, unsigned xorMask) {
    return static_cast<int32_t>(andMask | orMask << 5 | xorMask << 10);
  };
  if (parts[0] == "QUAD_PERM" && parts.size() == 5)
    return 0x8000 | static_cast<int32_t>(arg(1) | arg(2) << 2 | arg(3) << 4 | arg(4) << 6);
  if (parts[0] == "SWAP" && parts.size() == 2)
    return bits(0x1f, 0, static_cast<unsigned>(arg(1)));
  if (parts[0] == "REVERSE" && parts.size() == 2)
    return bits(0x1f, 0, static_cast<unsigned>(arg(1) - 1));
  if (parts[0] == "BROADCAST" && parts.size() == 3)
    return bits(static_cast<unsigned>(32 - arg(1)) & 0x1f, static_cast<unsigned>(arg(2)), 0);
  if (parts[0] == "BITMASK_PERM" && parts.size() == 2) {
    StringRef mask = parts[1].trim('"');
    if (mask.size() != 5)
      return std::nullopt;
    unsigned andMask = 0, orMask = 0, xorMask = 0;
    for (char c : mask) {
      andMask = andMask << 1 | (c == 'p' || c == 'i');
      orMask = orMask << 1 | (c == '1');
      xorMask = xorMask << 1 | (c == 'i');
    }
    return bits(andMask, orMask, xorMask);
  }
  return std::nullopt;
}

/// The format of a tbuffer instruction, [BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT], or its number:
/// data format in the low four bits, number format above. What is not said is 8 and UNORM.
bool parseBufferFormat(StringRef value, Instr &instr) {
  static constexpr StringRef data[] = {"INVALID",     "8",          "16",          "8_8",
                                       "32",          "16_16",      "10_11_11",    "11_11_10",
                                       "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                       "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
  static constexpr StringRef kinds[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                        "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
  if (auto n = number(value)) {
    instr.simm = static_cast<uint32_t>(*n) & 127;
    return true;
  }
  if (!value.consume_front("[") || !value.consume_back("]"))
    return false;
  for (StringRef part : split(value, ',')) {
    if (part.consume_front("BUF_DATA_FORMAT_")) {
      const auto *found = llvm::find(data, part);
      if (found == std::end(data))
        return false;
      instr.simm = (instr.simm & ~15u) | static_cast<uint32_t>(found - data);
    } else if (part.consume_front("BUF_NUM_FORMAT_")) {
      const auto *found = llvm::find(kinds, part);
      if (found == std::end(kinds))
        return false;
      instr.simm = (instr.simm & 15u) | static_cast<uint32_t>(found - kinds) << 4;
    } else {
      return false;
    }
  }
  return true;
}

bool parseNumberModifier(StringRef key, StringRef value, Instr &instr) {
  if (key == "offset") {
    if (auto swizzle = parseSwizzle(value)) {
      instr.offset = *swizzle;
      return true;
    }
  }
  auto n = number(value);
  if (!n)
    return false;
  auto small = static_cast<uint8_t>(*n);
  if (key == "offset" || key == "offset0")
    instr.offset = static_cast<int32_t>(*n);
  else if (key == "offset1")
    instr.offset1 = static_cast<int32_t>(*n);
  else if (key == "cbsz")
    instr.cbsz = small;
  else if (key == "abid")
    instr.abid = small;
  else if (key == "blgp")
    instr.blgp = small;
  else if (key == "bitop3")
    instr.bitop3 = small;
  else if (key == "row_mask")
    instr.rowMask = small;
  else if (key == "bank_mask")
    instr.bankMask = small;
  else if (key == "bound_ctrl")
    instr.boundCtrl = true;
  else if (key == "mul" && (*n == 2 || *n == 4))
    instr.omod = *n == 2 ? 1 : 2;
  else if (key == "div" && *n == 2)
    instr.omod = 3;
  else
    return false;
  return true;
}

bool parseKeyValue(StringRef key, StringRef value, Instr &instr) {
  if (key == "op_sel" || key == "op_sel_hi" || key == "neg_lo" || key == "neg_hi" || key == "neg") {
    auto bits = bitList(value);
    if (!bits)
      return false;
    auto b = static_cast<uint8_t>(*bits);
    (key == "op_sel"      ? instr.opSel
     : key == "op_sel_hi" ? instr.opSelHi
     : key == "neg_hi"    ? instr.negHi
                          : instr.negLo) = b;
    return true;
  }
  if (key == "dst_sel" || key == "src0_sel" || key == "src1_sel") {
    auto sel = parseSel(value);
    if (!sel)
      return false;
    instr.sdwa = true;
    if (key == "dst_sel")
      instr.dstSel = *sel;
    else
      instr.src[key == "src1_sel"].sel = *sel;
    return true;
  }
  if (key == "dst_unused") {
    instr.sdwa = true;
    instr.dstUnused = llvm::StringSwitch<SdwaUnused>(value)
                          .Case("UNUSED_SEXT", SdwaUnused::Sext)
                          .Case("UNUSED_PRESERVE", SdwaUnused::Preserve)
                          .Default(SdwaUnused::Pad);
    return true;
  }
  if (key == "format")
    return parseBufferFormat(value, instr);
  return parseNumberModifier(key, value, instr) || parseDpp(key, value, instr);
}

bool parseFlag(StringRef word, Instr &instr, bool &lds) {
  if (word == "offen")
    instr.offen = true;
  else if (word == "idxen")
    instr.idxen = true;
  else if (word == "lds")
    lds = true;
  else if (word == "sc0" || word == "glc")
    instr.glc = true;
  else if (word == "clamp")
    instr.clamp = true;
  else if (word == "gds")
    instr.gds = true;
  else if (word == "row_mirror")
    instr.dpp = DppKind::RowMirror;
  else if (word == "row_half_mirror")
    instr.dpp = DppKind::RowHalfMirror;
  else if (word == "sc1")
    instr.isDeviceScope = true;
  else if (word != "nt") // cache policy: no functional effect
    return false;
  return true;
}

llvm::Error parseModifier(StringRef word, Instr &instr, bool &lds) {
  // All ones: no wait for this counter (CDNA3 ISA, S_WAITCNT).
  auto counter = [&](StringRef name, unsigned none, auto set) -> bool {
    StringRef rest = word;
    if (!rest.consume_front(name) || !rest.consume_front("(") || !rest.consume_back(")"))
      return false;
    auto n = number(rest);
    if (!n)
      return false;
    if (static_cast<unsigned>(*n) != none)
      set(static_cast<int8_t>(*n));
    return true;
  };
  if (counter("vmcnt", 63, [&](int8_t n) { instr.waitVm = n; }) ||
      counter("lgkmcnt", 15, [&](int8_t n) { instr.waitLgkm = n; }) ||
      counter("expcnt", 7, [&](int8_t) { instr.waitsForExports = true; }))
    return llvm::Error::success();
  auto [key, value] = word.split(':');
  bool known = value.empty() ? parseFlag(word, instr, lds) : parseKeyValue(key, value, instr);
  if (!known)
    return fail("the simulator does not know modifier `%s`", word.str().c_str());
  return llvm::Error::success();
}

// ---- constants ----------------------------------------------------------------------------------

uint64_t floatBits(double value, Type type) {
  switch (type) {
  case Type::F64:
  case Type::B64:
  case Type::I64:
    // 1/(2*pi) is printed with f32's digits for every width; the constant has the type's own.
    return value > 0.159 && value < 0.160 ? 0x3fc45f306dc9c882ull : bitsOf(value);
  case Type::F16:
  case Type::Packed16:
  case Type::B16:
    return f16FromF32(static_cast<float>(value));
  case Type::BF16:
    return bf16FromF32(static_cast<float>(value));
  default:
    return bitsOf(static_cast<float>(value));
  }
}

llvm::Error resolveConstant(Operand &operand, Type type) {
  if (!operand.isImm())
    return llvm::Error::success();
  bool wide = type == Type::B64 || type == Type::I64 || type == Type::F64;
  if (operand.dwords == 2) { // an aperture
    operand.dwords = 0;
    return wide
               ? llvm::Error::success()
               : fail(
                     "an aperture register is read by a 32-bit operand, which the ISA leaves open");
  }
  if (operand.inlineFloat) {
    operand.imm = floatBits(valueOf<double>(operand.imm), type);
    return llvm::Error::success();
  }
  if (!wide) {
    operand.imm &= 0xffffffff;
    return llvm::Error::success();
  }
  int64_t value = static_cast<int64_t>(operand.imm);
  bool isInline = value >= -16 && value <= 64;
  if (isInline)
    return llvm::Error::success();
  // A 32-bit literal: the high half of an f64, sign-extended for signed integers, else
  // zero-extended.
  if (type == Type::F64)
    operand.imm <<= 32;
  else if (type == Type::I64)
    operand.imm = static_cast<uint64_t>(static_cast<int32_t>(operand.imm));
  else
    operand.imm &= 0xffffffff;
  return llvm::Error::success();
}

/// Whether a packed f32 instruction reads the high half of a constant that has one only in name.
bool readsHighOfConstant(const Instr &instr, unsigned index) {
  const Operand &operand = instr.src[index];
  if (instr.op->src[index] != Type::Packed32 || !operand.isImm() || operand.imm == 0)
    return false;
  bool moves = StringRef(instr.op->name) == "v_pk_mov_b32"; // has no op_sel_hi
  return (instr.opSel | (moves ? 0 : instr.opSelHi)) >> index & 1;
}

/// Puts printed operands where the row's form says they belong.
llvm::Error placeOperands(llvm::ArrayRef<Operand> printed, StringRef form, Instr &instr) {
  if (printed.size() != form.size())
    return fail("this form of the instruction has %d operands where the simulator knows %d",
                static_cast<int>(printed.size()), static_cast<int>(form.size()));
  for (size_t i = 0; i < form.size(); ++i) {
    char role = form[i];
    if (role == 'd' || role == 'D') {
      instr.dst[role == 'D'] = printed[i];
      continue;
    }
    unsigned slot = static_cast<unsigned>(role - '0');
    Sel sel = instr.src[slot].sel; // set by a modifier already
    instr.src[slot] = printed[i];
    instr.src[slot].sel = sel;
    instr.numSrc = std::max<uint8_t>(instr.numSrc, static_cast<uint8_t>(slot + 1));
  }
  return llvm::Error::success();
}

bool isIntegerResult(Type type) {
  return type == Type::B32 || type == Type::I32 || type == Type::B64 || type == Type::I64 ||
         type == Type::B16;
}

const llvm::StringMap<const OpInfo *> &allOps() {
  static const llvm::StringMap<const OpInfo *> map = [] {
    llvm::StringMap<const OpInfo *> made;
    for (auto table : {sopOps(), vopOps(), vopFmaOps(), vopConvertOps(), vopCompareOps(),
                       vopCrossLaneOps(), vopMediaOps(), vop3pOps(), vopScaledOps(), mfmaOps(),
                       smfmacOps(), dsOps(), bufferOps(), typedBufferOps(), flatOps(), smemOps()})
      for (const OpInfo &op : table)
        made[op.name] = &op;
    return made;
  }();
  return map;
}

} // namespace

llvm::StringRef stripEncoding(llvm::StringRef mnemonic) {
  for (StringRef suffix : {"_e32", "_e64", "_dpp", "_sdwa"})
    if (mnemonic.consume_back(suffix))
      break;
  return mnemonic;
}

const OpInfo *findOp(llvm::StringRef mnemonic) {
  auto found = allOps().find(mnemonic);
  return found == allOps().end() ? nullptr : found->second;
}

llvm::Expected<Instr> decodeText(llvm::StringRef text, const DecodeContext &context) {
  size_t space = text.find_first_of(" \t");
  StringRef printedName = text.substr(0, space);
  StringRef rest = space == StringRef::npos ? StringRef() : text.substr(space).trim();
  StringRef name = stripEncoding(printedName);
  // The printer's remark about an operand that the encoding can hold and the ISA does not allow.
  if (text.contains("/*"))
    return fail("the ISA reserves this encoding");
  if (name == "s_endpgm") // its operand is for debuggers
    rest = "";

  Instr instr;
  instr.address = context.address;
  instr.pc = context.address / 4;
  instr.next = (context.address + context.sizeBytes) / 4;
  instr.e64 = printedName.ends_with("_e64");
  if (name.starts_with("v_fma_mix") ||
      (name.starts_with("v_mfma") && !name.starts_with("v_mfma_scale")) ||
      name.starts_with("v_mad_mix"))
    instr.opSelHi = 0; // the printer omits 0 here and all ones elsewhere
  if (name.starts_with("tbuffer_"))
    instr.simm = 1; // the printer omits the format 8, UNORM

  llvm::SmallVector<Operand, 8> printed;
  bool lds = false;
  for (StringRef piece : split(rest, ','))
    for (StringRef word : split(piece, ' ')) {
      if (isModifier(word)) {
        if (llvm::Error e = parseModifier(word, instr, lds))
          return e;
        continue;
      }
      auto operand = parseOperand(word, context, instr);
      if (!operand)
        return operand.takeError();
      printed.push_back(*operand);
    }

  const OpInfo *op = findOp(lds ? (name + "_lds").str() : name.str());
  if (op && instr.clamp && isIntegerResult(op->dst)) { // saturating forms have rows of their own
    instr.clamp = op->flags & intClamp;
    if (!instr.clamp && !(op = findOp((name + "_clamp").str())))
      return fail("the simulator does not know `clamp` of integer instruction `%s`",
                  name.str().c_str());
  }
  if (!op)
    return fail("the simulator does not know instruction `%s`%s", name.str().c_str(),
                lds ? " with `lds`" : "");
  instr.op = op;
  instr.exec = op->exec;
  instr.flags = op->flags;
  bool returns = instr.glc && (op->flags & isAtomic) && (op->flags & isVmem);
  bool isBuffer = name.starts_with("buffer_");
  std::string form = op->form;
  if (returns && !isBuffer)
    form = "d" + form;
  if (llvm::Error e = placeOperands(printed, form, instr))
    return e;
  if (returns && isBuffer)
    instr.dst[0] = instr.src[1];
  if (op->flags & readsDst) {
    instr.src[instr.numSrc] = instr.dst[0];
    ++instr.numSrc;
  }
  for (unsigned i = 0; i < instr.numSrc; ++i)
    if (llvm::Error e = resolveConstant(instr.src[i], op->src[i]))
      return e;
    else if (readsHighOfConstant(instr, i))
      return fail("the high half of a constant is read, and the documents do not say what it is");
  if (op->flags & isBranch && instr.src[0].isImm())
    instr.target = static_cast<uint32_t>(static_cast<int32_t>(instr.next) +
                                         static_cast<int16_t>(instr.src[0].imm));
  computeRegisters(instr);
  return instr;
}

} // namespace tilec::sim

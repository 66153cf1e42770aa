//===- WaveState.cpp - the integer registers of one wave ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveState.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tilec::report {

static LaneInts uniform(uint32_t number) {
  LaneInts value;
  value.lanes.fill(number);
  return value;
}

WaveState::WaveState(unsigned firstThread, Exec exec) : exec(exec) {
  // v0 holds the thread's number in the block (LLVM AMDGPU usage guide, "Initial Kernel Execution
  // State": x in bits 0 to 9, y and z above them).
  LaneInts thread;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    thread.lanes[lane] = firstThread + lane;
  known[{RegisterFile::Vector, 0}] = thread;
  setMask("exec", ~uint64_t(0));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<LaneInts> WaveState::registerValue(RegisterFile file, unsigned number) const {
  if (auto it = known.find({file, number}); it != known.end())
    return it->second;
  if (file != RegisterFile::Scalar)
    return std::nullopt;
  LaneInts offset; // some number, the same for all lanes
  offset.isExact = false;
  return offset;
}

std::optional<LaneInts> WaveState::operand(StringRef text, bool isShortImmediate) const {
  unsigned number = 0;
  int64_t constant = 0;
  if (text == "m0")
    return registerValue(RegisterFile::M0, 0);
  if (StringRef rest = text; rest.consume_front("v") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Vector, number);
  if (StringRef rest = text; rest.consume_front("s") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Scalar, number);
  if (text.getAsInteger(0, constant))
    return std::nullopt;
  return uniform(isShortImmediate ? int16_t(constant) : static_cast<uint32_t>(constant));
}

/// s_movk and its like print their 16 bits without a sign.
static bool hasShortImmediate(StringRef mnemonic) {
  return mnemonic == "s_movk_i32" || mnemonic == "s_addk_i32" || mnemonic == "s_mulk_i32" ||
         (mnemonic.starts_with("s_cmpk_") && mnemonic.ends_with("_i32"));
}

bool accessesTwoPlaces(const Instruction &instr) {
  StringRef mnemonic = instr.mnemonic;
  return mnemonic.starts_with("ds_read2") || mnemonic.starts_with("ds_write2");
}

/// The offset of an LDS access in bytes. Those with two count in elements, or in 64 of them (CDNA3
/// ISA document, DS_READ2ST64_B32).
static int64_t offsetOf(const Instruction &instr, unsigned which) {
  if (!accessesTwoPlaces(instr))
    return instr.immediate;
  StringRef mnemonic = instr.mnemonic, operands = instr.operands;
  int64_t step = mnemonic.contains("_b64") ? 8 : 4, count = 0;
  size_t at = operands.find(which == 0 ? "offset0:" : "offset1:");
  if (at != StringRef::npos)
    operands.substr(at + strlen("offset0:")).consumeInteger(10, count);
  return count * step * (mnemonic.contains("st64") ? 64 : 1);
}

std::optional<LaneInts> WaveState::sharedAddress(const Instruction &instr, unsigned which) const {
  bool isShared = instr.kind == InstrKind::SharedRead || instr.kind == InstrKind::SharedWrite;
  if (!isShared || instr.reads.empty())
    return std::nullopt;
  std::optional<LaneInts> value = registerValue(instr.reads[0].file, instr.reads[0].first);
  if (value)
    for (uint32_t &lane : value->lanes)
      lane += offsetOf(instr, which);
  return value;
}

std::optional<LaneInts> WaveState::dmaTarget() const { return registerValue(RegisterFile::M0, 0); }

bool WaveState::hasAllLanes() const { return mask("exec") == ~uint64_t(0); }

//===----------------------------------------------------------------------===//
// Masks and conditions
//===----------------------------------------------------------------------===//

/// The first of the two registers that hold a mask.
static std::optional<std::pair<RegisterFile, unsigned>> maskRegister(StringRef text) {
  if (text == "vcc")
    return std::pair(RegisterFile::Vcc, 0u);
  if (text == "exec")
    return std::pair(RegisterFile::Exec, 0u);
  unsigned number = 0;
  if (text.consume_front("s[") && !text.consumeInteger(10, number) && text.starts_with(":"))
    return std::pair(RegisterFile::Scalar, number);
  return std::nullopt;
}

std::optional<uint64_t> WaveState::mask(StringRef text) const {
  if (auto reg = maskRegister(text)) {
    auto low = known.find(*reg), high = known.find({reg->first, reg->second + 1});
    if (low == known.end() || high == known.end() || !low->second.isExact || !high->second.isExact)
      return std::nullopt;
    return uint64_t(high->second.lanes[0]) << 32 | low->second.lanes[0];
  }
  int64_t constant = 0;
  return text.getAsInteger(0, constant) ? std::nullopt : std::optional<uint64_t>(constant);
}

void WaveState::setMask(StringRef text, std::optional<uint64_t> value) {
  auto reg = maskRegister(text);
  if (!reg)
    return;
  for (unsigned half : {0u, 1u}) {
    known.erase({reg->first, reg->second + half});
    if (value)
      known[{reg->first, reg->second + half}] = uniform(static_cast<uint32_t>(*value >> 32 * half));
  }
}

std::optional<bool> WaveState::scc() const {
  auto it = known.find({RegisterFile::Scc, 0});
  return it == known.end() ? std::nullopt : std::optional<bool>(it->second.lanes[0] != 0);
}

void WaveState::setScc(bool value) { known[{RegisterFile::Scc, 0}] = uniform(value); }

static SmallVector<StringRef, 4> operandsOf(const Instruction &instr) {
  SmallVector<StringRef, 4> texts;
  StringRef(instr.operands).split(texts, ',');
  for (StringRef &text : texts)
    text = text.trim();
  return texts;
}

/// Both masks known, or one of them decides.
static std::optional<uint64_t> combine(StringRef operation, std::optional<uint64_t> a,
                                       std::optional<uint64_t> b) {
  constexpr uint64_t all = ~uint64_t(0);
  if (operation == "and" && (a == 0 || b == 0))
    return 0;
  if (operation == "or" && (a == all || b == all))
    return all;
  if (!a || !b)
    return std::nullopt;
  if (operation == "and")
    return *a & *b;
  if (operation == "or")
    return *a | *b;
  if (operation == "xor")
    return *a ^ *b;
  return operation == "andn2" ? std::optional(*a & ~*b) : std::nullopt;
}

/// The 64-bit result of s_mov_b64, s_and_b64 and their like.
std::optional<uint64_t> WaveState::maskResult(const Instruction &instr) const {
  StringRef operation = instr.mnemonic;
  if (!operation.consume_front("s_") || !operation.consume_back("_b64"))
    return std::nullopt;
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  if (operation == "mov" && texts.size() == 2)
    return mask(texts[1]);
  return texts.size() == 3 ? combine(operation, mask(texts[1]), mask(texts[2])) : std::nullopt;
}

/// s_and_saveexec_b64 and its like: exec goes to the result, exec becomes the combination.
void WaveState::stepSaveExec(const Instruction &instr) {
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  std::optional<uint64_t> old = mask("exec"), given = texts.size() == 2 ? mask(texts[1]) : old;
  StringRef operation = instr.mnemonic;
  operation.consume_front("s_");
  std::optional<uint64_t> now = combine(operation.split('_').first, given, old);
  forget(instr);
  setMask(texts[0], old);
  setMask("exec", now);
  if (now)
    setScc(*now != 0);
}

/// `relation` and signedness of v_cmp_lt_i32_e64, s_cmp_lt_i32, s_cmpk_lt_i32.
static std::optional<std::pair<StringRef, bool>> comparisonOf(StringRef mnemonic) {
  if (!mnemonic.consume_front("v_cmp_") && !mnemonic.consume_front("s_cmp_") &&
      !mnemonic.consume_front("s_cmpk_"))
    return std::nullopt;
  auto [relation, type] = mnemonic.split('_');
  type = type.split('_').first;
  if (type != "u32" && type != "i32")
    return std::nullopt;
  return std::pair(relation, type == "i32");
}

std::optional<uint64_t> WaveState::compareLanes(const Instruction &instr) const {
  auto comparison = comparisonOf(instr.mnemonic);
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  std::optional<uint64_t> active = mask("exec");
  if (!comparison || texts.size() != 3 || !active)
    return std::nullopt;
  std::optional<LaneInts> a = operand(texts[1]), b = operand(texts[2]);
  if (!a || !b || !a->isExact || !b->isExact)
    return std::nullopt;
  uint64_t result = 0;
  for (unsigned lane = 0; lane < waveLanes; ++lane) {
    auto bit =
        compareIntegers(comparison->first, comparison->second, a->lanes[lane], b->lanes[lane]);
    if (!bit)
      return std::nullopt;
    result |= uint64_t(*bit) << lane;
  }
  return result & *active;
}

/// s_bitcmp0_b32 and s_bitcmp1_b32: whether a bit is 0 or 1.
static std::optional<bool> compareBit(StringRef mnemonic, const LaneInts &value,
                                      const LaneInts &bit) {
  if (!mnemonic.consume_front("s_bitcmp") || !mnemonic.ends_with("_b32"))
    return std::nullopt;
  return (value.lanes[0] >> (bit.lanes[0] & 31) & 1) == unsigned(mnemonic.front() - '0');
}

std::optional<bool> WaveState::compareScalars(const Instruction &instr) const {
  auto comparison = comparisonOf(instr.mnemonic);
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  if (texts.size() != 2)
    return std::nullopt;
  bool isShort = hasShortImmediate(instr.mnemonic);
  std::optional<LaneInts> a = operand(texts[0]), b = operand(texts[1], isShort);
  if (!a || !b || !a->isExact || !b->isExact)
    return std::nullopt;
  return comparison
             ? compareIntegers(comparison->first, comparison->second, a->lanes[0], b->lanes[0])
             : compareBit(instr.mnemonic, *a, *b);
}

std::optional<bool> WaveState::isTaken(const Instruction &branch) const {
  if (!branch.isConditional)
    return true;
  StringRef condition = branch.mnemonic;
  condition.consume_front("s_cbranch_");
  if (condition == "scc0" || condition == "scc1") {
    std::optional<bool> bit = scc();
    return bit ? std::optional(*bit == (condition == "scc1")) : std::nullopt;
  }
  StringRef name = condition.starts_with("vcc") ? "vcc" : "exec";
  std::optional<uint64_t> value = mask(name);
  if (!value)
    return std::nullopt;
  return (*value != 0) == condition.ends_with("nz");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// s_cselect_b32 and v_cndmask_b32.
std::optional<LaneInts> WaveState::select(const Instruction &instr) const {
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  bool isScalar = instr.mnemonic == "s_cselect_b32";
  if (texts.size() != (isScalar ? 3u : 4u))
    return std::nullopt;
  std::optional<LaneInts> a = operand(texts[1]), b = operand(texts[2]);
  if (isScalar) {
    std::optional<bool> bit = scc();
    return bit ? (*bit ? a : b) : std::nullopt;
  }
  std::optional<uint64_t> lanes = mask(texts[3]);
  if (!a || !b || !lanes || a->isExact != b->isExact)
    return std::nullopt;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    if (*lanes >> lane & 1)
      a->lanes[lane] = b->lanes[lane];
  return a;
}

/// What the result register holds after a vector instruction that only active lanes execute.
std::optional<LaneInts> WaveState::underExec(const Instruction &instr,
                                             std::optional<LaneInts> value) const {
  bool isVector = instr.kind == InstrKind::Vector && instr.mnemonic != "v_readfirstlane_b32";
  if (!isVector || exec == Exec::Ignored || hasAllLanes() || instr.writes.empty())
    return value;
  std::optional<uint64_t> active = mask("exec");
  auto old = known.find({instr.writes[0].file, instr.writes[0].first});
  if (!active || !value || old == known.end() || !value->isExact || !old->second.isExact)
    return std::nullopt;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    if (!(*active >> lane & 1))
      value->lanes[lane] = old->second.lanes[lane];
  return value;
}

void WaveState::forget(const Instruction &instr) {
  for (const RegisterRange &range : instr.writes) {
    bool isMask = range.file == RegisterFile::Vcc || range.file == RegisterFile::Exec;
    for (unsigned i = 0; i < (isMask ? 2u : range.count); ++i)
      known.erase({range.file, range.first + i});
  }
}

void WaveState::step(const Instruction &instr) {
  StringRef mnemonic = instr.mnemonic;
  if (mnemonic.contains("_saveexec_b64"))
    return stepSaveExec(instr);
  if (mnemonic.starts_with("s_cmp") || mnemonic.starts_with("s_bitcmp")) {
    std::optional<bool> bit = compareScalars(instr);
    forget(instr);
    if (bit)
      setScc(*bit);
    return;
  }
  bool isCompare = mnemonic.starts_with("v_cmp_"),
       isMask = mnemonic.ends_with("_b64") && mnemonic.starts_with("s_");
  if (isCompare || isMask) {
    std::optional<uint64_t> result = isCompare ? compareLanes(instr) : maskResult(instr);
    forget(instr);
    setMask(operandsOf(instr)[0], result);
    if (isMask && result && mnemonic != "s_mov_b64")
      setScc(*result != 0);
    return;
  }
  bool isSelect = mnemonic == "s_cselect_b32" || mnemonic.starts_with("v_cndmask_b32");
  std::optional<LaneInts> value =
      isSelect ? select(instr) : evaluateInteger(instr, [&](StringRef text) {
        return operand(text, hasShortImmediate(mnemonic));
      });
  // With lanes off, the first active one is another.
  if (mnemonic == "v_readfirstlane_b32" && exec == Exec::Tracked && !hasAllLanes()) {
    std::optional<LaneInts> source = operand(operandsOf(instr)[1]);
    if (!source || !source->isUniform())
      value = std::nullopt;
  }
  value = underExec(instr, value);
  forget(instr);
  if (!value || instr.writes.empty())
    return;
  known[{instr.writes[0].file, instr.writes[0].first}] = *value;
  if (value->isExact && setsSccToNonZero(mnemonic))
    setScc(value->lanes[0] != 0);
}

} // namespace tilec::report

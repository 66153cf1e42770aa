//===- WaveState.cpp - the integer registers of one wave ------------------===//
//
// Takes instructions in order, follows the integers in the registers of one wave as far as they
// are known.
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
  known.set({RegisterFile::Vector, 0}, thread);
  setMask("exec", ~uint64_t(0));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<LaneInts> WaveState::registerValue(RegisterFile file, unsigned number) const {
  if (const LaneInts *value = known.find({file, number}))
    return *value;
  if (file != RegisterFile::Scalar)
    return std::nullopt;
  LaneInts unknown = freshUnknown();
  known.set({file, number}, unknown);
  return unknown;
}

/// Some number, the same for all lanes.
LaneInts WaveState::freshUnknown() const {
  LaneInts value;
  value.terms.push_back({++unknowns, 1});
  return value;
}

std::optional<LaneInts> WaveState::operand(StringRef text, bool isShortImmediate) const {
  unsigned number = 0;
  int64_t constant = 0;
  if (text == "m0")
    return registerValue(RegisterFile::M0, 0);
  if (text == "vcc_lo" || text == "vcc_hi")
    return registerValue(RegisterFile::Vcc, text == "vcc_hi");
  if (StringRef rest = text; rest.consume_front("a") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Accumulator, number);
  if (StringRef rest = text; rest.consume_front("v") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Vector, number);
  if (StringRef rest = text; rest.consume_front("s") && !rest.getAsInteger(10, number))
    return registerValue(RegisterFile::Scalar, number);
  // An inline constant is printed as the number that it is in floating point, whoever reads it.
  if (double inlined; text.contains('.') && !text.getAsDouble(inlined))
    return uniform(llvm::bit_cast<uint32_t>(float(inlined)));
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
  if (!value)
    return std::nullopt;
  uint32_t offset = offsetOf(instr, which);
  for (uint32_t &lane : value->lanes)
    lane += offset;
  return value;
}

std::optional<Bounds> WaveState::sharedStretch(const Instruction &instr, unsigned which) const {
  bool isShared = instr.kind == InstrKind::SharedRead || instr.kind == InstrKind::SharedWrite;
  const Bounds *value = isShared && !instr.reads.empty()
                            ? bounded.find({instr.reads[0].file, instr.reads[0].first})
                            : nullptr;
  uint64_t offset = offsetOf(instr, which);
  if (!value || value->most + offset > ~uint32_t(0))
    return std::nullopt;
  return Bounds{static_cast<uint32_t>(value->least + offset),
                static_cast<uint32_t>(value->most + offset)};
}

std::optional<LaneInts> WaveState::dmaTarget() const { return registerValue(RegisterFile::M0, 0); }

bool WaveState::hasAllLanes() const { return active() == ~uint64_t(0); }

//===----------------------------------------------------------------------===//
// Masks and conditions
//===----------------------------------------------------------------------===//

/// The first of the two registers that hold a mask.
static std::optional<RegisterKey> maskRegister(StringRef text) {
  if (text == "vcc")
    return std::pair(RegisterFile::Vcc, 0u);
  if (text == "exec")
    return std::pair(RegisterFile::Exec, 0u);
  unsigned number = 0;
  if (text.consume_front("s[") && !text.consumeInteger(10, number) && text.starts_with(":"))
    return std::pair(RegisterFile::Scalar, number);
  return std::nullopt;
}

std::optional<uint64_t> WaveState::maskIn(RegisterKey at) const {
  const LaneInts *low = known.find(at), *high = known.find({at.first, at.second + 1});
  if (!low || !high || !low->isExact() || !high->isExact())
    return std::nullopt;
  return uint64_t(high->lanes[0]) << 32 | low->lanes[0];
}

std::optional<uint64_t> WaveState::mask(StringRef text) const {
  if (auto reg = maskRegister(text))
    return maskIn(*reg);
  int64_t constant = 0;
  return text.getAsInteger(0, constant) ? std::nullopt : std::optional<uint64_t>(constant);
}

void WaveState::setMask(StringRef text, std::optional<uint64_t> value) {
  auto reg = maskRegister(text);
  if (!reg)
    return;
  known.erase(*reg, 2);
  for (unsigned half = 0; value && half < 2; ++half)
    known.set({reg->first, reg->second + half},
              uniform(static_cast<uint32_t>(*value >> 32 * half)));
}

WaveState::Mask WaveState::namedMask(StringRef text) const {
  if (std::optional<uint64_t> bits = mask(text))
    return {bits};
  auto reg = maskRegister(text);
  const uint32_t *unknown = reg ? unknownMasks.find(*reg) : nullptr;
  return unknown ? Mask{std::nullopt, *unknown} : Mask();
}

void WaveState::setNamedMask(StringRef text, const Mask &value) {
  setMask(text, value.bits);
  auto reg = maskRegister(text);
  if (reg && !value.bits && value.unknown)
    unknownMasks.set(*reg, value.unknown);
}

std::optional<bool> WaveState::scc() const {
  const LaneInts *bit = known.find({RegisterFile::Scc, 0});
  return bit ? std::optional<bool>(bit->lanes[0] != 0) : std::nullopt;
}

void WaveState::setScc(bool value) { known.set({RegisterFile::Scc, 0}, uniform(value)); }

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

/// The 64-bit result of s_mov_b64, s_and_b64, s_cselect_b64 and their like.
std::optional<uint64_t> WaveState::maskResult(const Instruction &instr) const {
  StringRef operation = instr.mnemonic;
  if (!operation.consume_front("s_") || !operation.consume_back("_b64"))
    return std::nullopt;
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  if (operation == "mov" && texts.size() == 2)
    return mask(texts[1]);
  if (operation == "cselect" && texts.size() == 3) {
    std::optional<bool> bit = scc();
    return bit ? mask(texts[*bit ? 1 : 2]) : std::nullopt;
  }
  return texts.size() == 3 ? combine(operation, mask(texts[1]), mask(texts[2])) : std::nullopt;
}

/// s_and_saveexec_b64 and its like: exec goes to the result, exec becomes the combination.
void WaveState::stepSaveExec(const Instruction &instr) {
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  Mask old = namedMask("exec"), now;
  std::optional<uint64_t> given = texts.size() == 2 ? mask(texts[1]) : old.bits;
  StringRef operation = instr.mnemonic;
  operation.consume_front("s_");
  operation = operation.split('_').first;
  now.bits = combine(operation, given, old.bits);
  if (!now.bits) {
    now.unknown = ++unknowns;
    if (operation == "and" && old.isNamed())
      wholeOf[now.unknown] = old;
  }
  forget(instr);
  setNamedMask(texts[0], old);
  setNamedMask("exec", now);
  if (now.bits)
    setScc(*now.bits != 0);
}

/// `exec ^ what it was` behind an s_and_saveexec, and `exec | that`, which ends the branch; and
/// moves of masks.
bool WaveState::stepRest(const Instruction &instr) {
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  if (instr.mnemonic == "s_mov_b64" && texts.size() == 2) {
    Mask moved = namedMask(texts[1]);
    if (moved.bits || !moved.unknown)
      return false;
    forget(instr);
    setNamedMask(texts[0], moved);
    return true;
  }
  if (texts.size() != 3 || texts[1] != "exec")
    return false;
  Mask now = namedMask("exec"), other = namedMask(texts[2]);
  auto part = maskRegister(texts[2]);
  if (instr.mnemonic == "s_xor_b64" && now.unknown) {
    auto whole = wholeOf.find(now.unknown);
    auto to = maskRegister(texts[0]);
    if (whole == wholeOf.end() || !(whole->second == other) || !to)
      return false;
    Mask of = whole->second;
    forget(instr);
    rests.set(*to, {now.unknown, of});
    return true;
  }
  if (instr.mnemonic == "s_or_b64" && texts[0] == "exec" && part) {
    const Rest *rest = rests.find(*part);
    Mask whole;
    if (rest && rest->part == now.unknown)
      whole = rest->whole;
    // What exec was cut out of swallows it.
    else if (auto cut = wholeOf.find(now.unknown); cut != wholeOf.end() && cut->second == other)
      whole = other;
    if (!whole.isNamed())
      return false;
    forget(instr);
    setNamedMask("exec", whole);
    return true;
  }
  return false;
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
  std::optional<uint64_t> active = this->active();
  if (!comparison || texts.size() != 3 || !active)
    return std::nullopt;
  std::optional<LaneInts> a = operand(texts[1]), b = operand(texts[2]);
  if (!a || !b || !a->isExact() || !b->isExact())
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
  if (!a || !b)
    return std::nullopt;
  bool isEquality = comparison && (comparison->first == "eq" || comparison->first == "lg" ||
                                   comparison->first == "ne");
  // What both add makes no difference to whether they are equal; what is less may have wrapped.
  if (!(a->isExact() && b->isExact()) && !(isEquality && a->terms == b->terms))
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
  if (!a || !b || !lanes || a->terms != b->terms)
    return std::nullopt;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    if (*lanes >> lane & 1)
      a->lanes[lane] = b->lanes[lane];
  return a;
}

/// What the result register holds after a vector instruction that only active lanes execute.
std::optional<LaneInts> WaveState::underExec(const Instruction &instr,
                                             std::optional<LaneInts> value) const {
  bool isVector = (instr.kind == InstrKind::Vector || instr.kind == InstrKind::AccumulatorMove) &&
                  instr.mnemonic != "v_readfirstlane_b32";
  if (!isVector || exec == Exec::Ignored || hasAllLanes() || instr.writes.empty())
    return value;
  std::optional<uint64_t> active = this->active();
  const RegisterRange &to = instr.writes[0];
  const LaneInts *old = known.find({to.file, to.first});
  if (!old && to.file == RegisterFile::Vector && active)
    if (auto off = offLanes.find(to.first);
        off != offLanes.end() && !(~*active & ~off->second.lanes))
      old = &off->second.value;
  if (!active || !value || !old || value->terms != old->terms)
    return std::nullopt;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    if (!(*active >> lane & 1))
      value->lanes[lane] = old->lanes[lane];
  return value;
}

/// Before `instr` forgets what it writes.
void WaveState::keepOffLanes(const Instruction &instr, bool isKnown) {
  std::optional<uint64_t> active = this->active();
  isKnown |= !active || *active == ~uint64_t(0);
  if (isKnown && offLanes.empty())
    return;
  for (const RegisterRange &range : instr.writes) {
    if (range.file != RegisterFile::Vector)
      continue;
    for (unsigned number = range.first; number < unsigned(range.first + range.count); ++number) {
      const LaneInts *whole = known.find({RegisterFile::Vector, number});
      auto kept = offLanes.find(number);
      if (isKnown) {
        offLanes.erase(number);
      } else if (whole) {
        offLanes[number] = {*whole, ~*active};
      } else if (kept != offLanes.end()) {
        kept->second.lanes &= ~*active;
      }
    }
  }
}

void WaveState::forget(const Instruction &instr) {
  for (const RegisterRange &range : instr.writes) {
    // A mask's second half is the register behind the one by which it is known.
    unsigned before = range.first > 0;
    unknownMasks.erase({range.file, range.first - before}, range.count + before);
    rests.erase({range.file, range.first - before}, range.count + before);
    known.erase({range.file, range.first}, range.count);
    bounded.erase({range.file, range.first}, range.count);
    if (range.file == RegisterFile::Vector && !keptInLanes.empty())
      keptInLanes.erase(keptInLanes.lower_bound({range.first, 0}),
                        keptInLanes.lower_bound({range.first + range.count, 0}));
  }
}

/// v_writelane_b32 keeps a scalar in a lane, v_readlane_b32 fetches one.
void WaveState::stepLane(const Instruction &instr) {
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  bool isWrite = instr.mnemonic.starts_with("v_writelane");
  unsigned lane = 0, vector = 0;
  StringRef name = texts.size() == 3 ? texts[isWrite ? 0 : 1] : StringRef();
  if (!name.consume_front("v") || name.getAsInteger(10, vector) || texts[2].getAsInteger(10, lane))
    return forget(instr);
  if (isWrite) {
    known.erase({RegisterFile::Vector, vector});
    offLanes.erase(vector);
    keptInLanes[{vector, lane}] = operand(texts[1]).value_or(freshUnknown());
    return;
  }
  auto kept = keptInLanes.find({vector, lane});
  std::optional<LaneInts> value;
  if (kept != keptInLanes.end()) {
    value = kept->second;
  } else if (auto whole = registerValue(RegisterFile::Vector, vector); whole && lane < waveLanes) {
    value = *whole;
    value->lanes.fill(whole->lanes[lane]);
  }
  forget(instr);
  if (value && !instr.writes.empty())
    known.set({instr.writes[0].file, instr.writes[0].first}, *value);
}

/// Spills: `scratch_store_dwordx2 off, v[4:5], off offset:16` and its load. What is stored or
/// loaded with lanes off, or at an address from a register, is not followed.
void WaveState::stepScratch(const Instruction &instr) {
  SmallVector<StringRef, 4> texts = operandsOf(instr);
  bool isStore = instr.mnemonic.starts_with("scratch_store_dword");
  if (!isStore && !instr.mnemonic.starts_with("scratch_load_dword")) {
    if (instr.mnemonic.starts_with("scratch_store"))
      keptInScratch.clear();
    return forget(instr);
  }
  auto [place, rest] = texts.back().split(' ');
  unsigned at = 0;
  bool isFixed = texts.size() == 3 && texts[isStore ? 0 : 1] == "off" && place == "off" &&
                 (rest.empty() || (rest.consume_front("offset:") && !rest.getAsInteger(10, at)));
  StringRef data = texts.size() == 3 ? texts[isStore ? 1 : 0] : StringRef();
  unsigned first = 0, last = 0;
  if (data.consume_front("v[")) {
    auto [from, to] = data.split(':');
    isFixed &= !from.getAsInteger(10, first) && to.consume_back("]") && !to.getAsInteger(10, last);
  } else {
    isFixed &= data.consume_front("v") && !data.getAsInteger(10, first);
    last = first;
  }
  if (isStore) {
    if (!isFixed)
      return keptInScratch.clear();
    for (unsigned i = 0; first + i <= last; ++i) {
      keptInScratch.erase(at + 4 * i);
      auto value = registerValue(RegisterFile::Vector, first + i);
      if (value && hasAllLanes())
        keptInScratch.insert({at + 4 * i, *value});
    }
    return;
  }
  forget(instr);
  for (unsigned i = 0; isFixed && hasAllLanes() && first + i <= last; ++i)
    if (auto kept = keptInScratch.find(at + 4 * i); kept != keptInScratch.end())
      known.set({RegisterFile::Vector, first + i}, kept->second);
}

const Instruction *WaveState::unknownSource(const Instruction &use) const {
  auto sourceOf = [&](RegisterFile file, unsigned number) -> const Instruction * {
    const Instruction *const *since = unknownSince.find({file, number});
    return since ? *since : nullptr;
  };
  if (use.kind == InstrKind::SharedDma)
    return sourceOf(RegisterFile::M0, 0);
  for (const RegisterRange &range : use.reads)
    for (unsigned i = 0; i < range.count; ++i)
      if (const Instruction *source = sourceOf(range.file, range.first + i))
        return source;
  return nullptr;
}

/// What `instr` has left unknown is the fault of an input that was unknown already, or its own.
void WaveState::noteUnknown(const Instruction &instr) {
  if (instr.writes.empty())
    return;
  const Instruction *source = unknownSource(instr);
  for (const RegisterRange &range : instr.writes)
    for (unsigned i = 0; i < range.count; ++i) {
      RegisterKey key{range.file, range.first + i};
      const LaneInts *value = known.find(key);
      if (value && value->isExact())
        unknownSince.erase(key);
      else
        unknownSince.set(key, source ? source : &instr);
    }
}

std::optional<Bounds> WaveState::bounds(StringRef text) const {
  unsigned number = 0;
  StringRef rest = text;
  bool isVector =
      (rest.consume_front("v") || rest.consume_front("a")) && !rest.getAsInteger(10, number);
  RegisterFile file = text.starts_with("a") ? RegisterFile::Accumulator : RegisterFile::Vector;
  if (const Bounds *known = isVector ? bounded.find({file, number}) : nullptr)
    return *known;
  std::optional<LaneInts> value = operand(text);
  if (!value || !value->isExact())
    return std::nullopt;
  auto [least, most] = std::minmax_element(value->lanes.begin(), value->lanes.end());
  return Bounds{*least, *most};
}

void WaveState::step(const Instruction &instr) {
  std::optional<Bounds> result;
  bool isOfLanes = instr.writes.size() == 1 && instr.writes[0].count == 1 &&
                   instr.writes[0].file != RegisterFile::Scalar;
  if (isOfLanes && (exec == Exec::Ignored || hasAllLanes()))
    result = boundsOfResult(instr, [&](StringRef text) { return bounds(text); });
  compute(instr);
  if (result && !known.find({instr.writes[0].file, instr.writes[0].first}))
    bounded.set({instr.writes[0].file, instr.writes[0].first}, *result);
  noteUnknown(instr);
}

void WaveState::compute(const Instruction &instr) {
  StringRef mnemonic = instr.mnemonic;
  if (mnemonic.starts_with("s_") && mnemonic.contains("_saveexec_b64"))
    return stepSaveExec(instr);
  if (mnemonic.starts_with("s_") && mnemonic.ends_with("_b64") && stepRest(instr))
    return;
  if (mnemonic.starts_with("v_writelane_b32") || mnemonic.starts_with("v_readlane_b32"))
    return stepLane(instr);
  if (mnemonic.starts_with("scratch_"))
    return stepScratch(instr);
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
    if (isMask && result && mnemonic != "s_mov_b64" && mnemonic != "s_cselect_b64")
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
  keepOffLanes(instr, value.has_value());
  forget(instr);
  if (!value || instr.writes.empty())
    return;
  known.set({instr.writes[0].file, instr.writes[0].first}, *value);
  if (value->isExact() && setsSccToNonZero(mnemonic))
    setScc(value->lanes[0] != 0);
}

} // namespace tilec::report

//===- ValueBounds.cpp - what a register cannot be less or more than ------===//
//
// Takes a vector instruction and bounds of its operands, gives bounds of its result. Nothing here
// wraps: where a bound would, none is given.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ValueBounds.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilec::report {

namespace {

using MaybeBounds = std::optional<Bounds>;
constexpr uint64_t largest = ~uint32_t(0);
constexpr uint32_t largestHalf = 0xffff;

MaybeBounds within(uint64_t least, uint64_t most) {
  if (most > largest)
    return std::nullopt;
  return Bounds{static_cast<uint32_t>(least), static_cast<uint32_t>(most)};
}

/// The one number that it can be.
std::optional<uint32_t> exactly(MaybeBounds value) {
  return value && value->least == value->most ? std::optional(value->least) : std::nullopt;
}

MaybeBounds add(MaybeBounds a, MaybeBounds b) {
  if (!a || !b)
    return std::nullopt;
  return within(uint64_t(a->least) + b->least, uint64_t(a->most) + b->most);
}

MaybeBounds shiftLeft(MaybeBounds value, MaybeBounds by) {
  std::optional<uint32_t> bits = exactly(by);
  if (!value || !bits)
    return std::nullopt;
  return within(uint64_t(value->least) << (*bits & 31), uint64_t(value->most) << (*bits & 31));
}

MaybeBounds shiftRight(MaybeBounds value, MaybeBounds by) {
  std::optional<uint32_t> bits = exactly(by);
  if (!bits)
    return std::nullopt;
  Bounds from = value.value_or(Bounds());
  return Bounds{from.least >> (*bits & 31), from.most >> (*bits & 31)};
}

/// Of the lower halves alone; the upper half of the result is zero (CDNA3 ISA document, 6.2).
MaybeBounds halves(MaybeBounds value, MaybeBounds by,
                   MaybeBounds (*shift)(MaybeBounds, MaybeBounds)) {
  Bounds half = value && value->most <= largestHalf ? *value : Bounds{0, largestHalf};
  MaybeBounds shifted = shift(half, by);
  return shifted && shifted->most <= largestHalf ? shifted : Bounds{0, largestHalf};
}

/// Neither may be known: a mask bounds what it is laid over.
MaybeBounds bitAnd(MaybeBounds a, MaybeBounds b) {
  uint32_t most = std::min(a.value_or(Bounds()).most, b.value_or(Bounds()).most);
  return a || b ? MaybeBounds(Bounds{0, most}) : std::nullopt;
}

MaybeBounds bitOr(MaybeBounds a, MaybeBounds b) {
  if (!a || !b)
    return std::nullopt;
  // No bit above the highest that either can have.
  uint64_t above = NextPowerOf2(std::max(a->most, b->most));
  return within(std::max(a->least, b->least), above - 1);
}

/// Loads of less than a register, whose upper part is zero.
MaybeBounds loaded(StringRef mnemonic) {
  return StringSwitch<MaybeBounds>(mnemonic)
      .Cases({"ds_read_u8", "global_load_ubyte", "buffer_load_ubyte"}, Bounds{0, 0xff})
      .Cases({"ds_read_u16", "global_load_ushort", "buffer_load_ushort"}, Bounds{0, largestHalf})
      .Default(std::nullopt);
}

} // namespace

std::optional<Bounds> boundsOfResult(const Instruction &instr,
                                     function_ref<std::optional<Bounds>(StringRef)> boundsOf) {
  if (instr.kind == InstrKind::SharedRead || instr.kind == InstrKind::GlobalLoad)
    return loaded(instr.mnemonic);
  StringRef name = instr.mnemonic;
  if (!name.consume_back("_e32"))
    name.consume_back("_e64");
  // Asked for every instruction of every round, of which most are none of these.
  SmallVector<StringRef, 4> texts;
  auto at = [&](unsigned n) {
    if (texts.empty())
      StringRef(instr.operands).split(texts, ',');
    return n < texts.size() ? boundsOf(texts[n].trim()) : std::nullopt;
  };
  if (name == "v_mov_b32" || name.starts_with("v_accvgpr_"))
    return at(1);
  if (name == "v_and_b32")
    return bitAnd(at(1), at(2));
  if (name == "v_or_b32")
    return bitOr(at(1), at(2));
  if (name == "v_add_u32")
    return add(at(1), at(2));
  if (name == "v_lshlrev_b32")
    return shiftLeft(at(2), at(1));
  if (name == "v_lshrrev_b32")
    return shiftRight(at(2), at(1));
  if (name == "v_lshlrev_b16")
    return halves(at(2), at(1), shiftLeft);
  if (name == "v_lshrrev_b16")
    return halves(at(2), at(1), shiftRight);
  if (name == "v_lshl_add_u32")
    return add(shiftLeft(at(1), at(2)), at(3));
  if (name == "v_add_lshl_u32")
    return shiftLeft(add(at(1), at(2)), at(3));
  if (name == "v_lshl_or_b32")
    return bitOr(shiftLeft(at(1), at(2)), at(3));
  if (name == "v_and_or_b32")
    return bitOr(bitAnd(at(1), at(2)), at(3));
  if (std::optional<uint32_t> width = name == "v_bfe_u32" ? exactly(at(3)) : std::nullopt)
    return Bounds{0, (uint32_t(1) << (*width & 31)) - 1};
  return std::nullopt;
}

} // namespace tilec::report

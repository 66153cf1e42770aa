//===- Convert.cpp - cvt --------------------------------------------------===//
//
// Decodes cvt with its roundings and saturation, and converts lane by lane.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "tilec/Base/DType.h"

#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace llvm;

namespace tilec::ptx {
namespace {

enum Rounding : uint8_t { NearestEven, TowardZero, Down, Up, NearestAway };

bool isPair(Ty type) {
  return type == Ty::F16x2 || type == Ty::BF16x2 || type == Ty::E4M3x2 || type == Ty::E5M2x2;
}
Ty elementOf(Ty type) {
  switch (type) {
  case Ty::F16x2:
    return Ty::F16;
  case Ty::BF16x2:
    return Ty::BF16;
  case Ty::E4M3x2:
    return Ty::E4M3;
  case Ty::E5M2x2:
    return Ty::E5M2;
  default:
    return type;
  }
}

double toReal(Ty type, uint64_t bits) {
  switch (type) {
  case Ty::F64:
    return unpack<double>(bits);
  case Ty::F16:
    return floatOfHalf(uint16_t(bits));
  case Ty::BF16:
    return floatOfBrain(uint16_t(bits));
  case Ty::E4M3:
    return tilec::decodeFloat(DType::E4M3FN, bits & 0xff);
  case Ty::E5M2:
    return tilec::decodeFloat(DType::E5M2, bits & 0xff);
  default:
    return unpack<float>(bits);
  }
}

float roundToFloat(double value, uint8_t rounding) {
  float nearest = float(value);
  if (rounding == NearestEven || std::isnan(value) || double(nearest) == value)
    return nearest;
  bool wantsLess = rounding == Down || (rounding == TowardZero && value > 0);
  if (wantsLess && double(nearest) > value)
    return std::nextafter(nearest, -INFINITY);
  if (!wantsLess && double(nearest) < value)
    return std::nextafter(nearest, INFINITY);
  return nearest;
}

uint64_t fromReal(Ty type, double value, const Instruction &instr) {
  switch (type) {
  case Ty::F64:
    return pack(value);
  case Ty::F16:
    return halfOfFloat(value);
  case Ty::BF16:
    return brainOfFloat(value);
  case Ty::E4M3:
    return tilec::encodeFloat(DType::E4M3FN, value);
  case Ty::E5M2:
    return tilec::encodeFloat(DType::E5M2, value);
  case Ty::TF32: { // 10 bits of fraction; ties away from zero
    uint32_t bits = pack(float(value));
    return std::isfinite(value) ? (bits + 0x1000) & ~0x1fffu : bits;
  }
  default: {
    float result = roundToFloat(value, instr.mode);
    if (instr.flushes && std::fpclassify(result) == FP_SUBNORMAL)
      result = std::copysign(0.f, result);
    if (instr.saturates)
      result = std::isnan(result) ? 0 : std::min(std::max(result, 0.f), 1.f);
    return pack(result);
  }
  }
}

double roundedToInteger(double value, uint8_t rounding) {
  switch (rounding) {
  case TowardZero:
    return std::trunc(value);
  case Down:
    return std::floor(value);
  case Up:
    return std::ceil(value);
  case NearestAway:
    return std::round(value);
  default:
    return std::nearbyint(value);
  }
}

/// A float as an integer: beyond the range the nearest value of it, NaN as 0.
uint64_t toInteger(Ty type, double value) {
  unsigned bits = 8 * bytesOf(type);
  uint64_t mask = maskTrailingOnes<uint64_t>(bits);
  if (std::isnan(value))
    return 0;
  if (isSignedInt(type)) {
    double limit = std::ldexp(1.0, int(bits) - 1);
    if (value >= limit)
      return mask >> 1;
    if (value < -limit)
      return 1ull << (bits - 1);
    return uint64_t(int64_t(value)) & mask;
  }
  if (value <= 0)
    return 0;
  return value >= std::ldexp(1.0, int(bits)) ? mask : uint64_t(value);
}

int64_t extended(Ty type, uint64_t bits) {
  unsigned width = 8 * bytesOf(type);
  return isSignedInt(type) ? SignExtend64(bits, width)
                           : int64_t(bits & maskTrailingOnes<uint64_t>(width));
}

/// A result that is narrower than its register is extended.
uint64_t inRegister(Ty type, uint64_t bits) {
  return bytesOf(type) < 4 ? uint32_t(extended(type, bits)) : bits;
}

uint64_t convertOne(const Instruction &instr, Ty to, Ty from, uint64_t bits) {
  if (isFloat(from)) {
    double value = toReal(from, bits);
    if (instr.flushes && from == Ty::F32 && std::fpclassify(float(value)) == FP_SUBNORMAL)
      value = std::copysign(0.0, value);
    if (!isFloat(to))
      return inRegister(to, toInteger(to, roundedToInteger(value, instr.mode)));
    if (instr.mode2) // to an integral value of the same type
      value = roundedToInteger(value, instr.mode);
    return fromReal(to, value, instr);
  }
  int64_t value = extended(from, bits);
  if (isFloat(to)) {
    // 64 bits do not fit in a double: round to f32 directly.
    bool isUnsigned64 = from == Ty::U64 || from == Ty::B64;
    if (to == Ty::F32 && instr.mode == NearestEven)
      return pack(isUnsigned64 ? float(uint64_t(value)) : float(value));
    return fromReal(to, isUnsigned64 ? double(uint64_t(value)) : double(value), instr);
  }
  uint64_t mask = maskTrailingOnes<uint64_t>(8 * bytesOf(to)), result = uint64_t(value) & mask;
  if (instr.saturates && isSignedInt(to)) {
    int64_t most = int64_t(mask >> 1), least = -most - 1;
    result = isSignedInt(from) ? uint64_t(std::clamp(value, least, most)) & mask
                               : std::min(uint64_t(value), uint64_t(most));
  } else if (instr.saturates) {
    result = isSignedInt(from) && value < 0 ? 0 : std::min(uint64_t(value), mask);
  }
  return inRegister(to, result);
}

/// Of two sources the first lands high, of one the halves keep their places. A half is known when
/// its source is: the other may be of a tile's padding.
Step convertPair(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Ty to = elementOf(instr.type), from = elementOf(instr.type2);
  unsigned toBytes = bytesOf(to), fromBytes = bytesOf(from);
  bool isOfTwo = instr.args.size() == 3;
  Value high = warp.in(instr.args[1]), low = isOfTwo ? warp.in(instr.args[2]) : high;
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = 0;
    known[lane] = uint8_t(~maskTrailingOnes<uint32_t>(2 * toBytes));
    for (unsigned half : {0u, 1u}) {
      const Value &source = half ? high : low;
      unsigned at = isOfTwo ? 0 : half * fromBytes;
      uint8_t wanted = uint8_t(maskTrailingOnes<uint32_t>(fromBytes) << at);
      results[lane] |= convertOne(instr, to, from, source[lane] >> (8 * at))
                       << (8 * toBytes * half);
      if ((source.bytes[lane] & wanted) == wanted)
        known[lane] |= uint8_t(maskTrailingOnes<uint32_t>(toBytes) << (toBytes * half));
    }
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

/// An integer in a register of another width: bytes that are known stay so, and those above them
/// come from the topmost one's sign or are zero.
Step resize(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  Value a = warp.in(instr.args[1]);
  bool isWider = bytesOf(instr.type) > bytesOf(instr.type2);
  unsigned kept = std::min(bytesOf(instr.type), bytesOf(instr.type2));
  uint8_t low = uint8_t(maskTrailingOnes<uint32_t>(kept));
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = convertOne(instr, instr.type, instr.type2, a[lane]);
    bool isAboveKnown =
        !isSignedInt(isWider ? instr.type2 : instr.type) || (a.bytes[lane] >> (kept - 1) & 1);
    known[lane] = uint8_t((a.bytes[lane] & low) | (isAboveKnown ? ~low : 0));
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

Step convert(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (!isFloat(instr.type) && !isFloat(instr.type2) && !instr.saturates)
    return resize(warp, instr, lanes);
  uint64_t results[warpLanes];
  Value a = warp.in(instr.args[1]);
  uint32_t defined = a.defined;
  if (!isFloat(instr.type2)) { // the low bytes are what counts
    uint8_t wanted = uint8_t(maskTrailingOnes<uint32_t>(bytesOf(instr.type2)));
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      defined |= uint32_t((a.bytes[lane] & wanted) == wanted) << lane;
  }
  if (isPair(instr.type))
    return convertPair(warp, instr, lanes);
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    results[lane] = convertOne(instr, instr.type, instr.type2, a[lane]);
  warp.out(instr.args[0], lanes, results, defined);
  return Step::Next;
}

} // namespace

bool decodeConvert(const Statement &s, Instruction &i) {
  if (s.opcode != "cvt" || s.mods.size() < 2 || s.has("relu") || s.has("rs") || s.has("scaled"))
    return false;
  i.type2 = parseType(s.mods.back());
  i.type = parseType(s.mods[s.mods.size() - 2]);
  if (i.type == Ty::None || i.type2 == Ty::None)
    return false;
  auto pick = [&](StringRef nearest, StringRef zero, StringRef down, StringRef up) {
    if (s.has(nearest))
      i.mode = NearestEven;
    else if (s.has(zero))
      i.mode = TowardZero;
    else if (s.has(down))
      i.mode = Down;
    else if (s.has(up))
      i.mode = Up;
    else
      return false;
    return true;
  };
  bool isIntegral = pick("rni", "rzi", "rmi", "rpi");
  bool isRounded = isIntegral || pick("rn", "rz", "rm", "rp");
  i.mode2 = isIntegral;
  if (s.has("rna"))
    i.mode = NearestAway;
  // Directed rounding is known for f32 only.
  if (isRounded && !isIntegral && i.mode != NearestEven && i.type != Ty::F32)
    return false;
  i.run = convert;
  return true;
}

} // namespace tilec::ptx

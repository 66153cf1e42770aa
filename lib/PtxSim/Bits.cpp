//===- Bits.cpp - integers as bits ----------------------------------------===//
//
// A byte of a result is known when the bytes that it comes from are, wherever compilers put
// elements of a byte into registers that nothing has written yet.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// Constants may be wider than the instruction.
uint64_t bitsOf(const Instruction &instr) {
  return instr.type == Ty::Pred ? 1 : maskTrailingOnes<uint64_t>(8 * bytesOf(instr.type));
}

Step bitXor(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint64_t mask = bitsOf(instr);
  return map<2, uint64_t>(warp, instr, lanes,
                          [=](uint64_t a, uint64_t b) { return (a ^ b) & mask; });
}
Step bitNot(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forInt(instr.type, [&](auto zero) {
    using T = decltype(zero);
    return map<1, T>(warp, instr, lanes, [](T a) { return T(~a); });
  });
}
Step predicateNot(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<1, uint64_t>(warp, instr, lanes, [](uint64_t a) { return a ^ 1; });
}

/// A zero byte that is known makes a byte of an AND known.
Step bitAnd(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]);
  uint64_t results[warpLanes], mask = bitsOf(instr);
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = a[lane] & b[lane] & mask;
    uint8_t x = a.bytes[lane], y = b.bytes[lane];
    known[lane] = x & y;
    for (unsigned i = 0; known[lane] != 0xff && i < 8; ++i)
      known[lane] |= (((x >> i & 1) && (a[lane] >> (8 * i) & 0xff) == 0) ||
                      ((y >> i & 1) && (b[lane] >> (8 * i) & 0xff) == 0))
                     << i;
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}
Step bitOr(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]);
  uint64_t results[warpLanes], mask = bitsOf(instr);
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = (a[lane] | b[lane]) & mask;
    known[lane] = a.bytes[lane] & b.bytes[lane];
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

/// The bytes that `count` bits from `bit` on touch.
uint8_t bytesOfBits(unsigned bit, unsigned count) {
  if (count == 0 || bit >= 64)
    return 0;
  unsigned first = bit / 8, last = std::min(63u, bit + count - 1) / 8;
  return uint8_t(((2u << (last - first)) - 1) << first);
}

/// Shifts take a 32-bit distance; beyond the width they give 0 or the sign. A byte of the result is
/// known when the bytes that it comes from are.
template <typename T>
Step shift(Warp &warp, const Instruction &instr, uint32_t lanes, bool isLeft) {
  constexpr unsigned bits = 8 * sizeof(T);
  Value a = warp.in(instr.args[1]), distance = warp.in(instr.args[2]);
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    uint32_t n = uint32_t(distance[lane]);
    T value = T(a[lane]);
    T result = n >= bits ? (!isLeft && value < T(0) ? T(-1) : T(0))
               : isLeft  ? T(Unsigned<T>(value) << n)
                         : T(value >> n);
    results[lane] = pack(result);
    known[lane] = 0xff;
    if ((a.defined >> lane & 1) && (distance.defined >> lane & 1))
      continue;
    for (unsigned i = 0; i < sizeof(T); ++i) {
      int from = int(8 * i) + (isLeft ? -int(n) : int(n)), count = 8;
      if (from < 0)
        count += from, from = 0;
      uint8_t wanted = count > 0 ? bytesOfBits(unsigned(from), unsigned(count)) : 0;
      if (std::is_signed_v<T>)
        wanted |= 1u << (sizeof(T) - 1);
      wanted &= uint8_t((1u << sizeof(T)) - 1);
      bool isKnown = (distance.defined >> lane & 1) && (a.bytes[lane] & wanted) == wanted;
      known[lane] &= uint8_t(~(uint32_t(!isKnown) << i));
    }
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}
Step shiftLeft(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forInt(instr.type, [&](auto zero) {
    return shift<Unsigned<decltype(zero)>>(warp, instr, lanes, true);
  });
}
Step shiftRight(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forInt(instr.type,
                [&](auto zero) { return shift<decltype(zero)>(warp, instr, lanes, false); });
}
/// Of the 64 bits {b, a}; mode 0: left, 1: right; mode2 1: the distance is clamped, else wrapped.
Step funnel(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<3, uint32_t>(warp, instr, lanes, [&](uint32_t a, uint32_t b, uint32_t c) -> uint32_t {
    unsigned n = instr.mode2 ? std::min(c, 32u) : c & 31;
    uint64_t both = uint64_t(b) << 32 | a;
    return instr.mode == 0 ? uint32_t((both << n) >> 32) : uint32_t(both >> n);
  });
}

Step extractBits(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned width = 8 * bytesOf(instr.type);
  bool isSigned = isSignedInt(instr.type);
  Value a = warp.in(instr.args[1]), starts = warp.in(instr.args[2]),
        counts = warp.in(instr.args[3]);
  uint64_t results[warpLanes];
  uint32_t defined = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    unsigned at = starts[lane] & 0xff, count = counts[lane] & 0xff;
    uint64_t sign = isSigned && count ? a[lane] >> std::min(at + count - 1, width - 1) & 1 : 0;
    unsigned known = std::min(count, at < width ? width - at : 0);
    uint64_t field = (at < width ? a[lane] >> at : 0) & maskTrailingOnes<uint64_t>(known);
    if (sign)
      field |= ~maskTrailingOnes<uint64_t>(known);
    results[lane] = field & maskTrailingOnes<uint64_t>(width);
    uint8_t wanted = bytesOfBits(at, count);
    defined |= uint32_t((a.bytes[lane] & wanted) == wanted) << lane;
  }
  warp.out(instr.args[0], lanes, results, defined & starts.defined & counts.defined);
  return Step::Next;
}
/// Puts the low bits of `a` into `b`. A byte of the result is known when the bytes that it comes
/// from are.
Step insertBits(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned width = 8 * bytesOf(instr.type);
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]), starts = warp.in(instr.args[3]),
        counts = warp.in(instr.args[4]);
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    unsigned at = starts[lane] & 0xff, count = counts[lane] & 0xff;
    uint64_t mask = at < width ? maskTrailingOnes<uint64_t>(std::min(count, width - at)) << at : 0;
    results[lane] = (b[lane] & ~mask) | ((at < width ? a[lane] << at : 0) & mask);
    known[lane] = 0;
    bool isPlaced = (starts.defined & counts.defined) >> lane & 1;
    for (unsigned i = 0; isPlaced && i < 8; ++i) {
      uint64_t here = mask & (0xffull << (8 * i)); // that come from `a`
      uint8_t fromA = here ? bytesOfBits(countr_zero(here) - at, popcount(here)) : 0;
      uint8_t fromB = here == 0xffull << (8 * i) ? 0 : uint8_t(1u << i);
      bool isKnown = (a.bytes[lane] & fromA) == fromA && (b.bytes[lane] & fromB) == fromB;
      known[lane] |= uint8_t(isKnown << i);
    }
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

Step reverseBits_(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned width = 8 * bytesOf(instr.type);
  return map<1, uint64_t>(warp, instr, lanes,
                          [&](uint64_t a) { return reverseBits(a) >> (64 - width); });
}
Step countOnes(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<1, uint64_t>(warp, instr, lanes, [](uint64_t a) { return uint32_t(popcount(a)); });
}
Step countZeros(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned width = 8 * bytesOf(instr.type);
  return map<1, uint64_t>(warp, instr, lanes,
                          [&](uint64_t a) { return uint32_t(countl_zero(a) - (64 - width)); });
}
/// The place of the highest bit that is not the sign; mode 1: how far it is from the top.
Step findHighest(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned width = 8 * bytesOf(instr.type);
  bool isSigned = isSignedInt(instr.type);
  return map<1, uint64_t>(warp, instr, lanes, [&](uint64_t a) -> uint32_t {
    if (isSigned && a >> (width - 1) & 1)
      a = ~a & maskTrailingOnes<uint64_t>(width);
    if (a == 0)
      return ~0u;
    unsigned at = 63 - countl_zero(a);
    return instr.mode ? width - 1 - at : at;
  });
}

/// Bytes of {b, a}, picked by the nibbles of c; bit 3 of a nibble spreads the byte's sign.
Step permute(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]), c = warp.in(instr.args[3]);
  uint64_t results[warpLanes] = {};
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    uint64_t both = b[lane] << 32 | uint32_t(a[lane]);
    uint8_t bytes = uint8_t(b.bytes[lane] << 4) | (a.bytes[lane] & 0xf);
    known[lane] = 0xf0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned pick = c[lane] >> (4 * i) & 0xf;
      uint64_t byte = both >> (8 * (pick & 7)) & 0xff;
      if (pick & 8)
        byte = byte & 0x80 ? 0xff : 0;
      results[lane] |= byte << (8 * i);
      known[lane] |= (bytes >> (pick & 7) & 1) << i;
    }
    if (!(c.defined >> lane & 1))
      known[lane] = 0;
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

/// Any function of three bits, by its table.
Step lop3(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<4, uint32_t>(warp, instr, lanes,
                          [&](uint32_t a, uint32_t b, uint32_t c, uint32_t table) -> uint32_t {
                            uint32_t result = 0;
                            for (unsigned i = 0; i < 8; ++i)
                              if (table >> i & 1)
                                result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
                            return result;
                          });
}

} // namespace

bool decodeBits(const Statement &s, Instruction &i) {
  if (isFloat(i.type))
    return false;
  if (s.opcode == "shf") {
    i.mode = s.has("r");
    i.mode2 = s.has("clamp");
  } else if (s.opcode == "bfind") {
    i.mode = s.has("shiftamt");
  }
  i.run = StringSwitch<Handler>(s.opcode)
              .Case("and", bitAnd)
              .Case("or", bitOr)
              .Case("xor", bitXor)
              .Case("not", i.type == Ty::Pred ? predicateNot : bitNot)
              .Case("shl", shiftLeft)
              .Case("shr", shiftRight)
              .Case("shf", funnel)
              .Case("bfe", extractBits)
              .Case("bfi", insertBits)
              .Case("bfind", findHighest)
              .Case("brev", reverseBits_)
              .Case("popc", countOnes)
              .Case("clz", countZeros)
              .Case("prmt", permute)
              .Case("lop3", lop3)
              .Default(nullptr);
  return i.run != nullptr;
}

} // namespace tilec::ptx

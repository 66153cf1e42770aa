//===- Integer.cpp - integers, bits, comparisons, moves -------------------===//
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

template <typename T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// A handler from an expression of `a`, `b`, `c`, which have the instruction's integer type T.
#define TILEC_INT(Name, Count, Expr, ...)                                                          \
  Step Name(Warp &warp, const Instruction &instr, uint32_t lanes) {                                \
    return forInt(instr.type, [&](auto zero) {                                                     \
      using T = decltype(zero);                                                                    \
      return map<Count, T>(warp, instr, lanes, [&](__VA_ARGS__) -> T { return T(Expr); });         \
    });                                                                                            \
  }

TILEC_INT(add, 2, Unsigned<T>(a) + Unsigned<T>(b), T a, T b)
TILEC_INT(sub, 2, Unsigned<T>(a) - Unsigned<T>(b), T a, T b)
TILEC_INT(mulLo, 2, uint64_t(a) * uint64_t(b), T a, T b)
TILEC_INT(mulHi, 2, (Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)), T a, T b)
TILEC_INT(madLo, 3, uint64_t(a) * uint64_t(b) + uint64_t(c), T a, T b, T c)
TILEC_INT(madHi, 3, ((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))) + Wide<T>(c), T a, T b, T c)
// What a division by zero gives is not said: all ones, as hardware does.
TILEC_INT(divide, 2,
          b == 0                              ? T(~T(0))
          : b == T(-1) && std::is_signed_v<T> ? T(0 - Unsigned<T>(a))
                                              : T(a / b),
          T a, T b)
TILEC_INT(remainder, 2, b == 0 ? a : b == T(-1) && std::is_signed_v<T> ? T(0) : T(a % b), T a, T b)
TILEC_INT(absolute, 1, a < T(0) ? T(0 - Unsigned<T>(a)) : a, T a)
TILEC_INT(negate, 1, 0 - Unsigned<T>(a), T a)
TILEC_INT(minimum, 2, std::min(a, b), T a, T b)
TILEC_INT(maximum, 2, std::max(a, b), T a, T b)
TILEC_INT(bitXor, 2, a ^ b, T a, T b)
TILEC_INT(bitNot, 1, ~a, T a)

Step predicateNot(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<1, uint64_t>(warp, instr, lanes, [](uint64_t a) { return a ^ 1; });
}

/// A zero byte that is known makes a byte of an AND known.
Step bitAnd(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]);
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = a[lane] & b[lane];
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
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = a[lane] | b[lane];
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

/// The product of two values in twice their width, plus `c`.
Step mulWide(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forInt(instr.type, [&](auto zero) {
    using T = decltype(zero);
    return map<2, T>(warp, instr, lanes, [](T a, T b) {
      return uint64_t(Wide<T>(a) * Wide<T>(b)) &
             maskTrailingOnes<uint64_t>(std::min<unsigned>(64, 16 * sizeof(T)));
    });
  });
}
Step madWide(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forInt(instr.type, [&](auto zero) {
    using T = decltype(zero);
    return map<3, uint64_t>(warp, instr, lanes, [](uint64_t a, uint64_t b, uint64_t c) {
      return (uint64_t(Wide<T>(T(a)) * Wide<T>(T(b))) + c) &
             maskTrailingOnes<uint64_t>(std::min<unsigned>(64, 16 * sizeof(T)));
    });
  });
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

/// Four products of bytes; types of a and b.
Step dot4(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<3, uint32_t>(warp, instr, lanes, [&](uint32_t a, uint32_t b, uint32_t c) -> uint32_t {
    for (unsigned i = 0; i < 4; ++i) {
      auto byte = [&](uint32_t v, Ty type) {
        return isSignedInt(type) ? int64_t(int8_t(v >> (8 * i))) : int64_t(uint8_t(v >> (8 * i)));
      };
      c += uint32_t(byte(a, instr.type2) * byte(b, instr.type));
    }
    return c;
  });
}

enum Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

Step compare(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forInt(instr.type, [&](auto zero) {
    using T = decltype(zero);
    switch (instr.mode) {
    case Eq:
      return map<2, T>(warp, instr, lanes, [](T a, T b) { return a == b; });
    case Ne:
      return map<2, T>(warp, instr, lanes, [](T a, T b) { return a != b; });
    case Lt:
      return map<2, T>(warp, instr, lanes, [](T a, T b) { return a < b; });
    case Le:
      return map<2, T>(warp, instr, lanes, [](T a, T b) { return a <= b; });
    case Gt:
      return map<2, T>(warp, instr, lanes, [](T a, T b) { return a > b; });
    default:
      return map<2, T>(warp, instr, lanes, [](T a, T b) { return a >= b; });
    }
  });
}

/// Bytes without a value follow the one that is taken.
Step select(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]), p = warp.in(instr.args[3]);
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = p[lane] ? a[lane] : b[lane];
    bool isChosen = p.defined >> lane & 1;
    known[lane] = !isChosen ? 0 : p[lane] ? a.bytes[lane] : b.bytes[lane];
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}

/// Also between a register and the pieces of a vector.
Step move(Warp &warp, const Instruction &instr, uint32_t lanes) {
  const Operand &to = instr.args[0], &from = instr.args[1];
  unsigned bytes = bytesOf(instr.type), bits = 8 * bytes;
  uint64_t mask = bits ? maskTrailingOnes<uint64_t>(bits) : 1;
  uint64_t whole[warpLanes] = {};
  uint8_t known[warpLanes];
  std::fill(known, known + warpLanes, bytes < 8 ? uint8_t(0xff << bytes) : 0);
  if (from.parts.empty()) {
    Value value = warp.in(from);
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      whole[lane] = value[lane] & mask;
      known[lane] = bytes ? known[lane] | value.bytes[lane] : value.bytes[lane];
    }
  }
  for (auto [i, part] : enumerate(from.parts)) {
    unsigned each = bytes / from.parts.size();
    Value value = warp.in(part);
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      whole[lane] |= (value[lane] & maskTrailingOnes<uint64_t>(8 * each)) << (8 * each * i);
      known[lane] |= (value.bytes[lane] & ((1u << each) - 1)) << (each * i);
    }
  }
  if (to.parts.empty()) {
    warp.outBytes(to, lanes, whole, known);
    return Step::Next;
  }
  unsigned each = bytes / to.parts.size();
  for (auto [i, part] : enumerate(to.parts)) {
    uint64_t results[warpLanes];
    uint8_t pieces[warpLanes];
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      results[lane] = whole[lane] >> (8 * each * i) & maskTrailingOnes<uint64_t>(8 * each);
      pieces[lane] = uint8_t(known[lane] >> (each * i)) | uint8_t(0xff << each);
    }
    warp.outBytes(part, lanes, results, pieces);
  }
  return Step::Next;
}

/// Between generic addresses and those of a window.
Step convertAddress(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint64_t window = instr.space == Space::Shared || instr.space == Space::Cluster ? sharedWindow
                    : instr.space == Space::Local                                 ? localWindow
                    : instr.space == Space::Param                                 ? paramWindow
                                                                                  : 0;
  bool toWindow = instr.mode;
  return map<1, uint64_t>(warp, instr, lanes,
                          [&](uint64_t a) { return toWindow ? a & ~windowMask : a | window; });
}

/// The same place in the shared memory of another block of the cluster.
Step mapToBlock(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<2, uint64_t>(warp, instr, lanes, [](uint64_t address, uint64_t rank) {
    uint64_t place = address & ((1u << clusterRankShift) - 1);
    return (address & windowMask) | uint64_t(uint32_t(rank)) << clusterRankShift | place;
  });
}
Step blockOfAddress(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return map<1, uint64_t>(warp, instr, lanes, [&](uint64_t address) -> uint32_t {
    return uint32_t(address & ~windowMask) >> clusterRankShift;
  });
}

} // namespace

static Handler integerHandler(const Statement &s, Instruction &i) {
  StringRef op = s.opcode;
  bool isPredicate = i.type == Ty::Pred;
  if (op == "mul" || op == "mad") {
    bool isMul = op == "mul";
    if (s.has("wide"))
      return isMul ? mulWide : madWide;
    if (s.has("hi"))
      return isMul ? mulHi : madHi;
    return s.has("lo") ? (isMul ? mulLo : madLo) : nullptr;
  }
  if (op == "not")
    return isPredicate ? predicateNot : bitNot;
  if (op == "shf") {
    i.mode = s.has("r");
    i.mode2 = s.has("clamp");
    return funnel;
  }
  if (op == "mapa")
    return mapToBlock;
  if (op == "getctarank")
    return blockOfAddress;
  if (op == "bfind") {
    i.mode = s.has("shiftamt");
    return findHighest;
  }
  if (op == "dp4a") {
    i.type2 = s.mods.size() == 2 ? parseType(s.mods[0]) : Ty::None;
    return i.type2 == Ty::None ? nullptr : dot4;
  }
  if (op == "cvta") {
    i.mode = s.has("to");
    for (StringRef mod : s.mods)
      i.space = StringSwitch<Space>(mod)
                    .StartsWith("shared", Space::Shared)
                    .Case("local", Space::Local)
                    .Case("param", Space::Param)
                    .Case("global", Space::Global)
                    .Default(i.space);
    return convertAddress;
  }
  if (op == "setp") {
    std::optional<uint8_t> mode =
        StringSwitch<std::optional<uint8_t>>(s.mods.empty() ? "" : s.mods[0])
            .Case("eq", Eq)
            .Case("ne", Ne)
            .Cases({"lt", "lo"}, Lt)
            .Cases({"le", "ls"}, Le)
            .Cases({"gt", "hi"}, Gt)
            .Cases({"ge", "hs"}, Ge)
            .Default(std::nullopt);
    if (!mode || s.mods.size() != 2 || i.args.size() != 3)
      return nullptr;
    i.mode = *mode;
    return compare;
  }
  if (i.saturates || s.has("cc"))
    return nullptr;
  return StringSwitch<Handler>(op)
      .Case("add", add)
      .Case("sub", sub)
      .Case("div", divide)
      .Case("rem", remainder)
      .Case("abs", absolute)
      .Case("neg", negate)
      .Case("min", minimum)
      .Case("max", maximum)
      .Case("and", bitAnd)
      .Case("or", bitOr)
      .Case("xor", bitXor)
      .Case("shl", shiftLeft)
      .Case("shr", shiftRight)
      .Case("bfe", extractBits)
      .Case("bfi", insertBits)
      .Case("brev", reverseBits_)
      .Case("popc", countOnes)
      .Case("clz", countZeros)
      .Case("prmt", permute)
      .Case("lop3", lop3)
      .Default(nullptr);
}

bool decodeInteger(const Statement &s, Instruction &i) {
  if (s.opcode == "mov")
    i.run = move;
  else if (s.opcode == "selp")
    i.run = select;
  else if (!isFloat(i.type))
    i.run = integerHandler(s, i);
  return i.run != nullptr;
}

} // namespace tilec::ptx

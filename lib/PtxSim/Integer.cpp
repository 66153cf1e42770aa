//===- Integer.cpp - arithmetic of integers -------------------------------===//
//
// One row an instruction of integers: its name and what it computes of its operands.
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

/// Sums and products, whose low bytes come from those of the operands alone: a byte of the result
/// is known when it and those below it are known of all operands. `compute` takes three operands.
template <unsigned Count, typename Function>
Step fromLowBytes(Warp &warp, const Instruction &instr, uint32_t lanes, Function compute) {
  return forInt(instr.type, [&](auto zero) {
    using T = decltype(zero);
    Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]);
    Value c = Count > 2 ? warp.in(instr.args[3]) : a;
    uint64_t results[warpLanes];
    uint8_t known[warpLanes];
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      unsigned all = a.bytes[lane] & b.bytes[lane] & c.bytes[lane];
      results[lane] =
          pack(T(compute(Unsigned<T>(a[lane]), Unsigned<T>(b[lane]), Unsigned<T>(c[lane]))));
      known[lane] = uint8_t(all & ~(all + 1));
    }
    warp.outBytes(instr.args[0], lanes, results, known);
    return Step::Next;
  });
}
Step add(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return fromLowBytes<2>(warp, instr, lanes,
                         [](uint64_t a, uint64_t b, uint64_t) { return a + b; });
}
Step sub(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return fromLowBytes<2>(warp, instr, lanes,
                         [](uint64_t a, uint64_t b, uint64_t) { return a - b; });
}
Step mulLo(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return fromLowBytes<2>(warp, instr, lanes,
                         [](uint64_t a, uint64_t b, uint64_t) { return a * b; });
}
Step madLo(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return fromLowBytes<3>(warp, instr, lanes,
                         [](uint64_t a, uint64_t b, uint64_t c) { return a * b + c; });
}

TILEC_INT(mulHi, 2, (Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)), T a, T b)
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
TILEC_INT(minimumRelu, 2, std::max(std::min(a, b), T(0)), T a, T b)
TILEC_INT(maximumRelu, 2, std::max({a, b, T(0)}), T a, T b)

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

enum Extended : uint8_t { ExtendedAdd, ExtendedSub, ExtendedMadLo, ExtendedMadHi };
enum CarryUse : uint8_t { TakesCarry = 1, SetsCarry = 2 };

/// `add.cc` and its like: a link of a sum of many words. Its carry, or borrow, is the lane's flag.
Step extended(Warp &warp, const Instruction &instr, uint32_t lanes) {
  unsigned bits = 8 * bytesOf(instr.type);
  uint64_t mask = maskTrailingOnes<uint64_t>(bits);
  bool isMad = instr.mode == ExtendedMadLo || instr.mode == ExtendedMadHi;
  Value a = warp.in(instr.args[1]), b = warp.in(instr.args[2]);
  Value c = isMad ? warp.in(instr.args[3]) : a;
  uint64_t results[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    uint32_t bit = 1u << lane;
    uint64_t carry = (instr.mode2 & TakesCarry) && (warp.carry & bit);
    unsigned __int128 sum;
    if (isMad) {
      unsigned __int128 product =
          isSignedInt(instr.type)
              ? static_cast<unsigned __int128>(__int128(SignExtend64(a[lane], bits)) *
                                               SignExtend64(b[lane], bits))
              : static_cast<unsigned __int128>(a[lane] & mask) * (b[lane] & mask);
      uint64_t part = uint64_t(instr.mode == ExtendedMadHi ? product >> bits : product) & mask;
      sum = static_cast<unsigned __int128>(part) + (c[lane] & mask) + carry;
    } else if (instr.mode == ExtendedAdd) {
      sum = static_cast<unsigned __int128>(a[lane] & mask) + (b[lane] & mask) + carry;
    } else { // what is above the word is not zero where something was borrowed
      sum = static_cast<unsigned __int128>(a[lane] & mask) - (b[lane] & mask) - carry;
    }
    results[lane] = uint64_t(sum) & mask;
    if ((instr.mode2 & SetsCarry) && (lanes & bit))
      warp.carry = (sum >> bits) != 0 ? warp.carry | bit : warp.carry & ~bit;
  }
  warp.out(instr.args[0], lanes, results, a.defined & b.defined & c.defined);
  return Step::Next;
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

} // namespace

bool decodeInteger(const Statement &s, Instruction &i) {
  if (isFloat(i.type))
    return false;
  StringRef op = s.opcode;
  bool takesCarry = op == "addc" || op == "subc" || op == "madc";
  if (takesCarry || s.has("cc")) {
    bool isMad = op.starts_with("mad");
    if (op != "add" && op != "sub" && !isMad && !takesCarry)
      return false;
    if (i.args.size() != (isMad ? 4 : 3) || bytesOf(i.type) < 4)
      return false;
    i.mode = isMad                   ? (s.has("hi") ? ExtendedMadHi : ExtendedMadLo)
             : op.starts_with("add") ? ExtendedAdd
                                     : ExtendedSub;
    i.mode2 = (takesCarry ? TakesCarry : 0) | (s.has("cc") ? SetsCarry : 0);
    i.run = extended;
    return true;
  }
  if (op == "mul" || op == "mad") {
    bool isMul = op == "mul";
    i.run = s.has("wide") ? (isMul ? mulWide : madWide)
            : s.has("hi") ? (isMul ? mulHi : madHi)
            : s.has("lo") ? (isMul ? mulLo : madLo)
                          : nullptr;
  } else if (op == "dp4a") {
    i.type2 = s.mods.size() == 2 ? parseType(s.mods[0]) : Ty::None;
    i.run = i.type2 == Ty::None ? nullptr : dot4;
  } else if (op == "setp") {
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
      return false;
    i.mode = *mode;
    i.run = compare;
  } else if (s.mods.size() == 2 && s.mods[0] == "relu" && i.type == Ty::S32) {
    i.run = op == "min" ? minimumRelu : op == "max" ? maximumRelu : nullptr;
  } else if (s.mods.size() == 1) { // Another modifier would change the result.
    i.run = StringSwitch<Handler>(op)
                .Case("add", add)
                .Case("sub", sub)
                .Case("div", divide)
                .Case("rem", remainder)
                .Case("abs", absolute)
                .Case("neg", negate)
                .Case("min", minimum)
                .Case("max", maximum)
                .Default(nullptr);
  }
  return i.run != nullptr;
}

} // namespace tilec::ptx

//===- Lanes.h - a function of values as an instruction over lanes --------===//
//
// Takes a function of values, gives the handler that computes it in every lane and follows
// definedness.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

#include "llvm/ADT/bit.h"

#include <cmath>

namespace tilec::ptx {

/// f16 and bf16 compute as floats and are rounded when they are packed. A float has more than twice
/// their precision plus two bits: sums, products and quotients are rounded correctly so.
struct Half {
  double value;
};
struct Brain {
  double value;
};

float floatOfHalf(uint16_t bits);
uint16_t halfOfFloat(double value);
inline float floatOfBrain(uint16_t bits) { return llvm::bit_cast<float>(uint32_t(bits) << 16); }
uint16_t brainOfFloat(double value);

template <typename T> T unpack(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return llvm::bit_cast<float>(uint32_t(bits));
  else if constexpr (std::is_same_v<T, double>)
    return llvm::bit_cast<double>(bits);
  else if constexpr (std::is_same_v<T, Half>)
    return {floatOfHalf(uint16_t(bits))};
  else if constexpr (std::is_same_v<T, Brain>)
    return {floatOfBrain(uint16_t(bits))};
  else
    return static_cast<T>(bits);
}

template <typename T> uint64_t pack(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_same_v<T, float>)
    return llvm::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return llvm::bit_cast<uint64_t>(value);
  else if constexpr (std::is_same_v<T, Half>)
    return halfOfFloat(value.value);
  else if constexpr (std::is_same_v<T, Brain>)
    return brainOfFloat(value.value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

/// args[0] = f(args[1], ...) in every lane; the sources are of type T.
template <typename T, typename F, size_t... I>
Step mapLanes(Warp &warp, const Instruction &instr, uint32_t lanes, F f,
              std::index_sequence<I...>) {
  const Value values[] = {warp.in(instr.args[1 + I])...};
  uint64_t results[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    results[lane] = pack(f(unpack<T>(values[I].lanes[lane])...));
  warp.out(instr.args[0], lanes, results, (values[I].defined & ...));
  return Step::Next;
}
template <unsigned N, typename T, typename F>
Step map(Warp &warp, const Instruction &instr, uint32_t lanes, F f) {
  return mapLanes<T>(warp, instr, lanes, f, std::make_index_sequence<N>());
}

/// Both halves of a register: two of 16 bits in 32, or of 32 in 64.
template <typename T, typename F, size_t... I>
Step mapPairs(Warp &warp, const Instruction &instr, uint32_t lanes, F f,
              std::index_sequence<I...>) {
  constexpr unsigned bits = std::is_same_v<T, float> ? 32 : 16;
  constexpr uint64_t low = (uint64_t(1) << bits) - 1;
  const Value values[] = {warp.in(instr.args[1 + I])...};
  uint64_t results[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    results[lane] = pack(f(unpack<T>(values[I].lanes[lane] & low)...)) |
                    pack(f(unpack<T>(values[I].lanes[lane] >> bits & low)...)) << bits;
  warp.out(instr.args[0], lanes, results, (values[I].defined & ...));
  return Step::Next;
}

/// Calls `f(T())` for the C++ type of an integer.
template <typename F> Step forInt(Ty type, F f) {
  switch (type) {
  case Ty::S8:
    return f(int8_t());
  case Ty::B8:
  case Ty::U8:
    return f(uint8_t());
  case Ty::S16:
    return f(int16_t());
  case Ty::B16:
  case Ty::U16:
    return f(uint16_t());
  case Ty::S32:
    return f(int32_t());
  case Ty::B32:
  case Ty::U32:
    return f(uint32_t());
  case Ty::S64:
    return f(int64_t());
  default:
    return f(uint64_t());
  }
}

} // namespace tilec::ptx

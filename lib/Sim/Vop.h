//===- Vop.h - vector operations as functions of one lane -----------------===//
//
// A row of a vector table is a name and a function of one lane; its parameter
// types say how operands are read (width, float format, which modifiers mean
// what). Everything else - scalar operands, neg and abs, op_sel, DPP, SDWA, exec,
// clamp and omod - happens here, once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Wave.h"

#include <tuple>
#include <utility>

namespace tilec::sim {

/// An f16 or bf16 value, computed with in f32.
struct F16 {
  float value;
};
struct BF16 {
  float value;
};
/// 32 bits with no number in them: neg and abs do not apply.
using B32 = uint32_t;
using B64 = uint64_t;

template <class T> struct TypeTraits;
#define TILEC_SIM_TYPE(CppType, Enum, Dwords)                                                      \
  template <> struct TypeTraits<CppType> {                                                         \
    static constexpr Type type = Type::Enum;                                                       \
    static constexpr unsigned dwords = Dwords;                                                     \
  };
TILEC_SIM_TYPE(uint32_t, B32, 1)
TILEC_SIM_TYPE(int32_t, I32, 1)
TILEC_SIM_TYPE(float, F32, 1)
TILEC_SIM_TYPE(uint64_t, B64, 2)
TILEC_SIM_TYPE(int64_t, I64, 2)
TILEC_SIM_TYPE(double, F64, 2)
TILEC_SIM_TYPE(uint16_t, B16, 1)
TILEC_SIM_TYPE(int16_t, B16, 1)
TILEC_SIM_TYPE(F16, F16, 1)
TILEC_SIM_TYPE(BF16, BF16, 1)
#undef TILEC_SIM_TYPE

/// Reads one operand of all lanes into rows: `row` points at the register itself when nothing has
/// to be done to its bits.
struct Source {
  const uint32_t *row[2];
  alignas(64) uint32_t buffer[2][numLanes];
};

/// Fills `source` for an operand of `type`, with DPP for source 0 and op_sel bit `index`.
void readSource(const Wave &wave, const Instr &instr, unsigned index, Type type, Source &source);
/// The lanes that the instruction may write: exec, less what DPP masks.
uint64_t writeMask(const Wave &wave, const Instr &instr);
/// Writes 32-bit results with SDWA's destination selection.
void writeRow(Wave &wave, const Instr &instr, uint16_t reg, const uint32_t *values, uint64_t mask);
void write16(Wave &wave, const Instr &instr, uint16_t reg, const uint32_t *values, uint64_t mask);
/// omod, then clamp to [0, 1].
void modifyResult(const Wave &wave, const Instr &instr, float *values);
void modifyResult(const Wave &wave, const Instr &instr, double *values);

template <class T> inline T laneOf(const Source &s, unsigned lane) {
  uint32_t low = s.row[0][lane];
  if constexpr (std::is_same_v<T, F16>)
    return {f32FromF16(low)};
  else if constexpr (std::is_same_v<T, BF16>)
    return {f32FromBf16(low & 0xffff)};
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(low | static_cast<uint64_t>(s.row[1][lane]) << 32);
  else if constexpr (sizeof(T) == 2)
    return static_cast<T>(low);
  else
    return std::bit_cast<T>(low);
}

template <class R> void writeResult(Wave &wave, const Instr &instr, R *out, uint64_t mask) {
  uint16_t reg = instr.dst[0].reg;
  if constexpr (std::is_same_v<R, float> || std::is_same_v<R, double>)
    if (instr.omod | instr.clamp)
      modifyResult(wave, instr, out);
  if constexpr (std::is_same_v<R, F16> || std::is_same_v<R, BF16>) {
    alignas(64) uint32_t bits[numLanes];
    float values[numLanes];
    for (unsigned lane = 0; lane < numLanes; ++lane)
      values[lane] = out[lane].value;
    if (instr.omod | instr.clamp)
      modifyResult(wave, instr, values);
    for (unsigned lane = 0; lane < numLanes; ++lane)
      bits[lane] = std::is_same_v<R, F16> ? f16FromF32(values[lane]) : bf16FromF32(values[lane]);
    write16(wave, instr, reg, bits, mask);
  } else if constexpr (sizeof(R) == 2) {
    alignas(64) uint32_t bits[numLanes];
    for (unsigned lane = 0; lane < numLanes; ++lane)
      bits[lane] = static_cast<uint16_t>(out[lane]);
    write16(wave, instr, reg, bits, mask);
  } else if constexpr (sizeof(R) == 4) {
    writeRow(wave, instr, reg, reinterpret_cast<const uint32_t *>(out), mask);
  } else {
    alignas(64) uint32_t low[numLanes], high[numLanes];
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      uint64_t bits = std::bit_cast<uint64_t>(out[lane]);
      low[lane] = static_cast<uint32_t>(bits);
      high[lane] = static_cast<uint32_t>(bits >> 32);
    }
    writeRow(wave, instr, reg, low, mask);
    writeRow(wave, instr, static_cast<uint16_t>(reg + 1), high, mask);
  }
}

template <auto F, class Signature> struct VopOf;
template <auto F, class R, class... A> struct VopOf<F, R (*)(A...)> {
  template <size_t... I>
  static void execute(Wave &wave, const Instr &instr, std::index_sequence<I...>) {
    Source sources[sizeof...(A)];
    (readSource(wave, instr, I, TypeTraits<A>::type, sources[I]), ...);
    alignas(64) R out[numLanes];
    for (unsigned lane = 0; lane < numLanes; ++lane)
      out[lane] = F(laneOf<A>(sources[I], lane)...);
    writeResult<R>(wave, instr, out, writeMask(wave, instr));
  }
  static void exec(Wave &wave, const Instr &instr) {
    execute(wave, instr, std::index_sequence_for<A...>());
  }
  static constexpr const char *form(bool accumulates) {
    constexpr const char *forms[] = {"d", "d0", "d01", "d012", "d0123"};
    return forms[sizeof...(A) - (accumulates ? 1 : 0)];
  }
  static constexpr OpInfo row(const char *name, uint32_t flags) {
    OpInfo op;
    op.name = name;
    op.exec = exec;
    op.form = form(flags & readsDst);
    bool wide = ((TypeTraits<A>::type == Type::F64) || ... || (TypeTraits<R>::type == Type::F64));
    op.flags = flags | isValu | readsExec | (wide ? uint32_t(isF64) : 0u);
    op.dst = TypeTraits<R>::type;
    Type types[] = {TypeTraits<A>::type...};
    for (size_t i = 0; i < sizeof...(A); ++i)
      op.src[i] = types[i];
    return op;
  }
};

/// A table row whose operands are all of one type.
constexpr OpInfo valuRow(const char *name, ExecFn exec, const char *form, Type type = Type::B32,
                         uint32_t flags = 0) {
  OpInfo op;
  op.name = name;
  op.exec = exec;
  op.form = form;
  op.flags = flags | isValu | readsExec;
  op.src[0] = op.src[1] = op.src[2] = op.dst = type;
  return op;
}

/// A table row: `F` is a lambda without captures from one lane's operands to its result.
template <auto F> constexpr OpInfo vop(const char *name, uint32_t flags = 0) {
  return VopOf<F, decltype(+F)>::row(name, flags);
}

} // namespace tilec::sim

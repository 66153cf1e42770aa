//===- VopCompare.cpp - v_cmp and v_cmpx ----------------------------------===//
//
// The result is one bit a lane in an SGPR pair; lanes that exec turns off give 0.
// v_cmpx also writes it to exec.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Vop.h"

#include <cmath>
#include <string>

namespace tilec::sim {
namespace {

template <class T> auto plain(T value) { return value; }
inline float plain(F16 value) { return value.value; }

template <auto F, class T, class U, bool toExec> void execCompare(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, TypeTraits<T>::type, a);
  readSource(wave, instr, 1, TypeTraits<U>::type, b);
  uint64_t bits = 0;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    bits |= static_cast<uint64_t>(F(plain(laneOf<T>(a, lane)), plain(laneOf<U>(b, lane)))) << lane;
  bits &= wave.exec();
  wave.setPair(instr.dst[0].reg, bits);
  if (toExec)
    wave.setPair(sgprExec, bits);
}

/// v_cmp_class: S1 selects which classes of S0 give true.
template <class T, class Bits, unsigned mantissaBits> bool isClass(T value, uint32_t classes) {
  Bits bits = std::bit_cast<Bits>(value);
  constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
  constexpr Bits mantissa = (Bits(1) << mantissaBits) - 1;
  constexpr Bits exponent = static_cast<Bits>(~(sign | mantissa));
  bool negative = bits & sign;
  if ((bits & exponent) == exponent && (bits & mantissa))
    return classes & (bits >> (mantissaBits - 1) & 1 ? 2 : 1); // quiet : signalling
  if ((bits & exponent) == exponent)
    return classes & (negative ? 1 << 2 : 1 << 9);
  if ((bits & exponent) != 0)
    return classes & (negative ? 1 << 3 : 1 << 8);
  if (bits & mantissa)
    return classes & (negative ? 1 << 4 : 1 << 7);
  return classes & (negative ? 1 << 5 : 1 << 6);
}

template <auto F, class T, class U, bool toExec> constexpr OpInfo compareRow(const char *name) {
  OpInfo op;
  op.name = name;
  op.exec = execCompare<F, T, U, toExec>;
  op.form = "d01";
  op.flags = isValu | readsExec | (toExec ? uint32_t(writesExec) : 0u) |
             (TypeTraits<T>::type == Type::F64 ? uint32_t(isF64) : 0u);
  op.src[0] = TypeTraits<T>::type;
  op.src[1] = TypeTraits<U>::type;
  return op;
}

#define BOTH(Name, T, U, Expr)                                                                     \
  compareRow<[](auto a, auto b) -> bool { return (Expr); }, T, U, false>("v_cmp_" Name),           \
      compareRow<[](auto a, auto b) -> bool { return (Expr); }, T, U, true>("v_cmpx_" Name)
#define INTEGERS(Suffix, T)                                                                        \
  BOTH("f_" Suffix, T, T, ((void)a, (void)b, false)), BOTH("lt_" Suffix, T, T, a < b),             \
      BOTH("eq_" Suffix, T, T, a == b), BOTH("le_" Suffix, T, T, a <= b),                          \
      BOTH("gt_" Suffix, T, T, a > b), BOTH("ne_" Suffix, T, T, a != b),                           \
      BOTH("ge_" Suffix, T, T, a >= b), BOTH("t_" Suffix, T, T, ((void)a, (void)b, true))
#define FLOATS(Suffix, T)                                                                          \
  BOTH("f_" Suffix, T, T, ((void)a, (void)b, false)), BOTH("lt_" Suffix, T, T, a < b),             \
      BOTH("eq_" Suffix, T, T, a == b), BOTH("le_" Suffix, T, T, a <= b),                          \
      BOTH("gt_" Suffix, T, T, a > b), BOTH("lg_" Suffix, T, T, a<b || a> b),                      \
      BOTH("ge_" Suffix, T, T, a >= b), BOTH("o_" Suffix, T, T, a == a && b == b),                 \
      BOTH("u_" Suffix, T, T, a != a || b != b), BOTH("nge_" Suffix, T, T, !(a >= b)),             \
      BOTH("nlg_" Suffix, T, T, !(a < b || a > b)), BOTH("ngt_" Suffix, T, T, !(a > b)),           \
      BOTH("nle_" Suffix, T, T, !(a <= b)), BOTH("neq_" Suffix, T, T, !(a == b)),                  \
      BOTH("nlt_" Suffix, T, T, !(a < b)), BOTH("tru_" Suffix, T, T, ((void)a, (void)b, true))

bool isClass16(float value, uint32_t classes) {
  return isClass<uint16_t, uint16_t, 10>(f16FromF32(value), classes);
}

const OpInfo table[] = {
    INTEGERS("i16", int16_t),
    INTEGERS("u16", uint16_t),
    INTEGERS("i32", int32_t),
    INTEGERS("u32", uint32_t),
    INTEGERS("i64", int64_t),
    INTEGERS("u64", uint64_t),
    FLOATS("f16", F16),
    FLOATS("f32", float),
    FLOATS("f64", double),
    BOTH("class_f16", F16, uint32_t, isClass16(a, b)),
    BOTH("class_f32", float, uint32_t, (isClass<float, uint32_t, 23>(a, b))),
    BOTH("class_f64", double, uint32_t, (isClass<double, uint64_t, 52>(a, b))),
};

} // namespace

llvm::ArrayRef<OpInfo> vopCompareOps() { return table; }

} // namespace tilec::sim

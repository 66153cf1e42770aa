//===- VopMedia.cpp - differences of bytes, cube maps, argument reduction -===//
//
// Instructions that compilers seldom use: sums of byte differences, cube coordinates, digits of
// 2/pi for large angles.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Vop.h"

#include <algorithm>
#include <cmath>

namespace tilec::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using f32 = float;

// ---- sums of absolute differences --------------------------------------------------------------

/// Bytes of `reference` that are 0 do not count where `masked`.
u32 sad(u32 data, u32 reference, u32 sum, bool masked) {
  for (unsigned i = 0; i < 32; i += 8) {
    int r = static_cast<int>(reference >> i & 0xff), d = static_cast<int>(data >> i & 0xff) - r;
    sum += masked && r == 0 ? 0 : static_cast<u32>(std::abs(d));
  }
  return sum;
}

/// Four sums, of the bytes of S0 from byte 0, 1, 2 and 3 on; 16 bits each.
u64 quadSad(u64 data, u32 reference, u64 sums, bool masked) {
  u64 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    u32 sum = static_cast<u32>(sums >> (16 * i) & 0xffff);
    result |=
        static_cast<u64>(sad(static_cast<u32>(data >> (8 * i)), reference, sum, masked) & 0xffff)
        << (16 * i);
  }
  return result;
}

/// The same with sums of 32 bits: S2 and D are four registers.
void execMqsadU32(Wave &wave, const Instr &instr) {
  Source data, reference;
  readSource(wave, instr, 0, Type::B64, data);
  readSource(wave, instr, 1, Type::B32, reference);
  alignas(64) u32 out[4][numLanes];
  const Operand &sums = instr.src[2];
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      u32 sum = sums.isVgpr()   ? wave.v[sums.reg + i][lane]
                : sums.isSgpr() ? wave.s[sums.reg + i]
                : i == 0        ? static_cast<u32>(sums.imm)
                                : 0;
      out[i][lane] = sad(static_cast<u32>(laneOf<u64>(data, lane) >> (8 * i)),
                         reference.row[0][lane], sum, true);
    }
  uint64_t mask = writeMask(wave, instr);
  for (unsigned i = 0; i < 4; ++i)
    writeRow(wave, instr, static_cast<uint16_t>(instr.dst[0].reg + i), out[i], mask);
}

// ---- cube maps: the axis of the largest magnitude names the face -------------------------------

enum class Axis { X, Y, Z };
Axis majorAxis(f32 x, f32 y, f32 z) {
  f32 ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  return az >= ax && az >= ay ? Axis::Z : ay >= ax ? Axis::Y : Axis::X;
}
f32 cubeFace(f32 x, f32 y, f32 z) {
  switch (majorAxis(x, y, z)) {
  case Axis::Z:
    return z < 0 ? 5 : 4;
  case Axis::Y:
    return y < 0 ? 3 : 2;
  case Axis::X:
    return x < 0 ? 1 : 0;
  }
  return 0;
}
f32 cubeS(f32 x, f32 y, f32 z) {
  switch (majorAxis(x, y, z)) {
  case Axis::Z:
    return z < 0 ? -x : x;
  case Axis::Y:
    return x;
  case Axis::X:
    return x < 0 ? z : -z;
  }
  return 0;
}
f32 cubeT(f32 x, f32 y, f32 z) { return majorAxis(x, y, z) != Axis::Y ? -y : y < 0 ? -z : z; }
f32 cubeMajor(f32 x, f32 y, f32 z) {
  Axis axis = majorAxis(x, y, z);
  return 2 * (axis == Axis::Z ? z : axis == Axis::Y ? y : x);
}

// ---- v_trig_preop_f64 --------------------------------------------------------------------------

/// The first 1216 bits of 2/pi behind the binary point, most significant first.
constexpr u64 twoOverPi[] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};

/// 53 bits of 2/pi from bit `at` on; beyond its end zeros.
u64 bitsOfTwoOverPi(unsigned at) {
  u64 result = 0;
  for (unsigned i = 0; i < 53; ++i) {
    unsigned bit = at + i;
    u64 word = bit / 64 < std::size(twoOverPi) ? twoOverPi[bit / 64] : 0;
    result = result << 1 | (word >> (63 - bit % 64) & 1);
  }
  return result;
}

/// Segment S1[4:0] of 2/pi, 53 bits each, from where the exponent of S0 makes bits matter.
double trigPreop(double x, u32 segment) {
  int exponent = static_cast<int>(bitsOf(x) >> 52 & 0x7ff);
  int shift = static_cast<int>(segment & 31) * 53 + std::max(exponent - 1077, 0);
  int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return std::ldexp(static_cast<double>(bitsOfTwoOverPi(static_cast<unsigned>(shift))), scale);
}

u32 norm16(F16 a, F16 b, float low, float scale) {
  auto one = [&](F16 x) {
    float clamped = std::isnan(x.value) ? 0 : std::clamp(x.value, low, 1.0f);
    return static_cast<u32>(static_cast<int>(std::rint(clamped * scale))) & 0xffff;
  };
  return one(a) | one(b) << 16;
}

OpInfo mqsadRow() {
  OpInfo op;
  op.name = "v_mqsad_u32_u8";
  op.exec = execMqsadU32;
  op.form = "d012";
  op.flags = isValu | readsExec;
  op.src[0] = Type::B64;
  op.src[1] = op.src[2] = op.dst = Type::B32;
  return op;
}

// g++ 12 takes a bare `>` in a lambda here for the end of the template's arguments.
const OpInfo table[] = {
    vop<[](u32 a, u32 b, u32 c) -> u32 {
      auto difference = [](u32 x, u32 y) { return (x > y) ? x - y : y - x; };
      return difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16) + c;
    }>("v_sad_u16"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return sad(a, b, c, true); }>("v_msad_u8"),
    vop<[](u64 a, u32 b, u64 c) -> u64 { return quadSad(a, b, c, false); }>("v_qsad_pk_u16_u8"),
    vop<[](u64 a, u32 b, u64 c) -> u64 { return quadSad(a, b, c, true); }>("v_mqsad_pk_u16_u8"),
    mqsadRow(),
    vop<[](f32 x, f32 y, f32 z) -> f32 { return cubeFace(x, y, z); }>("v_cubeid_f32"),
    vop<[](f32 x, f32 y, f32 z) -> f32 { return cubeS(x, y, z); }>("v_cubesc_f32"),
    vop<[](f32 x, f32 y, f32 z) -> f32 { return cubeT(x, y, z); }>("v_cubetc_f32"),
    vop<[](f32 x, f32 y, f32 z) -> f32 { return cubeMajor(x, y, z); }>("v_cubema_f32"),
    vop<[](double x, u32 segment) -> double { return trigPreop(x, segment); }>("v_trig_preop_f64"),
    vop<[](F16 a, F16 b) -> u32 { return norm16(a, b, -1, 32767); }>("v_cvt_pknorm_i16_f16"),
    vop<[](F16 a, F16 b) -> u32 { return norm16(a, b, 0, 65535); }>("v_cvt_pknorm_u16_f16"),
    vop<[](f32 a, u32 b, u32 old) -> u32 { // one byte of D, the others stay
      unsigned shift = 8 * (b & 3);
      float clamped = (a > 0) ? std::min(std::rint(a), 255.0f) : 0;
      return (old & ~(0xffu << shift)) | static_cast<u32>(clamped) << shift;
    }>("v_cvt_pkaccum_u8_f32", readsDst),
    // a linear feedback shift register
    vop<[](u32 a) -> u32 { return a << 1 ^ (a >> 31 ? 197u : 0u); }>("v_prng_b32"),
};

} // namespace

llvm::ArrayRef<OpInfo> vopMediaOps() { return table; }

} // namespace tilec::sim

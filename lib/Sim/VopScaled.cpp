//===- VopScaled.cpp - conversions with a scale (gfx950) ------------------===//
//
// v_cvt_scalef32_*: narrow = wide / 2^(e - 127) and wide = narrow * 2^(e - 127), e the
// exponent field of the f32 scale, rounded once to nearest even. fp4 and fp6 saturate;
// fp8 and bf8 overflow as MODE.FP16_OVFL says. op_sel names the byte or half that is
// read or written; the rest of a written register is kept (CDNA4 ISA, and LLVM's
// intrinsics for the op_sel bits).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Narrow.h"
#include "Vop.h"

#include <cmath>
#include <cstring>
#include <deque>
#include <string>

namespace tilec::sim {
namespace {

enum class Wide : uint8_t { F32, F16, BF16 };

// OpInfo::aux: narrow | wide << 4 | elements << 8 | sources of wide elements << 16.
constexpr uint32_t pack(Narrow narrow, Wide wide, unsigned count, unsigned sources = 1) {
  return static_cast<uint32_t>(narrow) | static_cast<uint32_t>(wide) << 4 | count << 8 |
         sources << 16;
}
Narrow narrowOf(const Instr &i) { return static_cast<Narrow>(i.op->aux & 15); }
Wide wideOf(const Instr &i) { return static_cast<Wide>(i.op->aux >> 4 & 15); }
unsigned countOf(const Instr &i) { return i.op->aux >> 8 & 0xff; }
unsigned wideSources(const Instr &i) { return i.op->aux >> 16; }
unsigned bitsOf(Narrow kind) {
  return kind == Narrow::Fp4 ? 4 : kind == Narrow::Fp8 || kind == Narrow::Bf8 ? 8 : 6;
}

/// Exponent of the scale operand in lane `lane`, unbiased.
int scaleExponent(const Wave &wave, const Operand &operand, unsigned lane) {
  uint32_t bits = operand.isVgpr() ? wave.v[operand.reg][lane] : scalar32(wave, operand);
  return static_cast<int>(bits >> 23 & 0xff) - 127;
}
uint32_t readBits(const Wave &wave, unsigned reg, unsigned lane, unsigned at, unsigned bits) {
  uint64_t window = wave.v[reg + at / 32][lane];
  if (at % 32 + bits > 32)
    window |= static_cast<uint64_t>(wave.v[reg + at / 32 + 1][lane]) << 32;
  return static_cast<uint32_t>(window >> at % 32) & ((1u << bits) - 1);
}

/// First bit of the narrow data: in source 0 (op_sel[1:0]) or in the destination (op_sel above the
/// sources).
unsigned narrowOffset(const Instr &instr, bool inDst) {
  unsigned count = countOf(instr), sel = inDst ? instr.opSel >> 2 : instr.opSel;
  if (count > 2)
    return 0;
  if (count == 2 && bitsOf(narrowOf(instr)) == 8) // a half
    return 16 * (inDst ? instr.opSel >> instr.numSrc & 1 : sel & 1);
  return 8 * (sel & 3); // a byte
}

void execWiden(Wave &wave, const Instr &instr) {
  Narrow narrow = narrowOf(instr);
  unsigned count = countOf(instr), bits = bitsOf(narrow), from = narrowOffset(instr, false);
  const float *table = narrowTable(wave, narrow);
  unsigned dst = instr.dst[0].reg;
  forEachActiveLane(wave.exec(), [&](unsigned lane) {
    int exponent = scaleExponent(wave, instr.src[1], lane);
    uint32_t out[32] = {};
    for (unsigned e = 0; e < count; ++e) {
      float value = std::ldexp(table[readBits(wave, instr.src[0].reg, lane, from + e * bits, bits)],
                               exponent);
      if (wideOf(instr) == Wide::F32)
        out[e] = sim::bitsOf(value);
      else
        out[e / 2] |= uint32_t(wideOf(instr) == Wide::F16 ? f16FromF32(value) : bf16FromF32(value))
                      << 16 * (e % 2);
    }
    if (count == 1 && wideOf(instr) == Wide::F16) { // one half of the register, the other is kept
      unsigned shift = instr.opSel >> 2 & 1 ? 16 : 0;
      out[0] = (wave.v[dst][lane] & ~(0xffffu << shift)) | out[0] << shift;
    }
    for (unsigned i = 0; i < instr.dst[0].dwords; ++i)
      wave.v[dst + i][lane] = out[i];
  });
}

float wideElement(const Wave &wave, const Instr &instr, unsigned lane, unsigned e) {
  unsigned perSource = countOf(instr) / wideSources(instr);
  const Operand &source = instr.src[e / perSource];
  unsigned at = e % perSource;
  if (wideOf(instr) == Wide::F32) {
    uint32_t bits = source.isVgpr() ? wave.v[source.reg + at][lane] : scalar32(wave, source);
    bits = source.abs ? bits & 0x7fffffffu : bits;
    return f32Of(source.neg ? bits ^ 0x80000000u : bits);
  }
  uint32_t half = wave.v[source.reg + at / 2][lane] >> 16 * (at % 2) & 0xffff;
  return wideOf(instr) == Wide::F16 ? f32FromF16(half) : f32FromBf16(half);
}

/// The nearest code of a 6- or 4-bit format, ties to the even code, saturating.
uint32_t encodeSmall(const Wave &wave, Narrow kind, double value) {
  unsigned half = 1u << (bitsOf(kind) - 1); // codes below it are the positive values, rising
  const float *table = narrowTable(wave, kind);
  double magnitude = std::fabs(value);
  uint32_t best = half - 1; // NaN takes the largest
  for (uint32_t code = 0; code + 1 < half; ++code) {
    double middle = (static_cast<double>(table[code]) + table[code + 1]) / 2;
    if (magnitude < middle || (magnitude == middle && code % 2 == 0)) {
      best = code;
      break;
    }
  }
  return best | (std::signbit(value) ? half : 0);
}

void execNarrow(Wave &wave, const Instr &instr) {
  Narrow narrow = narrowOf(instr);
  unsigned count = countOf(instr), bits = bitsOf(narrow), to = narrowOffset(instr, true);
  unsigned dst = instr.dst[0].reg, words = (count * bits + 31) / 32;
  const Operand &scale = instr.src[wideSources(instr)];
  forEachActiveLane(wave.exec(), [&](unsigned lane) {
    int exponent = scaleExponent(wave, scale, lane);
    uint64_t out[4] = {};
    for (unsigned e = 0; e < count; ++e) {
      double value = std::ldexp(static_cast<double>(wideElement(wave, instr, lane, e)), -exponent);
      uint64_t code = bits == 8 ? encodeFp8(wave, narrow, static_cast<float>(value))
                                : encodeSmall(wave, narrow, value);
      unsigned at = to + e * bits;
      out[at / 64] |= code << at % 64;
      if (at % 64 + bits > 64)
        out[at / 64 + 1] |= code >> (64 - at % 64);
    }
    uint32_t result[8];
    std::memcpy(result, out, sizeof(result));
    if (words == 1) {
      uint32_t field = static_cast<uint32_t>(((1ull << count * bits) - 1) << to);
      result[0] |= wave.v[dst][lane] & ~field;
    }
    for (unsigned i = 0; i < words; ++i)
      wave.v[dst + i][lane] = result[i];
  });
}

/// One element to a byte of D (op_sel[3:2]), rounded by the random bits of S1; S2 is the scale.
void execStochastic(Wave &wave, const Instr &instr) {
  Narrow narrow = narrowOf(instr);
  unsigned shift = 8 * (instr.opSel >> 2 & 3);
  uint32_t *dst = wave.v[instr.dst[0].reg];
  Source random;
  readSource(wave, instr, 1, Type::B32, random);
  forEachActiveLane(wave.exec(), [&](unsigned lane) {
    float value =
        std::ldexp(wideElement(wave, instr, lane, 0), -scaleExponent(wave, instr.src[2], lane));
    uint32_t code = encodeFp8Stochastic(wave, narrow, value, random.row[0][lane]);
    dst[lane] = (dst[lane] & ~(0xffu << shift)) | code << shift;
  });
}

struct Table {
  std::deque<std::string> names; // rows point into it
  std::vector<OpInfo> rows;
  void add(std::string name, ExecFn exec, const char *form, uint32_t aux) {
    names.push_back(std::move(name));
    OpInfo op;
    op.name = names.back().c_str();
    op.exec = exec;
    op.form = form;
    op.flags = isValu | readsExec | preservesHigh;
    op.src[0] = op.src[1] = op.src[2] = Type::F32;
    op.dst = Type::F32;
    op.aux = aux;
    rows.push_back(op);
  }
};

Table makeTable() {
  Table t;
  const std::pair<const char *, Narrow> narrows[] = {{"fp8", Narrow::Fp8},
                                                     {"bf8", Narrow::Bf8},
                                                     {"fp4", Narrow::Fp4},
                                                     {"fp6", Narrow::Fp6},
                                                     {"bf6", Narrow::Bf6}};
  const std::pair<const char *, Wide> wides[] = {
      {"f32", Wide::F32}, {"f16", Wide::F16}, {"bf16", Wide::BF16}};
  const std::string base = "v_cvt_scalef32_";
  for (auto [n, narrow] : narrows)
    for (auto [w, wide] : wides) {
      bool six = bitsOf(narrow) == 6, isF32 = wide == Wide::F32;
      if (bitsOf(narrow) == 8) // of several elements it is not public which random bits each takes
        t.add(base + "sr_" + n + "_" + w, execStochastic, "d012", pack(narrow, wide, 1));
      std::string count = six ? "pk32_" : "pk_";
      unsigned elements = six ? 32 : 2;
      t.add(base + count + w + "_" + n, execWiden, "d01", pack(narrow, wide, elements));
      if (!six && narrow != Narrow::Fp4 && wide != Wide::BF16)
        t.add(base + w + "_" + n, execWiden, "d01", pack(narrow, wide, 1));
      if (six && isF32)
        t.add(base + "2xpk16_" + n + "_f32", execNarrow, "d012", pack(narrow, wide, 32, 2));
      else
        t.add(base + count + n + "_" + w, execNarrow, isF32 ? "d012" : "d01",
              pack(narrow, wide, elements, isF32 ? 2 : 1));
    }
  return t;
}

} // namespace

llvm::ArrayRef<OpInfo> vopScaledOps() {
  static const Table table = makeTable();
  return table.rows;
}

} // namespace tilec::sim

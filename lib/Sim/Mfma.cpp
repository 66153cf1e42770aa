//===- Mfma.cpp - matrix instructions -------------------------------------===//
//
// D = C + A * B on blocks of M x N x K. Where a lane's registers sit in the matrices
// (test/data/mfma_layouts has every case; lane l, slot s, S slots a lane):
//   A: row l % M, B: column l % N; lane group g = l / M holds block g / (64/(M*blocks)) and
//      k = (g % (64/(M*blocks))) * S + s.
//   D: column l % N; with G = 64/N lane groups, register r of group g holds row
//      (r/4)*4*G + 4*g + r%4, counted through all blocks; f64: r*G + g.
//   f64 4x4x4_4b is the exception: see laneInBlock.
// Products are exact or fused, sums are f32 in k order; exec is ignored, denormals are
// kept (CDNA4 ISA 7.1.2).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "HostClones.h"
#include "Matrix.h"

#include <cstring>

namespace tilec::sim {
namespace {

struct Shape {
  const char *name;
  uint8_t m, n, k, blocks;
  Elem a, b;
};
using enum Elem;
constexpr Shape shapes[] = {
    {"v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, F32, F32},
    {"v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, F32, F32},
    {"v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, F32, F32},
    {"v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, F32, F32},
    {"v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, F32, F32},
    {"v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, Xf32, Xf32},
    {"v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, Xf32, Xf32},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, F16, F16},
    {"v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, F16, F16},
    {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, F16, F16},
    {"v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, F16, F16},
    {"v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, F16, F16},
    {"v_mfma_f32_32x32x16_f16", 32, 32, 16, 1, F16, F16},
    {"v_mfma_f32_16x16x32_f16", 16, 16, 32, 1, F16, F16},
    {"v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, Bf16, Bf16},
    {"v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, Bf16, Bf16},
    {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, Bf16, Bf16},
    {"v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, Bf16, Bf16},
    {"v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, Bf16, Bf16},
    {"v_mfma_f32_32x32x16_bf16", 32, 32, 16, 1, Bf16, Bf16},
    {"v_mfma_f32_16x16x32_bf16", 16, 16, 32, 1, Bf16, Bf16},
    {"v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, I8, I8},
    {"v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, I8, I8},
    {"v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, I8, I8},
    {"v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, I8, I8},
    {"v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, I8, I8},
    {"v_mfma_i32_32x32x32_i8", 32, 32, 32, 1, I8, I8},
    {"v_mfma_i32_16x16x64_i8", 16, 16, 64, 1, I8, I8},
    {"v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, F64, F64},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, F64, F64},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, Bf8, Bf8},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, Bf8, Fp8},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, Fp8, Bf8},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, Fp8, Fp8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, Bf8, Bf8},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, Bf8, Fp8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, Fp8, Bf8},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, Fp8, Fp8},
    {"v_mfma_f32_16x16x128_f8f6f4", 16, 16, 128, 1, F8F6F4, F8F6F4},
    {"v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, 1, F8F6F4, F8F6F4},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", 16, 16, 128, 1, F8F6F4, F8F6F4},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, 1, F8F6F4, F8F6F4},
};
constexpr unsigned maxElems = 2048; // M * K * blocks of the largest operand

// ---- operands ----------------------------------------------------------------------------------

/// The lane whose registers take the place of lane `lane`: CBSZ and ABID broadcast parts of A.
unsigned sourceLaneA(const Instr &instr, unsigned lane) {
  unsigned span = numLanes >> instr.cbsz;
  return lane % span + span * instr.abid % numLanes;
}
/// BLGP rearranges B by groups of 16 lanes.
unsigned sourceLaneB(const Instr &instr, unsigned lane) {
  switch (instr.blgp) {
  case 1:
    return lane & 31;
  case 2:
    return (lane & 31) + 32;
  case 3:
    return (lane + 16) & 63;
  case 4:
  case 5:
  case 6:
  case 7:
    return (lane & 15) + 16 * (instr.blgp - 4u);
  default:
    return lane;
  }
}

/// Rows of one operand, permuted if the instruction asks.
struct Rows {
  const Row *rows;
  uint32_t moved[16][numLanes];
};
void readRows(const Wave &wave, const Instr &instr, unsigned index, bool permutes, Rows &out) {
  const Operand &operand = instr.src[index];
  out.rows = &wave.v[operand.reg];
  bool isB = index == 1;
  if (!permutes || (isB ? instr.blgp == 0 : instr.cbsz == 0))
    return;
  for (unsigned dword = 0; dword < operand.dwords && dword < 16; ++dword)
    for (unsigned lane = 0; lane < numLanes; ++lane)
      out.moved[dword][lane] =
          out.rows[dword][isB ? sourceLaneB(instr, lane) : sourceLaneA(instr, lane)];
  out.rows = out.moved;
}

TILEC_SIM_INLINE void convertHalf(const uint32_t *row, unsigned part, float *out, bool bf16) {
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint32_t half = part ? row[lane] >> 16 : row[lane] & 0xffff;
    out[lane] = bf16 ? f32FromBf16(half) : f32FromF16(half);
  }
}
TILEC_SIM_CLONES void convertF16(const uint32_t *row, unsigned part, float *out) {
  convertHalf(row, part, out, false);
}
TILEC_SIM_CLONES void convertBf16(const uint32_t *row, unsigned part, float *out) {
  convertHalf(row, part, out, true);
}

unsigned bitsOfNarrow(Narrow kind) {
  return kind == Narrow::Fp4 ? 4 : kind == Narrow::Fp8 || kind == Narrow::Bf8 ? 8 : 6;
}

} // namespace

void readMatrixSlot(const Wave &wave, const Row *rows, Elem elem, Narrow narrow, unsigned slot,
                    float *out) {
  switch (elem) {
  case Elem::F16:
    return convertF16(rows[slot / 2], slot % 2, out);
  case Elem::Bf16:
    return convertBf16(rows[slot / 2], slot % 2, out);
  case Elem::F32:
  case Elem::Xf32:
    std::memcpy(out, rows[slot], sizeof(Row));
    return;
  case Elem::I8:
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      int32_t value = static_cast<int8_t>(rows[slot / 4][lane] >> (8 * (slot % 4)));
      std::memcpy(&out[lane], &value, 4);
    }
    return;
  default: {
    const float *table = narrowTable(wave, narrow);
    unsigned bits = bitsOfNarrow(narrow), at = slot * bits;
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      uint64_t window = rows[at / 32][lane];
      if (at % 32 + bits > 32)
        window |= static_cast<uint64_t>(rows[at / 32 + 1][lane]) << 32;
      out[lane] = table[window >> at % 32 & ((1u << bits) - 1)];
    }
  }
  }
}

namespace {

/// out[(block * K + k) * span + row] for A (span M) and B (span N).
template <unsigned span>
void unpackSpan(const Wave &wave, const Shape &shape, const Row *rows, Elem elem, Narrow narrow,
                float *out) {
  constexpr unsigned groups = numLanes / span;
  unsigned groupsPerBlock = groups / shape.blocks, slots = shape.k / groupsPerBlock;
  alignas(64) float values[numLanes];
  for (unsigned slot = 0; slot < slots; ++slot) {
    readMatrixSlot(wave, rows, elem, narrow, slot, values);
    for (unsigned group = 0; group < groups; ++group) {
      unsigned block = group / groupsPerBlock, k = group % groupsPerBlock * slots + slot;
      std::memcpy(&out[(block * shape.k + k) * span], &values[group * span], span * sizeof(float));
    }
  }
}
void unpack(const Wave &wave, const Shape &shape, const Row *rows, Elem elem, Narrow narrow,
            unsigned span, float *out) {
  span == 32   ? unpackSpan<32>(wave, shape, rows, elem, narrow, out)
  : span == 16 ? unpackSpan<16>(wave, shape, rows, elem, narrow, out)
               : unpackSpan<4>(wave, shape, rows, elem, narrow, out);
}

// ---- products ----------------------------------------------------------------------------------

template <unsigned N, unsigned RowsAtOnce>
TILEC_SIM_INLINE void multiplyRows(float *c, const float *a, const float *b, unsigned m,
                                   unsigned k) {
  for (unsigned row = 0; row < m; row += RowsAtOnce) {
    float sum[RowsAtOnce][N];
    std::memcpy(sum, c + row * N, sizeof(sum));
    for (unsigned kk = 0; kk < k; ++kk)
      for (unsigned r = 0; r < RowsAtOnce; ++r) {
        float scale = a[kk * m + row + r];
        for (unsigned col = 0; col < N; ++col)
          sum[r][col] = __builtin_fmaf(scale, b[kk * N + col], sum[r][col]);
      }
    std::memcpy(c + row * N, sum, sizeof(sum));
  }
}
TILEC_SIM_CLONES void multiplyF32(float *c, const float *a, const float *b, unsigned m, unsigned n,
                                  unsigned k) {
  if (n == 32)
    multiplyRows<32, 2>(c, a, b, m, k);
  else if (n == 16)
    multiplyRows<16, 4>(c, a, b, m, k);
  else
    multiplyRows<4, 4>(c, a, b, m, k);
}

template <unsigned N>
TILEC_SIM_INLINE void multiplyIntRows(uint32_t *c, const uint32_t *a, const uint32_t *b, unsigned m,
                                      unsigned k) {
  for (unsigned row = 0; row < m; ++row) {
    uint32_t sum[N];
    std::memcpy(sum, c + row * N, sizeof(sum));
    for (unsigned kk = 0; kk < k; ++kk)
      for (unsigned col = 0; col < N; ++col)
        sum[col] += a[kk * m + row] * b[kk * N + col];
    std::memcpy(c + row * N, sum, sizeof(sum));
  }
}
TILEC_SIM_CLONES void multiplyI32(uint32_t *c, const uint32_t *a, const uint32_t *b, unsigned m,
                                  unsigned n, unsigned k) {
  if (n == 32)
    multiplyIntRows<32>(c, a, b, m, k);
  else if (n == 16)
    multiplyIntRows<16>(c, a, b, m, k);
  else
    multiplyIntRows<4>(c, a, b, m, k);
}

/// Copies between accumulator rows and their registers: `toMatrix` or back.
template <unsigned n>
void moveRows(unsigned total, Row *registers, uint32_t *matrix, bool toMatrix) {
  constexpr unsigned perPass = 4 * (numLanes / n);
  for (unsigned row = 0; row < total; ++row) {
    uint32_t *lanes = &registers[row / perPass * 4 + row % 4][row % perPass / 4 * n];
    if (toMatrix)
      std::memcpy(matrix + row * n, lanes, n * 4);
    else
      std::memcpy(lanes, matrix + row * n, n * 4);
  }
}

} // namespace

void moveAccumulator(unsigned total, unsigned n, Row *registers, uint32_t *matrix, bool toMatrix) {
  n == 32   ? moveRows<32>(total, registers, matrix, toMatrix)
  : n == 16 ? moveRows<16>(total, registers, matrix, toMatrix)
            : moveRows<4>(total, registers, matrix, toMatrix);
}

namespace {

void moveAccumulator(const Shape &shape, Row *registers, uint32_t *matrix, bool toMatrix) {
  sim::moveAccumulator(shape.m * shape.blocks, shape.n, registers, matrix, toMatrix);
}

/// The accumulator as rows; an inline constant fills it.
void readAccumulator(Wave &wave, const Instr &instr, const Shape &shape, uint32_t *matrix) {
  const Operand &c = instr.src[2];
  if (c.isVgpr())
    return moveAccumulator(shape, &wave.v[c.reg], matrix, true);
  uint32_t value = scalar32(wave, c);
  unsigned count = static_cast<unsigned>(shape.m) * shape.n * shape.blocks;
  for (unsigned i = 0; i < count; ++i)
    matrix[i] = value;
}

const Shape &shapeOf(const Instr &instr) { return shapes[instr.op->aux]; }

void execMfma32(Wave &wave, const Instr &instr) {
  const Shape &shape = shapeOf(instr);
  if (instr.cbsz > 4) // broadcasts of less than four lanes: no matrix is that small
    return fault(wave, instr, CheckKind::BadInstruction, "reserved value of CBSZ");
  Rows rowsA, rowsB;
  readRows(wave, instr, 0, true, rowsA);
  readRows(wave, instr, 1, true, rowsB);
  alignas(64) float a[maxElems], b[maxElems];
  alignas(64) uint32_t c[maxElems];
  unpack(wave, shape, rowsA.rows, shape.a, narrowOf(shape.a), shape.m, a);
  unpack(wave, shape, rowsB.rows, shape.b, narrowOf(shape.b), shape.n, b);
  readAccumulator(wave, instr, shape, c);
  for (unsigned block = 0; block < shape.blocks; ++block) {
    unsigned atA = block * shape.k * shape.m, atB = block * shape.k * shape.n;
    uint32_t *rows = c + block * shape.m * shape.n;
    if (shape.a == Elem::I8)
      multiplyI32(rows, reinterpret_cast<uint32_t *>(a + atA),
                  reinterpret_cast<uint32_t *>(b + atB), shape.m, shape.n, shape.k);
    else
      multiplyF32(reinterpret_cast<float *>(rows), a + atA, b + atB, shape.m, shape.n, shape.k);
  }
  moveAccumulator(shape, &wave.v[instr.dst[0].reg], c, false);
}

/// xf32 keeps 10 mantissa bits; how hardware drops the other 13 is not published.
void execMfmaXf32(Wave &wave, const Instr &instr) {
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned dword = 0; dword < instr.src[i].dwords; ++dword)
      for (uint32_t bits : wave.v[instr.src[i].reg + dword])
        if (bits & 0x1fff)
          return fault(wave, instr, CheckKind::BadInstruction,
                       "an xf32 operand has more than 10 mantissa bits, and how hardware rounds it "
                       "is not published; round the inputs first");
  execMfma32(wave, instr);
}

// ---- f64 ---------------------------------------------------------------------------------------

double f64At(const Wave &wave, unsigned reg, unsigned lane) {
  return valueOf<double>(wave.v[reg][lane] | static_cast<uint64_t>(wave.v[reg + 1][lane]) << 32);
}

/// Lane of row (or column) `i`, k `k` of block `b`: blocks are the inner index in 4x4x4_4b.
unsigned laneInBlock(const Shape &shape, unsigned i, unsigned k, unsigned b) {
  return i + shape.m * (shape.blocks > 1 ? b + shape.blocks * k : k);
}

/// BLGP bits negate A, B and C.
void execMfmaF64(Wave &wave, const Instr &instr) {
  const Shape &shape = shapeOf(instr);
  unsigned m = shape.m, n = shape.n, slots = instr.dst[0].dwords / 2;
  unsigned negate = instr.blgp | instr.negLo; // printed as blgp or as neg:[a,b,c]
  double out[4][numLanes];
  for (unsigned slot = 0; slot < slots; ++slot)
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      unsigned col = lane % n, group = lane / n;
      unsigned block = shape.blocks > 1 ? group % shape.blocks : 0;
      unsigned row = shape.blocks > 1 ? group / shape.blocks : slot * (numLanes / n) + group;
      const Operand &c = instr.src[2];
      double sum = c.isVgpr() ? f64At(wave, c.reg + 2 * slot, lane) : valueOf<double>(c.imm);
      sum = negate & 4 ? -sum : sum;
      for (unsigned k = 0; k < shape.k; ++k) {
        double a = f64At(wave, instr.src[0].reg, laneInBlock(shape, row, k, block));
        double b = f64At(wave, instr.src[1].reg, laneInBlock(shape, col, k, block));
        sum = __builtin_fma(negate & 1 ? -a : a, negate & 2 ? -b : b, sum);
      }
      out[slot][lane] = sum;
    }
  (void)m;
  for (unsigned slot = 0; slot < slots; ++slot)
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      uint64_t bits = bitsOf(out[slot][lane]);
      wave.v[instr.dst[0].reg + 2 * slot][lane] = static_cast<uint32_t>(bits);
      wave.v[instr.dst[0].reg + 2 * slot + 1][lane] = static_cast<uint32_t>(bits >> 32);
    }
}

// ---- f8f6f4 ------------------------------------------------------------------------------------

/// CBSZ names the format of A, BLGP that of B (CDNA4 ISA 7.3).
bool formatOf(unsigned code, Narrow &kind) {
  constexpr Narrow kinds[] = {Narrow::Fp8, Narrow::Bf8, Narrow::Fp6, Narrow::Bf6, Narrow::Fp4};
  if (code > 4)
    return false;
  kind = kinds[code];
  return true;
}

/// The scale block of unpacked element `k` (lane group k / 32, slot k % 32).
unsigned scaleBlockOf(const Shape &shape, unsigned k, bool split) {
  if (!split)
    return k / 32;
  unsigned group = k / 32, slot = k % 32, half = slot / 16;
  return (half * shape.k / 2 + 16 * group + slot % 16) / 32;
}

/// Multiplies unpacked elements by 2^(scale - 127) of their row and block of 32 k. The scale byte
/// of row i, block b is in lane i + span * b (CDNA4 ISA, table of scale placement), at the byte
/// that op_sel and op_sel_hi name. Which k lane groups of 8-bit elements hold is disputed: scales
/// that differ within a row are refused for them unless LaunchOptions::fp8ScaleOrder decides.
bool applyScales(Wave &wave, const Instr &instr, const Shape &shape, unsigned operand, Narrow kind,
                 unsigned span, float *elems) {
  const Operand &scale = instr.src[3 + operand];
  unsigned shift = 8 * ((instr.opSel >> operand & 1) | (instr.opSelHi >> operand & 1) << 1);
  bool is8Bit = bitsOfNarrow(kind) == 8;
  Fp8ScaleOrder order = wave.group->engine->options->fp8ScaleOrder;
  auto byteAt = [&](unsigned lane) {
    uint32_t bits = scale.isVgpr() ? wave.v[scale.reg][lane] : scalar32(wave, scale);
    return bits >> shift & 0xff;
  };
  for (unsigned i = 0; i < span; ++i) {
    float factors[4];
    for (unsigned block = 0; block < shape.k / 32u; ++block) {
      uint32_t code = byteAt(i + span * block);
      if (is8Bit && order == Fp8ScaleOrder::Refuse && code != byteAt(i)) {
        fault(wave, instr, CheckKind::BadInstruction,
              "the scales of a row of 8-bit elements differ between blocks of 32, and the sources "
              "disagree about which elements a block holds; choose with --fp8-scale-order");
        return false;
      }
      factors[block] = static_cast<float>(decodeFloat(DType::E8M0, code));
    }
    for (unsigned k = 0; k < shape.k; ++k)
      elems[k * span + i] *=
          factors[scaleBlockOf(shape, k, is8Bit && order == Fp8ScaleOrder::Split)];
  }
  return true;
}

void execMfmaF8F6F4(Wave &wave, const Instr &instr) {
  const Shape &shape = shapeOf(instr);
  Narrow kindA, kindB;
  if (!formatOf(instr.cbsz, kindA) || !formatOf(instr.blgp, kindB))
    return fault(wave, instr, CheckKind::BadInstruction, "reserved operand format");
  alignas(64) float a[maxElems], b[maxElems];
  alignas(64) uint32_t c[maxElems];
  unpack(wave, shape, &wave.v[instr.src[0].reg], shape.a, kindA, shape.m, a);
  unpack(wave, shape, &wave.v[instr.src[1].reg], shape.b, kindB, shape.n, b);
  if (instr.numSrc == 5 && (!applyScales(wave, instr, shape, 0, kindA, shape.m, a) ||
                            !applyScales(wave, instr, shape, 1, kindB, shape.n, b)))
    return;
  readAccumulator(wave, instr, shape, c);
  multiplyF32(reinterpret_cast<float *>(c), a, b, shape.m, shape.n, shape.k);
  moveAccumulator(shape, &wave.v[instr.dst[0].reg], c, false);
}

} // namespace

// amd-hardware-facts.md 4.1: cycles of AMD's matrix instruction calculator divided by four; the
// 8-bit f8f6f4 rows and f64 on gfx950 from LLVM's hazard recognizer.
unsigned mfmaPasses(const Instr &instr, bool gfx950) {
  if (!(instr.flags & isMfma))
    return 0;
  if (instr.op->aux & sparseMatrix)
    return smfmacPasses(instr);
  const Shape &shape = shapeOf(instr);
  if (shape.a == F64)
    return shape.m == 4 ? 4 : gfx950 ? 16 : 8;
  if (shape.m == 4)
    return 2;
  unsigned passes = shape.m == 16 ? 4 : 8;
  bool wide = instr.cbsz <= 1 || instr.blgp <= 1; // an 8-bit operand
  if (shape.blocks > 1 || shape.a == F32 || (shape.a == F8F6F4 && wide))
    passes *= 2;
  return passes;
}

namespace {

std::vector<OpInfo> makeTable() {
  std::vector<OpInfo> table;
  for (uint32_t i = 0; i < std::size(shapes); ++i) {
    const Shape &shape = shapes[i];
    OpInfo op;
    op.name = shape.name;
    op.exec = shape.a == F64      ? execMfmaF64
              : shape.a == Xf32   ? execMfmaXf32
              : shape.a == F8F6F4 ? execMfmaF8F6F4
                                  : execMfma32;
    bool scaled = llvm::StringRef(shape.name).starts_with("v_mfma_scale");
    op.form = scaled ? "d01234" : "d012";
    op.flags = isValu | isMfma | ignoresExec | keepsDenormals;
    op.src[2] = op.dst = shape.a == F64 ? Type::F64 : shape.a == I8 ? Type::I32 : Type::F32;
    op.aux = i;
    table.push_back(op);
  }
  return table;
}

} // namespace

llvm::ArrayRef<OpInfo> mfmaOps() {
  static const std::vector<OpInfo> table = makeTable();
  return table;
}

} // namespace tilec::sim

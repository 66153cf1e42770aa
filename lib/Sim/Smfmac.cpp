//===- Smfmac.cpp - matrix instructions whose A is sparse -----------------===//
//
// D += A * B, where of four neighbours in a row of A two are stored. With S elements
// of A a lane and g = lane / M:
//   A: row lane % M, the pair p (elements 2p, 2p+1) stands for k = (S*g + 2p)*2 + 0..3.
//   Index: bits 4p..4p+1 say which of the four the first of the pair is, the next two
//      bits the second. CBSZ 0: ABID picks the set of 2*S bits; otherwise the lowest.
//   B: column lane % N, slots in k order: k = 2*S*g + slot. The shapes that gfx950 adds
//      hold two halves of K: k = K/2 * (slot/S) + S*g + slot%S.
// Sources: AMD matrix instruction calculator 1.3.2 for the shapes of gfx942; for the
// others composable_kernel's table of sparse layouts and LLVM's verifier (sets of twice
// the bits, mlir AMDGPU).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "HostClones.h"
#include "Matrix.h"

#include <cstring>

namespace tilec::sim {
namespace {

using enum Elem;
struct SparseShape {
  const char *name;
  uint8_t m, k; ///< N = M
  Elem a, b;
  bool splitB; ///< B holds two halves of K
};
constexpr SparseShape shapes[] = {
    {"v_smfmac_f32_16x16x32_f16", 16, 32, F16, F16, false},
    {"v_smfmac_f32_32x32x16_f16", 32, 16, F16, F16, false},
    {"v_smfmac_f32_16x16x32_bf16", 16, 32, Bf16, Bf16, false},
    {"v_smfmac_f32_32x32x16_bf16", 32, 16, Bf16, Bf16, false},
    {"v_smfmac_i32_16x16x64_i8", 16, 64, I8, I8, false},
    {"v_smfmac_i32_32x32x32_i8", 32, 32, I8, I8, false},
    {"v_smfmac_f32_16x16x64_bf8_bf8", 16, 64, Bf8, Bf8, false},
    {"v_smfmac_f32_16x16x64_bf8_fp8", 16, 64, Bf8, Fp8, false},
    {"v_smfmac_f32_16x16x64_fp8_bf8", 16, 64, Fp8, Bf8, false},
    {"v_smfmac_f32_16x16x64_fp8_fp8", 16, 64, Fp8, Fp8, false},
    {"v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, Bf8, Bf8, false},
    {"v_smfmac_f32_32x32x32_bf8_fp8", 32, 32, Bf8, Fp8, false},
    {"v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, Fp8, Bf8, false},
    {"v_smfmac_f32_32x32x32_fp8_fp8", 32, 32, Fp8, Fp8, false},
    // gfx950
    {"v_smfmac_f32_16x16x64_f16", 16, 64, F16, F16, true},
    {"v_smfmac_f32_32x32x32_f16", 32, 32, F16, F16, true},
    {"v_smfmac_f32_16x16x64_bf16", 16, 64, Bf16, Bf16, true},
    {"v_smfmac_f32_32x32x32_bf16", 32, 32, Bf16, Bf16, true},
    {"v_smfmac_i32_16x16x128_i8", 16, 128, I8, I8, true},
    {"v_smfmac_i32_32x32x64_i8", 32, 64, I8, I8, true},
    {"v_smfmac_f32_16x16x128_bf8_bf8", 16, 128, Bf8, Bf8, true},
    {"v_smfmac_f32_16x16x128_bf8_fp8", 16, 128, Bf8, Fp8, true},
    {"v_smfmac_f32_16x16x128_fp8_bf8", 16, 128, Fp8, Bf8, true},
    {"v_smfmac_f32_16x16x128_fp8_fp8", 16, 128, Fp8, Fp8, true},
    {"v_smfmac_f32_32x32x64_bf8_bf8", 32, 64, Bf8, Bf8, true},
    {"v_smfmac_f32_32x32x64_bf8_fp8", 32, 64, Bf8, Fp8, true},
    {"v_smfmac_f32_32x32x64_fp8_bf8", 32, 64, Fp8, Bf8, true},
    {"v_smfmac_f32_32x32x64_fp8_fp8", 32, 64, Fp8, Fp8, true},
};
constexpr unsigned maxElems = 2048; // K * N of the largest B
constexpr unsigned maxStored = 64;  // K / 2

const SparseShape &shapeOf(const Instr &instr) { return shapes[instr.op->aux & 0xff]; }

/// What a lane of A stores: S in the head of this file.
unsigned storedPerLane(const SparseShape &shape) { return shape.k / 2 / (numLanes / shape.m); }

/// The stored elements of all rows and the k that each belongs to, [element][row].
struct SparseA {
  alignas(64) float values[maxStored][32];
  uint8_t k[maxStored][32];
};

void unpackA(const Wave &wave, const Instr &instr, const SparseShape &shape, SparseA &out) {
  unsigned stored = storedPerLane(shape), setBits = 2 * stored;
  unsigned set = instr.cbsz & 3 ? 0 : instr.abid % (32 / setBits);
  const uint32_t *index = wave.v[instr.src[2].reg];
  alignas(64) float values[numLanes];
  for (unsigned slot = 0; slot < stored; ++slot) {
    readMatrixSlot(wave, &wave.v[instr.src[0].reg], shape.a, narrowOf(shape.a), slot, values);
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      unsigned element = lane / shape.m * stored + slot;
      unsigned within = index[lane] >> (set * setBits + 2 * slot) & 3;
      out.values[element][lane % shape.m] = values[lane];
      out.k[element][lane % shape.m] = static_cast<uint8_t>(element / 2 * 4 + within);
    }
  }
}

/// out[k * N + column]
void unpackB(const Wave &wave, const Instr &instr, const SparseShape &shape, float *out) {
  unsigned stored = storedPerLane(shape), n = shape.m;
  alignas(64) float values[numLanes];
  for (unsigned slot = 0; slot < 2 * stored; ++slot) {
    readMatrixSlot(wave, &wave.v[instr.src[1].reg], shape.b, narrowOf(shape.b), slot, values);
    for (unsigned group = 0; group < numLanes / n; ++group) {
      unsigned k = shape.splitB ? shape.k / 2 * (slot / stored) + stored * group + slot % stored
                                : 2 * stored * group + slot;
      std::memcpy(&out[k * n], &values[group * n], n * sizeof(float));
    }
  }
}

template <unsigned N, class T, class MultiplyAdd>
TILEC_SIM_INLINE void multiplySparse(uint32_t *c, const SparseA &a, const float *b, unsigned stored,
                                     MultiplyAdd multiplyAdd) {
  for (unsigned row = 0; row < N; ++row) {
    T sum[N], column[N];
    std::memcpy(sum, c + row * N, sizeof(sum));
    for (unsigned element = 0; element < stored; ++element) {
      T value;
      std::memcpy(&value, &a.values[element][row], sizeof(value));
      std::memcpy(column, b + a.k[element][row] * N, sizeof(column));
      for (unsigned col = 0; col < N; ++col)
        sum[col] = multiplyAdd(value, column[col], sum[col]);
    }
    std::memcpy(c + row * N, sum, sizeof(sum));
  }
}
TILEC_SIM_CLONES void multiply(uint32_t *c, const SparseA &a, const float *b,
                               const SparseShape &shape) {
  auto fma = [](float x, float y, float z) { return __builtin_fmaf(x, y, z); };
  auto integer = [](uint32_t x, uint32_t y, uint32_t z) { return x * y + z; };
  unsigned stored = shape.k / 2u;
  if (shape.a == I8)
    shape.m == 32 ? multiplySparse<32, uint32_t>(c, a, b, stored, integer)
                  : multiplySparse<16, uint32_t>(c, a, b, stored, integer);
  else
    shape.m == 32 ? multiplySparse<32, float>(c, a, b, stored, fma)
                  : multiplySparse<16, float>(c, a, b, stored, fma);
}

void execSmfmac(Wave &wave, const Instr &instr) {
  const SparseShape &shape = shapeOf(instr);
  SparseA a;
  alignas(64) float b[maxElems];
  alignas(64) uint32_t c[32 * 32];
  unpackA(wave, instr, shape, a);
  unpackB(wave, instr, shape, b);
  Row *d = &wave.v[instr.dst[0].reg];
  moveAccumulator(shape.m, shape.m, d, c, true);
  multiply(c, a, b, shape);
  moveAccumulator(shape.m, shape.m, d, c, false);
}

std::vector<OpInfo> makeTable() {
  std::vector<OpInfo> table;
  for (uint32_t i = 0; i < std::size(shapes); ++i) {
    OpInfo op;
    op.name = shapes[i].name;
    op.exec = execSmfmac;
    op.form = "d012";
    op.flags = isValu | isMfma | ignoresExec | keepsDenormals | readsDst;
    op.dst = shapes[i].a == I8 ? Type::I32 : Type::F32;
    op.aux = sparseMatrix | i;
    table.push_back(op);
  }
  return table;
}

} // namespace

unsigned smfmacPasses(const Instr &instr) { return shapeOf(instr).m == 16 ? 4 : 8; }

llvm::ArrayRef<OpInfo> smfmacOps() {
  static const std::vector<OpInfo> table = makeTable();
  return table;
}

} // namespace tilec::sim

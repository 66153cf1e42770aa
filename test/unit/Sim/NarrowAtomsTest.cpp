//===- NarrowAtomsTest.cpp - f8f6f4: the table of atoms, multiplied -------===//
//
// Every row of gfx950's tables for 8- and 4-bit floats, with scales and without: the
// instruction that it names multiplies what its layouts say.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "tilec/Base/DType.h"
#include "tilec/Target/Target.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilec;
using namespace tilec::sim::testing;

namespace {

constexpr int64_t waveLanes = 64;

/// An operand as lanes hold it, in words, and as a matrix [rows, k].
struct Operand {
  std::vector<Lanes> words;
  std::vector<double> matrix;
};

/// Of 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, which every format holds.
Operand makeOperand(DType dtype, const LinearLayout &layout, int64_t k, std::mt19937 &random) {
  int64_t count = layout.inputs()[0].count(), bits = bitsOf(dtype);
  Operand operand{std::vector<Lanes>(count * bits / 32, all(0)),
                  std::vector<double>(layout.boxShape()[0] * k)};
  for (int64_t lane = 0; lane < waveLanes; ++lane)
    for (int64_t reg = 0; reg < count; ++reg) {
      double value = decodeFloat(DType::E2M1, random() & 15);
      uint64_t code = encodeFloat(dtype, value);
      operand.words[reg * bits / 32][lane] |= static_cast<uint32_t>(code << reg * bits % 32);
      Coords at = layout.apply({reg, lane});
      operand.matrix[at[0] * k + at[1]] = value;
    }
  return operand;
}

/// A byte for each row and block of 32 k. Those of 8-bit rows are the same for all blocks: which k
/// a block of them holds is disputed (Sim/Mfma.cpp).
Lanes makeScales(DType dtype, int64_t rows, int64_t k, std::mt19937 &random) {
  Lanes scales = all(127);
  for (int64_t row = 0; row < rows; ++row) {
    uint32_t ofRow = 125 + random() % 5;
    for (int64_t block = 0; block < k / 32; ++block)
      scales[row + rows * block] = bitsOf(dtype) == 8 ? ofRow : 125 + random() % 5;
  }
  return scales;
}

std::string registersFrom(int64_t first, int64_t count) {
  return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

void check(const MmaAtom &atom, bool isScaled, std::mt19937 &random) {
  SCOPED_TRACE(atom.name.str());
  Operand a = makeOperand(atom.a, atom.aLayout, atom.k, random);
  Operand b = makeOperand(atom.b, atom.bLayout, atom.k, random);
  Lanes x = makeScales(atom.a, atom.m, atom.k, random);
  Lanes y = makeScales(atom.b, atom.n, atom.k, random);
  constexpr int64_t firstA = 8, firstB = 24, firstD = 40;
  Snippet snippet;
  for (auto [first, operand] : {std::pair(firstA, &a), std::pair(firstB, &b)})
    for (size_t word = 0; word < operand->words.size(); ++word)
      snippet.in["v" + std::to_string(first + word)] = operand->words[word];
  snippet.in["v4"] = x;
  snippet.in["v5"] = y;
  int64_t results = atom.cLayout.inputs()[0].count();
  auto [mnemonic, formats] = atom.name.split(' ');
  snippet.body = mnemonic.str() + " " + registersFrom(firstD, results) + ", " +
                 registersFrom(firstA, a.words.size()) + ", " +
                 registersFrom(firstB, b.words.size()) + ", 0" +
                 (isScaled ? ", v4, v5 op_sel_hi:[0,0,0] " : " ") + formats.str();
  for (int64_t reg = 0; reg < results; ++reg)
    snippet.out.push_back("v" + std::to_string(firstD + reg));
  auto found = snippet.run();
  EXPECT_TRUE(snippet.result.ok());
  for (int64_t lane = 0; lane < waveLanes; ++lane)
    for (int64_t reg = 0; reg < results; ++reg) {
      Coords at = atom.cLayout.apply({reg, lane});
      double want = 0;
      for (int64_t k = 0; k < atom.k; ++k) {
        double product = a.matrix[at[0] * atom.k + k] * b.matrix[at[1] * atom.k + k];
        if (isScaled)
          product *= decodeFloat(DType::E8M0, x[at[0] + atom.m * (k / 32)]) *
                     decodeFloat(DType::E8M0, y[at[1] + atom.n * (k / 32)]);
        want += product;
      }
      ASSERT_EQ(asFloat(found[snippet.out[reg]][lane]), static_cast<float>(want))
          << at[0] << ", " << at[1];
    }
}

TEST(NarrowAtoms, MultiplyWhatTheirLayoutsSay) {
  std::mt19937 random(8);
  int forGemms = 0, plain = 0, scaled = 0;
  for (const MmaAtom &atom : targetInfo(Arch::Gfx950).atoms())
    if (atom.name.contains("f8f6f4")) {
      check(atom, false, random);
      ++forGemms;
    }
  for (const NarrowAtom &narrow : targetInfo(Arch::Gfx950).narrow) {
    check(narrow.atom, narrow.isScaled, random);
    ++(narrow.isScaled ? scaled : plain);
  }
  // Two shapes of: 8 bits with 8; 4 bits beside 8 or 4; all nine pairs with scales.
  EXPECT_EQ(forGemms, 2 * 4);
  EXPECT_EQ(plain, 2 * 5);
  EXPECT_EQ(scaled, 2 * 9);
}

TEST(NarrowAtoms, AreOfOneChip) {
  EXPECT_TRUE(targetInfo(Arch::Gfx942).narrow.empty());
  EXPECT_TRUE(targetInfo(Arch::Sm90a).narrow.empty());
}

} // namespace

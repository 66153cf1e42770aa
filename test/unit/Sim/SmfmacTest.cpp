//===- SmfmacTest.cpp - matrix instructions with a sparse A ---------------===//
//
// Where the elements sit is written down once more here, as AMD's matrix instruction
// calculator prints it for gfx942 (floor and % of i, j, k), and as composable_kernel's
// layout parameters say for the shapes of gfx950 (A in one piece, B in two). Each
// instruction is run on small integers, which all formats hold exactly, and every
// element of D is compared with the dense product.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "tilec/Base/DType.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

struct Shape {
  const char *name;
  unsigned m, k;
  DType a, b;
  bool gfx950Only;
};

std::vector<Shape> shapesOf(const std::string &cpu) {
  bool ocp = cpu == "gfx950";
  DType fp8 = ocp ? DType::E4M3FN : DType::E4M3FNUZ, bf8 = ocp ? DType::E5M2 : DType::E5M2FNUZ;
  std::vector<Shape> shapes;
  auto add = [&](unsigned factor) {
    bool only950 = factor == 2;
    auto both = [&](unsigned k16, DType a, DType b, const char *wide, const char *narrow) {
      shapes.push_back({wide, 16, k16 * factor, a, b, only950});
      shapes.push_back({narrow, 32, k16 / 2 * factor, a, b, only950});
    };
    both(32, DType::F16, DType::F16, "f32_16x16x%_f16", "f32_32x32x%_f16");
    both(32, DType::BF16, DType::BF16, "f32_16x16x%_bf16", "f32_32x32x%_bf16");
    both(64, DType::I8, DType::I8, "i32_16x16x%_i8", "i32_32x32x%_i8");
    both(64, fp8, fp8, "f32_16x16x%_fp8_fp8", "f32_32x32x%_fp8_fp8");
    both(64, fp8, bf8, "f32_16x16x%_fp8_bf8", "f32_32x32x%_fp8_bf8");
    both(64, bf8, fp8, "f32_16x16x%_bf8_fp8", "f32_32x32x%_bf8_fp8");
    both(64, bf8, bf8, "f32_16x16x%_bf8_bf8", "f32_32x32x%_bf8_bf8");
  };
  add(1);
  if (ocp)
    add(2);
  return shapes;
}
std::string mnemonicOf(const Shape &shape) {
  std::string name = shape.name;
  return "v_smfmac_" + name.replace(name.find('%'), 1, std::to_string(shape.k));
}

uint32_t encode(DType type, int value) {
  return static_cast<uint32_t>(isInteger(type) ? encodeInt(type, value) : encodeFloat(type, value));
}
void put(Snippet &s, unsigned first, unsigned slot, unsigned bits, unsigned lane, uint32_t code) {
  auto [at, isNew] = s.in.insert({"v" + std::to_string(first + slot * bits / 32), all(0)});
  at->second[lane] |= code << slot * bits % 32;
}
std::string range(unsigned first, unsigned count) {
  return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

constexpr unsigned firstA = 8, firstB = 16, indexReg = 30, firstC = 40;

/// Everything that a run needs: dense matrices, and the registers that hold them.
struct Problem {
  Snippet snippet;
  std::vector<int> a, b, c; ///< row-major, A with its zeros
};

Problem makeProblem(const std::string &cpu, const Shape &shape, unsigned set, unsigned setBits) {
  Problem p;
  std::mt19937 random(3);
  auto small = [&](int limit) { return static_cast<int>(random() % (2 * limit + 1)) - limit; };
  unsigned m = shape.m, k = shape.k, bits = bitsOf(shape.a);
  unsigned perLane = k * m / 64; // dense elements of a row of B's kind
  p.snippet.cpu = cpu;
  p.snippet.kernel.vgprs = 256;
  p.snippet.kernel.accumOffset = 128;
  p.a.assign(m * k, 0);
  p.snippet.in["v" + std::to_string(indexReg)] = all(0);
  // Other sets hold what must not be looked at.
  uint32_t setMask = static_cast<uint32_t>(((1ull << setBits) - 1) << set * setBits);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned quad = 0; quad < k / 4; ++quad) {
      unsigned first = random() % 3, second = first + 1 + random() % (3 - first);
      unsigned lane = m * (4 * quad / perLane) + i, pair = 4 * quad % perLane / 4;
      for (unsigned s = 0; s < 2; ++s) {
        int value = small(3);
        p.a[i * k + 4 * quad + (s ? second : first)] = value;
        put(p.snippet, firstA, 2 * pair + s, bits, lane, encode(shape.a, value));
      }
      uint32_t nibble = first | second << 2;
      p.snippet.in["v" + std::to_string(indexReg)][lane] |= nibble << (set * setBits + 4 * pair);
    }
  for (uint32_t &index : p.snippet.in["v" + std::to_string(indexReg)])
    index |= static_cast<uint32_t>(random()) & ~setMask;
  for (unsigned kk = 0; kk < k; ++kk)
    for (unsigned j = 0; j < m; ++j) {
      p.b.push_back(small(3));
      // In one piece, or in two halves of K.
      unsigned inHalf = shape.gfx950Only ? kk % (k / 2) : kk,
               run = shape.gfx950Only ? perLane / 2 : perLane;
      unsigned lane = m * (inHalf / run) + j;
      unsigned slot = inHalf % run + (shape.gfx950Only && kk >= k / 2 ? perLane / 2 : 0);
      put(p.snippet, firstB, slot, bits, lane, encode(shape.b, p.b.back()));
    }
  DType result = shape.a == DType::I8 ? DType::I32 : DType::F32;
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < m; ++j) {
      p.c.push_back(small(50));
      unsigned reg = m == 16 ? i % 4 : 4 * (i / 8) + i % 4, group = m == 16 ? i / 4 : i / 4 % 2;
      put(p.snippet, firstC, reg, 32, m * group + j, encode(result, p.c.back()));
    }
  return p;
}

void check(const std::string &cpu, const Shape &shape, unsigned set, unsigned setBits,
           const std::string &modifiers) {
  SCOPED_TRACE(cpu + " " + mnemonicOf(shape) + modifiers);
  Problem p = makeProblem(cpu, shape, set, setBits);
  unsigned m = shape.m, k = shape.k, bits = bitsOf(shape.a), registersB = k * m / 64 * bits / 32;
  unsigned registersC = m * m / 64;
  p.snippet.body = mnemonicOf(shape) + " " + range(firstC, registersC) + ", " +
                   range(firstA, registersB / 2) + ", " + range(firstB, registersB) + ", v" +
                   std::to_string(indexReg) + modifiers;
  for (unsigned r = 0; r < registersC; ++r)
    p.snippet.out.push_back("v" + std::to_string(firstC + r));
  auto results = p.snippet.run();
  ASSERT_TRUE(p.snippet.result.ok()) << llvm::toString(p.snippet.result.toError());
  unsigned wrong = 0;
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < m; ++j) {
      int expected = p.c[i * m + j];
      for (unsigned kk = 0; kk < k; ++kk)
        expected += p.a[i * k + kk] * p.b[kk * m + j];
      unsigned reg = m == 16 ? i % 4 : 4 * (i / 8) + i % 4, group = m == 16 ? i / 4 : i / 4 % 2;
      uint32_t bitsOfD = results["v" + std::to_string(firstC + reg)][m * group + j];
      DType result = shape.a == DType::I8 ? DType::I32 : DType::F32;
      wrong += bitsOfD != encode(result, expected);
    }
  EXPECT_EQ(wrong, 0u);
}

void checkAll(const std::string &cpu, size_t count) {
  std::vector<Shape> shapes = shapesOf(cpu);
  EXPECT_EQ(shapes.size(), count);
  for (const Shape &shape : shapes) {
    unsigned setBits = shape.k * shape.m / 64; // two bits for each stored element
    for (unsigned set = 0; set < 32 / setBits; ++set)
      check(cpu, shape, set, setBits, set ? " abid:" + std::to_string(set) : "");
    // CBSZ turns the choice off.
    if (setBits < 32)
      check(cpu, shape, 0, setBits, " cbsz:1 abid:1");
  }
}
TEST(Smfmac, PlacesOperandsAsPublishedOnGfx942) { checkAll("gfx942", 14); }
TEST(Smfmac, PlacesOperandsAsPublishedOnGfx950) { checkAll("gfx950", 28); }

// What the index does not name is never multiplied: a NaN there is harmless.
TEST(Smfmac, SkipsWhatIsNotStored) {
  Snippet s;
  const uint32_t nan = 0x7e00;
  for (unsigned r = 0; r < 2; ++r)
    s.in["v" + std::to_string(8 + r)] = all(0x3c003c00); // 1.0
  for (unsigned r = 0; r < 4; ++r) // k % 4 of 2 and 3 are in the odd registers
    s.in["v" + std::to_string(16 + r)] = all(r % 2 ? nan << 16 | nan : 0x40004000);
  s.in["v30"] = all(0x44); // 0 and 1 of each four
  for (unsigned r = 40; r < 44; ++r)
    s.in["v" + std::to_string(r)] = allF(1);
  s.body = "v_smfmac_f32_16x16x32_f16 v[40:43], v[8:9], v[16:19], v30";
  s.out = {"v40"};
  EXPECT_EQ(s.run1(), allF(33)); // 1 + 16 * 2
}

} // namespace

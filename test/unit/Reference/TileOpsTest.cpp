//===- TileOpsTest.cpp - copy, fill, gemm, reduce, scan -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

using namespace tilec;
using namespace tilec::test;

namespace {

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

struct GemmCase {
  const char *in, *out;
  DType inType, outType;
};

std::string gemmProgram(const GemmCase &c, bool ta, bool tb, const std::string &clear = "") {
  std::string a = ta ? "[5, 3]" : "[3, 5]", b = tb ? "[4, 5]" : "[5, 4]";
  std::string at = a + ", " + c.in, bt = b + ", " + c.in, ct = std::string("[3, 4], ") + c.out;
  return oneBlock(tensor("A", at) + tensor("B", bt) + tensor("C", ct),
                  "    %t = arith.constant true\n    %f = arith.constant false\n"
                  "    tile.gemm %A, %B, %C " +
                      clear + " {" + (ta ? "transpose_a" : "") + (ta && tb ? ", " : "") +
                      (tb ? "transpose_b" : "") + "} : !tile.buffer<" + at +
                      ", global>, !tile.buffer<" + bt + ", global>, !tile.buffer<" + ct +
                      ", global>\n");
}

TEST(ReferenceGemm, AllTransposesAndTypes) {
  const GemmCase cases[] = {{"f16", "f32", DType::F16, DType::F32},
                            {"bf16", "f32", DType::BF16, DType::F32},
                            {"f16", "f16", DType::F16, DType::F16},
                            {"f32", "f32", DType::F32, DType::F32},
                            {"f64", "f64", DType::F64, DType::F64},
                            {"i8", "i32", DType::I8, DType::I32},
                            {"ui8", "i32", DType::U8, DType::I32},
                            {"f8E5M2", "f32", DType::E5M2, DType::F32},
                            {"f8E4M3FNUZ", "f32", DType::E4M3FNUZ, DType::F32},
                            {"f4E2M1FN", "f32", DType::E2M1, DType::F32}};
  for (const GemmCase &c : cases)
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        Program program(gemmProgram(c, ta, tb));
        Values a(c.inType, ta ? std::vector<int64_t>{5, 3} : std::vector<int64_t>{3, 5});
        Values b(c.inType, tb ? std::vector<int64_t>{4, 5} : std::vector<int64_t>{5, 4});
        Values d(c.outType, {3, 4}, 2);
        a.fill([](int64_t i) { return i % 4; });
        b.fill([](int64_t i) { return (i * 3) % 4; });
        program.tensor("A", a).tensor("B", b).tensor("C", d);
        ASSERT_EQ(program.run(), "");
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 4; ++j) {
            double sum = 2;
            for (int k = 0; k < 5; ++k)
              sum += a.at(ta ? k * 3 + i : i * 5 + k) * b.at(tb ? j * 5 + k : k * 4 + j);
            ASSERT_EQ(d.at(i * 4 + j), sum) << c.in << ' ' << ta << tb << ' ' << i << ' ' << j;
          }
      }
}

TEST(ReferenceGemm, ClearIgnoresTheOldValue) {
  GemmCase c{"f32", "f32", DType::F32, DType::F32};
  for (bool clears : {true, false}) {
    Program program(gemmProgram(c, false, false, clears ? "clear(%t)" : "clear(%f)"));
    Values a(DType::F32, {3, 5}, 1), b(DType::F32, {5, 4}, 1), d(DType::F32, {3, 4}, 100);
    program.tensor("A", a).tensor("B", b).tensor("C", d);
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(d.at(0), clears ? 5 : 105);
  }
}

// 2^24 + 1 + 1 + 1 + 1: each f32 step loses the one; f64 keeps them and rounds once.
TEST(ReferenceGemm, AccumulatesInF64OrSequentiallyInF32) {
  GemmCase c{"f32", "f32", DType::F32, DType::F32};
  for (bool sequential : {false, true}) {
    Program program(gemmProgram(c, false, false));
    Values a(DType::F32, {3, 5}, 1), b(DType::F32, {5, 4}, 1), d(DType::F32, {3, 4}, 0);
    for (int i = 0; i < 3; ++i)
      a.set(i * 5, 0x1p24);
    program.tensor("A", a).tensor("B", b).tensor("C", d);
    if (sequential)
      program.options.accumulate = ReferenceOptions::Accumulate::SequentialF32;
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(d.at(0), sequential ? 0x1p24 : 0x1p24 + 4);
  }
}

TEST(ReferenceGemm, IntegersWrap) {
  GemmCase c{"i32", "i32", DType::I32, DType::I32};
  Program program(gemmProgram(c, false, false));
  Values a(DType::I32, {3, 5}, 0x7fffffff), b(DType::I32, {5, 4}, 3), d(DType::I32, {3, 4}, 0);
  program.tensor("A", a).tensor("B", b).tensor("C", d);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(d.at(0), double(int32_t(uint32_t(15ull * 0x7fffffff))));
}

//===----------------------------------------------------------------------===//
// copy and fill
//===----------------------------------------------------------------------===//

TEST(ReferenceCopy, RaggedBoxOfAGlobalTensor) {
  // A 3 x 3 box at (-1, 2) of a 4 x 4 tensor: the first row and the last column are outside.
  Program program(oneBlock(
      tensor("A", "[4, 4], i32") + tensor("B", "[3, 3], i32"),
      "    %m1 = arith.constant -1 : index\n"
      "    %a = tile.subview %A[%m1, %c2] : !tile.buffer<[4, 4], i32, global> to "
      "!tile.buffer<[3, 3], i32, global>\n"
      "    tile.copy %a to %B : !tile.buffer<[3, 3], i32, global>, !tile.buffer<[3, 3], i32, "
      "global>\n"));
  Values a(DType::I32, {4, 4}), b(DType::I32, {3, 3}, 99);
  a.fill([](int64_t i) { return i + 1; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{0, 0, 0, 3, 4, 0, 7, 8, 0}));
}

TEST(ReferenceCopy, OutsideElementsOfADestinationAreDropped) {
  Program program(oneBlock(
      tensor("A", "[3, 3], i32") + tensor("B", "[4, 4], i32"),
      "    %b = tile.subview %B[%c2, %c2] : !tile.buffer<[4, 4], i32, global> to "
      "!tile.buffer<[3, 3], i32, global>\n"
      "    tile.copy %A to %b : !tile.buffer<[3, 3], i32, global>, !tile.buffer<[3, 3], i32, "
      "global>\n"));
  Values a(DType::I32, {3, 3}), b(DType::I32, {4, 4}, -1);
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(),
            (std::vector<double>{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, -1, -1, 3, 4}));
}

TEST(ReferenceCopy, DroppedDimensionsAndUnitDimensions) {
  // Plane 1 of a [2, 2, 3] tensor, into a [2, 1, 3] one.
  Program program(oneBlock(
      tensor("A", "[2, 2, 3], f32") + tensor("B", "[2, 1, 3], f16"),
      "    %a = tile.subview %A[%c1, %c0, %c0] dropped [0] : !tile.buffer<[2, 2, 3], f32, global> "
      "to !tile.buffer<[2, 3], f32, global>\n"
      "    tile.copy %a to %B : !tile.buffer<[2, 3], f32, global>, !tile.buffer<[2, 1, 3], f16, "
      "global>\n"));
  Values a(DType::F32, {2, 2, 3}), b(DType::F16, {2, 1, 3});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{6, 7, 8, 9, 10, 11}));
}

TEST(ReferenceCopy, ConvertsAsALoadAndAStoreDo) {
  auto convert = [](const char *from, DType fromType, double value, const char *to, DType toType) {
    Program program(
        oneBlock(tensor("A", std::string("[1], ") + from) + tensor("B", std::string("[1], ") + to),
                 std::string("    tile.copy %A to %B : !tile.buffer<[1], ") + from +
                     ", global>, !tile.buffer<[1], " + to + ", global>\n"));
    Values a(fromType, {1}, value), b(toType, {1});
    program.tensor("A", a).tensor("B", b);
    EXPECT_EQ(program.run(), "");
    return b.at(0);
  };
  EXPECT_EQ(convert("f32", DType::F32, 1e6, "f16", DType::F16), INFINITY);
  EXPECT_EQ(convert("f32", DType::F32, 1e6, "f8E4M3FN", DType::E4M3FN), 448);
  EXPECT_EQ(convert("f32", DType::F32, -INFINITY, "f8E4M3FNUZ", DType::E4M3FNUZ), -240);
  EXPECT_EQ(convert("f32", DType::F32, -2.7, "i32", DType::I32), -2);
  EXPECT_EQ(convert("i32", DType::I32, 16777217, "f32", DType::F32), 16777216);
  EXPECT_EQ(convert("ui8", DType::U8, 200, "i32", DType::I32), 200);
  EXPECT_EQ(convert("ui8", DType::U8, 200, "f16", DType::F16), 200);
  EXPECT_EQ(convert("i8", DType::I8, -56, "ui16", DType::U16), 65480);
  EXPECT_EQ(convert("f32", DType::F32, 0.5, "i1", DType::Bool), 1);
  EXPECT_EQ(convert("f64", DType::F64, 1 + 0x1p-24 + 0x1p-50, "f32", DType::F32), 1 + 0x1p-23);
  // f64 -> f16 through f32 would round twice and give 1.
  EXPECT_EQ(convert("f64", DType::F64, 1 + 0x1p-11 + 0x1p-40, "f16", DType::F16), 1 + 0x1p-10);
  EXPECT_EQ(convert("i4", DType::I4, -3, "i8", DType::I8), -3);
  EXPECT_EQ(convert("f8E8M0FNU", DType::E8M0, 0.25, "f32", DType::F32), 0.25);
}

TEST(ReferenceCopy, EqualTypesKeepTheBits) {
  Program program(oneBlock(tensor("A", "[2], f16") + tensor("B", "[2], f16"),
                           "    tile.copy %A to %B : !tile.buffer<[2], f16, global>, "
                           "!tile.buffer<[2], f16, global>\n"));
  Values a(DType::F16, {2}), b(DType::F16, {2});
  a.setBits(0, 0x7d01); // a signalling NaN with a payload
  a.setBits(1, 0x8000);
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.bits(0), 0x7d01u);
  EXPECT_EQ(b.bits(1), 0x8000u);
}

TEST(ReferenceCopy, StridedTensor) {
  Program program(oneBlock(tensor("A", "[3, 2], i32") + tensor("B", "[3, 2], i32"),
                           "    tile.copy %A to %B : !tile.buffer<[3, 2], i32, global>, "
                           "!tile.buffer<[3, 2], i32, global>\n"));
  Values a(DType::I32, {3, 2}), b(DType::I32, {3, 2});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  program.args.tensors["A"].strides = {1, 3}; // column-major
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  program.args.tensors["A"].strides = {1, 4};
  EXPECT_NE(program.run().find("`A` takes 28 bytes, 24 are given"), std::string::npos);
  program.args.tensors["A"].strides = {-1, 3};
  EXPECT_NE(program.run().find("has a stride of -1"), std::string::npos);
  program.args.tensors["A"].strides = {1};
  EXPECT_NE(program.run().find("1 strides"), std::string::npos);
}

// How a device keeps a tensor does not change what it means.
TEST(ReferenceCopy, StridesOfAParameterDoNotMatter) {
  Program program(oneBlock("  %s1 = arith.constant 1 : index\n  %s3 = arith.constant 3 : index\n"
                           "  %A = tile.tensor \"A\"[] strides(%s1, %s3) : !tile.buffer<[3, 2], "
                           "i32, global>\n" +
                               tensor("B", "[3, 2], i32"),
                           "    tile.copy %A to %B : !tile.buffer<[3, 2], i32, global>, "
                           "!tile.buffer<[3, 2], i32, global>\n"));
  Values a(DType::I32, {3, 2}), b(DType::I32, {3, 2});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), a.all());
}

TEST(ReferenceFill, PartOfATile) {
  for (auto [name, dtype] : {std::pair{"f32", DType::F32},
                             {"f16", DType::F16},
                             {"f8E5M2", DType::E5M2},
                             {"f4E2M1FN", DType::E2M1}}) {
    std::string t = name;
    Program program(oneBlock(tensor("B", "[4, 4], " + t),
                             "    %v = arith.constant 1.5 : f32\n"
                             "    %b = tile.subview %B[%c1, %c1] : !tile.buffer<[4, 4], " +
                                 t + ", global> to !tile.buffer<[2, 2], " + t +
                                 ", global>\n    tile.fill %v, %b : f32, !tile.buffer<[2, 2], " +
                                 t + ", global>\n"));
    Values b(dtype, {4, 4}, 2);
    program.tensor("B", b);
    ASSERT_EQ(program.run(), "");
    for (int i = 0; i < 16; ++i) {
      bool isInside = i / 4 >= 1 && i / 4 <= 2 && i % 4 >= 1 && i % 4 <= 2;
      EXPECT_EQ(b.at(i), isInside ? 1.5 : 2) << name << ' ' << i;
    }
  }
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

TEST(ReferenceReshape, OtherShapeAndOtherType) {
  Program program(oneBlock(
      tensor("A", "[2, 3], f32") + tensor("B", "[3, 2], f32") + tensor("C", "[6], i32"),
      "    %s = tile.alloc \"s\" : !tile.buffer<[2, 3], f32, shared>\n"
      "    tile.copy %A to %s : !tile.buffer<[2, 3], f32, global>, !tile.buffer<[2, 3], f32, "
      "shared>\n"
      "    %r = tile.reshape %s : !tile.buffer<[2, 3], f32, shared> to !tile.buffer<[3, 2], f32, "
      "shared>\n"
      "    tile.copy %r to %B : !tile.buffer<[3, 2], f32, shared>, !tile.buffer<[3, 2], f32, "
      "global>\n"
      "    %b = tile.reshape %s : !tile.buffer<[2, 3], f32, shared> to !tile.buffer<[6], i32, "
      "shared>\n"
      "    tile.copy %b to %C : !tile.buffer<[6], i32, shared>, !tile.buffer<[6], i32, global>\n"
      "    %e = tile.load %r[%c2, %c1] : !tile.buffer<[3, 2], f32, shared> -> f32\n"
      "    tile.store %e, %B[%c0, %c0] : f32, !tile.buffer<[3, 2], f32, global>\n"));
  Values a(DType::F32, {2, 3}), b(DType::F32, {3, 2}), c(DType::I32, {6});
  a.fill([](int64_t i) { return i + 1; });
  program.tensor("A", a).tensor("B", b).tensor("C", c);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{6, 2, 3, 4, 5, 6}));
  EXPECT_EQ(c.bits(0), 0x3f800000u);
}

// Row-major order of a part that is not contiguous in memory.
TEST(ReferenceReshape, OfAStridedPart) {
  Program program(oneBlock(
      tensor("A", "[3, 4], i32") + tensor("B", "[4], i32"),
      "    %a = tile.subview %A[%c1, %c2] : !tile.buffer<[3, 4], i32, global> to !tile.buffer<[2, "
      "2], i32, global>\n"
      "    %r = tile.reshape %a : !tile.buffer<[2, 2], i32, global> to !tile.buffer<[4], i32, "
      "global>\n"
      "    tile.copy %r to %B : !tile.buffer<[4], i32, global>, !tile.buffer<[4], i32, global>\n"
      "    %e = tile.load %r[%c3] : !tile.buffer<[4], i32, global> -> i32\n"
      "    %t = tile.subview %r[%c2] : !tile.buffer<[4], i32, global> to !tile.buffer<[2], i32, "
      "global>\n"
      "    %f = tile.load %t[%c0] : !tile.buffer<[2], i32, global> -> i32\n"
      "    %s = arith.addi %e, %f : i32\n"
      "    tile.store %s, %B[%c0] : i32, !tile.buffer<[4], i32, global>\n"));
  Values a(DType::I32, {3, 4}), b(DType::I32, {4});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{11 + 10, 7, 10, 11}));
}

//===----------------------------------------------------------------------===//
// reduce and scan
//===----------------------------------------------------------------------===//

std::vector<double> reduceRow(const std::string &kind, std::vector<double> row, double old,
                              const std::string &attrs, DType dtype = DType::F32,
                              const std::string &type = "f32") {
  std::string n = std::to_string(row.size());
  Program program(oneBlock(tensor("A", "[1, " + n + "], " + type) + tensor("B", "[1], " + type),
                           "    tile.reduce " + kind + " %A to %B dim 1 {" + attrs +
                               "} : !tile.buffer<[1, " + n + "], " + type +
                               ", global>, !tile.buffer<[1], " + type + ", global>\n"));
  Values a(dtype, {1, int64_t(row.size())}), b(dtype, {1}, old);
  a.fill([&](int64_t i) { return row[i]; });
  program.tensor("A", a).tensor("B", b);
  EXPECT_EQ(program.run(), "");
  return b.all();
}

TEST(ReferenceReduce, KindsWithAndWithoutClear) {
  using V = std::vector<double>;
  V row{3, -5, 2};
  EXPECT_EQ(reduceRow("sum", row, 10, ""), V{0});
  EXPECT_EQ(reduceRow("sum", row, 10, "clear = false"), V{10});
  EXPECT_EQ(reduceRow("prod", row, 10, ""), V{-30});
  EXPECT_EQ(reduceRow("max", row, 10, ""), V{3});
  EXPECT_EQ(reduceRow("max", row, 10, "clear = false"), V{10});
  EXPECT_EQ(reduceRow("min", row, -10, ""), V{-5});
  EXPECT_EQ(reduceRow("min", row, -10, "clear = false"), V{-10});
  EXPECT_EQ(reduceRow("abssum", row, 1, "clear = false"), V{11});
  EXPECT_EQ(reduceRow("absmax", row, 1, ""), V{5});
  EXPECT_EQ(reduceRow("bitand", {12, 10}, 0, "", DType::I32, "i32"), V{8});
  EXPECT_EQ(reduceRow("bitor", {12, 10}, 0, "", DType::I32, "i32"), V{14});
  EXPECT_EQ(reduceRow("bitxor", {12, 10}, 0, "", DType::I32, "i32"), V{6});
  EXPECT_EQ(reduceRow("max", {200, 100}, 0, "", DType::U8, "ui8"), V{200});
  EXPECT_EQ(reduceRow("sum", {200, 100}, 0, "", DType::U8, "ui8"), V{44});
}

TEST(ReferenceReduce, UnsignedValuesWithTheHighestBit) { // 2^64 - 4 is read back as -4
  using V = std::vector<double>;
  auto reduce = [](const char *kind) {
    return reduceRow(kind, {-4, 22}, 0, "", DType::U64, "ui64");
  };
  EXPECT_EQ(reduce("max"), V{-4});
  EXPECT_EQ(reduce("min"), V{22});
  EXPECT_EQ(reduce("absmax"), V{-4});
  EXPECT_EQ(reduce("abssum"), V{18});
}

TEST(ReferenceReduce, MaxIgnoresNanUnlessAsked) {
  EXPECT_EQ(reduceRow("max", {1, NAN, 3}, 0, "")[0], 3);
  EXPECT_EQ(reduceRow("min", {NAN, 4}, 0, "")[0], 4);
  EXPECT_TRUE(std::isnan(reduceRow("max", {1, NAN, 3}, 0, "nan_propagate")[0]));
  EXPECT_TRUE(std::isnan(reduceRow("max", {NAN, NAN}, 0, "")[0]));
  EXPECT_TRUE(std::isnan(reduceRow("sum", {1, NAN}, 0, "")[0]));
}

TEST(ReferenceReduce, SumRoundsOnce) {
  // In f16 every step of 2048 + 1 would stay at 2048; in f64 the sum is 2051 and rounds to 2052.
  EXPECT_EQ(reduceRow("sum", {2048, 1, 1, 1}, 0, "", DType::F16, "f16")[0], 2052);
}

TEST(ReferenceReduce, MiddleDimension) {
  Program program(oneBlock(tensor("A", "[2, 3, 2], i32") + tensor("B", "[2, 1, 2], i32"),
                           "    tile.reduce sum %A to %B dim 1 : !tile.buffer<[2, 3, 2], i32, "
                           "global>, !tile.buffer<[2, 1, 2], i32, global>\n"));
  Values a(DType::I32, {2, 3, 2}), b(DType::I32, {2, 1, 2});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{0 + 2 + 4, 1 + 3 + 5, 6 + 8 + 10, 7 + 9 + 11}));
}

TEST(ReferenceScan, ForwardAndReverse) {
  for (bool reverse : {false, true}) {
    Program program(oneBlock(tensor("A", "[2, 3], f32") + tensor("B", "[2, 3], f32"),
                             std::string("    tile.scan sum %A to %B dim 1 ") +
                                 (reverse ? "{reverse} " : "") +
                                 ": !tile.buffer<[2, 3], f32, global>, !tile.buffer<[2, 3], f32, "
                                 "global>\n"));
    Values a(DType::F32, {2, 3}), b(DType::F32, {2, 3});
    a.fill([](int64_t i) { return i + 1; });
    program.tensor("A", a).tensor("B", b);
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(b.all(), reverse ? (std::vector<double>{6, 5, 3, 15, 11, 6})
                               : (std::vector<double>{1, 3, 6, 4, 9, 15}));
  }
  Program program(oneBlock(tensor("A", "[4], i32") + tensor("B", "[4], i32"),
                           "    tile.scan max %A to %B dim 0 : !tile.buffer<[4], i32, global>, "
                           "!tile.buffer<[4], i32, global>\n"));
  Values a(DType::I32, {4}), b(DType::I32, {4});
  a.fill([](int64_t i) { return std::vector<double>{2, 5, 1, 7}[i]; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{2, 5, 5, 7}));
}

} // namespace

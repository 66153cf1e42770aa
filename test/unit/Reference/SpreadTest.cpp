//===- SpreadTest.cpp - the runs that the agreement rule's E comes from ---===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

#include "Values.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// The element types of all buffers by their operation's name attribute.
std::map<std::string, std::string> elementTypes(tile::ProgramOp program) {
  std::map<std::string, std::string> types;
  program.walk([&](mlir::Operation *op) {
    if (!mlir::isa<tile::TensorOp, tile::AllocOp>(op))
      return;
    std::string text;
    llvm::raw_string_ostream(text)
        << mlir::cast<tile::BufferType>(op->getResult(0).getType()).getElementType();
    types[op->getAttrOfType<mlir::StringAttr>("name").str()] = text;
  });
  return types;
}

std::string shared(const std::string &name, const std::string &element) {
  return "    %" + name + " = tile.alloc \"" + name + "\" : !tile.buffer<[4, 4], " + element +
         ", shared>\n";
}
std::string copy(const std::string &from, const std::string &fromType, const std::string &to,
                 const std::string &toType) {
  return "    tile.copy %" + from + " to %" + to + " : !tile.buffer<[4, 4], " + fromType +
         ">, !tile.buffer<[4, 4], " + toType + ">\n";
}

TEST(Spread, ResultsAndWhatCarriesThemAreNotRounded) {
  Program program(oneBlock(tensor("A", "[4, 4], f32") + tensor("C", "[4, 4], f16"),
                           shared("stage", "f16") +
                               copy("A", "f32, global", "stage", "f16, shared") +
                               copy("stage", "f16, shared", "C", "f16, global")));
  UnroundedProgram unrounded = withUnroundedOutputs(program.op());
  EXPECT_EQ(elementTypes(*unrounded.program)["stage"], "f32");
  EXPECT_EQ(elementTypes(*unrounded.program)["C"], "f32");
  EXPECT_TRUE(unrounded.tensors.contains("C"));
  EXPECT_FALSE(unrounded.roundsInside);
  EXPECT_EQ(elementTypes(program.op())["C"], "f16") << "the program itself changed";
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*unrounded.program)));

  Values a(DType::F32, {4, 4}, 1 + 0x1p-13), c(DType::F32, {4, 4}, 0);
  ReferenceArgs args;
  args.tensors["A"] = {a.bytes.data(), 64, {4, 4}};
  args.tensors["C"] = {c.bytes.data(), 64, {4, 4}};
  ASSERT_FALSE(runReference(*unrounded.program, args));
  EXPECT_EQ(c.at(15), 1 + 0x1p-13);
}

TEST(Spread, WhatIsReadStaysRounded) {
  // stage is also multiplied: its rounding belongs to the program's meaning.
  Program program(
      oneBlock(tensor("A", "[4, 4], f32") + tensor("C", "[4, 4], f16") + tensor("D", "[4, 4], f32"),
               shared("stage", "f16") + copy("A", "f32, global", "stage", "f16, shared") +
                   copy("stage", "f16, shared", "C", "f16, global") +
                   "    tile.gemm %stage, %stage, %D : !tile.buffer<[4, 4], f16, shared>, "
                   "!tile.buffer<[4, 4], f16, shared>, !tile.buffer<[4, 4], f32, global>\n"));
  UnroundedProgram unrounded = withUnroundedOutputs(program.op());
  EXPECT_EQ(elementTypes(*unrounded.program)["stage"], "f16");
  EXPECT_TRUE(unrounded.roundsInside);
}

TEST(Spread, ANarrowTargetKeepsItsSourceNarrow) {
  // first -> second -> multiplied: neither carries results only.
  Program program(
      oneBlock(tensor("A", "[4, 4], f32") + tensor("D", "[4, 4], f32"),
               shared("first", "bf16") + shared("second", "bf16") +
                   copy("A", "f32, global", "first", "bf16, shared") +
                   copy("first", "bf16, shared", "second", "bf16, shared") +
                   "    tile.gemm %second, %second, %D : !tile.buffer<[4, 4], bf16, shared>, "
                   "!tile.buffer<[4, 4], bf16, shared>, !tile.buffer<[4, 4], f32, global>\n"));
  UnroundedProgram unrounded = withUnroundedOutputs(program.op());
  EXPECT_EQ(elementTypes(*unrounded.program)["first"], "bf16");
  EXPECT_EQ(elementTypes(*unrounded.program)["second"], "bf16");
}

TEST(Spread, ATileOfAnotherTypeThanItsTargetRounds) {
  Program program(oneBlock(tensor("A", "[4, 4], f32") + tensor("C", "[4, 4], f16"),
                           shared("stage", "bf16") +
                               copy("A", "f32, global", "stage", "bf16, shared") +
                               copy("stage", "bf16, shared", "C", "f16, global")));
  UnroundedProgram unrounded = withUnroundedOutputs(program.op());
  EXPECT_EQ(elementTypes(*unrounded.program)["stage"], "bf16");
  EXPECT_EQ(elementTypes(*unrounded.program)["C"], "f32");
  EXPECT_TRUE(unrounded.roundsInside);
}

TEST(Spread, ARoundedStoreOfTheSameTypeRoundsOnce) {
  Program program(
      oneBlock(tensor("C", "[4, 4], f16"),
               "    %x = arith.constant 1.0001 : f32\n"
               "    %r = tile.round_to %x to f16 : f32\n"
               "    tile.store %r, %C[%c0, %c0] : f32, !tile.buffer<[4, 4], f16, global>\n"));
  UnroundedProgram unrounded = withUnroundedOutputs(program.op());
  unrounded.program->walk(
      [](tile::StoreOp store) { EXPECT_FALSE(store.getValue().getDefiningOp<tile::RoundOp>()); });
}

TEST(Spread, AtomicSumsAreExact) {
  // 2^24 + 1 + 1 in f32 stays 2^24; in f64 the ones count.
  Program program(
      oneBlock(tensor("C", "[4, 4], f32"),
               "    %one_f = arith.constant 1.0 : f32\n"
               "    %a = tile.atomic add %one_f, %C[%c0, %c0] : f32, !tile.buffer<[4, 4], f32, "
               "global> -> f32\n"
               "    %b = tile.atomic add %one_f, %C[%c0, %c0] : f32, !tile.buffer<[4, 4], f32, "
               "global> -> f32\n"
               "    %read = tile.load %C[%c0, %c0] : !tile.buffer<[4, 4], f32, global> -> f32\n"
               "    tile.store %read, %C[%c1, %c0] : f32, !tile.buffer<[4, 4], f32, global>\n"));
  UnroundedProgram exact = withExactSums(program.op());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*exact.program)));
  ASSERT_EQ(exact.tensors.lookup("C"), DType::F64);
  Values c(DType::F64, {4, 4}, 0x1p24);
  ReferenceArgs args;
  args.tensors["C"] = {c.bytes.data(), 128, {4, 4}};
  ASSERT_FALSE(runReference(*exact.program, args));
  EXPECT_EQ(c.at(0), 0x1p24 + 2);
  EXPECT_EQ(c.at(4), 0x1p24 + 2);
}

TEST(Spread, TiesAreCrossedOnlyNearThem) {
  auto stored = [](DType dtype, double value) {
    uint8_t bytes[8] = {};
    reference::encodeSpanAcrossTies(dtype, bytes, 0, 1, 1, &value);
    double out;
    reference::decodeSpan(dtype, bytes, 0, 1, 1, &out);
    return out;
  };
  // f16 around 1: neighbours 1 and 1 + 2^-10, the tie is 1 + 2^-11.
  EXPECT_EQ(stored(DType::F16, 1 + 0x1p-11 - 0x1p-18), 1 + 0x1p-10);
  EXPECT_EQ(stored(DType::F16, 1 + 0x1p-11 + 0x1p-18), 1);
  EXPECT_EQ(stored(DType::F16, 1 + 0x1p-11 - 0x1p-14), 1);
  EXPECT_EQ(stored(DType::F16, 1 + 0x1p-11 + 0x1p-14), 1 + 0x1p-10);
  EXPECT_EQ(stored(DType::F16, 1), 1);
  EXPECT_EQ(stored(DType::BF16, -1 - 0x1p-8 + 0x1p-20), -1 - 0x1p-7);
  EXPECT_EQ(stored(DType::E4M3FN, 1.0625 - 0x1p-20), 1.125);
  EXPECT_EQ(stored(DType::F32, 1 + 0x1p-24 - 0x1p-40), 1);
}

TEST(Spread, ShortSumsLoseTheirLowBits) {
  // 64 ones on top of 2^13 with 14 bits: the first group of 32 fits, a fraction does not.
  Program program(oneBlock(tensor("A", "[1, 64], f8E4M3FN") + tensor("B", "[64, 1], f8E4M3FN") +
                               tensor("C", "[1, 1], f32"),
                           "    tile.gemm %A, %B, %C : !tile.buffer<[1, 64], f8E4M3FN, global>, "
                           "!tile.buffer<[64, 1], f8E4M3FN, global>, "
                           "!tile.buffer<[1, 1], f32, global>\n"));
  for (unsigned bits : {0u, 14u}) {
    Values a(DType::E4M3FN, {1, 64}, 1), b(DType::E4M3FN, {64, 1}, 0.0625),
        c(DType::F32, {1, 1}, 8192);
    b.set(0, 0.125); // each group sums to about two: 2.0625 and 2
    program.tensor("A", a).tensor("B", b).tensor("C", c);
    program.options.sumBits = bits;
    program.options.sumGroup = 32;
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(c.at(0), bits ? 8196 : 8196.0625);
  }
}

TEST(Spread, ShortSumsThatCarryFitAnF32) {
  // 15 + 2^-20 has the 24 bits that are kept beside a largest of 15; 20 + 2^-20 needs 25.
  Program program(
      oneBlock(tensor("A", "[1, 8], f16") + tensor("B", "[8, 1], f16") + tensor("C", "[1, 1], f32"),
               "    tile.gemm %A, %B, %C : !tile.buffer<[1, 8], f16, global>, "
               "!tile.buffer<[8, 1], f16, global>, "
               "!tile.buffer<[1, 1], f32, global>\n"));
  for (double other : {0.0, 5.0}) {
    Values a(DType::F16, {1, 8}, 0), b(DType::F16, {8, 1}, 1), c(DType::F32, {1, 1}, 0);
    a.set(0, 15);
    a.set(1, 0x1p-20);
    a.set(2, other);
    program.tensor("A", a).tensor("B", b).tensor("C", c);
    program.options.sumBits = 24;
    program.options.sumGroup = 8;
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(c.at(0), other == 0 ? 15 + 0x1p-20 : 20);
  }
}

TEST(Spread, Float64SumsKeepWhatEachAdditionLoses) {
  // 1 + 2^-53 + 2^-53 + ...: in order, every term is lost.
  Program program(oneBlock(tensor("A", "[1, 64], f64") + tensor("C", "[1], f64"),
                           "    tile.reduce sum %A to %C dim 1 : !tile.buffer<[1, 64], f64, "
                           "global>, !tile.buffer<[1], f64, global>\n"));
  for (bool inOrder : {false, true}) {
    Values a(DType::F64, {1, 64}, 0x1p-53), c(DType::F64, {1}, 0);
    a.set(0, 1);
    program.tensor("A", a).tensor("C", c);
    program.options.accumulate =
        inOrder ? ReferenceOptions::Accumulate::SequentialF32 : ReferenceOptions::Accumulate::F64;
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(c.at(0), inOrder ? 1.0 : 1 + 63 * 0x1p-53 + 0x1p-53);
  }
}

TEST(Spread, SumsMoveToANeighbour) {
  Program program(oneBlock(tensor("A", "[2, 4], f32") + tensor("C", "[2], f32"),
                           "    tile.reduce sum %A to %C dim 1 : !tile.buffer<[2, 4], f32, "
                           "global>, !tile.buffer<[2], f32, global>\n"));
  Values a(DType::F32, {2, 4}, 0.25), c(DType::F32, {2}, 0);
  program.tensor("A", a).tensor("C", c);
  program.options.moveSums = true;
  ASSERT_EQ(program.run(), "");
  for (int64_t i : {0, 1}) {
    EXPECT_NE(c.at(i), 1);
    EXPECT_LE(std::fabs(c.at(i) - 1), 0x1p-23);
  }
  // The greatest of some values is one of them in any order.
  Program greatest(oneBlock(tensor("A", "[2, 4], f32") + tensor("C", "[2], f32"),
                            "    tile.reduce max %A to %C dim 1 : !tile.buffer<[2, 4], f32, "
                            "global>, !tile.buffer<[2], f32, global>\n"));
  greatest.tensor("A", a).tensor("C", c);
  greatest.options.moveSums = true;
  ASSERT_EQ(greatest.run(), "");
  EXPECT_EQ(c.at(0), 0.25);
}

/// 1 x 3 times 3 x 1 in f16, summed in f32 in order; `terms` are the products.
float sumOfProducts(std::array<double, 3> terms, bool spread) {
  Program program(oneBlock(
      tensor("A", "[1, 3], f16") + tensor("B", "[3, 1], f16") + tensor("C", "[1, 1], f32"),
      "    tile.gemm %A, %B, %C : !tile.buffer<[1, 3], f16, global>, !tile.buffer<[3, 1], f16, "
      "global>, !tile.buffer<[1, 1], f32, global>\n"));
  Values a(DType::F16, {1, 3}, 1), b(DType::F16, {3, 1}, 1), c(DType::F32, {1, 1}, 0);
  for (int64_t i : {0, 1, 2}) {
    double root = std::exp2(std::round(std::log2(std::fabs(terms[i])) / 2));
    a.set(i, terms[i] / root);
    b.set(i, root);
  }
  program.tensor("A", a).tensor("B", b).tensor("C", c);
  program.options.accumulate = ReferenceOptions::Accumulate::SequentialF32;
  program.options.spreadSums = spread;
  EXPECT_EQ(program.run(), "");
  return static_cast<float>(c.at(0));
}

// 16 - 16 + 2^-20 loses nothing in this order and all of the result in another one: the rule must
// give that room, although this run is exact. Sums that no order rounds get none.
TEST(Spread, SumsThatThisOrderHappensToKeep) {
  EXPECT_EQ(sumOfProducts({16, -16, 0x1p-20}, false), 0x1p-20f);
  EXPECT_EQ(sumOfProducts({16, 0x1p-20, -16}, false), 0);
  float moved = sumOfProducts({16, -16, 0x1p-20}, true);
  EXPECT_GE(8 * std::fabs(moved - 0x1p-20f), 0x1p-20f);
  EXPECT_LE(8 * std::fabs(moved - 0x1p-20f), 0x1p-14f);
  EXPECT_EQ(sumOfProducts({16, -16, 0x1p-12}, true), 0x1p-12f);
  EXPECT_EQ(sumOfProducts({7, -5, 3}, true), 5);

  Program program(oneBlock(tensor("A", "[2, 3], f32") + tensor("C", "[2], f32"),
                           "    tile.reduce sum %A to %C dim 1 : !tile.buffer<[2, 3], f32, "
                           "global>, !tile.buffer<[2], f32, global>\n"));
  Values a(DType::F32, {2, 3}, 3), c(DType::F32, {2}, 0);
  a.set(0, 16), a.set(1, -16), a.set(2, 0x1p-20);
  program.tensor("A", a).tensor("C", c);
  program.options.accumulate = ReferenceOptions::Accumulate::SequentialF32;
  program.options.spreadSums = true;
  ASSERT_EQ(program.run(), "");
  EXPECT_GE(8 * std::fabs(c.at(0) - 0x1p-20), 0x1p-20);
  EXPECT_EQ(c.at(1), 9);
}

/// C of `body`, which sums up A in order, where A is 16, -16, 2^-20 and where it is 7, -5, 3.
std::array<double, 2> sumsOf(const std::string &body, int64_t last, bool spread) {
  std::array<double, 2> sums;
  for (size_t n : {0, 1}) {
    Program program(oneBlock(tensor("A", "[3], f32") + tensor("C", "[3], f32"), body));
    Values a(DType::F32, {3}), c(DType::F32, {3}, 0);
    std::array<double, 3> terms = n ? std::array{7.0, -5.0, 3.0} : std::array{16.0, -16.0, 0x1p-20};
    for (int64_t i : {0, 1, 2})
      a.set(i, terms[i]);
    program.tensor("A", a).tensor("C", c);
    program.options.accumulate = ReferenceOptions::Accumulate::SequentialF32;
    program.options.spreadSums = spread;
    EXPECT_EQ(program.run(), "");
    sums[n] = c.at(last);
  }
  return sums;
}

// What holds for a reduction holds for every element of a scan, for atomics, which other threads
// come to in another order, and for a loop that is recognised as a reduction.
TEST(Spread, SumsOfScansAtomicsAndLoops) {
  const std::string load = "      %a = tile.load %A[%i] : !tile.buffer<[3], f32, global> -> f32\n";
  const std::string scan = "    tile.scan sum %A to %C dim 0 : !tile.buffer<[3], f32, global>, "
                           "!tile.buffer<[3], f32, global>\n";
  const std::string atomics = "    tile.parallel (%i) in (%c3) {\n" + load +
                              "      %old = tile.atomic add %a, %C[%c0] : f32, "
                              "!tile.buffer<[3], f32, global> -> f32\n    }\n";
  const std::string loop = "    tile.parallel (%i) in (%c3) {\n" + load +
                           "      %c = tile.load %C[%c0] : !tile.buffer<[3], f32, global> -> f32\n"
                           "      %d = arith.addf %c, %a : f32\n"
                           "      tile.store %d, %C[%c0] : f32, !tile.buffer<[3], f32, global>\n"
                           "    }\n";
  for (auto &[body, last] : {std::pair(scan, 2), {atomics, 0}, {loop, 0}}) {
    EXPECT_EQ(sumsOf(body, last, false)[0], 0x1p-20) << body;
    std::array<double, 2> moved = sumsOf(body, last, true);
    EXPECT_GE(8 * std::fabs(moved[0] - 0x1p-20), 0x1p-20) << body;
    EXPECT_LE(8 * std::fabs(moved[0] - 0x1p-20), 0x1p-14) << body;
    EXPECT_EQ(moved[1], 5) << body; // exact in every order
  }
}

} // namespace

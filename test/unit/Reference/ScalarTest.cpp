//===- ScalarTest.cpp - arith and math on scalars -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Evaluates `expression` (an op on %a, %b of type `in`) and stores its result, of type `out`.
template <typename T>
T evaluate(const std::string &expression, const std::string &in, DType inType, double a, double b,
           const std::string &out, DType outType) {
  Program program(
      oneBlock(tensor("A", "[2], " + in) + tensor("R", "[1], " + out),
               "    %a = tile.load %A[%c0] : !tile.buffer<[2], " + in + ", global> -> " + in +
                   "\n" + "    %b = tile.load %A[%c1] : !tile.buffer<[2], " + in + ", global> -> " +
                   in + "\n" + "    %r = " + expression + "\n    tile.store %r, %R[%c0] : " + out +
                   ", !tile.buffer<[1], " + out + ", global>\n"));
  Values args(inType, {2}), result(outType, {1});
  args.set(0, a);
  args.set(1, b);
  program.tensor("A", args).tensor("R", result);
  EXPECT_EQ(program.run(), "") << expression;
  return static_cast<T>(result.at(0));
}

float f32(const std::string &expression, double a, double b = 0) {
  return evaluate<float>(expression + " : f32", "f32", DType::F32, a, b, "f32", DType::F32);
}
int64_t i32(const std::string &expression, double a, double b = 0) {
  return evaluate<int64_t>(expression + " : i32", "i32", DType::I32, a, b, "i32", DType::I32);
}
int64_t i8(const std::string &expression, double a, double b = 0) {
  return evaluate<int64_t>(expression + " : i8", "i8", DType::I8, a, b, "i8", DType::I8);
}

TEST(ReferenceScalar, EveryFloatOpRoundsToF32) {
  EXPECT_EQ(f32("arith.addf %a, %b", 0x1p24, 1), 0x1p24f);
  EXPECT_EQ(f32("arith.mulf %a, %b", 1 + 0x1p-23, 1 + 0x1p-23), 1 + 0x1p-22f);
  EXPECT_EQ(f32("arith.divf %a, %b", 1, 3), 1.0f / 3.0f);
  EXPECT_EQ(f32("arith.subf %a, %b", 1, 0x1p-25), 1.0f);
  EXPECT_EQ(f32("arith.mulf %a, %b", 0x1p-126, 0.5), 0x1p-127f); // denormals are kept
  EXPECT_EQ(f32("arith.remf %a, %b", -7, 4), -3);
  EXPECT_EQ(f32("arith.negf %a", 2), -2);
}

TEST(ReferenceScalar, MaxAndMinFollowMaxNum) {
  EXPECT_EQ(f32("arith.maxnumf %a, %b", NAN, 2), 2);
  EXPECT_EQ(f32("arith.maxnumf %a, %b", 2, NAN), 2);
  EXPECT_EQ(f32("arith.minnumf %a, %b", NAN, 2), 2);
  EXPECT_TRUE(std::isnan(f32("arith.maxnumf %a, %b", NAN, NAN)));
  EXPECT_TRUE(std::isnan(f32("arith.maximumf %a, %b", NAN, 2)));
  EXPECT_TRUE(std::isnan(f32("arith.minimumf %a, %b", 2, NAN)));
  EXPECT_FALSE(std::signbit(f32("arith.maximumf %a, %b", -0.0, 0.0)));
  EXPECT_TRUE(std::signbit(f32("arith.minimumf %a, %b", -0.0, 0.0)));
}

TEST(ReferenceScalar, IntegersWrapAndDivideAsTheirOpSays) {
  EXPECT_EQ(i32("arith.addi %a, %b", 0x7fffffff, 1), -0x80000000ll);
  EXPECT_EQ(i8("arith.muli %a, %b", 100, 3), 44);
  EXPECT_EQ(i32("arith.divsi %a, %b", -7, 2), -3);
  EXPECT_EQ(i32("arith.floordivsi %a, %b", -7, 2), -4);
  EXPECT_EQ(i32("arith.ceildivsi %a, %b", 7, 2), 4);
  EXPECT_EQ(i32("arith.ceildivsi %a, %b", -7, 2), -3);
  EXPECT_EQ(i32("arith.remsi %a, %b", -7, 2), -1);
  EXPECT_EQ(i32("arith.divsi %a, %b", -0x80000000ll, -1), -0x80000000ll);
  EXPECT_EQ(i32("arith.remsi %a, %b", -0x80000000ll, -1), 0);
  EXPECT_EQ(i8("arith.divui %a, %b", -56, 10), 20); // 200 / 10
  EXPECT_EQ(i8("arith.remui %a, %b", -56, 7), 4);
  EXPECT_EQ(i8("arith.maxui %a, %b", -1, 5), -1);
  EXPECT_EQ(i8("arith.maxsi %a, %b", -1, 5), 5);
  EXPECT_EQ(i8("arith.shli %a, %b", 3, 7), -128);
  EXPECT_EQ(i8("arith.shrsi %a, %b", -128, 7), -1);
  EXPECT_EQ(i8("arith.shrui %a, %b", -128, 7), 1);
  EXPECT_EQ(i8("arith.xori %a, %b", 5, -1), -6);
  EXPECT_EQ(i32("math.absi %a", -5), 5);
  EXPECT_EQ(i32("math.ctpop %a", -1), 32);
  EXPECT_EQ(i8("math.ctlz %a", 1), 7);
  EXPECT_EQ(i8("math.cttz %a", 0), 8);
  EXPECT_EQ(i32("math.ipowi %a, %b", -3, 3), -27);
}

TEST(ReferenceScalar, Comparisons) {
  auto compare = [](const std::string &predicate, double a, double b) {
    return evaluate<int>("arith.cmpi " + predicate + ", %a, %b : i8", "i8", DType::I8, a, b, "i1",
                         DType::Bool);
  };
  EXPECT_EQ(compare("slt", -1, 1), 1);
  EXPECT_EQ(compare("ult", -1, 1), 0);
  EXPECT_EQ(compare("uge", -1, 1), 1);
  EXPECT_EQ(compare("eq", 3, 3), 1);
  auto compareF = [](const std::string &predicate, double a, double b) {
    return evaluate<int>("arith.cmpf " + predicate + ", %a, %b : f32", "f32", DType::F32, a, b,
                         "i1", DType::Bool);
  };
  EXPECT_EQ(compareF("olt", 1, NAN), 0);
  EXPECT_EQ(compareF("ult", 1, NAN), 1);
  EXPECT_EQ(compareF("one", 1, 2), 1);
  EXPECT_EQ(compareF("one", NAN, 2), 0);
  EXPECT_EQ(compareF("une", NAN, NAN), 1);
  EXPECT_EQ(compareF("ueq", NAN, 1), 1);
  EXPECT_EQ(compareF("ord", 1, 2), 1);
  EXPECT_EQ(compareF("uno", 1, NAN), 1);
}

TEST(ReferenceScalar, Conversions) {
  auto convert = [](const std::string &op, const std::string &from, DType fromType,
                    const std::string &to, DType toType, double value) {
    return evaluate<double>(op + " %a : " + from + " to " + to, from, fromType, value, 0, to,
                            toType);
  };
  EXPECT_EQ(convert("arith.extsi", "i8", DType::I8, "i32", DType::I32, -3), -3);
  EXPECT_EQ(convert("arith.extui", "i8", DType::I8, "i32", DType::I32, -3), 253);
  EXPECT_EQ(convert("arith.extui", "i1", DType::Bool, "i32", DType::I32, 1), 1);
  EXPECT_EQ(convert("arith.extsi", "i1", DType::Bool, "i32", DType::I32, 1), -1);
  EXPECT_EQ(convert("arith.trunci", "i32", DType::I32, "i8", DType::I8, 300), 44);
  EXPECT_EQ(convert("arith.sitofp", "i8", DType::I8, "f32", DType::F32, -3), -3);
  EXPECT_EQ(convert("arith.uitofp", "i8", DType::I8, "f32", DType::F32, -3), 253);
  EXPECT_EQ(convert("arith.uitofp", "i1", DType::Bool, "f32", DType::F32, 1), 1);
  EXPECT_EQ(convert("arith.fptosi", "f32", DType::F32, "i32", DType::I32, -2.9), -2);
  EXPECT_EQ(convert("arith.fptoui", "f32", DType::F32, "i32", DType::I32, 4e9), -294967296);
  EXPECT_EQ(convert("arith.truncf", "f64", DType::F64, "f32", DType::F32, 0.1), 0.1f);
  EXPECT_EQ(convert("arith.extf", "f32", DType::F32, "f64", DType::F64, 0.5), 0.5);
  EXPECT_EQ(convert("arith.bitcast", "f32", DType::F32, "i32", DType::I32, 1), 0x3f800000);
  EXPECT_EQ(convert("arith.bitcast", "i32", DType::I32, "f32", DType::F32, 0x40000000), 2);
}

TEST(ReferenceScalar, Functions) {
  // Correctly rounded values, from long double literals.
  EXPECT_EQ(f32("math.exp %a", 1), float(2.718281828459045235360L));
  EXPECT_EQ(f32("math.exp2 %a", 0.5), float(1.414213562373095048802L));
  EXPECT_EQ(f32("math.log2 %a", 10), float(3.321928094887362347870L));
  EXPECT_EQ(f32("math.log %a", 10), float(2.302585092994045684018L));
  EXPECT_EQ(f32("math.sqrt %a", 2), float(1.414213562373095048802L));
  EXPECT_EQ(f32("math.rsqrt %a", 2), float(0.707106781186547524401L));
  EXPECT_EQ(f32("math.tanh %a", 0.5), float(0.462117157260009758502L));
  EXPECT_EQ(f32("math.sin %a", 1), float(0.841470984807896506653L));
  EXPECT_EQ(f32("math.cos %a", 1), float(0.540302305868139717401L));
  EXPECT_EQ(f32("math.erf %a", 1), float(0.842700792949714869341L));
  EXPECT_EQ(f32("math.powf %a, %b", 2, 0.5), float(1.414213562373095048802L));
  EXPECT_EQ(f32("math.atan2 %a, %b", 1, -1), float(2.356194490192344928847L));
  EXPECT_EQ(f32("math.exp %a", 100), INFINITY);
  EXPECT_EQ(f32("math.exp %a", -102.5), 0x1p-148f); // 2.18 units of 2^-149
  EXPECT_EQ(f32("math.floor %a", -1.5), -2);
  EXPECT_EQ(f32("math.ceil %a", -1.5), -1);
  EXPECT_EQ(f32("math.trunc %a", -1.5), -1);
  EXPECT_EQ(f32("math.round %a", 2.5), 3);
  EXPECT_EQ(f32("math.roundeven %a", 2.5), 2);
  EXPECT_EQ(f32("math.roundeven %a", -3.5), -4);
  EXPECT_EQ(f32("math.roundeven %a", 0x1p23 + 1), 0x1p23f + 1);
  EXPECT_EQ(f32("math.absf %a", -2), 2);
  EXPECT_EQ(f32("math.copysign %a, %b", 2, -1), -2);
  EXPECT_EQ(f32("math.fma %a, %a, %b", 1 + 0x1p-23, -1), float(0x1p-22 + 0x1p-46));
}

TEST(ReferenceScalar, RoundToIsAStoreAndALoad) {
  EXPECT_EQ(f32("tile.round_to %a to f16", 2049), 2048);
  EXPECT_EQ(f32("tile.round_to %a to f8E4M3FN", 1000), 448);
  EXPECT_EQ(f32("tile.round_to %a to bf16", 1 + 0x1p-8), 1);
}

TEST(ReferenceScalar, Select) {
  for (bool pick : {false, true}) {
    Program program(oneBlock(tensor("R", "[1], f64"), std::string("    %p = arith.constant ") +
                                                          (pick ? "true" : "false") + R"(
    %x = arith.constant 1.25 : f64
    %y = arith.constant -3.0 : f64
    %r = arith.select %p, %x, %y : f64
    tile.store %r, %R[%c0] : f64, !tile.buffer<[1], f64, global>
)"));
    Values result(DType::F64, {1});
    program.tensor("R", result);
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(result.at(0), pick ? 1.25 : -3.0);
  }
}

} // namespace

//===- DimExprTest.cpp - expressions over dims ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/DimExpr.h"

#include "gtest/gtest.h"

using namespace tilec::rt;

namespace {

int64_t valueOf(std::string_view text, const DimValues &values = {}) {
  Result<DimExpr> expr = DimExpr::parse(text);
  EXPECT_TRUE(expr) << text;
  Result<int64_t> value = expr->evaluate(values);
  EXPECT_TRUE(value) << text;
  return value ? *value : -999;
}

std::string errorOf(std::string_view text) {
  Result<DimExpr> expr = DimExpr::parse(text);
  return expr ? "parsed as " + expr->str() : expr.error().message;
}

TEST(DimExpr, EvaluatesLikePython) {
  EXPECT_EQ(valueOf("2 + 3 * 4 - 1"), 13);
  EXPECT_EQ(valueOf("(2 + 3) * 4"), 20);
  EXPECT_EQ(valueOf("7 - 2 - 1"), 4);
  EXPECT_EQ(valueOf("-7 // 2"), -4);
  EXPECT_EQ(valueOf("-7 % 3"), 2);
  EXPECT_EQ(valueOf("7 % -3"), -2);
  EXPECT_EQ(valueOf("ceildiv(7, 2)"), 4);
  EXPECT_EQ(valueOf("ceildiv(-7, 2)"), -3);
  EXPECT_EQ(valueOf("min(3, max(1, 2))"), 2);
  EXPECT_EQ(valueOf("ceildiv(m, 128) * ceildiv(n, 64)", {{"m", 129}, {"n", 64}}), 2);
}

TEST(DimExpr, BindsBitsAsPythonDoes) {
  EXPECT_EQ(valueOf("12 & 7 + 1"), 8);    // 12 & (7 + 1)
  EXPECT_EQ(valueOf("1 | 6 ^ 3 & 2"), 5); // 1 | (6 ^ (3 & 2))
  EXPECT_EQ(valueOf("(1 | 6) & 2"), 2);
  EXPECT_EQ(valueOf("-8 & 12"), 8); // of two's complement
  EXPECT_EQ(valueOf("min(m | 1, m ^ 3)", {{"m", 6}}), 5);
  EXPECT_EQ(errorOf("m &"), "in expression `m &`: expected a number, a name or `(` at character 4");
}

TEST(DimExpr, PrintsWhatItReads) {
  for (const char *text : {"m", "m * (n + 1)", "m - (n - k)", "m - n - k", "m // (n // 2)",
                           "ceildiv(m, 128) * ceildiv(n, 64)", "min(m, 4) % 3", "m + (-3)",
                           "m | n & k ^ 3", "(m | n) & k + 1", "m ^ (n | k)"}) {
    Result<DimExpr> expr = DimExpr::parse(text);
    ASSERT_TRUE(expr) << text;
    Result<DimExpr> again = DimExpr::parse(expr->str());
    ASSERT_TRUE(again) << expr->str();
    EXPECT_EQ(again->str(), expr->str());
    for (int64_t m : {-5, 1, 17})
      EXPECT_EQ(*expr->evaluate({{"m", m}, {"n", 7}, {"k", 2}}),
                *again->evaluate({{"m", m}, {"n", 7}, {"k", 2}}));
  }
  EXPECT_EQ(DimExpr::parse("m-(n-k)")->str(), "m - (n - k)");
}

TEST(DimExpr, FoldsConstantsOnly) {
  EXPECT_EQ(*ceilDiv(DimExpr(1000), DimExpr(128)).constant(), 8);
  DimExpr m = DimExpr::name("m");
  EXPECT_EQ((m * DimExpr(1) + DimExpr(0)).str(), "m");
  EXPECT_FALSE((m * DimExpr(2)).constant());
  EXPECT_EQ(*m.asName(), "m");
  EXPECT_FALSE((m + DimExpr(1)).asName());
}

TEST(DimExpr, ReportsWhatCannotBeComputed) {
  EXPECT_EQ(DimExpr::parse("m + q")->evaluate({{"m", 1}}).error().message, "`q` has no value");
  EXPECT_EQ(DimExpr::parse("8 // m")->evaluate({{"m", 0}}).error().message,
            "division by zero in `8 // m`");
  EXPECT_EQ(DimExpr::parse("1 // 0")->evaluate({}).error().message, "division by zero in `1 // 0`");
  EXPECT_EQ(DimExpr::parse("m * m")->evaluate({{"m", int64_t(1) << 40}}).error().message,
            "`m * m` does not fit in 64 bits");
  EXPECT_FALSE(DimExpr::parse("m // n")->evaluate({{"m", INT64_MIN}, {"n", -1}}));
}

TEST(DimExpr, ReportsBadText) {
  EXPECT_NE(errorOf("m / 2").find("write `//`"), std::string::npos);
  EXPECT_NE(errorOf("").find("expected a number"), std::string::npos);
  EXPECT_NE(errorOf("(m").find("expected `)`"), std::string::npos);
  EXPECT_NE(errorOf("min(m)").find("expected `,`"), std::string::npos);
  EXPECT_NE(errorOf("m m").find("unexpected `m`"), std::string::npos);
  EXPECT_NE(errorOf("12x").find("expected an integer"), std::string::npos);
  EXPECT_NE(errorOf("99999999999999999999").find("64 bits"), std::string::npos);
  EXPECT_NE(errorOf(std::string(1000, '(')).find("nesting"), std::string::npos);
  EXPECT_NE(errorOf(std::string(1000, '-') + "m").find("nesting"), std::string::npos);
  EXPECT_NE(errorOf(std::string(5000, ' ') + "m").find("characters"), std::string::npos);
}

} // namespace

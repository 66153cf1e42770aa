//===- CheckTest.cpp - the agreement rule ---------------------------------===//
//
// A matrix product is computed in f64 (r), in f32 (r2) and, as the device's result,
// in f32 in another order. Planted faults of the size of one element, one k-slice
// and one K tail must be seen.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Check.h"
#include "tilec/Runtime/Data.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace tilec;
using namespace tilec::rt;

namespace {

constexpr int64_t m = 32, n = 32, k = 200;

struct Gemm {
  HostTensor a{DType::BF16, {m, k}}, b{DType::BF16, {k, n}};

  Gemm() {
    fill(a, Fill::Randn, 1, "A");
    fill(b, Fill::Randn, 1, "B");
  }
  /// Every element by `dot(i, j)`, rounded to `dtype`.
  HostTensor product(DType dtype, const std::function<double(int64_t, int64_t)> &dot) const {
    HostTensor c(dtype, {m, n});
    for (int64_t i = 0; i < m * n; ++i)
      c.setValue(i, dot(i / n, i % n));
    return c;
  }
  double term(int64_t i, int64_t j, int64_t at) const {
    return a.value(i * k + at) * b.value(at * n + j);
  }
  double exact(int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t at = 0; at < k; ++at)
      sum += term(i, j, at);
    return sum;
  }
  /// f32 accumulation over [begin, end) in steps of `step` partial sums.
  double f32(int64_t i, int64_t j, int64_t lanes, int64_t end = k) const {
    float total = 0;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      float sum = 0;
      for (int64_t at = lane; at < end; at += lanes)
        sum += static_cast<float>(term(i, j, at));
      total += sum;
    }
    return total;
  }
};

class Agreement : public testing::TestWithParam<DType> {
protected:
  Gemm gemm;
  HostTensor r = gemm.product(GetParam(), [&](auto i, auto j) { return gemm.exact(i, j); });
  HostTensor r2 = gemm.product(GetParam(), [&](auto i, auto j) { return gemm.f32(i, j, 1); });
  HostTensor d = gemm.product(GetParam(), [&](auto i, auto j) { return gemm.f32(i, j, 16); });
};

TEST_P(Agreement, AnotherOrderOfAccumulationAgrees) {
  Result<CheckReport> report = compare(d, r, rowSpread(r, r2));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->passed()) << describe("C", GetParam(), *report);
  EXPECT_LE(report->maxRatio, 1);
}

TEST_P(Agreement, OneWrongElementIsFound) {
  d.setValue(5 * n + 17, d.value(5 * n + 17) + 0.25 * std::fabs(d.value(5 * n + 17)) + 0.25);
  Result<CheckReport> report = compare(d, r, rowSpread(r, r2));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->mismatchCount, 1);
  EXPECT_EQ(report->first->index, (std::vector<int64_t>{5, 17}));
  EXPECT_GT(report->maxRatio, 1);
  EXPECT_NE(describe("C", GetParam(), *report).find("the first at [5, 17]"), std::string::npos);
}

TEST_P(Agreement, OneLostKSliceIsFound) {
  // A 16-wide slice of K multiplied with the neighbouring row of A.
  for (int64_t j = 0; j < n; ++j) {
    double wrong = gemm.f32(3, j, 16);
    for (int64_t at = 64; at < 80; ++at)
      wrong += gemm.term(4, j, at) - gemm.term(3, j, at);
    d.setValue(3 * n + j, wrong);
  }
  EXPECT_FALSE(compare(d, r, rowSpread(r, r2))->passed());
}

TEST_P(Agreement, OneMissingKTailIsFound) {
  d = gemm.product(GetParam(), [&](auto i, auto j) { return gemm.f32(i, j, 16, k - k % 32); });
  EXPECT_FALSE(compare(d, r, rowSpread(r, r2))->passed());
}

TEST_P(Agreement, AnUnwrittenElementIsFound) {
  HostTensor empty(GetParam(), {m, n});
  prefillOutput(empty);
  d.setBits(m * n - 1, empty.bits(m * n - 1));
  Result<CheckReport> report = compare(d, r, rowSpread(r, r2));
  EXPECT_EQ(report->mismatchCount, 1);
  EXPECT_EQ(report->first->index, (std::vector<int64_t>{m - 1, n - 1}));
}

INSTANTIATE_TEST_SUITE_P(Outputs, Agreement, testing::Values(DType::F32, DType::BF16, DType::F16),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

HostTensor row(DType dtype, std::vector<double> values) {
  HostTensor t(dtype, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    t.setValue(i, values[i]);
  return t;
}

TEST(Check, TwoUlpsPassThreeDoNot) {
  HostTensor r = row(DType::F16, {1.0, 2.0}), d = r;
  d.setBits(0, r.bits(0) + 2);
  EXPECT_TRUE(compare(d, r, {})->passed());
  EXPECT_DOUBLE_EQ(compare(d, r, {})->maxRatio, 1.0);
  d.setBits(0, r.bits(0) + 3);
  EXPECT_FALSE(compare(d, r, {})->passed());
}

/// Ones, with a distance of 0.5 in the first row and wrong elements at `wrong`: how many are found.
int64_t foundInOnes(std::vector<int64_t> shape, std::vector<int64_t> wrong) {
  HostTensor r(DType::F32, shape);
  for (int64_t i = 0; i < r.elemCount(); ++i)
    r.setValue(i, 1);
  HostTensor r2 = r, d = r;
  for (int64_t i = 0; i < shape.back(); ++i)
    r2.setValue(i, 1.5);
  for (int64_t at : wrong)
    d.setValue(at, 4.5);
  return compare(d, r, rowSpread(r, r2))->mismatchCount;
}

TEST(Check, ToleranceIsPerRow) {
  EXPECT_EQ(foundInOnes({2, 32}, {1}), 0);
  EXPECT_EQ(foundInOnes({2, 32}, {1, 33}), 1);
}

TEST(Check, ShortRowsHaveTheirToleranceTogether) {
  EXPECT_EQ(foundInOnes({9, 8}, {1, 31}), 0);
  EXPECT_EQ(foundInOnes({9, 8}, {1, 32, 71}), 2);
  EXPECT_EQ(foundInOnes({40, 1}, {31, 32}), 1);
}

// A row in which a limit has left one element is as good as one of one element: both other runs of
// program 45525 of tilec-diff happened to give the reference's value there.
TEST(Check, ZerosSayNothingOfTheirRow) {
  auto found = [](double elsewhere) {
    HostTensor r(DType::F32, {3, 32});
    for (int64_t i = 0; i < 64; ++i)
      r.setValue(i, i < 32 && i != 5 ? elsewhere : 1.0);
    HostTensor r2 = r, d = r;
    r2.setValue(32, 1.5);
    d.setValue(5, 4.5);
    d.setValue(64, 4.5); // of the last row, all zeros
    return compare(d, r, rowSpread(r, r2))->mismatchCount;
  };
  EXPECT_EQ(found(0.0), 1);
  EXPECT_EQ(found(2.0), 2);
}

// Of a row that a limit keeps at one value, the element that moves says as little as one alone:
// program 85478 of tilec-diff.
TEST(Check, LimitsSayNothingOfTheirRow) {
  auto found = [](int64_t moving) {
    HostTensor r(DType::F32, {2, 64});
    for (int64_t i = 0; i < 128; ++i)
      r.setValue(i, 1);
    HostTensor r2 = r, d = r;
    for (int64_t i = 0; i < moving; ++i)
      r2.setValue(i, 1.01);
    for (int64_t i = 64; i < 128; ++i)
      r2.setValue(i, 1.5);
    d.setValue(0, 2);
    return compare(d, r, rowSpread(r, r2))->mismatchCount;
  };
  EXPECT_EQ(found(1), 0);
  EXPECT_EQ(found(31), 0);
  EXPECT_EQ(found(32), 1);
}

// What is NaN in both runs does not move: it makes no row large enough to stand alone.
TEST(Check, NansSayNothingOfTheirRow) {
  HostTensor r(DType::F32, {2, 64});
  for (int64_t i = 0; i < 128; ++i)
    r.setValue(i, i > 0 && i < 64 ? std::nan("") : 1.0);
  HostTensor r2 = r, d = r;
  r2.setValue(0, 1.01);
  for (int64_t i = 64; i < 128; ++i)
    r2.setValue(i, 1.5);
  d.setValue(0, 2);
  EXPECT_EQ(compare(d, r, rowSpread(r, r2))->mismatchCount, 0);
  d.setValue(0, 6);
  EXPECT_EQ(compare(d, r, rowSpread(r, r2))->mismatchCount, 1);
}

/// Large enough for several threads: the report is that of one.
TEST(Check, LargeTensorsAreComparedInParts) {
  HostTensor r(DType::BF16, {3001, 1000});
  fill(r, Fill::Randn, 1, "r");
  HostTensor d = r;
  EXPECT_TRUE(compare(d, r, {})->passed());
  for (int64_t row : {2999, 1700, 40})
    d.setValue(row * 1000 + 7, 1000 + row);
  auto report = compare(d, r, rowTolerance(r, 0x1p-6));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->elemCount, 3001000);
  EXPECT_EQ(report->mismatchCount, 3);
  EXPECT_EQ(report->first->index, (std::vector<int64_t>{40, 7}));
  EXPECT_NEAR(report->maxError, 3999, 20);
  std::vector<double> tolerance = rowTolerance(r, 8);
  ASSERT_EQ(tolerance.size(), 3001u);
  EXPECT_NEAR(tolerance.back(), 1, 0.1) << "normal values: their root mean square is 1";
}

TEST(Check, TranscendentalTermScalesWithTheRow) {
  HostTensor r = row(DType::F32, {1024, 1}), d = r;
  d.setValue(1, 1 + 8 * 1024 * 0x1p-22);
  EXPECT_FALSE(compare(d, r, {})->passed());
  EXPECT_TRUE(compare(d, r, {}, {false, true})->passed());
  d.setValue(1, 1 + 9 * 1024 * 0x1p-22);
  EXPECT_FALSE(compare(d, r, {}, {false, true})->passed());
}

TEST(Check, NanAndInfinityAgreeWithThemselvesOnly) {
  double nan = std::nan(""), inf = INFINITY;
  HostTensor r = row(DType::F32, {nan, inf, -inf, 1});
  EXPECT_TRUE(compare(r, r, {})->passed());
  EXPECT_EQ(compare(row(DType::F32, {1, 1, inf, nan}), r, {})->mismatchCount, 4);
  EXPECT_EQ(compare(row(DType::F32, {nan, inf, -inf, inf}), r, {})->mismatchCount, 1);
  // A second reference that overflowed must not widen the bound to anything.
  HostTensor r2 = row(DType::F32, {nan, inf, -inf, inf});
  EXPECT_FALSE(compare(row(DType::F32, {nan, inf, -inf, 2}), r, rowSpread(r, r2))->passed());
  // NaN payloads are equal also where bits are compared.
  HostTensor other = r;
  other.setBits(0, 0x7fc00001);
  EXPECT_TRUE(compare(other, r, {}, {true, false})->passed());
}

TEST(Check, IntegersAndExactTensorsAreBitwise) {
  HostTensor r = row(DType::I32, {1, 2, 3}), d = r;
  EXPECT_TRUE(compare(d, r, {})->passed());
  d.setBits(1, 3);
  EXPECT_EQ(compare(d, r, {})->mismatchCount, 1);
  EXPECT_TRUE(std::isinf(compare(d, r, {})->maxRatio));
  HostTensor f = row(DType::F16, {1, 2}), g = f;
  g.setBits(0, f.bits(0) + 1);
  EXPECT_TRUE(compare(g, f, {})->passed());
  EXPECT_FALSE(compare(g, f, {}, {true, false})->passed());
}

TEST(Check, RefusesOtherShapesAndTypes) {
  EXPECT_FALSE(compare(HostTensor(DType::F32, {2}), HostTensor(DType::F32, {3}), {}));
  EXPECT_FALSE(compare(HostTensor(DType::F32, {2}), HostTensor(DType::F16, {2}), {}));
}

TEST(Check, UlpsAreTheFormatsOwn) {
  EXPECT_EQ(ulpOf(DType::F32, encodeFloat(DType::F32, 1.0)), 0x1p-23);
  EXPECT_EQ(ulpOf(DType::F32, encodeFloat(DType::F32, -1.0)), 0x1p-23);
  EXPECT_EQ(ulpOf(DType::F16, 0), 0x1p-24);
  EXPECT_EQ(ulpOf(DType::BF16, encodeFloat(DType::BF16, 3.0)), 0x1p-6);
  EXPECT_EQ(ulpOf(DType::E4M3FN, encodeFloat(DType::E4M3FN, 448)), 32);
  EXPECT_EQ(ulpOf(DType::E4M3FNUZ, encodeFloat(DType::E4M3FNUZ, 240)), 16);
  EXPECT_EQ(ulpOf(DType::E2M1, encodeFloat(DType::E2M1, 6)), 2);
}

} // namespace

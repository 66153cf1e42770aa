//===- DataTest.cpp - reproducible inputs and their numbers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Data.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tilec;
using namespace tilec::rt;

namespace {

// Random123's kat_vectors, "philox4x32 10": all zeros, all ones, digits of pi.
TEST(Philox, MatchesKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The FNV authors' test vectors for FNV-1a, 32 bits.
TEST(Fnv, MatchesKnownAnswers) {
  EXPECT_EQ(fnv1a32(""), 0x811c9dc5u);
  EXPECT_EQ(fnv1a32("a"), 0xe40c292cu);
  EXPECT_EQ(fnv1a32("foobar"), 0xbf9cf968u);
}

TEST(Fill, FollowsItsFormulaElementByElement) {
  HostTensor t(DType::F32, {3, 5});
  fill(t, Fill::Uniform, 7, "A");
  auto w = philox4x32({11, 0, 0, 0}, {7, fnv1a32("A")});
  EXPECT_EQ(t.value(11), static_cast<float>(2.0 * (w[0] >> 8) * 0x1p-24 - 1.0));
  fill(t, Fill::Randn, 7, "A");
  double u = (w[0] + 1.0) * 0x1p-32, v = w[1] * 0x1p-32;
  EXPECT_EQ(t.value(11), static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v)));
}

// A large tensor is filled by several threads; the elements are those of a small one.
TEST(Fill, DoesNotDependOnThreadsOrPacking) {
  for (DType dtype : {DType::E2M1, DType::BF16}) {
    HostTensor large(dtype, {1500001}), small(dtype, {4099});
    fill(large, Fill::Randn, 1, "x");
    fill(small, Fill::Randn, 1, "x");
    for (int64_t i = 0; i < 4099; ++i)
      ASSERT_EQ(large.bits(i), small.bits(i)) << i;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 1500001; ++i)
      sum += large.value(i), squares += large.value(i) * large.value(i);
    EXPECT_NEAR(sum / 1500001, 0, 0.01) << nameOf(dtype);
    EXPECT_NEAR(squares / 1500001, 1, 0.05) << nameOf(dtype);
  }
}

TEST(Fill, SeedsAndNamesGiveOtherData) {
  HostTensor a(DType::F32, {8}), b = a, c = a;
  fill(a, Fill::Randn, 1, "A");
  fill(b, Fill::Randn, 2, "A");
  fill(c, Fill::Randn, 1, "B");
  EXPECT_NE(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, c.bytes);
}

TEST(Fill, IntegersStayInTheirRange) {
  for (DType dtype : {DType::I4, DType::U4, DType::I8, DType::U8, DType::I64, DType::Bool}) {
    HostTensor t(dtype, {1000});
    fill(t, Fill::Randn, 3, "n");
    double least = 99, most = -99;
    for (int64_t i = 0; i < 1000; ++i)
      least = std::min(least, t.value(i)), most = std::max(most, t.value(i));
    EXPECT_EQ(least, isSigned(dtype) ? -8 : 0) << nameOf(dtype);
    EXPECT_EQ(most, dtype == DType::Bool ? 1 : isSigned(dtype) ? 7 : 15) << nameOf(dtype);
  }
}

TEST(Fill, OutputsStartAsNanOrA5) {
  HostTensor half(DType::F16, {3}), fp8(DType::E4M3FNUZ, {3}), fp4(DType::E2M1, {3}),
      integer(DType::I32, {3});
  for (HostTensor *t : {&half, &fp8, &fp4, &integer})
    prefillOutput(*t);
  EXPECT_TRUE(std::isnan(half.value(2)));
  EXPECT_TRUE(std::isnan(fp8.value(2)));
  EXPECT_EQ(fp4.bytes, std::vector<uint8_t>({0xA5, 0xA5}));
  EXPECT_EQ(integer.bits(1), 0xA5A5A5A5u);
}

TEST(ArgSpec, ReadsEveryForm) {
  EXPECT_EQ(parseArgSpec("A=randn")->fill, Fill::Randn);
  EXPECT_EQ(parseArgSpec("A=zeros")->fill, Fill::Zeros);
  Result<ArgSpec> file = parseArgSpec("A=dir/x=1.npy");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kind, ArgSpec::File);
  EXPECT_EQ(file->text, "dir/x=1.npy");
  EXPECT_EQ(parseArgSpec("s=-1.5e3")->kind, ArgSpec::Scalar);
  for (const char *bad : {"A", "=randn", "A=", "A=random", "A=1x"})
    EXPECT_FALSE(parseArgSpec(bad)) << bad;
}

TEST(Scalars, ParseByType) {
  EXPECT_EQ(*parseScalar("-1", DType::I8), 0xffu);
  EXPECT_EQ(*parseScalar("0x10", DType::U16), 16u);
  EXPECT_EQ(*parseScalar("18446744073709551615", DType::U64), ~uint64_t(0));
  EXPECT_EQ(*parseScalar("1.5", DType::F16), 0x3e00u);
  EXPECT_EQ(*parseScalar("true", DType::Bool), 1u);
  EXPECT_EQ(*parseScalar("inf", DType::BF16), 0x7f80u);
  EXPECT_EQ(*parseScalar("65519", DType::F16), 0x7bffu);
  EXPECT_EQ(*parseScalar("1e-400", DType::F64), 0u);
  for (auto [text, dtype] : {std::pair{"1e400", DType::F64}, std::pair{"-1e400", DType::F32},
                             std::pair{"1e39", DType::F32}, std::pair{"65520", DType::F16},
                             std::pair{"1e400", DType::E4M3FN}})
    EXPECT_FALSE(parseScalar(text, dtype)) << text;
  EXPECT_NE(parseScalar("1e400", DType::F64).error().message.find("does not fit in float64"),
            std::string::npos);
  EXPECT_NE(parseScalar("300", DType::U8).error().message.find("does not fit in uint8"),
            std::string::npos);
  for (auto [text, dtype] :
       {std::pair{"1.5", DType::I32}, std::pair{"", DType::I32}, std::pair{" 1", DType::I32},
        std::pair{"-1", DType::U64}, std::pair{"99999999999999999999", DType::I64},
        std::pair{"1,5", DType::F32}})
    EXPECT_FALSE(parseScalar(text, dtype)) << text;
}

TEST(Dims, ParseNameAndSize) {
  EXPECT_EQ(parseDim("m=128")->second, 128);
  for (const char *bad : {"m", "m=", "m=-1", "=3", "m=1.5"})
    EXPECT_FALSE(parseDim(bad)) << bad;
}

} // namespace

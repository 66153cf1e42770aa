//===- ArgumentsTest.cpp - dims, shapes and data of a run -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Bind.h"
#include "tilec/Runtime/Npy.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace tilec;
using namespace tilec::rt;

namespace {

/// C[m, n] = A[m, 2k] B[k, n] * scale with m, n, k dynamic and A's row stride its own.
class Arguments : public testing::Test {
protected:
  Arguments() {
    DimExpr m = DimExpr::name("m"), n = DimExpr::name("n"), k = DimExpr::name("k");
    manifest.kernel = "gemm";
    for (const char *dim : {"m", "n", "k"})
      manifest.dims.push_back({dim, DType::I32});
    manifest.launches.resize(1);
    auto &params = manifest.launches[0].params;
    params.resize(5);
    params[0].name = "A", params[0].dtype = DType::F16, params[0].shape = {m, k * DimExpr(2)};
    params[0].strides = {DimExpr::name("A_stride_0"), 1};
    params[1].name = "B", params[1].dtype = DType::F16, params[1].shape = {k, n};
    params[2].name = "C", params[2].dtype = DType::F32, params[2].shape = {m, n};
    params[2].access = Access::Write;
    params[3].name = "scale", params[3].kind = ParamKind::Scalar, params[3].dtype = DType::F32;
    params[4].name = "A_stride_0", params[4].kind = ParamKind::Stride;
    params[4].dtype = DType::I64;
  }

  Result<ArgumentSet> make(std::vector<std::string> specs, DimValues dims, uint32_t seed = 0) {
    ArgumentRequest request{{}, std::move(dims), seed};
    for (const std::string &text : specs)
      request.specs.push_back(*parseArgSpec(text));
    return makeArguments(manifest, request);
  }
  std::string errorOf(std::vector<std::string> specs, DimValues dims) {
    Result<ArgumentSet> made = make(std::move(specs), std::move(dims));
    return made ? "made" : made.error().message;
  }

  Manifest manifest;
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Arguments, FollowGivenDims) {
  auto set = make({"scale=2"}, {{"m", 3}, {"n", 5}, {"k", 4}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->find("A")->tensor.shape, (std::vector<int64_t>{3, 8}));
  EXPECT_EQ(set->find("A")->strides, (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(set->dims.at("A_stride_0"), 8);
  EXPECT_EQ(set->find("scale")->scalarBits, 0x40000000u);
  EXPECT_TRUE(std::isnan(set->find("C")->tensor.value(0)));
  HostTensor same(DType::F16, {4, 5});
  fill(same, Fill::Randn, 0, "B");
  EXPECT_EQ(set->find("B")->tensor.bytes, same.bytes);
}

TEST_F(Arguments, TakeDimsFromFiles) {
  std::string path = testing::TempDir() + "tilec-args-" + std::to_string(getpid()) + ".npy";
  ASSERT_TRUE(writeNpy(path, HostTensor(DType::F16, {7, 9})));
  auto set = make({"scale=1", "B=" + path}, {{"m", 2}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->find("A")->tensor.shape, (std::vector<int64_t>{2, 14}));
  EXPECT_EQ(set->find("C")->tensor.shape, (std::vector<int64_t>{2, 9}));
  EXPECT_HAS(errorOf({"scale=1", "B=" + path}, {{"m", 2}, {"n", 8}}), "7x8 expected");
  EXPECT_HAS(errorOf({"scale=1", "C=" + path}, {{"k", 2}}), "float32 is stored as `f4`");
  // A stride given by hand, larger than the row.
  auto strided = make({"scale=1", "B=" + path}, {{"m", 2}, {"A_stride_0", 20}});
  EXPECT_EQ(strided->find("A")->strides, (std::vector<int64_t>{20, 1}));
  std::remove(path.c_str());
}

TEST_F(Arguments, SeedsAndSpecsChangeTheData) {
  DimValues dims = {{"m", 2}, {"n", 2}, {"k", 2}};
  auto a = make({"scale=1"}, dims), b = make({"scale=1"}, dims, 1);
  EXPECT_NE(a->find("A")->tensor.bytes, b->find("A")->tensor.bytes);
  auto filled = make({"scale=1", "A=3", "B=zeros", "C=zeros"}, dims);
  EXPECT_EQ(filled->find("A")->tensor.value(7), 3);
  EXPECT_EQ(filled->find("B")->tensor.value(3), 0);
  EXPECT_EQ(filled->find("C")->tensor.value(3), 0);
}

TEST_F(Arguments, SayWhatIsMissingOrUnknown) {
  DimValues dims = {{"m", 2}, {"n", 2}, {"k", 2}};
  EXPECT_HAS(errorOf({}, dims), "scalar `scale` needs a value: --arg scale=NUMBER");
  EXPECT_HAS(errorOf({"scale=randn"}, dims), "--arg scale=randn: `scale` is a scalar");
  EXPECT_HAS(errorOf({"scale=1e400"}, dims), "--arg scale: `1e400` does not fit in float32");
  EXPECT_HAS(errorOf({"scale=1", "A=65520"}, dims), "--arg A: `65520` does not fit in float16");
  EXPECT_HAS(errorOf({"scale=1"}, {{"m", 2}, {"n", 2}}), "dim `k` has no value: give --dim k=N");
  EXPECT_HAS(errorOf({"scale=1", "D=randn"}, dims), "no argument `D`; it has A, B, C, scale");
  EXPECT_HAS(errorOf({"scale=1"}, {{"q", 2}}), "no dim `q`; it has m, n, k");
  EXPECT_HAS(errorOf({"scale=1", "A=none.npy"}, dims), "No such file");
  EXPECT_HAS(errorOf({"scale=1"}, {{"m", int64_t(1) << 33}, {"n", 1}, {"k", 1}}),
             "does not fit in int32");
  EXPECT_HAS(errorOf({"scale=1"}, {{"m", 1 << 30}, {"n", 1 << 30}, {"k", 1}}), "2^40");
  EXPECT_HAS(errorOf({"scale=1"}, {{"m", 2}, {"n", 2}, {"k", 2}, {"A_stride_0", -4}}), "negative");
  EXPECT_HAS(errorOf({"scale=1"}, {{"m", 1 << 19}, {"n", 1 << 20}, {"k", 1}}), "this machine has");
}

TEST(Requests, NameWhatIsMalformedOrGivenTwice) {
  auto errorOf = [](std::vector<std::string> args, std::vector<std::string> dims) {
    Result<ArgumentRequest> request = parseRequest(args, dims, 0);
    return request ? "made" : request.error().message;
  };
  EXPECT_EQ(errorOf({"A=1", "B=1"}, {"m=1", "n=1"}), "made");
  EXPECT_EQ(errorOf({"A=1", "A=randn"}, {}), "--arg A=randn: `A` is given twice, before as `1`");
  EXPECT_EQ(errorOf({}, {"m=1", "m=2"}), "--dim m=2: `m` is given twice, before as `1`");
  EXPECT_HAS(errorOf({"A=1x"}, {}), "--arg: `A=1x`: `1x` is neither");
  EXPECT_HAS(errorOf({}, {"m=-1"}), "--dim: `m=-1`: write NAME=N");
}

TEST_F(Arguments, IntegerScalarsAreSizes) {
  manifest.launches[0].params[3].name = "rows";
  manifest.launches[0].params[3].dtype = DType::I32;
  manifest.launches[0].params[2].shape = {DimExpr::name("rows"), DimExpr::name("n")};
  auto set = make({"rows=6"}, {{"m", 1}, {"n", 2}, {"k", 1}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->find("C")->tensor.shape, (std::vector<int64_t>{6, 2}));
}

TEST(Extents, TellNamesThatStandInExpressions) {
  auto take = [](std::vector<const char *> declared, std::vector<int64_t> actual, DimValues dims) {
    std::vector<DimExpr> shape;
    for (const char *text : declared)
      shape.push_back(*DimExpr::parse(text));
    takeExtents(shape, actual, dims);
    return dims;
  };
  using Dims = DimValues;
  EXPECT_EQ(take({"n * 4 + 2"}, {14}, {}), (Dims{{"n", 3}}));
  EXPECT_EQ(take({"2 - n", "n"}, {-3, 5}, {}), (Dims{{"n", 5}})); // names first
  EXPECT_EQ(take({"7 - n"}, {3}, {}), (Dims{{"n", 4}}));
  EXPECT_EQ(take({"m - n * k"}, {4}, {{"m", 10}, {"k", 2}}), (Dims{{"k", 2}, {"m", 10}, {"n", 3}}));
  // Nothing tells, nothing fits, or 64 bits are not enough.
  EXPECT_EQ(take({"n * 4"}, {14}, {}), Dims());
  EXPECT_EQ(take({"n * m", "n + n"}, {4, 4}, {}), Dims());
  EXPECT_EQ(take({"n // 2", "n % 4", "ceildiv(n, 2)"}, {4, 1, 4}, {}), Dims());
  EXPECT_EQ(take({"n * z"}, {0}, {{"z", 0}}), (Dims{{"z", 0}}));
  EXPECT_EQ(take({"n - 5"}, {INT64_MAX}, {}), Dims());
  EXPECT_EQ(take({"n"}, {4, 4}, {}), Dims());
}

} // namespace

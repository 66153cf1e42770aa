//===- RivalsTest.cpp - row-major products through column-major libraries -===//
//
// The fake driver's cublasGemmEx and cublasLtMatmul multiply on the host, so their results are
// compared with a plain product for every form.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Rivals.h"
#include "tilec/Runtime/Data.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::rt;

namespace {

constexpr int64_t m = 3, n = 5, k = 4;

ArgumentSet matrices(const std::string &form, DType dtype = DType::F32) {
  ArgumentSet set;
  auto add = [&](const char *name, std::vector<int64_t> shape) {
    Argument argument;
    argument.param.name = name;
    argument.tensor = HostTensor(dtype, std::move(shape));
    argument.strides = rowMajorStrides(argument.tensor.shape);
    fill(argument.tensor, Fill::Randn, 1, name);
    set.list.push_back(std::move(argument));
  };
  add("A", form[0] == 't' ? std::vector{k, m} : std::vector{m, k});
  add("B", form[1] == 't' ? std::vector{n, k} : std::vector{k, n});
  add("C", {m, n});
  return set;
}

Device fakeDevice() { return *openCuda(0, TILEC_FAKE_DRIVER); }

class Rivals : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(Rivals, MultiplyRowMajorMatrices) {
  auto [library, formText] = GetParam();
  std::string form = formText;
  ArgumentSet set = matrices(form);
  Device device = fakeDevice();
  Result<Rival> rival =
      openRival(std::string(library) + ":" + form + ":A,B,C", set, device, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  EXPECT_EQ(rival->name, library);
  EXPECT_EQ(rival->result, "C");
  if (rival->choose)
    rival->choose(1);
  std::map<std::string, DeviceAddress> addresses; // the fake device's memory is the host's
  for (Argument &argument : set.list)
    addresses[argument.param.name] = reinterpret_cast<DeviceAddress>(argument.tensor.bytes.data());
  Status done = rival->run(addresses, 1);
  ASSERT_TRUE(done) << done.error().message;
  const HostTensor &a = set.list[0].tensor, &b = set.list[1].tensor, &c = set.list[2].tensor;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t at = 0; at < k; ++at)
        sum += a.value(form[0] == 't' ? at * m + i : i * k + at) *
               b.value(form[1] == 't' ? j * k + at : at * n + j);
      EXPECT_NEAR(c.value(i * n + j), sum, 1e-5) << i << "," << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, Rivals,
                         testing::Combine(testing::Values("cublas", "cublaslt"),
                                          testing::Values("nn", "nt", "tn", "tt")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param);
                         });

TEST(Rivals, LtLeavesOutWhatTheHeuristicsRefuse) {
  ArgumentSet set = matrices("nt");
  Device device = fakeDevice();
  Result<Rival> rival = openRival("cublaslt:nt:A,B,C", set, device, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  EXPECT_EQ(rival->algorithms, 3); // of four, one of which has a status
  rival->choose(2);                // refused by the product itself
  std::map<std::string, DeviceAddress> addresses;
  for (Argument &argument : set.list)
    addresses[argument.param.name] = reinterpret_cast<DeviceAddress>(argument.tensor.bytes.data());
  Status done = rival->run(addresses, 1);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "cublasLtMatmul failed with code 15");
}

TEST(Rivals, TheFormIsGuessedWhereTheShapesTellIt) {
  Device device = fakeDevice();
  ArgumentSet set = matrices("nt"); // 3x4, 5x4, 3x5: no other form fits
  for (Argument &argument : set.list)
    argument.param.access = argument.param.name == "C" ? Access::Write : Access::Read;
  Result<Rival> rival = openRival("cublas", set, device, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  for (Argument &argument : set.list)
    argument.tensor = HostTensor(DType::F32, {4, 4}), argument.strides = {4, 1};
  EXPECT_NE(openRival("cublas", set, device, TILEC_FAKE_DRIVER)
                .error()
                .message.find("more than one matrix product"),
            std::string::npos);
}

TEST(Rivals, ACopyIsThatOfTheDriver) {
  ArgumentSet set = matrices("nn");
  Device device = fakeDevice();
  auto addressOf = [](const Buffer &buffer) { return buffer.address(); };
  const HostTensor &a = set.list[0].tensor;
  set.list[2].tensor = HostTensor(DType::F32, {2, 6});
  Result<Rival> rival = openRival("copy:A,C", set, device, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  EXPECT_TRUE(rival->result.empty());
  Buffer from = *device.allocate(48), to = *device.allocate(48);
  ASSERT_TRUE(from.upload(a.bytes.data(), 48));
  Status done = rival->run({{"A", addressOf(from)}, {"C", addressOf(to)}}, 1);
  ASSERT_TRUE(done) << done.error().message;
  std::vector<uint8_t> bytes(48);
  ASSERT_TRUE(to.download(bytes.data(), 48));
  EXPECT_EQ(bytes, a.bytes);
}

TEST(RivalErrors, SayWhatIsWrong) {
  Device device = fakeDevice();
  auto errorOf = [&](const std::string &spec, const ArgumentSet &set,
                     const std::string &library = TILEC_FAKE_DRIVER) {
    Result<Rival> rival = openRival(spec, set, device, library);
    return rival ? "made" : rival.error().message;
  };
  auto has = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  ArgumentSet set = matrices("nn");
  has(errorOf("cublas:nx:A,B,C", set), "FORM:A,B,C");
  has(errorOf("cublas:nn:A,B", set), "FORM:A,B,C");
  has(errorOf("cublas:nn:A,B,C:D", set), "FORM:A,B,C");
  has(errorOf("cublas:nn:A,B,D", set), "no tensor `D`");
  has(errorOf("cublas:nt:A,B,C", set), "3x4, 4x5 and 3x5 are no nt");
  has(errorOf("cublas:nn:A,B,C", matrices("nn", DType::E4M3FN)), "no product of fp8");
  has(errorOf("cublas:nn:A,B,C", matrices("nn", DType::U8)), "no product of uint8");
  has(errorOf("cublaslt:nn:A,B,C,A,B", set), "`A` is no scale");
  has(errorOf("cublas:nn:A,B,C", set, "libnothing.so"), "no cuBLAS");
  has(errorOf("cublas:nn:A,B,C", set, "libc.so.6"), "this cuBLAS has no cublasCreate_v2");
  has(errorOf("cublaslt:nn:A,B,C", set, "libc.so.6"), "no cublasLtCreate");
  has(errorOf("mkl:nn:A,B,C", set), "known are cublas, cublaslt, cudnn and copy");
  has(errorOf("copy:A", set), "copy:FROM,TO");
  has(errorOf("copy:A,B", set), "not of the same size");
  has(errorOf("copy:A,D", set), "no tensor `D`");
  set.list[1].strides = {8, 1};
  has(errorOf("cublas:nn:A,B,C", set), "strided");
  Result<Rival> onHip = openRival("cublas:nn:A,B,C", matrices("nn"), *openHip(0, TILEC_FAKE_DRIVER),
                                  TILEC_FAKE_DRIVER);
  ASSERT_FALSE(onHip);
  has(onHip.error().message, "no CUDA device");
}

} // namespace

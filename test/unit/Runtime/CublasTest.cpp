//===- CublasTest.cpp - row-major products through a column-major library -===//
//
// The fake driver's cublasGemmEx multiplies on the host, so its result is compared with a plain
// product for every form. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../tools/tilec-launch/Cublas.h"

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
    fill(argument.tensor, Fill::Randn, 1, name);
    set.list.push_back(std::move(argument));
  };
  add("A", form[0] == 't' ? std::vector{k, m} : std::vector{m, k});
  add("B", form[1] == 't' ? std::vector{n, k} : std::vector{k, n});
  add("C", {m, n});
  return set;
}

class Cublas : public testing::TestWithParam<const char *> {};

TEST_P(Cublas, MultipliesRowMajorMatrices) {
  std::string form = GetParam();
  ArgumentSet set = matrices(form);
  Result<Rival> rival = launch::cublasGemm(form + ":A,B,C", set, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  std::map<std::string, DeviceAddress> addresses; // the fake device's memory is the host's
  for (Argument &argument : set.list)
    addresses[argument.param.name] = reinterpret_cast<DeviceAddress>(argument.tensor.bytes.data());
  Status done = (*rival)(addresses, 1);
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

INSTANTIATE_TEST_SUITE_P(Forms, Cublas, testing::Values("nn", "nt", "tn", "tt"),
                         [](const auto &info) { return std::string(info.param); });

TEST(CublasErrors, SayWhatIsWrong) {
  auto errorOf = [](const std::string &spec, const ArgumentSet &set,
                    const std::string &library = TILEC_FAKE_DRIVER) {
    Result<Rival> rival = launch::cublasGemm(spec, set, library);
    return rival ? "made" : rival.error().message;
  };
  ArgumentSet set = matrices("nn");
  EXPECT_NE(errorOf("nx:A,B,C", set).find("FORM:A,B,C"), std::string::npos);
  EXPECT_NE(errorOf("nn:A,B", set).find("FORM:A,B,C"), std::string::npos);
  EXPECT_NE(errorOf("nn:A,B,D", set).find("no tensor `D`"), std::string::npos);
  EXPECT_NE(errorOf("nt:A,B,C", set).find("3x4, 4x5 and 3x5 are no nt"), std::string::npos);
  EXPECT_NE(errorOf("nn:A,B,C", matrices("nn", DType::E4M3FN)).find("no product of"),
            std::string::npos);
  EXPECT_NE(errorOf("nn:A,B,C", set, "libnothing.so").find("no cuBLAS"), std::string::npos);
  EXPECT_NE(errorOf("nn:A,B,C", set, "libc.so.6").find("no cublasGemmEx"), std::string::npos);
}

} // namespace

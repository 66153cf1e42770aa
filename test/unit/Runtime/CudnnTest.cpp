//===- CudnnTest.cpp - attention through cuDNN's graph API ----------------===//
//
// The fake driver's cuDNN runs the graph that it is given on the host (FakeCudnn.cpp); the result
// is compared with an attention written down plainly.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Runtime/VendorLibrary.h"
#include "tilec/Runtime/Data.h"
#include "tilec/Runtime/Rivals.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace tilec;
using namespace tilec::rt;

namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

template <typename Function> Function fake(const char *name) {
  static void *library = dlopen(TILEC_FAKE_DRIVER, RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}
std::string graphOfFake() { return fake<const char *(*)()>("fakeCudnnGraph")(); }
int liveInFake() { return fake<int (*)()>("fakeCudnnLive")(); }

Device fakeDevice() { return *openCuda(0, TILEC_FAKE_DRIVER); }

/// Extents of one attention, by letter.
struct Sizes {
  int64_t b = 2, h = 4, kvHeads = 2, rows = 5, keys = 7, d = 8, dOfV = 16;
};

std::vector<int64_t> ordered(const std::string &order, int64_t b, int64_t h, int64_t s, int64_t d) {
  std::vector<int64_t> shape;
  for (char letter : order)
    shape.push_back(letter == 'b' ? b : letter == 'h' ? h : letter == 's' ? s : d);
  return shape;
}

ArgumentSet tensors(const std::string &order, const Sizes &z, DType dtype = DType::BF16) {
  ArgumentSet set;
  auto add = [&](const char *name, std::vector<int64_t> shape, Access access) {
    Argument argument;
    argument.param.name = name;
    argument.param.access = access;
    argument.tensor = HostTensor(dtype, std::move(shape));
    argument.strides = rowMajorStrides(argument.tensor.shape);
    fill(argument.tensor, Fill::Randn, 1, name);
    set.list.push_back(std::move(argument));
  };
  add("Q", ordered(order, z.b, z.h, z.rows, z.d), Access::Read);
  add("K", ordered(order, z.b, z.kvHeads, z.keys, z.d), Access::Read);
  add("V", ordered(order, z.b, z.kvHeads, z.keys, z.dOfV), Access::Read);
  add("O", ordered(order, z.b, z.h, z.rows, z.dOfV), Access::Write);
  return set;
}

double at(const HostTensor &tensor, const std::string &order, int64_t b, int64_t h, int64_t s,
          int64_t d) {
  std::vector<int64_t> index = ordered(order, b, h, s, d), strides = rowMajorStrides(tensor.shape);
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * strides[i];
  return tensor.value(offset);
}

/// One row of the result, in double.
std::vector<double> plainRow(const ArgumentSet &set, const std::string &order, const Sizes &z,
                             bool isCausal, int64_t b, int64_t h, int64_t row) {
  const HostTensor &q = set.list[0].tensor, &k = set.list[1].tensor, &v = set.list[2].tensor;
  int64_t shared = h / (z.h / z.kvHeads);
  std::vector<double> out(z.dOfV);
  double total = 0;
  for (int64_t key = 0; key < (isCausal ? std::min(row + 1, z.keys) : z.keys); ++key) {
    double score = 0;
    for (int64_t i = 0; i < z.d; ++i)
      score += at(q, order, b, h, row, i) * at(k, order, b, shared, key, i);
    double weight = std::exp(score / std::sqrt(double(z.d)));
    total += weight;
    for (int64_t i = 0; i < z.dOfV; ++i)
      out[i] += weight * at(v, order, b, shared, key, i);
  }
  for (double &value : out)
    value /= total;
  return out;
}

std::map<std::string, DeviceAddress> addressesOf(ArgumentSet &set) {
  std::map<std::string, DeviceAddress> addresses; // the fake device's memory is the host's
  for (Argument &argument : set.list)
    addresses[argument.param.name] = reinterpret_cast<DeviceAddress>(argument.tensor.bytes.data());
  return addresses;
}

struct Case {
  const char *name, *form, *order;
  bool isCausal = false;
  DType dtype = DType::BF16;
  Sizes sizes = {};
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.form; }

class Attends : public testing::TestWithParam<Case> {};

TEST_P(Attends, LikeAPlainAttention) {
  const Case &c = GetParam();
  Device device = fakeDevice();
  ArgumentSet set = tensors(c.order, c.sizes, c.dtype);
  Result<Rival> rival =
      openRival("cudnn:" + std::string(c.form) + ":Q,K,V,O", set, device, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  EXPECT_EQ(rival->name, "cudnn");
  EXPECT_EQ(rival->version, "9.19.0");
  EXPECT_EQ(rival->result, "O");
  Status done = rival->run(addressesOf(set), 1);
  ASSERT_TRUE(done) << done.error().message;
  HostTensor &out = set.list[3].tensor;
  HostTensor expected = out;
  std::vector<int64_t> strides = rowMajorStrides(out.shape);
  for (int64_t b = 0; b < c.sizes.b; ++b)
    for (int64_t h = 0; h < c.sizes.h; ++h)
      for (int64_t row = 0; row < c.sizes.rows; ++row) {
        std::vector<double> values = plainRow(set, c.order, c.sizes, c.isCausal, b, h, row);
        for (int64_t i = 0; i < c.sizes.dOfV; ++i) {
          std::vector<int64_t> index = ordered(c.order, b, h, row, i);
          int64_t offset = 0;
          for (size_t dim = 0; dim < index.size(); ++dim)
            offset += index[dim] * strides[dim];
          expected.setValue(offset, values[i]);
        }
      }
  Result<CheckReport> report = compare(out, expected, rowTolerance(expected, rival->tolerance));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->passed()) << describe("O", c.dtype, *report);
}

constexpr Sizes oneBatch = {.b = 1}, oneHead = {.b = 1, .h = 1, .kvHeads = 1},
                square = {.kvHeads = 4, .rows = 6, .keys = 6, .d = 16};
INSTANTIATE_TEST_SUITE_P(
    Forms, Attends,
    testing::Values(Case{"bshd", "bshd", "bshd"}, Case{"bhsd", "bhsd", "bhsd"},
                    Case{"causal", "bshd+causal", "bshd", true},
                    Case{"causalFirst", "causal+bhsd", "bhsd", true},
                    Case{"causalAlone", "causal", "bshd", true, DType::F16, square},
                    Case{"sbhd", "sbhd", "sbhd", false, DType::F16},
                    Case{"hsd", "hsd+causal", "hsd", true, DType::BF16, oneBatch},
                    Case{"sd", "sd", "sd", false, DType::F16, oneHead}),
    [](const auto &info) { return info.param.name; });

TEST(Cudnn, BuildsTheGraphThatItsEnginesKnow) {
  Device device = fakeDevice();
  ArgumentSet set = tensors("bshd", {});
  ASSERT_TRUE(openRival("cudnn:bshd:Q,K,V,O", set, device, TILEC_FAKE_DRIVER));
  EXPECT_EQ(graphOfFake(), "matmul mul max sub exp sum log add div matmul");
  ASSERT_TRUE(openRival("cudnn:causal:Q,K,V,O", set, device, TILEC_FAKE_DRIVER));
  EXPECT_EQ(graphOfFake(), "matmul mul index index ge select max sub exp sum log add div matmul");
}

TEST(Cudnn, TensorsAreGuessedByTheirRank) {
  Device device = fakeDevice();
  ArgumentSet set = tensors("bshd", {});
  Argument lse;
  lse.param.name = "Lse";
  lse.param.access = Access::Write;
  lse.tensor = HostTensor(DType::F32, {2, 4, 5});
  lse.strides = rowMajorStrides(lse.tensor.shape);
  set.list.push_back(lse);
  for (const char *spec : {"cudnn", "cudnn:causal", "cudnn:Q,K,V,O"}) {
    Result<Rival> rival = openRival(spec, set, device, TILEC_FAKE_DRIVER);
    ASSERT_TRUE(rival) << spec << ": " << rival.error().message;
    EXPECT_EQ(rival->result, "O");
  }
  EXPECT_HAS(openRival("cudnn:hsd", set, device, TILEC_FAKE_DRIVER).error().message,
             "name the attention's tensors");
}

TEST(Cudnn, StridesAreThoseOfTheTensors) {
  Device device = fakeDevice();
  Sizes z = {.b = 1, .h = 2, .kvHeads = 2, .rows = 3, .keys = 3, .dOfV = 8};
  ArgumentSet set = tensors("bshd", z);
  // K in rows of twice the length, whose second halves nobody may read.
  ArgumentSet wide = set;
  Argument &k = wide.list[1];
  k.strides = {k.strides[0] * 2, k.strides[1] * 2, k.strides[2] * 2, 1};
  std::vector<uint8_t> storage(2 * k.tensor.bytes.size(), 0xFF);
  scatter(k.tensor, k.strides, storage);
  for (ArgumentSet *of : {&set, &wide}) {
    Result<Rival> rival = openRival("cudnn", *of, device, TILEC_FAKE_DRIVER);
    ASSERT_TRUE(rival) << rival.error().message;
    auto addresses = addressesOf(*of);
    if (of == &wide)
      addresses["K"] = reinterpret_cast<DeviceAddress>(storage.data());
    ASSERT_TRUE(rival->run(addresses, 1));
  }
  EXPECT_EQ(set.list[3].tensor.bytes, wide.list[3].tensor.bytes);
}

TEST(Cudnn, PlansAreTheAlgorithmsAndEverythingIsGivenBack) {
  Device device = fakeDevice();
  ArgumentSet set = tensors("bshd", {});
  int before = liveInFake();
  {
    Result<Rival> rival = openRival("cudnn", set, device, TILEC_FAKE_DRIVER);
    ASSERT_TRUE(rival) << rival.error().message;
    EXPECT_EQ(rival->algorithms, 2); // of three, one of which is no plan
    ASSERT_TRUE(rival->run(addressesOf(set), 1));
    int prepared = liveInFake();
    ASSERT_TRUE(rival->run(addressesOf(set), 2));
    EXPECT_EQ(liveInFake(), prepared); // the variant pack of the same tensors is kept
    ArgumentSet others = set;
    ASSERT_TRUE(rival->run(addressesOf(others), 1));
    EXPECT_EQ(liveInFake(), prepared + 1);
    rival->choose(1);
    Status done = rival->run(addressesOf(set), 1);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message,
              "cudnnBackendExecute: CUDNN_STATUS_EXECUTION_FAILED (5000): this engine fails");
  }
  EXPECT_EQ(liveInFake(), before);
}

TEST(Cudnn, TheFallbackIsAskedLast) {
  Device device = fakeDevice();
  Sizes z = {.d = 24, .dOfV = 24};
  Result<Rival> rival = openRival("cudnn", tensors("bshd", z), device, TILEC_FAKE_DRIVER);
  ASSERT_TRUE(rival) << rival.error().message;
  EXPECT_EQ(rival->algorithms, 1);
  z.d = 12;
  EXPECT_EQ(openRival("cudnn", tensors("bshd", z), device, TILEC_FAKE_DRIVER).error().message,
            "cudnn: it has no engine for this attention: heads must have a multiple of 8 elements");
}

TEST(CudnnErrors, SayWhatIsWrong) {
  Device device = fakeDevice();
  auto errorOf = [&](const std::string &spec, const ArgumentSet &set,
                     const std::string &library = TILEC_FAKE_DRIVER) {
    Result<Rival> rival = openRival(spec, set, device, library);
    return rival ? "made" : rival.error().message;
  };
  ArgumentSet set = tensors("bshd", {});
  for (const char *spec :
       {"cudnn:nt:Q,K,V,O", "cudnn:bshd+masked:Q,K,V,O", "cudnn:bshh:Q,K,V,O", "cudnn:bhd:Q,K,V,O",
        "cudnn:bshd+bhsd:Q,K,V,O", "cudnn:causal+causal", "cudnn:bshd:Q,K,V",
        "cudnn:bshd:", "cudnn::Q,K,V,O", "cudnn:bshd:Q,K,V,O:S", "cudnn:Q,K,V,O:bshd"})
    EXPECT_HAS(errorOf(spec, set), "write FORM:Q,K,V,O with a form like");
  EXPECT_HAS(errorOf("cudnn:bshd:Q,K,V,P", set), "cudnn: there is no tensor `P`");
  EXPECT_HAS(errorOf("cudnn:hsd:Q,K,V,O", set), "`Q` is 2x5x4x8, the form hsd has 3 dimensions");
  EXPECT_HAS(errorOf("cudnn", tensors("bshd", {}, DType::F32)),
             "`Q` is float32: the attention is of float16 or bfloat16");
  EXPECT_HAS(errorOf("cudnn:bhsd:Q,K,V,O", set), // bshd read as bhsd
             "no attention: the 5 heads of `Q` cannot share the 7 of `K`");
  EXPECT_HAS(errorOf("cudnn", set, "libnothing.so"), "cudnn: there is no cuDNN 9 on this machine");
  EXPECT_HAS(errorOf("cudnn", set, "libc.so.6"), "this cuDNN has no cudnnGetVersion");

  auto with = [&](auto change) {
    Sizes z;
    change(z);
    return errorOf("cudnn", tensors("bshd", z));
  };
  EXPECT_HAS(with([](Sizes &z) { z.kvHeads = 3; }), "the 4 heads of `Q` cannot share the 3 of `K`");
  EXPECT_HAS(with([](Sizes &z) { z.keys = 0; }), "`K` is empty");
  ArgumentSet mixed = tensors("bshd", {});
  mixed.list[2].tensor = HostTensor(DType::F16, mixed.list[2].tensor.shape);
  EXPECT_HAS(errorOf("cudnn", mixed), "`V` is float16");
  ArgumentSet longer = tensors("bshd", {});
  longer.list[1].tensor = HostTensor(DType::BF16, {2, 9, 2, 8});
  EXPECT_HAS(errorOf("cudnn", longer), "no attention: `V` has 7 rows, `K` has 9");
  set.list[2].strides[3] = 2;
  EXPECT_HAS(errorOf("cudnn", set), "the elements of a head of `V` do not lie side by side");
}

// The packages of a virtual environment come after what the loader and CUDA's folders have.
TEST(VendorLibraries, AreLookedForInPythonsPackages) {
  namespace fs = std::filesystem;
  fs::path environment = fs::path(testing::TempDir()) / "tilec-vendor-environment";
  fs::path folder = environment / "lib/python3.12/site-packages/nvidia/cudnn/lib";
  fs::create_directories(folder);
  std::ofstream(folder / "libcudnn.so.9") << "no library";
  setenv("VIRTUAL_ENV", environment.c_str(), 1);
  std::vector<std::string> places = vendorLibraryPlaces("libcudnn.so", {".9"});
  unsetenv("VIRTUAL_ENV");
  fs::remove_all(environment);
  ASSERT_GE(places.size(), 4u);
  EXPECT_EQ(places[0], "libcudnn.so.9");
  EXPECT_EQ(places[1], "/usr/local/cuda/lib64/libcudnn.so.9");
  EXPECT_EQ(places[3], (folder / "libcudnn.so.9").string());
}

} // namespace

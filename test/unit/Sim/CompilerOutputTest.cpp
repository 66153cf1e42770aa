//===- CompilerOutputTest.cpp - what clang emits runs and is not accused --===//
//
// test/data/sim/kernels.c compiled by clang 22 -O3 for both chips: reductions, exp,
// division, LDS, MFMA, atomics, scratch, f64 and i64. Every result is compared, in both
// memory modes and several wave interleaves, and no check may find anything.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "tilec/Base/DType.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

struct Mode {
  const char *cpu;
  MemoryMode memory;
  uint64_t seed;
};

class Compiled : public ::testing::TestWithParam<Mode> {
protected:
  void SetUp() override {
    auto file = llvm::MemoryBuffer::getFile(std::string(TILEC_TEST_DATA) + "/sim/kernels_" +
                                            GetParam().cpu + ".s");
    ASSERT_TRUE(bool(file));
    object = llvm::cantFail(CodeObject::load(assemble(GetParam().cpu, (*file)->getBuffer().str())));
  }
  template <class T> uint64_t buffer(const std::vector<T> &values) {
    uint64_t bytes = values.size() * sizeof(T), address = llvm::cantFail(memory.allocate(bytes));
    std::memcpy(memory.hostPointerForWriting(address, bytes), values.data(), bytes);
    return address;
  }
  template <class T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.hostPointer(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }
  void add(uint64_t pointer) { add(&pointer, 8); }
  void add(int value) { add(&value, 4); }
  void add(const void *value, size_t bytes) {
    auto *from = static_cast<const uint8_t *>(value);
    args.push_back({from, from + bytes});
  }
  void run(const char *kernel, Dim3 grid, uint32_t block) {
    LaunchOptions options;
    options.memoryMode = GetParam().memory;
    options.interleaveSeed = GetParam().seed;
    const KernelInfo *info = object->findKernel(kernel);
    ASSERT_NE(info, nullptr);
    auto kernarg = llvm::cantFail(makeKernarg(*info, args, grid, {block, 1, 1}));
    auto result =
        llvm::cantFail(sim::run(*object, kernel, grid, {block, 1, 1}, kernarg, memory, options));
    EXPECT_TRUE(result.ok()) << llvm::toString(result.toError());
    EXPECT_TRUE(result.findings.empty());
    args.clear();
  }
  std::vector<float> normal(size_t count) {
    std::normal_distribution<float> distribution;
    std::vector<float> values(count);
    for (float &v : values)
      v = distribution(random);
    return values;
  }
  std::unique_ptr<CodeObject> object;
  Memory memory;
  std::vector<std::vector<uint8_t>> args;
  std::mt19937 random{3};
};

TEST_P(Compiled, VectorAddWithRaggedEnd) {
  std::vector<float> a = normal(1000), b = normal(1000);
  uint64_t c = buffer(std::vector<float>(1000));
  add(buffer(a)), add(buffer(b)), add(c), add(1000);
  run("vadd", {4, 1, 1}, 256);
  auto out = read<float>(c, 1000);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], a[i] + b[i]);
}
TEST_P(Compiled, ReductionThroughLds) {
  std::vector<float> a(1000);
  std::iota(a.begin(), a.end(), 0.0f);
  uint64_t o = buffer(std::vector<float>(4));
  add(buffer(a)), add(o), add(1000);
  run("reduce", {4, 1, 1}, 256);
  auto out = read<float>(o, 4);
  EXPECT_EQ(out[0] + out[1] + out[2] + out[3], 499500.0f);
}
TEST_P(Compiled, Softmax) {
  const int n = 200;
  std::vector<float> a = normal(5 * n);
  uint64_t o = buffer(std::vector<float>(5 * n));
  add(buffer(a)), add(o), add(n);
  run("softmax", {5, 1, 1}, 64);
  auto out = read<float>(o, 5 * n);
  for (int r = 0; r < 5; ++r) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += std::exp(static_cast<double>(a[r * n + i]));
    for (int i = 0; i < n; ++i)
      ASSERT_NEAR(out[r * n + i], std::exp(static_cast<double>(a[r * n + i])) / sum, 1e-7);
  }
}
TEST_P(Compiled, TransposeThroughLds) {
  const int w = 70, h = 45;
  std::vector<float> a(w * h);
  std::iota(a.begin(), a.end(), 0.0f);
  uint64_t o = buffer(std::vector<float>(w * h));
  add(buffer(a)), add(o), add(w), add(h);
  run("transpose", {3, 2, 1}, 256);
  auto out = read<float>(o, w * h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      ASSERT_EQ(out[x * h + y], a[y * w + x]);
}
TEST_P(Compiled, MatrixProduct) {
  const int n = 32, k = 64;
  std::vector<uint16_t> a(n * k), b(n * k);
  std::vector<int> av(n * k), bv(n * k);
  for (int i = 0; i < n * k; ++i) {
    av[i] = static_cast<int>(random() % 9) - 4;
    bv[i] = static_cast<int>(random() % 9) - 4;
    a[i] = static_cast<uint16_t>(encodeFloat(DType::F16, av[i]));
    b[i] = static_cast<uint16_t>(encodeFloat(DType::F16, bv[i]));
  }
  uint64_t c = buffer(std::vector<float>(n * n));
  add(buffer(a)), add(buffer(b)), add(c), add(n), add(k);
  run("mfma", {2, 2, 1}, 64);
  auto out = read<float>(c, n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int kk = 0; kk < k; ++kk)
        sum += av[i * k + kk] * bv[j * k + kk];
      ASSERT_EQ(out[i * n + j], sum);
    }
}
TEST_P(Compiled, Atomics) {
  std::vector<int> a(1000), counts(16);
  int sum = 0;
  for (int &x : a) {
    x = static_cast<int>(random() % 100000);
    ++counts[x & 15];
    sum += x & 3;
  }
  uint64_t h = buffer(std::vector<int>(17)), f = buffer(std::vector<float>(1));
  add(h), add(f), add(buffer(a)), add(1000);
  run("atomics", {4, 1, 1}, 256);
  auto out = read<int>(h, 17);
  EXPECT_EQ(std::vector<int>(out.begin(), out.begin() + 16), counts);
  EXPECT_EQ(out[16], *std::max_element(a.begin(), a.end()));
  EXPECT_EQ(read<float>(f, 1)[0], static_cast<float>(sum));
}
TEST_P(Compiled, IntegerDivision) {
  std::vector<int> a(256), b(256);
  for (int i = 0; i < 256; ++i) {
    a[i] = static_cast<int>(random());
    b[i] = static_cast<int>(random() >> (random() % 31)) | 1;
    b[i] = b[i] == -1 ? 3 : b[i]; // INT_MIN / -1 is undefined
  }
  uint64_t q = buffer(std::vector<int>(256)), r = buffer(std::vector<int>(256));
  add(buffer(a)), add(buffer(b)), add(q), add(r), add(256);
  run("intdiv", {1, 1, 1}, 256);
  auto quotients = read<int>(q, 256), rests = read<int>(r, 256);
  for (int i = 0; i < 256; ++i) {
    ASSERT_EQ(quotients[i], a[i] / b[i]) << a[i] << " / " << b[i];
    ASSERT_EQ(rests[i], a[i] % b[i]);
  }
}
TEST_P(Compiled, ArraysInScratch) {
  std::vector<float> a = normal(1000);
  uint64_t o = buffer(std::vector<float>(64));
  add(buffer(a)), add(o), add(1000);
  run("spill", {1, 1, 1}, 64);
  auto out = read<float>(o, 64);
  for (int t = 0; t < 64; ++t) {
    double sum = 0, magnitude = 0;
    for (int i = 0; i < 1000; ++i) {
      double term = static_cast<double>(a[(t * 64 + (i * 7 + t) % 64) % 1000]) * i;
      sum += term;
      magnitude += std::fabs(term);
    }
    ASSERT_NEAR(out[t], sum, magnitude * 1e-6);
  }
}
TEST_P(Compiled, DoublePrecision) {
  std::vector<double> a(64);
  for (double &x : a)
    x = static_cast<double>(random()) * 1e-8;
  uint64_t o = buffer(std::vector<double>(64));
  add(buffer(a)), add(o), add(64);
  run("dbl", {1, 1, 1}, 64);
  auto out = read<double>(o, 64);
  for (int i = 0; i < 64; ++i)
    ASSERT_NEAR(out[i], std::sqrt(a[i]) / (a[i] + 3), 4e-16);
}
TEST_P(Compiled, Integers64) {
  std::vector<int64_t> a(64);
  for (int64_t &x : a)
    x = static_cast<int64_t>(static_cast<uint64_t>(random()) << 31 ^ random()) *
        (random() % 2 ? 1 : -1);
  uint64_t o = buffer(std::vector<int64_t>(64));
  add(buffer(a)), add(o), add(64);
  run("i64", {1, 1, 1}, 64);
  auto out = read<int64_t>(o, 64);
  for (int i = 0; i < 64; ++i) {
    auto product = static_cast<uint64_t>(a[i]) * static_cast<uint64_t>(a[(i + 1) % 64]);
    auto expected = static_cast<int64_t>(product + static_cast<uint64_t>(a[i] >> 3) -
                                         static_cast<uint64_t>(a[i] / 7));
    ASSERT_EQ(out[i], expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Compiled,
                         ::testing::Values(Mode{"gfx942", MemoryMode::Eager, 0},
                                           Mode{"gfx942", MemoryMode::Strict, 1},
                                           Mode{"gfx950", MemoryMode::Eager, 2},
                                           Mode{"gfx950", MemoryMode::Strict, 3}),
                         [](const auto &info) {
                           return std::string(info.param.cpu) +
                                  (info.param.memory == MemoryMode::Strict ? "Strict" : "Eager");
                         });

} // namespace

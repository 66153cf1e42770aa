//===- ThirdPartyTest.cpp - code objects that nobody here wrote -----------===//
//
// Runs hand-written kernels of ROCm's aiter repository and compares with references in
// double. The objects are not part of this repository: TILEC_AITER names a copy of its
// `hsa` folder, and without it the tests are skipped. Argument layouts are those of
// aiter's host code (16-byte slots); docs/simulators/simulator.md has the results. What the checks
// say of each run, eager and strict, must be what
// test/data/sim/third-party-findings.txt lists, with the reasons why it is real.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/DType.h"
#include "tilec/Sim/Simulator.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>

using namespace tilec;
using namespace tilec::sim;

namespace {

constexpr uint32_t slotBytes = 16;

/// One launch: arguments by slot, buffers of bf16 or f32.
class Kernel {
public:
  explicit Kernel(const std::string &path) : path(path) {
    const char *root = std::getenv("TILEC_AITER");
    if (!root)
      return;
    auto file = llvm::MemoryBuffer::getFile(std::string(root) + "/" + path);
    if (!file) {
      ADD_FAILURE() << path << ": " << file.getError().message();
      return;
    }
    auto bytes = llvm::ArrayRef(reinterpret_cast<const uint8_t *>((*file)->getBufferStart()),
                                (*file)->getBufferSize());
    object = llvm::cantFail(CodeObject::load(bytes));
    kernarg.resize(object->kernels()[0].kernargBytes);
  }
  bool isThere() const { return object != nullptr; }

  uint64_t bf16(unsigned slot, const std::vector<float> &values) {
    uint64_t address = reserve(slot, values.size() * 2, "bf16 argument " + std::to_string(slot));
    auto *to =
        reinterpret_cast<uint16_t *>(memory.hostPointerForWriting(address, values.size() * 2));
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = static_cast<uint16_t>(encodeFloat(DType::BF16, values[i]));
    return address;
  }
  template <class T> uint64_t raw(unsigned slot, const std::vector<T> &values) {
    uint64_t address = reserve(slot, values.size() * sizeof(T), "argument " + std::to_string(slot));
    std::memcpy(memory.hostPointerForWriting(address, values.size() * sizeof(T)), values.data(),
                values.size() * sizeof(T));
    return address;
  }
  /// A buffer that the kernel must write before it reads.
  uint64_t output(unsigned slot, uint64_t bytes) {
    uint64_t address =
        llvm::cantFail(memory.allocate(bytes, "output argument " + std::to_string(slot)));
    buffers.push_back({address, bytes, {}});
    set(slot, address);
    return address;
  }
  template <class T> void set(unsigned slot, T value) {
    std::memcpy(&kernarg[slot * slotBytes], &value, sizeof(value));
  }
  template <class T> std::vector<T> read(uint64_t address, size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.hostPointer(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }
  std::vector<float> readBf16(uint64_t address, size_t count) const {
    std::vector<float> values;
    for (uint16_t bits : read<uint16_t>(address, count))
      values.push_back(static_cast<float>(decodeFloat(DType::BF16, bits)));
    return values;
  }
  /// Runs in strict mode, then in eager mode, whose results stay. Timing hazards are lints. Eager
  /// runs must be without an error; what both find must be what the list says of `variant`.
  void run(Dim3 grid, uint32_t block, const std::string &variant) {
    for (Buffer &buffer : buffers)
      if (!buffer.isOutput())
        llvm::cantFail(memory.read(buffer.address, buffer.initial));
    std::multiset<std::string> found;
    runOnce(grid, block, MemoryMode::Strict, found);
    std::vector<std::vector<uint8_t>> strict = contents();
    for (Buffer &buffer : buffers) {
      if (buffer.isOutput())
        llvm::cantFail(memory.markUninitialized(buffer.address, buffer.bytes));
      else
        llvm::cantFail(memory.write(buffer.address, buffer.initial));
    }
    runOnce(grid, block, MemoryMode::Eager, found);
    if (strict != contents())
      found.insert("strict lint different-result - 1");
    compareWithList(path + " " + variant, found);
  }

private:
  struct Buffer {
    uint64_t address, bytes;
    std::vector<uint8_t> initial;
    bool isOutput() const { return initial.empty(); }
  };
  std::string path;
  std::unique_ptr<CodeObject> object;
  Memory memory;
  std::vector<uint8_t> kernarg;
  std::vector<Buffer> buffers;

  uint64_t reserve(unsigned slot, uint64_t bytes, const std::string &name) {
    uint64_t address = llvm::cantFail(memory.allocate(bytes, name));
    buffers.push_back({address, bytes, std::vector<uint8_t>(bytes)});
    set(slot, address);
    return address;
  }
  std::vector<std::vector<uint8_t>> contents() const {
    std::vector<std::vector<uint8_t>> all;
    for (const Buffer &buffer : buffers) {
      all.emplace_back(buffer.bytes);
      llvm::cantFail(memory.read(buffer.address, all.back()));
    }
    return all;
  }

  /// Adds `mode class kind mnemonic places` for each kind of finding.
  void runOnce(Dim3 grid, uint32_t block, MemoryMode mode, std::multiset<std::string> &found) {
    LaunchOptions options;
    options.timingHazardsAreLints = true;
    options.memoryMode = mode;
    options.maxFindings = 100'000;
    options.threads = 1; // the same findings in every run
    auto result =
        sim::run(*object, object->kernels()[0].name, grid, {block, 1, 1}, kernarg, memory, options);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    bool eager = mode == MemoryMode::Eager;
    if (eager) {
      EXPECT_TRUE(result->ok()) << llvm::toString(result->toError());
    }
    std::map<std::string, unsigned> places;
    for (const Finding &f : result->findings) {
      llvm::StringRef text = llvm::StringRef(f.message).split('`').second.split('`').first;
      unsigned &count = places[std::string(eager ? "eager " : "strict ") +
                               (f.cls == FindingClass::Lint ? "lint " : "error ") +
                               nameOf(f.kind).str() + " " + text.split(' ').first.str()];
      if (count++ == 0)
        llvm::outs() << "  " << f.message << '\n';
    }
    for (const auto &[what, count] : places)
      found.insert(what + " " + std::to_string(count));
    llvm::outs() << "  " << (eager ? "eager" : "strict") << ": " << result->counters.instructions
                 << " wave instructions, "
                 << static_cast<uint64_t>(static_cast<double>(result->counters.instructions) /
                                          result->counters.seconds / 1000)
                 << " k/s\n";
  }

  static void compareWithList(const std::string &run, const std::multiset<std::string> &found) {
    auto buffer =
        llvm::MemoryBuffer::getFile(std::string(TILEC_TEST_DATA) + "/sim/third-party-findings.txt");
    ASSERT_TRUE(bool(buffer));
    std::multiset<std::string> listed;
    llvm::SmallVector<llvm::StringRef, 0> lines;
    (*buffer)->getBuffer().split(lines, '\n');
    for (llvm::StringRef line : lines) {
      auto [what, why] = line.split(" # ");
      if (line.starts_with("#") || !what.consume_front(run + " "))
        continue;
      EXPECT_FALSE(why.trim().empty()) << "no reason: " << line.str();
      listed.insert(what.trim().str());
    }
    EXPECT_EQ(found, listed) << run;
    for (const std::string &what : found)
      if (!listed.count(what))
        llvm::outs() << run << " " << what << " # ?\n";
  }
};

// The objects belong to aiter and are not committed: without a copy there is nothing to run.
#define NEEDS(kernel)                                                                              \
  if (!kernel.isThere())                                                                           \
  GTEST_SKIP() << "TILEC_AITER does not name a copy of aiter's hsa folder"

float asBf16(double value) {
  return static_cast<float>(decodeFloat(DType::BF16, encodeFloat(DType::BF16, value)));
}
std::vector<float> randoms(size_t count, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float &v : values)
    v = asBf16(normal(random));
  return values;
}

// ---- D[M,N] = A[M,K] * B[N,K]^T
// ------------------------------------------------------------------

void gemm(const std::string &path, unsigned tileM, unsigned tileN, unsigned M, unsigned N,
          unsigned K, bool outBf16) {
  SCOPED_TRACE(path);
  Kernel k(path);
  NEEDS(k);
  std::vector<float> a = randoms(M * K, 1), b = randoms(N * K, 2);
  uint32_t elem = outBf16 ? 2 : 4;
  uint64_t d = k.output(0, static_cast<uint64_t>(M) * N * elem);
  k.set<uint64_t>(1, 0);
  k.bf16(2, a);
  k.bf16(3, b);
  k.set(4, 1.0f);
  k.set(5, 0.0f);
  k.set(6, N * elem);
  k.set(8, N * elem);
  k.set(10, K * 2);
  k.set(12, K * 2);
  k.set(14, M);
  k.set(15, N);
  k.set(16, K);
  k.set(17, 1u);
  k.set(18, outBf16 ? 1u : 0u);
  k.raw(19, std::vector<uint16_t>(N));
  k.set(20, 0u);
  k.run({N / tileN, (M + tileM - 1) / tileM, 1}, 256,
        std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K));
  double worst = 0;
  std::vector<float> out = outBf16 ? k.readBf16(d, M * N) : k.read<float>(d, M * N);
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < N; ++j) {
      double sum = 0;
      for (unsigned kk = 0; kk < K; ++kk)
        sum += static_cast<double>(a[i * K + kk]) * b[j * K + kk];
      double error = std::fabs(out[i * N + j] - sum);
      worst = std::max(worst, outBf16 ? error / (std::fabs(sum) + 1) : error);
    }
  llvm::outs() << "  largest error " << worst << '\n';
  EXPECT_LT(worst, outBf16 ? 0x1p-8 : 1e-3);
}

TEST(ThirdParty, Gemm256x256OnGfx950) {
  gemm("gfx950/bf16gemm/bf16gemm_bf16_tn_256x256.co", 256, 256, 256, 256, 256, false);
  gemm("gfx950/bf16gemm/bf16gemm_bf16_tn_256x256.co", 256, 256, 200, 512, 512, true); // ragged M
}
TEST(ThirdParty, Gemm64x64) {
  for (const char *arch : {"gfx942", "gfx950"})
    for (unsigned tile : {32u, 64u, 96u})
      gemm(std::string(arch) + "/bf16gemm/bf16gemm_fp32bf16_tn_" + std::to_string(tile) +
               "x64_pf3_splitk.co",
           tile, 64, tile + 5, 128, 512, false);
}

// ---- attention forward, BSHD
// ---------------------------------------------------------------------

void attention(const std::string &path, bool causal, unsigned S, unsigned Hq, unsigned Hk) {
  SCOPED_TRACE(path);
  Kernel k(path);
  NEEDS(k);
  constexpr unsigned D = 128, tileQ = 256;
  unsigned B = 1;
  std::vector<float> q = randoms(B * S * Hq * D, 3), kk = randoms(B * S * Hk * D, 4),
                     v = randoms(B * S * Hk * D, 5);
  uint64_t o = k.output(0, q.size() * 2);
  k.bf16(1, q);
  k.bf16(2, kk);
  k.bf16(3, v);
  uint64_t lse = k.output(4, static_cast<uint64_t>(B) * Hq * S * 4);
  float scale = 1 / std::sqrt(static_cast<float>(D));
  const uint32_t qRow = Hq * D * 2, kRow = Hk * D * 2;
  k.set(5, scale);
  const uint32_t values[] = {S,
                             qRow,
                             tileQ * qRow,
                             D * 2,
                             S * qRow,
                             Hq / Hk,
                             kRow,
                             D * 2,
                             S * kRow,
                             causal && Hq % 8 == 0 ? 3u : 5u,
                             1,
                             S,
                             D,
                             D,
                             Hq,
                             kRow,
                             D * 2,
                             S * kRow,
                             qRow,
                             D * 2,
                             S * qRow};
  for (unsigned i = 0; i < std::size(values); ++i)
    k.set(6 + i, values[i]);
  k.set<uint64_t>(27, 0);
  k.set<uint64_t>(28, 0);
  k.set(29, S * 4);
  unsigned tiles = (S + tileQ - 1) / tileQ;
  k.run({causal ? (tiles + 1) / 2 : tiles, Hq, B}, 512,
        "s" + std::to_string(S) + "h" + std::to_string(Hq));
  std::vector<float> out = k.readBf16(o, q.size()), logs = k.read<float>(lse, B * Hq * S);
  double worstO = 0, worstL = 0;
  std::vector<double> p(S);
  for (unsigned h = 0; h < Hq; ++h)
    for (unsigned i = 0; i < S; ++i) {
      unsigned hk = h / (Hq / Hk), end = causal ? i + 1 : S;
      double largest = -1e30, sum = 0;
      for (unsigned j = 0; j < end; ++j) {
        double dot = 0;
        for (unsigned d = 0; d < D; ++d)
          dot += static_cast<double>(q[(i * Hq + h) * D + d]) * kk[(j * Hk + hk) * D + d];
        p[j] = dot * scale;
        largest = std::max(largest, p[j]);
      }
      for (unsigned j = 0; j < end; ++j)
        sum += p[j] = std::exp(p[j] - largest);
      for (unsigned d = 0; d < D; ++d) {
        double value = 0;
        for (unsigned j = 0; j < end; ++j)
          value += p[j] * v[(j * Hk + hk) * D + d];
        worstO = std::max(worstO, std::fabs(value / sum - out[(i * Hq + h) * D + d]));
      }
      worstL = std::max(worstL, std::fabs(std::log(sum) + largest - logs[h * S + i]));
    }
  llvm::outs() << "  largest error of O " << worstO << ", of LSE " << worstL << '\n';
  EXPECT_LT(worstO, 0.05);
  EXPECT_LT(worstL, 1e-4);
}

TEST(ThirdParty, AttentionOnGfx950) {
  attention("gfx950/fmha_v3_fwd/fwd_hd128_bf16.co", false, 256, 2, 1);
  attention("gfx950/fmha_v3_fwd/fwd_hd128_bf16.co", false, 300, 1, 1);
  attention("gfx950/fmha_v3_fwd/fwd_hd128_bf16_causal.co", true, 512, 1, 1);
}
TEST(ThirdParty, AttentionOnGfx942) {
  for (const char *rounding : {"rtne", "rtna", "rtz"})
    attention(std::string("gfx942/fmha_v3_fwd/MI300/fwd_hd128_bf16_") + rounding + ".co", false,
              256, 1, 1);
  attention("gfx942/fmha_v3_fwd/MI300/fwd_hd128_bf16_causal_rtne.co", true, 512, 1, 1);
  attention("gfx942/fmha_v3_fwd/MI308/fwd_hd128_bf16_rtne.co", false, 256, 2, 2);
}

// ---- f32 [B,H,S,D] to bf16 [B,S,H,D] ------------------------------------------------------------

void convert(const std::string &path) {
  SCOPED_TRACE(path);
  Kernel k(path);
  NEEDS(k);
  constexpr uint32_t B = 1, H = 2, S = 100, D = 128;
  std::mt19937 random(6);
  std::vector<float> in(B * H * S * D);
  for (float &x : in)
    x = std::normal_distribution<float>()(random);
  k.raw(0, in);
  uint64_t out = k.output(1, in.size() * 2);
  const uint32_t values[] = {S * D * 4,     H * S * D * 4, D * 4, D * 2,
                             S * H * D * 2, H * D * 2,     S,     D};
  for (unsigned i = 0; i < std::size(values); ++i)
    k.set(2 + i, values[i]);
  k.set<uint64_t>(10, 0);
  k.set<uint64_t>(11, 0);
  k.run({(S + 63) / 64, H, B}, 256, "s100h2");
  auto bits = k.read<uint16_t>(out, in.size());
  unsigned wrong = 0;
  for (uint32_t h = 0; h < H; ++h)
    for (uint32_t s = 0; s < S; ++s)
      for (uint32_t d = 0; d < D; ++d)
        wrong += bits[(s * H + h) * D + d] != encodeFloat(DType::BF16, in[(h * S + s) * D + d]);
  EXPECT_EQ(wrong, 0u);
}
TEST(ThirdParty, GradientConversionIsBitExact) {
  convert("gfx950/fmha_v3_bwd/bwd_hd128_dq_convert_bf16.co");
  convert("gfx942/fmha_v3_bwd/bwd_hd128_dq_convert_bf16_rtne.co");
}

// ---- MLA decode, first stage
// ---------------------------------------------------------------------

void mla(const std::string &path) {
  SCOPED_TRACE(path);
  Kernel k(path);
  NEEDS(k);
  constexpr uint32_t B = 2, heads = 16, width = 576, vWidth = 512, splits = 2, keys = 200;
  std::vector<float> q = randoms(B * heads * width, 7), kv = randoms(B * keys * width, 8);
  uint64_t r = k.output(0, static_cast<uint64_t>(B) * splits * heads * vWidth * 4);
  uint64_t lse = k.raw(1, std::vector<float>(B * splits * heads, -1e30f));
  k.bf16(2, q);
  k.bf16(3, kv);
  std::vector<int32_t> indptr, indices, last(B, 1);
  for (uint32_t b = 0; b <= B; ++b)
    indptr.push_back(static_cast<int32_t>(b * keys));
  for (uint32_t i = 0; i < B * keys; ++i)
    indices.push_back(static_cast<int32_t>(i));
  k.raw(4, indptr);
  k.raw(5, indices);
  k.raw(6, last);
  double scale = 1 / std::sqrt(static_cast<double>(width));
  k.set(7, static_cast<float>(scale));
  const uint32_t values[] = {heads, splits, heads * width * 2, width * 2, 0};
  for (unsigned i = 0; i < std::size(values); ++i)
    k.set(8 + i, values[i]);
  k.run({1, B, splits}, 256, "2x200keys");
  auto partial = k.read<float>(r, B * splits * heads * vWidth);
  auto logs = k.read<float>(lse, B * splits * heads);
  double worst = 0;
  for (uint32_t b = 0; b < B; ++b)
    for (uint32_t h = 0; h < heads; ++h) {
      std::vector<double> p(keys);
      double sum = 0;
      for (uint32_t j = 0; j < keys; ++j) {
        double dot = 0;
        for (uint32_t d = 0; d < width; ++d)
          dot +=
              static_cast<double>(q[(b * heads + h) * width + d]) * kv[(b * keys + j) * width + d];
        sum += p[j] = std::exp(dot * scale);
      }
      double weights[splits], total = 0;
      for (uint32_t s = 0; s < splits; ++s)
        total += weights[s] = std::exp(static_cast<double>(logs[(b * splits + s) * heads + h]));
      for (uint32_t d = 0; d < vWidth; ++d) {
        double expected = 0, got = 0;
        for (uint32_t j = 0; j < keys; ++j)
          expected += p[j] * kv[(b * keys + j) * width + d];
        for (uint32_t s = 0; s < splits; ++s)
          got += weights[s] / total * partial[((b * splits + s) * heads + h) * vWidth + d];
        worst = std::max(worst, std::fabs(expected / sum - got));
      }
    }
  llvm::outs() << "  largest error " << worst << '\n';
  EXPECT_LT(worst, 0.02);
}
TEST(ThirdParty, MlaDecode) {
  mla("gfx942/mla/mla_dec_stage1_bf16_a16w16_subQ16_mqa16.co");
  mla("gfx950/mla/mla_dec_stage1_bf16_a16w16_subQ16_mqa16.co");
}

} // namespace

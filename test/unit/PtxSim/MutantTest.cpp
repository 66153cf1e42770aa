//===- MutantTest.cpp - planted bugs are caught ---------------------------===//
//
// Negative control: the PTX of a GEMM and of attention is broken in ways that matter,
// one at a time. The whole kernels must pass with several seeds, each broken one must
// be found by a few. A change that does not apply any more fails the test: the kernel
// has changed, and the mutant with it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Run.h"
#include "tilec/PtxSim/PtxDevice.h"
#include "tilec/Runtime/Arguments.h"

#include <gtest/gtest.h>

#include <regex>

using namespace tilec;

namespace {

struct Subject {
  const char *file;
  std::string entry;
};

const Subject gemm = {"test/bench/hopper/gemm.py", "gemm(200, 328, 328, block_N=128)"};
/// Four column chunks through two staging buffers.
const Subject wideGemm = {"test/bench/hopper/gemm.py", "gemm(200, 328, 136, stages=2)"};
const Subject attention = {"test/bench/hopper/fa.py", "fa(1, 1, 384, 64)"};

/// A compiled script, whose PTX may be run changed.
class Kernel {
public:
  explicit Kernel(const Subject &subject) : compilation(options(subject)) {
    isGood = compilation.open(std::string(TILEC_SOURCE) + "/" + subject.file) &&
             compilation.runTo(Stage::Binary);
    if (!isGood)
      compilation.diagnostics().print(llvm::errs());
  }

  std::string text() const {
    const std::vector<uint8_t> &bytes = compilation.image().bytes;
    return std::string(bytes.begin(), bytes.end() - 1);
  }

  /// Empty when the kernel runs without a fault and computes what the reference does.
  std::string problemOf(const std::string &ptx, uint64_t seed) {
    PtxDeviceOptions options;
    options.launch.seed = seed;
    options.launch.maxInstructions = 3'000'000;
    rt::Result<rt::Device> device = openPtx("sm_90a", options);
    if (!before) {
      rt::Result<rt::ArgumentSet> made = rt::makeArguments(compilation.manifest(), {});
      if (!made)
        return made.error().message;
      before = *made;
      rt::Result<std::vector<Expected>> results = expectedResults(compilation, *before);
      if (!results)
        return results.error().message;
      expected = *results;
    }
    rt::ArgumentSet after = *before;
    std::vector<uint8_t> image(ptx.begin(), ptx.end());
    rt::Result<rt::Timing> run = rt::launchProgram(*device, compilation.manifest(), image, after);
    if (!run)
      return run.error().message;
    for (const Expected &result : expected) {
      rt::CheckOptions check;
      check.exact = result.isExact;
      check.transcendental = compilation.manifest().transcendental;
      auto report =
          rt::compare(after.find(result.name)->tensor, result.value, result.spread, check);
      if (!report)
        return report.error().message;
      if (!report->passed())
        return "wrong values in " + result.name;
    }
    return "";
  }

  bool isGood = false;

private:
  static CompileOptions options(const Subject &subject) {
    CompileOptions options;
    options.arch = Arch::Sm90a;
    options.entry = subject.entry;
    options.ptxAssembler = codegen::PtxAssembler::None;
    return options;
  }

  Compilation compilation;
  std::optional<rt::ArgumentSet> before;
  std::vector<Expected> expected;
};

Kernel &kernelOf(const Subject &subject) {
  static std::map<std::string, std::unique_ptr<Kernel>> kernels;
  auto &kernel = kernels[subject.entry];
  if (!kernel)
    kernel = std::make_unique<Kernel>(subject);
  return *kernel;
}

struct Mutant {
  const char *name;
  const Subject *subject;
  const char *pattern; ///< ECMAScript, of the PTX
  const char *with;
  bool everywhere = true;
};

void PrintTo(const Mutant &mutant, std::ostream *os) { *os << mutant.name; }

class Planted : public ::testing::TestWithParam<Mutant> {};

// A wait for an mbarrier: its loop.
#define WAIT_LOOP "mbarrier\\.try_wait\\.parity\\.shared\\.b64 (%p\\d+), (\\[%r\\d+\\]), (%r\\d+);"

} // namespace

TEST(Whole, KernelsPassWithEverySeed) {
  for (const Subject *subject : {&gemm, &wideGemm, &attention}) {
    Kernel &kernel = kernelOf(*subject);
    ASSERT_TRUE(kernel.isGood);
    for (uint64_t seed = 1; seed <= 6; ++seed)
      EXPECT_EQ(kernel.problemOf(kernel.text(), seed), "") << subject->entry << " seed " << seed;
  }
}

TEST_P(Planted, IsCaught) {
  const Mutant &mutant = GetParam();
  Kernel &kernel = kernelOf(*mutant.subject);
  ASSERT_TRUE(kernel.isGood);
  std::string good = kernel.text();
  auto flags = mutant.everywhere ? std::regex_constants::format_default
                                 : std::regex_constants::format_first_only;
  std::string bad = std::regex_replace(good, std::regex(mutant.pattern), mutant.with, flags);
  ASSERT_NE(bad, good) << "the mutation does not apply any more";
  std::string found;
  for (uint64_t seed = 1; seed <= 8 && found.empty(); ++seed)
    found = kernel.problemOf(bad, seed);
  EXPECT_NE(found, "") << "nothing was found";
  RecordProperty("found", found);
  std::cout << found.substr(0, 300) << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Gemm, Planted,
    ::testing::Values(
        Mutant{"ProducerDoesNotWaitForAnEmptySlot", &gemm, WAIT_LOOP, "setp.eq.b32 $1, $3, $3;",
               false},
        Mutant{"SlotReleasedBeforeItsWgmmaIsOver", &gemm, "wgmma\\.wait_group\\.sync\\.aligned 1;",
               "wgmma.wait_group.sync.aligned 2;"},
        Mutant{"AccumulatorsReadEarly", &gemm, "wgmma\\.wait_group\\.sync\\.aligned 0;", ""},
        Mutant{"WgmmaFenceMissing", &gemm, "wgmma\\.fence\\.sync\\.aligned;", ""},
        Mutant{"ProxyFenceMissingBeforeTheStore", &gemm,
               "(stmatrix[^;]*;\\s*)fence\\.proxy\\.async\\.shared::cta;", "$1"},
        Mutant{"InitialisationNotFenced", &gemm,
               "fence\\.mbarrier_init\\.release\\.cluster;\\s*fence\\.proxy\\.async\\.shared::cta;",
               "", false},
        Mutant{"BarrierBetweenStmatrixAndStoreMissing", &gemm, "bar\\.sync\\s+[23], 128;", ""},
        Mutant{"BlockBarrierMissing", &gemm, "bar\\.sync\\s+0;", ""},
        Mutant{"StagingBufferNotWaitedFor", &wideGemm,
               "cp\\.async\\.bulk\\.wait_group\\.read\\s+1;", ""},
        Mutant{"StoreNotWaitedForAtTheEnd", &gemm, "cp\\.async\\.bulk\\.wait_group\\s+0;", ""},
        Mutant{"StmatrixSwizzleOff", &gemm, "or\\.b32 \\t(%r\\d+, %r\\d+), 2;(\\s*xor)",
               "or.b32 $1, 4;$2"},
        Mutant{"DescriptorSwizzleOff", &gemm, "1073741888", "2147483712"},
        Mutant{"DescriptorStrideOff", &gemm, "1073741888", "1073741856"},
        Mutant{"KStepOff", &gemm, "add\\.u32 ra, (%r\\d+), 2;", "add.u32 ra, $1, 4;"},
        Mutant{"ExpectedBytesTooFew", &gemm, "mov\\.b32 \\t(%r\\d+), 32768;", "mov.b32 $1, 16384;"},
        Mutant{"ExpectedBytesTooMany", &gemm, "mov\\.b32 \\t(%r\\d+), 32768;",
               "mov.b32 $1, 49152;"},
        Mutant{"PhaseNotFlipped", &gemm, "xor\\.b32 \\t(%r\\d+), \\1, %r\\d+;", "mov.b32 $1, $1;"},
        Mutant{"ProducerStartsWithTheWrongParity", &gemm,
               "mov\\.b32 \\t(%r\\d+), 1;(\\s*mov\\.b32)", "mov.b32 $1, 0;$2"},
        Mutant{"EmptyBarrierCountsTooFew", &gemm, "mov\\.b32 \\t(%r\\d+), 2;(\\s*mbarrier\\.init)",
               "mov.b32 $1, 1;$2"},
        Mutant{"EmptyBarrierCountsTooMany", &gemm, "mov\\.b32 \\t(%r\\d+), 2;(\\s*mbarrier\\.init)",
               "mov.b32 $1, 3;$2"},
        Mutant{"BoxAtTheWrongPlace", &gemm,
               "(complete_tx::bytes \\[%r\\d+\\], \\[%rd\\d+, )\\{(%r\\d+), (%r\\d+)\\}",
               "$1{$3, $2}"},
        Mutant{"EveryThreadReleases", &gemm, "(setp\\.ne\\.b32 p, %r\\d+), 0;", "$1, 7;"}),
    [](const auto &info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Attention, Planted,
    ::testing::Values(
        Mutant{"FirstProductNotWaitedFor", &attention, "wgmma\\.wait_group\\.sync\\.aligned 0;",
               "wgmma.wait_group.sync.aligned 1;", false},
        Mutant{"LastProductNotWaitedFor", &attention, "wgmma\\.wait_group\\.sync\\.aligned 0;",
               "wgmma.wait_group.sync.aligned 1;"},
        Mutant{"OneGroupTooManyInFlight", &attention, "wgmma\\.wait_group\\.sync\\.aligned 1;",
               "wgmma.wait_group.sync.aligned 2;"},
        Mutant{"QueryNotWaitedFor", &attention,
               "mbarrier\\.try_wait\\.parity\\.shared\\.b64 (%p\\d+), "
               "\\[tilec_shared\\+\\d+\\], (%r\\d+);",
               "setp.eq.b32 $1, $2, $2;"},
        Mutant{"OutputStoredWithoutAFence", &attention,
               "(stmatrix[^;]*;\\s*)fence\\.proxy\\.async\\.shared::cta;", "$1"},
        Mutant{"OutputBarrierMissing", &attention, "bar\\.sync\\s+[23], 128;", ""},
        Mutant{"SoftmaxReadsTheWrongLane", &attention,
               "shfl\\.sync\\.bfly\\.b32 \\t([^,]*, [^,]*), 1,", "shfl.sync.bfly.b32 $1, 4,"},
        Mutant{"ValuesNotTransposed", &attention, ", 1, 1, 1, 1;", ", 1, 1, 1, 0;"},
        Mutant{"PhaseNotFlipped", &attention, "xor\\.b32 \\t(%r\\d+), \\1, %r\\d+;",
               "mov.b32 $1, $1;"}),
    [](const auto &info) { return std::string(info.param.name); });

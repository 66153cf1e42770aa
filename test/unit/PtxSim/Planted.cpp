//===- Planted.cpp - kernels with planted bugs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Planted.h"

#include "tilec/Driver/Run.h"
#include "tilec/PtxSim/PtxDevice.h"
#include "tilec/Runtime/Arguments.h"

#include <regex>

namespace tilec::ptx::test {
namespace {

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
    options.schedule = subject.schedule;
    options.ptxAssembler = codegen::PtxAssembler::None;
    options.lineTables = false; // patterns see instructions only
    return options;
  }

  Compilation compilation;
  std::optional<rt::ArgumentSet> before;
  std::vector<Expected> expected;
};

Kernel &kernelOf(const Subject &subject) {
  static std::map<std::string, std::unique_ptr<Kernel>> kernels;
  auto &kernel = kernels[subject.entry + subject.schedule];
  if (!kernel)
    kernel = std::make_unique<Kernel>(subject);
  return *kernel;
}

/// `text` with the matches replaced that the mutant means.
std::string mutated(const std::string &text, const Mutant &mutant) {
  std::regex pattern(mutant.pattern);
  if (mutant.which == 0)
    return std::regex_replace(text, pattern, mutant.with);
  std::sregex_iterator match(text.begin(), text.end(), pattern), end;
  std::advance(match, std::min<ptrdiff_t>(mutant.which - 1, std::distance(match, end)));
  if (match == end)
    return text;
  size_t at = size_t(match->position()), length = size_t(match->length());
  return text.substr(0, at) + match->format(mutant.with) + text.substr(at + length);
}

constexpr uint64_t mostSeeds = 8;

} // namespace

void PrintTo(const Mutant &mutant, std::ostream *os) { *os << mutant.name; }

void expectSound(const Subject &subject, uint64_t seeds) {
  Kernel &kernel = kernelOf(subject);
  ASSERT_TRUE(kernel.isGood);
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    EXPECT_EQ(kernel.problemOf(kernel.text(), seed), "") << subject.entry << " seed " << seed;
}

TEST_P(Planted, IsCaught) {
  const Mutant &mutant = GetParam();
  Kernel &kernel = kernelOf(*mutant.subject);
  ASSERT_TRUE(kernel.isGood);
  std::string good = kernel.text(), bad = mutated(good, mutant);
  ASSERT_NE(bad, good) << "the mutation does not apply any more";
  std::string found;
  for (uint64_t seed = 1; seed <= mostSeeds && found.empty(); ++seed)
    found = kernel.problemOf(bad, seed);
  EXPECT_NE(found, "") << "nothing was found";
  EXPECT_FALSE(llvm::StringRef(found).starts_with("loading")) << "the mutant is no PTX: " << found;
  RecordProperty("found", found);
  std::cout << found.substr(0, 300) << "\n";
}

} // namespace tilec::ptx::test

//===- ConcurrencyTest.cpp - scripts compiled by several threads ----------===//
//
// Compilations share nothing: four threads that compile fifty kernels of both vendors in
// different orders get the bytes that one thread gets.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Compile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

using namespace tilec;

namespace {

struct Kernel {
  Arch arch;
  std::string entry;
};

/// Fifty small matrix products: sizes of tile, forms, types, stages and targets all differ.
std::vector<Kernel> fiftyKernels() {
  const Arch targets[] = {Arch::Gfx950, Arch::Sm90a, Arch::Gfx942, Arch::Sm80, Arch::Gfx950};
  const char *forms[] = {"nn", "nt", "tn", "tt"}, *types[] = {"float16", "bfloat16"};
  std::vector<Kernel> result;
  for (int n = 0; n < 50; ++n)
    result.push_back(
        {targets[n % 5], llvm::formatv("gemm(256, {0}, 256, {1}, 64, 32, '{2}', '{3}', {4}, 128)",
                                       128 + 64 * (n % 7), n % 3 ? 64 : 32, forms[n % 4],
                                       types[n / 4 % 2], 2 + n % 2)
                             .str()});
  return result;
}

/// The binary (PTX, where no assembler is at hand, is text), or what went wrong.
std::vector<uint8_t> compile(const Kernel &kernel) {
  CompileOptions options;
  options.arch = kernel.arch;
  options.entry = kernel.entry;
  options.ptxAssembler = codegen::PtxAssembler::None;
  Compilation compilation(options);
  if (compilation.open(TILEC_SOURCE "/test/e2e/gemm-forms.py") && compilation.runTo(Stage::Binary))
    return compilation.image().bytes;
  std::string text = "failed: ";
  llvm::raw_string_ostream os(text);
  compilation.diagnostics().print(os);
  return {text.begin(), text.end()};
}

/// Compiles the kernels `rounds` times on so many threads, each thread from another one on; gives
/// the number of binaries that differ from `alone`.
unsigned compileOn(unsigned threadCount, unsigned kernelsEach, const std::vector<Kernel> &kernels,
                   const std::vector<std::vector<uint8_t>> &alone) {
  std::vector<unsigned> wrong(threadCount);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < threadCount; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < kernelsEach; ++i) {
        unsigned which = (i + t * 13) % kernels.size();
        wrong[t] += compile(kernels[which]) != alone[which];
      }
    });
  unsigned sum = 0;
  for (unsigned t = 0; t < threadCount; ++t) {
    threads[t].join();
    sum += wrong[t];
  }
  return sum;
}

std::vector<std::vector<uint8_t>> compileAlone(const std::vector<Kernel> &kernels) {
  std::vector<std::vector<uint8_t>> result;
  for (const Kernel &kernel : kernels)
    result.push_back(compile(kernel));
  return result;
}

TEST(Concurrency, FourThreadsGiveTheBytesOfOne) {
  std::vector<Kernel> kernels = fiftyKernels();
  std::vector<std::vector<uint8_t>> alone = compileAlone(kernels);
  for (unsigned i = 0; i < kernels.size(); ++i) {
    std::string start(alone[i].begin(), alone[i].begin() + std::min<size_t>(alone[i].size(), 200));
    EXPECT_FALSE(llvm::StringRef(start).starts_with("failed")) << kernels[i].entry << start;
  }
  EXPECT_EQ(compileOn(4, kernels.size(), kernels, alone), 0u);
}

// A benchmark (test/bench/threads.sh): prints, and checks nothing.
TEST(Concurrency, DISABLED_TwoThreadsAgainstOne) {
  std::vector<Kernel> kernels = fiftyKernels();
  std::vector<std::vector<uint8_t>> alone = compileAlone(kernels); // and fills the caches
  auto seconds = [&](unsigned threads, unsigned each) {
    auto start = std::chrono::steady_clock::now();
    compileOn(threads, each, kernels, alone);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double one = seconds(1, 50), two = seconds(2, 50);
  llvm::outs() << llvm::formatv("one thread {0:f1} kernels/s, two threads {1:f1} kernels/s: {2:f2} "
                                "times as many\n",
                                50 / one, 100 / two, 2 * one / two);
}

} // namespace

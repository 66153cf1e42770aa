//===- LoaderFuzzer.cpp - fuzz target: the simulator on any bytes ---------===//
//
// ELF file, descriptors, metadata, decoder, and a bounded run of each kernel with all checks in
// both memory modes. A broken or hostile object gives an error or findings; anything else ends the
// program.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Simulator.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace tilec::sim;

namespace {

constexpr size_t maxKernels = 4;               // of one object: more say nothing new
constexpr uint64_t maxInstructions = 4000;     // of one work-group
constexpr uint64_t maxMemoryBytes = 64 << 20;  // of one run
constexpr uint64_t maxCoverageBytes = 1 << 16; // of code decoded without running it

void runKernel(const CodeObject &object, const KernelInfo &kernel, MemoryMode mode) {
  Memory memory;
  memory.limitBytes = maxMemoryBytes;
  auto buffer = memory.allocate(1 << 16, "buffer");
  if (!buffer)
    return llvm::consumeError(buffer.takeError());
  // Every argument is a pointer to the buffer, as far as its size goes.
  std::vector<std::vector<uint8_t>> args;
  for (const ArgInfo &arg : kernel.args) {
    if (arg.isHidden())
      continue;
    std::vector<uint8_t> bytes(arg.sizeBytes <= 64 ? arg.sizeBytes : 0);
    if (!bytes.empty())
      std::memcpy(bytes.data(), &*buffer, std::min<size_t>(bytes.size(), 8));
    args.push_back(std::move(bytes));
  }
  auto kernarg = makeKernarg(kernel, args, {2, 1, 1}, {64, 1, 1});
  if (!kernarg)
    return llvm::consumeError(kernarg.takeError());
  LaunchOptions options;
  options.threads = 1;
  options.memoryMode = mode;
  options.interleaveSeed = 3;
  options.maxInstructionsPerGroup = maxInstructions;
  options.countLdsConflicts = true;
  auto result = run(object, kernel.name, {2, 1, 1}, {64, 1, 1}, *kernarg, memory, options);
  if (!result)
    return llvm::consumeError(result.takeError());
  llvm::consumeError(result->toError());
  if (!result->completed && result->findings.empty()) {
    llvm::errs() << "loader-fuzz: a kernel neither ended nor was stopped with a finding\n";
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto object = CodeObject::load(llvm::ArrayRef(data, size));
  if (!object) {
    llvm::consumeError(object.takeError());
    return 0;
  }
  for (const KernelInfo &kernel : (*object)->kernels().take_front(maxKernels)) {
    if (size <= maxCoverageBytes)
      (*object)->coverage(kernel);
    runKernel(**object, kernel, MemoryMode::Eager);
    runKernel(**object, kernel, MemoryMode::Strict);
  }
  return 0;
}

//===- PtxSim.h - runs PTX and looks for what hardware would not forgive --===//
//
// A functional check of NVIDIA kernels on machines without a GPU: no time, but
// every order of warps and every lateness of asynchronous work that the program's
// own waits allow. docs/simulators/ptx-check.md says what is found.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Memory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilec::ptx {

struct Program;

/// The kernels of one PTX text, decoded.
class Module {
public:
  /// Fails with the line of what is no PTX. An instruction that is not known here fails the launch
  /// of its kernel only.
  static llvm::Expected<std::unique_ptr<Module>> parse(llvm::StringRef text);
  ~Module();

  const Program *find(llvm::StringRef kernel) const;
  std::vector<std::string> names() const;

private:
  Module();
  std::vector<std::unique_ptr<Program>> kernels;
};

using Dim3 = std::array<uint32_t, 3>;

struct LaunchOptions {
  /// Of everything that hardware leaves open: the order of warps and blocks, how far apart they
  /// run, when copies land.
  uint64_t seed = 0;
  /// Accesses of different warps that no barrier orders, and generic writes that asynchronous
  /// instructions read without a proxy fence, are errors.
  bool checkOrder = true;
  /// Blocks that run at a time, at first; more start when they take long. 0: a small number.
  unsigned residentBlocks = 0;
  uint64_t maxInstructions = 4'000'000'000;
  std::function<void(uint64_t doneBlocks, uint64_t allBlocks)> progress;
};

struct LaunchConfig {
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  uint32_t sharedBytes = 0; ///< dynamic
  bool early = false;       ///< it may begin before the launch before it has ended
  bool cooperative = false; ///< all blocks run at once
  uint64_t barrier = 0;     ///< the counter by which the blocks of such a launch meet
};

struct RunResult {
  uint64_t instructions = 0; ///< of warps
  uint64_t blocks = 0;
  /// What went wrong first, with the block, the warp, the line of PTX and its text. Empty: nothing.
  std::string fault;
};

/// Runs all blocks. The error is for what never started: a wrong block size, parameters that are
/// too small, an unknown instruction; everything later is a fault of the result.
llvm::Expected<RunResult> run(const Program &kernel, const LaunchConfig &config,
                              llvm::ArrayRef<uint8_t> params, sim::Memory &memory,
                              const LaunchOptions &options = {});

/// What a tensor map holds here; the 128 bytes of a CUtensorMap are the vendor's secret.
struct TensorMap {
  static constexpr uint32_t mark = 0x50414d54;
  uint32_t magic = mark;
  uint8_t rank = 0, elementBytes = 0, swizzleBytes = 0, isIm2col = 0;
  uint64_t address = 0;
  uint64_t dims[5] = {};
  uint64_t strideBytes[4] = {};        ///< of dims 1..
  uint16_t box[5] = {};                ///< im2col: channels and pixels
  int8_t lower[2] = {}, upper[2] = {}; ///< im2col: corners of the pixels that a kernel begins at
  uint8_t steps[2] = {};               ///< im2col: between these
};
static_assert(sizeof(TensorMap) <= 128);

} // namespace tilec::ptx

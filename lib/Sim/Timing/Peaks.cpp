//===- Peaks.cpp - no prediction is faster than the chip ------------------===//
//
// Takes a prediction, fails where it is above the peak of the data sheet: a fault of the model.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Peaks.h"

#include "ComputeUnit.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tilec::sim {
namespace {

// Totals are scaled from samples: what is above a peak by less is rounding.
constexpr double tolerance = 1.02;

constexpr const char *typeNames[numMatrixTypes] = {"f64",    "f32",   "xf32",
                                                   "16-bit", "8-bit", "6- and 4-bit"};

/// Of data sheets: dense TFLOP/s / clock / CUs.
constexpr double flopsGfx942[numMatrixTypes] = {256, 256, 1024, 2048, 4096, 0},
                 flopsGfx950[numMatrixTypes] = {128, 256, 0, 4096, 8192, 16384};

llvm::Error fail(llvm::StringRef id, llvm::StringRef kernel, const std::string &what) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv("internal error of the timing model [{0}]: `{1}` would {2}; the prediction is "
                    "withheld: report this kernel",
                    id, kernel, what)
          .str());
}

MatrixType typeOf(llvm::StringRef name, const Instr &instr) {
  if (name.contains("f8f6f4")) {
    // Formats 0 and 1 are fp8 and bf8, 2 to 4 have 6 and 4 bits (CDNA4 ISA, CBSZ and BLGP).
    return instr.cbsz <= 1 || instr.blgp <= 1 ? MatrixType::Byte : MatrixType::Small;
  }
  llvm::StringRef inputs = name.substr(name.find('x')); // behind the type of the result
  if (inputs.contains("xf32"))
    return MatrixType::Xf32;
  if (inputs.contains("fp8") || inputs.contains("bf8") || inputs.contains("i8"))
    return MatrixType::Byte;
  if (inputs.contains("f16"))
    return MatrixType::Half;
  return inputs.contains("f64") ? MatrixType::F64 : MatrixType::F32;
}

} // namespace

double matrixFlops(const Instr &instr, MatrixType &type, bool &sparse) {
  if (!(instr.flags & isMfma))
    return 0;
  llvm::StringRef name = instr.op->name;
  type = typeOf(name, instr);
  sparse = name.contains("smfmac");
  llvm::SmallVector<llvm::StringRef> words;
  name.split(words, '_');
  double blocks = 1, product = 0;
  for (llvm::StringRef word : words) {
    llvm::SmallVector<llvm::StringRef> sizes;
    word.split(sizes, 'x');
    unsigned m, n, k, count;
    if (sizes.size() == 3 && !sizes[0].getAsInteger(10, m) && !sizes[1].getAsInteger(10, n) &&
        !sizes[2].getAsInteger(10, k))
      product = 2.0 * m * n * k;
    else if (product && word.ends_with("b") && !word.drop_back().getAsInteger(10, count))
      blocks = count;
  }
  return product * blocks;
}

double peakFlops(Arch arch, MatrixType type) {
  return (arch == Arch::Gfx950 ? flopsGfx950 : flopsGfx942)[static_cast<unsigned>(type)];
}

llvm::Error checkPeaks(const GridUse &use, Arch arch, llvm::StringRef kernel) {
  const TimingConstants &c = timingConstants(arch);
  double seconds = use.clk / use.clockGhz / 1e9;
  auto exceeds = [&](double rate, double peak) { return rate > peak * tolerance; };
  if (double busy = use.matrixClk / (use.clk * numSimds * c.computeUnits); exceeds(busy, 1))
    return fail("timing-peak-matrix", kernel,
                llvm::formatv("keep the matrix pipes busy for {0:P1} of its time", busy));
  for (unsigned i = 0; i < numMatrixTypes; ++i) {
    double peak = peakFlops(arch, static_cast<MatrixType>(i)) * c.computeUnits;
    if (double rate = use.flops[i] / use.clk; exceeds(rate, peak))
      return fail("timing-peak-flops", kernel,
                  llvm::formatv("multiply {0} matrices at {1:F0} TFLOP/s, the chip's peak at this "
                                "clock is {2:F0}",
                                typeNames[i], rate * use.clockGhz / 1000,
                                peak * use.clockGhz / 1000));
  }
  if (double busy = use.ldsClk / (use.clk * c.computeUnits); exceeds(busy, 1))
    return fail("timing-peak-lds", kernel,
                llvm::formatv("keep the LDS busy for {0:P1} of its time", busy));
  if (double rate = use.l2Bytes / (use.clk * c.computeUnits); exceeds(rate, c.l2BytesPerClk))
    return fail(
        "timing-peak-l2", kernel,
        llvm::formatv("move {0:F1} bytes a clock between a CU and its L2, which takes {1:F0}", rate,
                      c.l2BytesPerClk));
  if (double rate = use.hbmBytes / seconds / 1e9; exceeds(rate, c.hbmPeakGBs))
    return fail("timing-peak-hbm", kernel,
                llvm::formatv("move {0:F1} TB/s from and to HBM, the chip has {1:F1}", rate / 1000,
                              c.hbmPeakGBs / 1000));
  return llvm::Error::success();
}

} // namespace tilec::sim

//===- Peaks.h - no prediction is faster than the chip --------------------===//
//
// What the whole grid has to do, against what the data sheet says that the chip can do at
// most. Runs for every prediction; a violation is an error of the model, not of the
// kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Constants.h"
#include "Recorder.h"

#include "llvm/Support/Error.h"

namespace tilec::sim {

/// Element types of matrix instructions that differ in rate.
enum class MatrixType : uint8_t { F64, F32, Xf32, Half, Byte, Small };
inline constexpr unsigned numMatrixTypes = 6;

/// Operations (two a multiply-add) of one execution of a matrix instruction, by its name; `type` is
/// that of its inputs (of a mixed instruction, the wider). 0: not a matrix instruction.
double matrixFlops(const Instr &instr, MatrixType &type, bool &sparse);
/// Dense operations a clock of one CU; 0: the chip has no such instruction.
double peakFlops(Arch arch, MatrixType type);

/// What a whole grid does.
struct GridUse {
  double clk = 0; ///< that it takes, launch apart
  double clockGhz = 0;
  double matrixClk = 0;              ///< of matrix pipes, summed over SIMDs
  double flops[numMatrixTypes] = {}; ///< dense equivalent
  double ldsClk = 0;                 ///< data clocks, summed over CUs
  double l2Bytes = 0, hbmBytes = 0;
};

/// Error texts begin with `internal error of the timing model [ID]`; IDs are timing-peak-matrix,
/// -flops, -lds, -l2 and -hbm.
llvm::Error checkPeaks(const GridUse &use, Arch arch, llvm::StringRef kernel);

} // namespace tilec::sim

//===- Sm90a.cpp - Hopper: H100, H200 -------------------------------------===//
//
// Sources: CUDA C++ Programming Guide 13.0, compute capability 9.0; PTX ISA 9.0,
// "Asynchronous warpgroup level matrix instructions", setmaxnreg;
// docs/machine-code/hopper.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Chips.h"
#include "MmaSync.h"

namespace tilec::chips {

/// PTX ISA 9.0, "Matrix descriptor", without the address.
static uint64_t descriptorOf(int64_t rowBytes, int64_t strideBytes, int64_t leadBytes) {
  uint64_t swizzle = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  return swizzle << 62 | uint64_t(strideBytes >> 4) << 32 | uint64_t(leadBytes >> 4) << 16;
}

TargetInfo makeSm90a() {
  TargetInfo chip = makeSm90();
  chip.arch = Arch::Sm90a;
  chip.registers.mostMoved = 240; // setmaxnreg
  chip.hasTensorCopies = true;    // TMA
  // CUDA driver API 13.0, cuTensorMapEncodeIm2col, tensors of four dimensions; PTX ISA 9.0,
  // cp.async.bulk.tensor: offsets of 8 bits.
  chip.patchCopies = {.lowestCorner = -128,
                      .highestCorner = 127,
                      .widestOffset = 255,
                      .longestStride = 8,
                      .rowBytes = 128,
                      .pitchBytes = 16};
  // What a copy takes from L2 while all multiprocessors copy: the slot count from which on products
  // of 64 to 192 columns gain nothing (docs/numbers/hopper-trials.md, "Slots").
  chip.clocks.copyToShared = 2000;
  // 989.4 dense TFLOP/s of 132 multiprocessors at 1830 MHz (NVIDIA H100 data sheet, SXM).
  chip.clocks.multiplyAdds16 = 2048;
  constexpr int64_t rows = 64, mostColumns = 256;
#define WGMMA(A, B, C, K, StepN) {DType::A, DType::B, DType::C, rows, K, StepN, mostColumns},
#define WGMMA_TFLOAT32(K, StepN)                                                                   \
  {DType::F32, DType::F32, DType::F32, rows, K, StepN, mostColumns, /*isTfloat32=*/true},
  chip.groups = {
#define WGMMA_SM90A
#include "MmaSync.def"
  };
  chip.hasSparseGroups = true;
  chip.groupDescriptor = descriptorOf;
  chip.besideGroupAtom = 26;      // ptxas, C7602: 154 registers for 256 columns
  chip.registersOfProducts = 168; // docs/machine-code/lowering.md
  // .shared::cta bulk tensor copies need PTX 8.6; this is CUDA 12.9's.
  chip.codeFeatures = "+ptx88";
  return chip;
}

} // namespace tilec::chips

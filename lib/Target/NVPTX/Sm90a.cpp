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

/// PTX ISA 9.0, "Matrix fragments for wgmma.mma_async": the D of a warp, 16 rows of each slab.
/// Slabs take turns in groups of 8 rows, so that a warp's rows are consecutive: row 8 h + i of its
/// part of slab s is row 8 (slabs h + s) + i.
static LinearLayout accumulatorOf(int64_t slabs) {
  LayoutInput regs{"register", {{0, 1}, {8 * slabs, 0}}};
  for (int64_t s = 1; s < slabs; s *= 2)
    regs.bases.push_back({8 * s, 0});
  LayoutInput lanes{"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}};
  return LinearLayout(2, {regs, lanes});
}

TargetInfo makeSm90a() {
  TargetInfo chip = makeSm90();
  chip.arch = Arch::Sm90a;
  chip.registers.moved = {.least = 24, .most = 240}; // setmaxnreg
  // TMA. CUDA driver API 13.0, cuTensorMapEncodeTiled: rank, boxDim, globalStrides, and swizzles of
  // 32, 64 and 128 bytes; PTX ISA 9.0, "Swizzling modes".
  chip.tensorCopies = {.mostDims = 5,
                       .widestExtent = 256,
                       .pitchBytes = 16,
                       .chunkBytes = 16,
                       .swizzleRows = 8,
                       .narrowestRowBytes = 32,
                       .widestRowBytes = 128};
  // CUDA driver API 13.0, cuTensorMapEncodeIm2col, tensors of four dimensions; PTX ISA 9.0,
  // cp.async.bulk.tensor: offsets of 8 bits.
  chip.patchCopies = {
      .lowestCorner = -128, .highestCorner = 127, .widestOffset = 255, .longestStride = 8};
  // What a copy takes from L2 while all multiprocessors copy: the slot count from which on products
  // of 64 to 192 columns gain nothing (docs/numbers/hopper-trials.md, "Slots").
  chip.clocks.copyToShared = 2000;
  // 64 x 64 x 64 takes 200, 128 of them on the tensor cores (docs/numbers/hopper-trials.md).
  chip.clocks.roundOfCopies = 70;
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
  chip.groupAccumulator = accumulatorOf;
  chip.registersInFlight = 200;   // the rest of 255: addresses, and what ptxas keeps its order with
  chip.besideGroupAtom = 26;      // ptxas, C7602: 154 registers for 256 columns
  chip.registersOfProducts = 168; // docs/machine-code/lowering.md
  // .shared::cta bulk tensor copies need PTX 8.6; this is CUDA 12.9's.
  chip.codeFeatures = "+ptx88";
  return chip;
}

} // namespace tilec::chips

//===- Sm90.cpp - Hopper, without what only sm_90a has --------------------===//
//
// Sources: CUDA C++ Programming Guide 13.0, compute capability 9.0; CUDA's device
// properties of an H100 SXM.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Chips.h"
#include "MmaSync.h"

namespace tilec::chips {

TargetInfo makeSm90() {
  TargetInfo chip = makeMmaSync(Arch::Sm90);
  chip.units = 132;
  // cuOccupancyMaxActiveClusters on an H100 SXM: 66 clusters of two blocks, 30 of four, 15 of
  // eight.
  chip.clusterUnits = 120;
  chip.mostOfCluster = 8; // CUDA C++ Programming Guide, "Thread Block Clusters": portable
  // Measured (docs/numbers/hopper-trials.md).
  chip.clusterSums = {.clocks = 700, .bytesPerClock = 17};
  chip.sharedBytes = 227 << 10;
  chip.sharedBytesOfUnit = 228 << 10;
  chip.mbarrierBytes = 8;
  chip.launchesEarly = true;   // griddepcontrol
  chip.hasMatrixWrites = true; // stmatrix
  chip.convertsFp8 = true;
  chip.vectorAddBytes = 16;     // red.v2, red.v4 of f32: PTX 8.1
  chip.halfAddBytes = 16;       // red of f16x2, bf16x2, and of v2 and v4 of them
  chip.codeFeatures = "+ptx83"; // CUDA 12.3
  chip.part = {.name = "NVIDIA H100 80GB HBM3",
               .major = 9,
               .minor = 0,
               .memoryBytes = int64_t(80) << 30,
               .cacheBytes = 50 << 20,
               .threadsOfUnit = 2048};
  return chip;
}

} // namespace tilec::chips

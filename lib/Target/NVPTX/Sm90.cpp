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
  chip.sharedBytes = 227 << 10;
  chip.sharedBytesOfUnit = 228 << 10;
  chip.hasMbarriers = true;
  chip.convertsFp8 = true;
  chip.vectorAddBytes = 16; // red.add.v4.f32: PTX ISA 8.1
  chip.part = {.name = "NVIDIA H100 80GB HBM3",
               .major = 9,
               .minor = 0,
               .memoryBytes = int64_t(80) << 30,
               .cacheBytes = 50 << 20,
               .threadsOfUnit = 2048};
  return chip;
}

} // namespace tilec::chips

//===- Sm89.cpp - Ada: L4, L40S, RTX 40 ----------------------------------===//
//
// Sources: CUDA C++ Programming Guide 13.0, compute capability 8.9; PTX ISA 9.0 (8-bit
// floats of mma.sync and cvt: sm_89, PTX 8.4); data sheet of the NVIDIA GeForce RTX 4090.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Chips.h"
#include "MmaSync.h"

namespace tilec::chips {

TargetInfo makeSm89() {
  TargetInfo chip = makeMmaSync(Arch::Sm89);
  chip.wavesOfScheduler = 12;
  chip.units = 128;
  chip.sharedBytes = 99 << 10;
  chip.sharedBytesOfUnit = 100 << 10;
  chip.convertsFp8 = true;
  chip.mma = mmaOfSm89();
  chip.codeFeatures = "+ptx84"; // CUDA 12.4
  chip.part = {.name = "NVIDIA GeForce RTX 4090",
               .major = 8,
               .minor = 9,
               .memoryBytes = int64_t(24) << 30,
               .cacheBytes = 72 << 20,
               .threadsOfUnit = 1536};
  return chip;
}

} // namespace tilec::chips

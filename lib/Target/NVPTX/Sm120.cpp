//===- Sm120.cpp - Blackwell of desktops: RTX 50, RTX PRO ----------------===//
//
// Sources: CUDA C++ Programming Guide 13.0, compute capability 12.0; PTX ISA 9.0 (8-bit
// floats of mma.sync and cvt: sm_89); data sheet of the NVIDIA GeForce RTX 5090.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Chips.h"
#include "MmaSync.h"

namespace tilec::chips {

TargetInfo makeSm120() {
  TargetInfo chip = makeMmaSync(Arch::Sm120);
  chip.wavesOfScheduler = 12;
  chip.units = 170;
  chip.sharedBytes = 99 << 10;
  chip.sharedBytesOfUnit = 100 << 10;
  chip.convertsFp8 = true;
  chip.vectorAddBytes = 16; // red.v2, red.v4 of f32: sm_90
  chip.halfAddBytes = 16;   // and of f16x2, bf16x2
  chip.mma = mmaOfSm89();
  // There are mbarriers and tensor copies, which nothing needs here: their products are mma.sync.
  chip.codeFeatures = "+ptx87"; // CUDA 12.8
  chip.part = {.name = "NVIDIA GeForce RTX 5090",
               .major = 12,
               .minor = 0,
               .memoryBytes = int64_t(32) << 30,
               .cacheBytes = 96 << 20,
               .threadsOfUnit = 1536};
  return chip;
}

} // namespace tilec::chips

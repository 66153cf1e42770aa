//===- Sm80.cpp - Ampere: A100 --------------------------------------------===//
//
// Sources: CUDA C++ Programming Guide 13.0, compute capability 8.0; CUDA's device
// properties of an A100 SXM.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Chips.h"
#include "MmaSync.h"

namespace tilec::chips {

TargetInfo makeSm80() {
  TargetInfo chip = makeMmaSync(Arch::Sm80);
  chip.units = 108;
  chip.sharedBytes = 163 << 10;
  chip.sharedBytesOfUnit = 164 << 10;
  chip.part = {.name = "NVIDIA A100-SXM4-80GB",
               .major = 8,
               .minor = 0,
               .memoryBytes = int64_t(80) << 30,
               .cacheBytes = 40 << 20,
               .threadsOfUnit = 2048};
  return chip;
}

} // namespace tilec::chips

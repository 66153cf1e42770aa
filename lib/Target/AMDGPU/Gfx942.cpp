//===- Gfx942.cpp - CDNA3: MI300A, MI300X, MI325X -------------------------===//
//
// Sources: AMD CDNA3 ISA document and white paper; LLVM 22's legality of buffer_load ...
// lds widths. ROCm's torch gives the capability as (9, 4).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Cdna.h"
#include "Chips.h"

namespace tilec::chips {

TargetInfo makeGfx942() {
  using D = DType;
  TargetInfo chip = makeCdna(Arch::Gfx942);
  chip.units = 304;
  chip.clocks.multiplyAdds16 = 1024;
  chip.sharedBytes = chip.sharedBytesOfUnit = 64 << 10;
  chip.sharedStep = 512;
  chip.sharedBanks = 32;
  chip.asyncCopies = {.bytes = {4}, .completion = Completion::Counter, .lanesInRow = true};
  chip.transposedBits = 0;
  chip.nativeE4M3 = D::E4M3FNUZ;
  chip.nativeE5M2 = D::E5M2FNUZ;
  chip.part = {.name = "AMD Instinct MI300X",
               .major = 9,
               .minor = 4,
               .memoryBytes = int64_t(192) << 30,
               .cacheBytes = 4 << 20, // of a die
               .threadsOfUnit = 2048};
  chip.mma = {
#define MFMA(Name, Intrinsic, A, B, C, MN, K, Passes)                                              \
  mfma("v_mfma_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes),
#define GFX942
#include "Mfma.def"
  };
  return chip;
}

} // namespace tilec::chips

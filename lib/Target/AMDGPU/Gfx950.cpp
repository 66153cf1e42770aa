//===- Gfx950.cpp - CDNA4: MI350X, MI355X ---------------------------------===//
//
// Sources: AMD CDNA4 ISA document (DS_READ_B64_TR_B16) and white paper; LLVM 22's
// legality of buffer_load ... lds widths; LLVM's AMDGPU usage guide,
// granulated_lds_size. ROCm's torch gives the capability as (9, 5).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Cdna.h"
#include "Chips.h"

namespace tilec::chips {

TargetInfo makeGfx950() {
  using D = DType;
  TargetInfo chip = makeCdna(Arch::Gfx950);
  chip.units = 256;
  chip.clocks.multiplyAdds16 = 2048;
  chip.sharedBytes = chip.sharedBytesOfUnit = 160 << 10;
  chip.sharedStep = 1280;
  chip.sharedBanks = 64;
  chip.asyncCopies = {.bytes = {16, 4}, .completion = Completion::Counter, .lanesInRow = true};
  chip.transposedBits = 64;
  chip.nativeE4M3 = D::E4M3FN;
  chip.nativeE5M2 = D::E5M2;
  chip.part = {.name = "AMD Instinct MI355X",
               .major = 9,
               .minor = 5,
               .memoryBytes = int64_t(288) << 30,
               .cacheBytes = 4 << 20, // of a die
               .threadsOfUnit = 2048};
#define MFMA(Name, Intrinsic, A, B, C, MN, K, Passes)                                              \
  mfma("v_mfma_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes),
  chip.mma = {
#define GFX950
#include "Mfma.def"
  };
#define MFMA(Name, Intrinsic, A, B, C, MN, K, Passes)                                              \
  {mfma("v_mfma_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes), false},
#define MFMA_SCALED(Name, Intrinsic, A, B, C, MN, K, Passes)                                       \
  {mfma("v_mfma_scale_" Name, "llvm.amdgcn.mfma." Intrinsic, D::A, D::B, D::C, MN, K, Passes),     \
   true},
  chip.narrow = {
#define GFX950_NARROW
#include "Mfma.def"
  };
  return chip;
}

} // namespace tilec::chips

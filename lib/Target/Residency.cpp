//===- Residency.cpp - how many blocks a compute unit holds at once -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/Residency.h"

#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"

#include <algorithm>

namespace tilec {

/// Per SIMD of CDNA3 and CDNA4: 512 vector registers a lane (both files together, in steps of 8)
/// and 8 waves; four SIMDs a compute unit. Source: AMD CDNA3 ISA document, 3.6.4; LLVM's
/// GCNSubtarget.
constexpr unsigned vectorRegisters = 512, vectorStep = 8, maxWaves = 8, simdsPerUnit = 4;

/// Shared memory is given out in pieces of so many bytes (LLVM's AMDGPU usage guide,
/// granulated_lds_size).
static unsigned sharedStep(Arch arch) { return arch == Arch::Gfx950 ? 1280 : 512; }

Residency residencyOf(Arch arch, const ResidencyNeeds &needs) {
  const TargetInfo &target = targetInfo(arch);
  unsigned named = needs.agprs ? unsigned(alignTo(needs.vgprs, 4)) + needs.agprs : needs.vgprs;
  unsigned registers = alignTo(std::max(named, 1u), vectorStep);
  unsigned byRegisters = vectorRegisters / registers;
  Residency result;
  result.limit = byRegisters < maxWaves ? "registers" : "waves";
  result.wavesPerSimd = std::min(byRegisters, maxWaves);
  if (needs.threads == 0)
    return result;
  unsigned waves = ceilDiv(needs.threads, target.waveLanes);
  // A block's waves go to the SIMDs in turn; blocks of fewer than four share them.
  result.blocks = waves >= simdsPerUnit
                      ? result.wavesPerSimd / unsigned(ceilDiv(waves, simdsPerUnit))
                      : result.wavesPerSimd * simdsPerUnit / waves;
  if (needs.sharedBytes != 0) {
    unsigned byShared =
        unsigned(target.sharedBytes) / unsigned(alignTo(needs.sharedBytes, sharedStep(arch)));
    if (byShared < result.blocks) {
      result.blocks = byShared;
      result.limit = "shared memory";
    }
  }
  result.blocks = std::max(result.blocks, 1u);
  result.wavesPerSimd = ceilDiv(result.blocks * waves, simdsPerUnit);
  return result;
}

std::string describe(const Residency &residency) {
  std::string text = std::to_string(residency.wavesPerSimd) + " waves a SIMD";
  if (residency.blocks)
    text += ", " + std::to_string(residency.blocks) +
            (residency.blocks == 1 ? " block" : " blocks") + " a compute unit";
  return text + " (limit: " + residency.limit.str() + ")";
}

} // namespace tilec

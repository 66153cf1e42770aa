//===- Arch.cpp - the GPUs tilec compiles for, by name --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Arch.h"

namespace tilec {

static constexpr ArchName archs[] = {
    {Arch::Gfx942, Vendor::Amd, "gfx942", "AMD CDNA3: MI300A, MI300X, MI325X"},
    {Arch::Gfx950, Vendor::Amd, "gfx950", "AMD CDNA4: MI350X, MI355X"},
    {Arch::Sm80, Vendor::Nvidia, "sm_80", "NVIDIA Ampere: A100"},
    {Arch::Sm90, Vendor::Nvidia, "sm_90", "NVIDIA Hopper, without wgmma"},
    {Arch::Sm90a, Vendor::Nvidia, "sm_90a", "NVIDIA Hopper: H100, H200"},
};

std::span<const ArchName> allArchs() { return archs; }
std::string_view nameOf(Arch arch) { return archs[static_cast<int>(arch)].name; }
Vendor vendorOf(Arch arch) { return archs[static_cast<int>(arch)].vendor; }

std::optional<Arch> parseArch(std::string_view name) {
  for (const ArchName &a : archs)
    if (a.name == name)
      return a.arch;
  return std::nullopt;
}

} // namespace tilec

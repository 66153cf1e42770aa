//===- Arch.cpp - the GPUs tilec compiles for, by name --------------------===//
//
// One row a GPU: its name and vendor. Everything else about it is in lib/Target.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/Arch.h"

namespace tilec {

static constexpr ArchName archs[] = {
#define TILEC_ARCH(id, vendor, name, description, ranOn)                                           \
  {Arch::id, Vendor::vendor, name, description, ranOn},
#include "tilec/Base/Archs.def"
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

std::string listOfArchs() {
  std::string list;
  for (const ArchName &a : archs)
    list.append(list.empty() ? "" : ", ").append(a.name);
  return list;
}

} // namespace tilec

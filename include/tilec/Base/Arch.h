//===- Arch.h - the GPUs tilec compiles for, by name ----------------------===//
//
// Names only (Archs.def); what a chip has is in tilec/Target.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilec {

enum class Arch {
#define TILEC_ARCH(id, vendor, name, description, ranOn) id,
#include "tilec/Base/Archs.def"
};
enum class Vendor { Amd, Nvidia };

/// Where nothing is said.
constexpr Arch defaultArch = Arch::Gfx950;

struct ArchName {
  Arch arch;
  Vendor vendor;
  std::string_view name;        ///< as in `--target=`
  std::string_view description; ///< for `--list-targets`
  std::string_view ranOn;       ///< which hardware has run its code: "simulator only" where none
};

/// Every target, in the order that `--list-targets` prints.
std::span<const ArchName> allArchs();
std::string_view nameOf(Arch arch);
Vendor vendorOf(Arch arch);
std::optional<Arch> parseArch(std::string_view name);
/// "gfx942, ..., sm_90a": for messages.
std::string listOfArchs();

} // namespace tilec

//===- Arch.h - the GPUs tilec compiles for, by name ----------------------===//
//
// Names only; what a chip has is in tilec/Target. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tilec {

enum class Arch { Gfx942, Gfx950, Sm80, Sm90, Sm90a };
enum class Vendor { Amd, Nvidia };

struct ArchName {
  Arch arch;
  Vendor vendor;
  std::string_view name;        ///< as in `--target=`
  std::string_view description; ///< for `--list-targets`
};

/// Every target, in the order that `--list-targets` prints.
std::span<const ArchName> allArchs();
std::string_view nameOf(Arch arch);
Vendor vendorOf(Arch arch);
std::optional<Arch> parseArch(std::string_view name);

} // namespace tilec

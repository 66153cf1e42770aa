//===- Autotune.h - the configurations that a script proposes -------------===//
//
// Takes a script and an entry, gives the configurations of its `@tilelang.autotune`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::script {

/// One configuration: keyword arguments as text of the script's language.
using KeywordTexts = std::vector<std::pair<std::string, std::string>>;

/// The `configs` of `@tilelang.autotune(configs=...)` on the function that the entry names (the
/// only decorated one for an entry without a name): a list of dictionaries, or a function of no
/// arguments that returns one. Empty where there is no such decorator; nothing after an error,
/// which is in `diags`.
std::optional<std::vector<KeywordTexts>> listConfigs(SourceManager &sources, uint32_t file,
                                                     llvm::StringRef entry, Arch arch,
                                                     DiagnosticEngine &diags);

} // namespace tilec::script

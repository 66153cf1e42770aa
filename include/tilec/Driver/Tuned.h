//===- Tuned.h - parameters that a search has found -----------------------===//
//
// Takes the text of a file of tuning results, puts what it has for a kernel into the entry and the
// schedule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include <string>

namespace tilec {

/// Puts the best parameters that `text`, what `--tune-results` writes, has for this script, entry
/// and target into the entry and the schedule. `where` is what messages call the text. The value is
/// an error message, or empty.
std::string applyTunedText(const std::string &text, const std::string &where,
                           const std::string &script, Arch arch, std::string &entry,
                           std::string &schedule);

} // namespace tilec

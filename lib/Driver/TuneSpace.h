//===- TuneSpace.h - what a search may try --------------------------------===//
//
// Takes the options of a search, gives candidates: keywords for the kernel function, as text.
// TuneRecord.h has what became of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Result.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace tilec {

/// Keyword arguments of the kernel function as text of the script's language, in order; `schedule`
/// is the option of this name.
using TuneParameters = std::vector<std::pair<std::string, std::string>>;

/// `NAME=V1,V2,...`: one parameter and what it may be. Commas inside brackets and quotes belong to
/// a value.
rt::Result<std::pair<std::string, std::vector<std::string>>>
parseTuneOption(const std::string &text);

/// All combinations, the last axis fastest, of `configs` (none: one empty one) and the axes. An
/// axis that a configuration has as well replaces its value.
std::vector<TuneParameters>
combine(const std::vector<TuneParameters> &configs,
        const std::vector<std::pair<std::string, std::vector<std::string>>> &axes);

/// The entry with the parameters as further keywords, without `schedule`. Fails when the entry
/// gives one of them already.
rt::Result<std::string> withParameters(const std::string &entry, const TuneParameters &parameters);
/// Empty without one.
std::string scheduleOf(const TuneParameters &parameters);
/// `block_M=128, stages=3`
std::string describe(const TuneParameters &parameters);

/// Whether the text is a name of the script's language.
bool isParameterName(llvm::StringRef text);

} // namespace tilec

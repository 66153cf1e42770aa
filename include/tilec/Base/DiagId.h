//===- DiagId.h - every message by its id ---------------------------------===//
//
// The rows of Diagnostics.def: id, severity, text with gaps. Plain C++, so that the tools without
// LLVM have the same messages.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace tilec {

enum class Severity { Error, Warning, Remark, Note };

enum class DiagId {
#define TILEC_DIAG(Id, Sev, Text) Id,
#include "tilec/Base/Diagnostics.def"
};

std::string_view nameOf(Severity severity); ///< `error`
std::string_view nameOf(DiagId id);
Severity severityOf(DiagId id);
const char *formatOf(DiagId id); ///< for llvm::formatv

} // namespace tilec

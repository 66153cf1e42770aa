//===- DiagnosticsJson.h - messages for programs --------------------------===//
//
// What `--diagnostics=json` prints: one JSON object a line (docs/reference/diagnostics.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/Diagnostics.h"

namespace tilec {

/// The messages that DiagnosticEngine::print prints, each with its notes in it.
void printJson(llvm::raw_ostream &os, const DiagnosticEngine &diagnostics,
               bool withRemarks = false);

} // namespace tilec

//===- PrintDiagnostics.h - what a compilation has to say -----------------===//
//
// Takes the messages of a compilation, prints them in the form that the tool's user asked for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Messages/Messages.h"
#include "tilec/Support/DiagnosticsJson.h"

#include "llvm/Support/raw_ostream.h"

namespace tilec {

inline void print(const Messages &messages, const DiagnosticEngine &diagnostics,
                  bool withRemarks = false) {
  if (messages.isJson())
    printJson(llvm::errs(), diagnostics, withRemarks);
  else
    diagnostics.print(llvm::errs(), withRemarks, messages.tool());
}

} // namespace tilec

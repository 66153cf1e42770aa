//===- StandardOutput.h - the last word of a command line tool ------------===//
//
// Takes the exit code of a tool, gives that of a fault where standard output could not be written.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace tilec {

/// What `main` returns: `code`, or `failed` where standard output could not be written, which is
/// said. (LLVM would end the process with words of its own when it finds out.)
inline int finishOutput(const char *tool, int code, int failed = 1) {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  if (!out.has_error())
    return code;
  llvm::errs() << tool << ": error: cannot write to standard output: " << out.error().message()
               << '\n';
  out.clear_error();
  return code ? code : failed;
}

} // namespace tilec

//===- Contained.h - survive fatal errors inside LLVM ---------------------===//
//
// LLVM's code generators call report_fatal_error where the IR asks for something
// the chip does not have ("Cannot select"), which ends the process. Here it ends
// the compile only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilec::codegen {

/// Crashes (SIGSEGV and its like) go to whoever handles them in this process, as if we were not
/// there. For libraries; call it before anything else of this folder.
void leaveSignalsToHost();

/// Once per process; part of initializeTargets().
void installFatalErrorHandler();

/// Runs `body` and turns a fatal error of LLVM, or a crash, into an Error with LLVM's text. Stack
/// frames between are skipped without running destructors: what `body` was working on must be
/// leaked then, `crashed` says so. Calls may nest: the innermost one is what is left.
/// initializeTargets() has run before.
llvm::Error runContained(llvm::function_ref<void()> body, bool &crashed);

} // namespace tilec::codegen

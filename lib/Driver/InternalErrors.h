//===- InternalErrors.h - faults of tilec that a script has found ---------===//
//
// After a script was accepted, IR that does not verify is tilec's own fault. The user is
// not told what the verifier says, which is about IR that they never see, but where in
// the script it happened, under which number, and how to make a script to report.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// What a verifier said first.
struct VerifierFinding {
  std::string text;
  mlir::Location place;
};

/// Runs `verify` and keeps its errors from everybody else; nothing when it succeeds.
std::optional<VerifierFinding> findingOf(mlir::MLIRContext &context,
                                         llvm::function_ref<mlir::LogicalResult()> verify);

/// Six hexadecimal digits of the stage and what the verifier says, without the numbers and names in
/// it: they stay the same while the script shrinks.
std::string faultNumber(llvm::StringRef stage, llvm::StringRef text);

/// The command that makes `script` small and keeps the fault: a line for a shell.
std::string reduceLine(llvm::StringRef script, const CompileOptions &options,
                       llvm::StringRef faultNumber);

} // namespace tilec

//===- Compile.h - from tile ops to instructions --------------------------===//
//
// Takes a program of tile ops, gives instructions of the reference (Machine.h), and runs them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::reference {

/// What tests switch off to compare with the plain order of execution.
struct CompileOptions {
  bool runsTogether = true;    ///< chunks of independent iterations
  bool findsReductions = true; ///< running values in f64
};

/// Compiles all kernels of a program. Fails on an op that has no meaning here.
llvm::Expected<std::unique_ptr<Unit>> compileProgram(tile::ProgramOp program,
                                                     const CompileOptions &options = {});

/// Runs a compiled program; see runReference.
llvm::Error runUnit(const Unit &unit, tile::ProgramOp program, const ReferenceArgs &args,
                    const ReferenceOptions &options);

/// `file:line:col: ` of a location that has one, else nothing.
std::string placeOf(mlir::Location loc);

} // namespace tilec::reference

//===- Compile.h - from tile ops to instructions --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::reference {

/// Compiles all kernels of a program. Fails on an op that has no meaning here.
llvm::Expected<std::unique_ptr<Unit>> compileProgram(tile::ProgramOp program);

/// `file:line:col: ` of a location that has one, else nothing.
std::string placeOf(mlir::Location loc);

} // namespace tilec::reference

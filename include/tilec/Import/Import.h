//===- Import.h - traced kernel to Tile IR --------------------------------===//
//
// The only place that knows both scripts and the tile dialect. What the script front
// end leaves open is checked here: shapes, dtypes, scopes, constant bounds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/TracedKernel.h"
#include "tilec/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilec {

/// A module with one `tile.program`. Locations are ranges of the script. Null after errors, which
/// are in `diags`; the dialects it needs are loaded into `context`.
mlir::OwningOpRef<mlir::ModuleOp> importProgram(mlir::MLIRContext &context,
                                                const script::Program &program,
                                                const SourceManager &sources,
                                                DiagnosticEngine &diags);

} // namespace tilec

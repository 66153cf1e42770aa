//===- Reported.h - messages of passes that have an id --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tilec {

/// An error at an op, as a row of Diagnostics.def; the driver prints its id. Reported when the
/// object goes.
class Reported {
public:
  template <typename... Args>
  Reported(mlir::Operation *op, DiagId id, Args &&...args)
      : message(op->emitError(textOf(id, std::forward<Args>(args)...))) {
    message.getUnderlyingDiagnostic()->getMetadata().push_back(
        mlir::DiagnosticArgument(static_cast<int64_t>(id)));
  }
  template <typename... Args> Reported &note(mlir::Operation *op, DiagId id, Args &&...args) {
    message.attachNote(op->getLoc()) << textOf(id, std::forward<Args>(args)...);
    return *this;
  }

private:
  template <typename... Args> static std::string textOf(DiagId id, Args &&...args) {
    return llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str();
  }

  mlir::InFlightDiagnostic message;
};

} // namespace tilec

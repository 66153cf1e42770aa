//===- Reported.h - messages of passes that have an id --------------------===//
//
// Takes an op, a row of the tables of diagnostics and its arguments, reports through MLIR so that
// the driver can print the row's id.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tilec {

/// A message at an op, as a row of Diagnostics.def with its severity; the driver prints its id.
/// Reported when the object goes. Stands for failure where a result is wanted.
class Reported {
public:
  template <typename... Args>
  Reported(mlir::Operation *op, DiagId id, Args &&...args)
      : message(emit(op, id, textOf(id, std::forward<Args>(args)...))) {
    mark(*message.getUnderlyingDiagnostic(), id);
  }
  template <typename... Args> Reported &note(mlir::Location place, DiagId id, Args &&...args) {
    mlir::Diagnostic &note = message.attachNote(place);
    note << textOf(id, std::forward<Args>(args)...);
    mark(note, id);
    return *this;
  }
  template <typename... Args> Reported &note(mlir::Operation *op, DiagId id, Args &&...args) {
    return note(op->getLoc(), id, std::forward<Args>(args)...);
  }

  operator mlir::LogicalResult() const { return mlir::failure(); }

private:
  template <typename... Args> static std::string textOf(DiagId id, Args &&...args) {
    return llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str();
  }
  static mlir::InFlightDiagnostic emit(mlir::Operation *op, DiagId id, const std::string &text) {
    switch (severityOf(id)) {
    case Severity::Warning:
      return op->emitWarning(text);
    case Severity::Remark:
      return op->emitRemark(text);
    default:
      return op->emitError(text);
    }
  }
  static void mark(mlir::Diagnostic &diagnostic, DiagId id) {
    diagnostic.getMetadata().push_back(mlir::DiagnosticArgument(static_cast<int64_t>(id)));
  }

  mlir::InFlightDiagnostic message;
};

} // namespace tilec

//===- PassTarget.h - the chip of a pass's option --------------------------===//
//
// Takes the option `target` of a pass, gives the chip's description.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Target/Target.h"

#include "mlir/IR/Operation.h"

namespace tilec {

/// Null, and an error at `op`, for a name that is no chip's.
inline const TargetInfo *targetOfPass(mlir::Operation *op, llvm::StringRef name) {
  if (std::optional<Arch> arch = parseArch(name))
    return &targetInfo(*arch);
  op->emitError() << "unknown target `" << name << '`';
  return nullptr;
}

} // namespace tilec

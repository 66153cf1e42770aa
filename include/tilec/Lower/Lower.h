//===- Lower.h - Wave IR to LLVM IR ---------------------------------------===//
//
// Takes a module whose `wave.kernel` ops are scheduled; gives one llvm::Module with
// the intrinsics of the target, ready for tilec/CodeGen. Order is kept: an op becomes
// its instruction at its place. docs/machine-code/lowering.md tells what becomes of each op.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace tilec {

/// Lowers every `wave.kernel` of `module` for `arch`. Names, triple and data layout are set.
///
/// Fails with "file:line:column: ..." at the first op or type that the target does not have, and
/// when the module holds no kernel. `withLines` gives every instruction its line of the source, for
/// the line table of the code object.
llvm::Expected<std::unique_ptr<llvm::Module>>
lowerToLlvm(mlir::ModuleOp module, Arch arch, llvm::LLVMContext &context, bool withLines = false);

} // namespace tilec

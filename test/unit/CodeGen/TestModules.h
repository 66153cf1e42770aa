//===- TestModules.h - modules for the tests of CodeGen -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tilec::codegen::test {

/// A module with the context that owns its types.
struct OwnedModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// Parses IR text and prepares it for `arch`; a parse error fails the test.
OwnedModule parseText(const std::string &text, Arch arch);
/// test/data/codegen/<name>.ll
OwnedModule parseFile(const std::string &name, Arch arch);

/// The contents of one section; empty when there is none.
std::string sectionOf(llvm::ArrayRef<uint8_t> object, llvm::StringRef name);

CodeGenOptions optionsFor(Arch arch);

} // namespace tilec::codegen::test

//===- DebugLines.cpp - source lines in LLVM IR ---------------------------===//
//
// Takes locations of MLIR, gives line tables of LLVM: files, scopes and places, one subprogram a
// kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "DebugLines.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace tilec::lower {

// Version 4 needs three sections fewer than 5, and every reader of code objects knows it.
constexpr unsigned dwarfVersion = 4;

std::optional<SourcePlace> sourcePlaceOf(mlir::Location location) {
  std::optional<SourcePlace> place;
  location->walk([&](mlir::Location inner) {
    auto range = mlir::dyn_cast<mlir::FileLineColRange>(inner);
    if (!range)
      return mlir::WalkResult::advance();
    place = {range.getFilename().getValue(), range.getStartLine(), range.getStartColumn()};
    return mlir::WalkResult::interrupt();
  });
  return place;
}

llvm::DIFile *DebugLines::fileOf(llvm::StringRef name) {
  // The name as the compiler was given it, and no folder: the same bytes wherever it runs.
  return builder.createFile(name, "");
}

void DebugLines::beginKernel(llvm::Function &function, mlir::Location location) {
  kernel = nullptr;
  std::optional<SourcePlace> place = sourcePlaceOf(location);
  if (!place)
    return;
  llvm::DIFile *file = fileOf(place->file);
  if (!unit) {
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Max, "Dwarf Version", dwarfVersion);
    // PTX gets `.file` and `.loc` and no sections: with those its target would have to be `debug`.
    auto kind = module.getTargetTriple().isNVPTX() ? llvm::DICompileUnit::DebugDirectivesOnly
                                                   : llvm::DICompileUnit::LineTablesOnly;
    unit = builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python), file,
                                     "tilec",
                                     /*isOptimized=*/true, "", 0, "", kind, 0,
                                     /*SplitDebugInlining=*/false, /*DebugInfoForProfiling=*/false,
                                     llvm::DICompileUnit::DebugNameTableKind::None);
  }
  llvm::DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  kernel = builder.createFunction(file, function.getName(), "", file, place->line, type,
                                  place->line, llvm::DINode::FlagPrototyped,
                                  llvm::DISubprogram::SPFlagDefinition |
                                      llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(kernel);
}

llvm::DebugLoc DebugLines::at(mlir::Location location) {
  std::optional<SourcePlace> place = kernel ? sourcePlaceOf(location) : std::nullopt;
  if (!place)
    return {};
  llvm::DILocalScope *scope = kernel;
  if (loop != 0 || place->file != kernel->getFilename())
    scope = builder.createLexicalBlockFile(kernel, fileOf(place->file), unsigned(loop));
  return llvm::DILocation::get(module.getContext(), place->line, place->column, scope);
}

void DebugLines::finish() {
  if (unit)
    builder.finalize();
}

} // namespace tilec::lower

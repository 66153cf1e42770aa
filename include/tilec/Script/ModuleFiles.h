//===- ModuleFiles.h - the modules beside a script ------------------------===//
//
// `from helpers import LOG2_E` means helpers.py below the script's folder. Such files
// are read as source and evaluated like the script; where they come from is the
// caller's business.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/Ast.h"
#include "tilec/Support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilec::script {

struct ModuleText {
  std::string name; ///< for messages: a path as the user would write it
  std::string text;
};

/// The file at `path` (`helpers.py`, `pkg/__init__.py`) below the script's folder; nothing when
/// there is none. Paths hold identifiers and slashes only.
using ModuleReader = std::function<std::optional<ModuleText>(llvm::StringRef path)>;

/// Reads files below `folder`; a link that leads out of it is no file.
ModuleReader readModulesBelow(llvm::StringRef folder);

/// Whether `import name` means a module that the compiler knows by itself.
bool isKnownModule(llvm::StringRef name);

/// The dotted name that `name` of an import means in module `importer`: leading dots are resolved.
/// Nothing when they lead out of the script's folder.
std::optional<std::string> absoluteModule(llvm::StringRef importer, bool importerIsPackage,
                                          llvm::StringRef name);

/// Every module that `text` may read, and those that they may read: what their import statements
/// name, whether or not they are reached. For cache keys, and for copies of a script.
struct ImportedModule {
  std::string path; ///< below the script's folder
  ModuleText file;
};
std::vector<ImportedModule> importedModules(llvm::StringRef text, const ModuleReader &read);

/// Reads and parses modules, each once.
class ModuleFiles {
public:
  ModuleFiles(SourceManager &sources, ModuleReader read)
      : sources(sources), read(std::move(read)) {}

  struct Parsed {
    std::unique_ptr<ast::Module> module; ///< null when it does not parse
    std::optional<Diagnostic> error;     ///< then why
    bool isPackage = false;
  };
  /// Null when there is no such file.
  const Parsed *find(llvm::StringRef dotted);

private:
  SourceManager &sources;
  ModuleReader read;
  llvm::StringMap<std::unique_ptr<Parsed>> parsed;
};

} // namespace tilec::script

//===- Refusals.cpp - names of T. that kernels of a file may not use -------===//
//
// An author who hears that one kernel names what tilec refuses wants to hear it of the
// others, too, whichever of them is compiled. What no entry has evaluated is not
// evaluated for this: the names behind `T.` are looked at, each once for the file.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "tilec/Script/Lexer.h"

#include "llvm/ADT/Twine.h"

namespace tilec::script {
namespace {

/// The names that the module level gives to the tile language.
llvm::DenseSet<llvm::StringRef> tileNames(const ast::Module &module) {
  llvm::DenseSet<llvm::StringRef> names;
  for (const ast::Stmt *s : module.body) {
    const auto *import = llvm::dyn_cast<ImportStmt>(s);
    if (!import)
      continue;
    for (const ImportName &n : import->names)
      if (import->isFrom ? isTileLanguage((import->module + llvm::Twine(".") + n.name).str())
                         : n.hasAs && isTileLanguage(n.name))
        names.insert(n.bound);
  }
  return names;
}

} // namespace

std::vector<Diagnostic> Evaluator::refusedNames(Span text) {
  std::vector<Diagnostic> found;
  llvm::DenseSet<llvm::StringRef> tiles = tileNames(*script.module);
  DiagnosticEngine ignored(sources);
  auto tokens = lex(sources, text.file, text.begin, text.end, /*nested=*/true, ignored);
  if (!tokens)
    return found;
  for (size_t i = 0; i + 2 < tokens->size(); ++i) {
    const Token &module = (*tokens)[i], &name = (*tokens)[i + 2];
    bool isName = module.kind == TokenKind::Name && tiles.contains(module.text) &&
                  (*tokens)[i + 1].is(".") && name.kind == TokenKind::Name &&
                  (i == 0 || !(*tokens)[i - 1].is("."));
    if (!isName)
      continue;
    Value value = tileAttribute(name.text, name.span);
    if (value.is(ValueKind::Refused)) {
      CallArgs none;
      none.span = none.calleeSpan = module.span.to(name.span);
      call(value, none);
    }
    if (failure)
      found.push_back(std::exchange(failure, std::nullopt)->error);
  }
  return found;
}

} // namespace tilec::script

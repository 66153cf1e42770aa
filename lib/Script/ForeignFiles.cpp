//===- ForeignFiles.cpp - kernels in other languages ----------------------===//
//
// A file of another kernel language is answered once, with what to write instead, and
// not with what its parts lack to be TileLang. It is one when it imports such a
// language and nothing of ours; one that imports both is a script with host code.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ForeignFiles.h"

#include "llvm/ADT/Twine.h"

namespace tilec::script {
namespace {
using namespace ast;

struct Language {
  llvm::StringRef module, name;
};
/// The first that fits counts.
constexpr Language languages[] = {
    {"triton.experimental.gluon", "Gluon"},
    {"triton", "Triton"},
    {"numba.cuda", "Numba"},
    {"cutlass", "CuTe"},
    {"helion", "Helion"},
    {"jax.experimental.pallas", "Pallas"},
    {"cuda.tile", "cuTile"},
    {"warp", "Warp"},
};

bool isIn(llvm::StringRef module, llvm::StringRef package) {
  return module.consume_front(package) && (module.empty() || module.starts_with("."));
}

struct Finder {
  bool importsOurs = false;
  std::optional<ForeignFile> found;

  void look(llvm::StringRef module, Span place) {
    for (llvm::StringRef ours : {"tilelang", "tilec", "tvm"})
      importsOurs |= isIn(module, ours);
    for (const Language &l : languages)
      if (!found && isIn(module, l.module))
        found = {l.name, place};
  }
  void walk(Body body) {
    for (const Stmt *s : body)
      walk(s);
  }
  void walk(const Stmt *s) {
    if (const auto *import = llvm::dyn_cast<ImportStmt>(s)) {
      for (const ImportName &n : import->names)
        look(import->isFrom ? (import->module + llvm::Twine(".") + n.name).str() : n.name.str(),
             s->span);
    } else if (const auto *f = llvm::dyn_cast<FunctionStmt>(s)) {
      walk(f->body);
    } else if (const auto *c = llvm::dyn_cast<ClassStmt>(s)) {
      walk(c->body);
    } else if (const auto *i = llvm::dyn_cast<IfStmt>(s)) {
      walk(i->thenBody);
      walk(i->elseBody);
    } else if (const auto *t = llvm::dyn_cast<TryStmt>(s)) {
      walk(t->body);
      for (const Handler &h : t->handlers)
        walk(h.body);
    }
  }
};

} // namespace

std::optional<ForeignFile> foreignFile(const Module &module) {
  Finder finder;
  finder.walk(module.body);
  return finder.importsOurs ? std::nullopt : finder.found;
}

} // namespace tilec::script

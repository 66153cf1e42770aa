//===- ModuleFiles.cpp - the modules beside a script ----------------------===//
//
// Takes the imports of a script, reads the modules beside it that they name, and parses them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/ModuleFiles.h"

#include "Library.h"

#include "tilec/Script/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace tilec::script {
namespace {

struct Found {
  std::string path;
  ModuleText file;
  bool isPackage;
};

/// `a.b` is a/b.py or a/b/__init__.py.
std::optional<Found> findModule(llvm::StringRef dotted, const ModuleReader &read) {
  if (!read || dotted.empty() || isKnownModule(dotted))
    return std::nullopt;
  std::string base = dotted.str();
  std::replace(base.begin(), base.end(), '.', '/');
  for (bool isPackage : {false, true}) {
    std::string path = base + (isPackage ? "/__init__.py" : ".py");
    if (std::optional<ModuleText> file = read(path))
      return Found{path, std::move(*file), isPackage};
  }
  return std::nullopt;
}

void collectImports(ast::Body body, llvm::SmallVectorImpl<const ast::ImportStmt *> &out) {
  for (const ast::Stmt *s : body) {
    if (const auto *import = llvm::dyn_cast<ast::ImportStmt>(s)) {
      out.push_back(import);
    } else if (const auto *f = llvm::dyn_cast<ast::FunctionStmt>(s)) {
      collectImports(f->body, out);
    } else if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s)) {
      collectImports(i->thenBody, out);
      collectImports(i->elseBody, out);
    } else if (const auto *f = llvm::dyn_cast<ast::ForStmt>(s)) {
      collectImports(f->body, out);
      collectImports(f->orElse, out);
    } else if (const auto *w = llvm::dyn_cast<ast::WhileStmt>(s)) {
      collectImports(w->body, out);
      collectImports(w->orElse, out);
    } else if (const auto *w = llvm::dyn_cast<ast::WithStmt>(s)) {
      collectImports(w->body, out);
    } else if (const auto *t = llvm::dyn_cast<ast::TryStmt>(s)) {
      collectImports(t->body, out);
      for (const ast::Handler &h : t->handlers)
        collectImports(h.body, out);
      collectImports(t->orElse, out);
      collectImports(t->finalBody, out);
    }
  }
}

/// The modules that one statement may read. `from a import b` may mean the name b of a, or a.b.
std::vector<std::string> modulesOf(const ast::ImportStmt *s, llvm::StringRef importer,
                                   bool isPackage) {
  std::vector<std::string> out;
  auto add = [&](llvm::StringRef name) {
    // `import a.b` executes a, then a.b.
    for (size_t dot = name.find('.'); dot != llvm::StringRef::npos; dot = name.find('.', dot + 1))
      out.push_back(name.take_front(dot).str());
    out.push_back(name.str());
  };
  if (!s->isFrom) {
    for (const ast::ImportName &n : s->names)
      add(n.name);
    return out;
  }
  std::optional<std::string> from = absoluteModule(importer, isPackage, s->module);
  if (!from)
    return out;
  if (!from->empty())
    add(*from);
  for (const ast::ImportName &n : s->names)
    if (n.name != "*")
      out.push_back(from->empty() ? n.name.str() : *from + "." + n.name.str());
  return out;
}

} // namespace

bool isKnownModule(llvm::StringRef name) {
  constexpr llvm::StringRef known[] = {"tilelang", "math",   "itertools", "functools",
                                       "torch",    "typing", "tilec",     "tvm"};
  return llvm::is_contained(known, name.split('.').first);
}

std::optional<std::string> absoluteModule(llvm::StringRef importer, bool importerIsPackage,
                                          llvm::StringRef name) {
  size_t dots = name.size() - name.ltrim('.').size();
  if (dots == 0)
    return name.str();
  llvm::SmallVector<llvm::StringRef> parts;
  if (!importer.empty())
    importer.split(parts, '.');
  // One dot is the folder of the importer.
  size_t up = dots - 1 + (importer.empty() || importerIsPackage ? 0 : 1);
  if (up > parts.size())
    return std::nullopt;
  parts.resize(parts.size() - up);
  if (size_t(dots) < name.size())
    parts.push_back(name.drop_front(dots));
  return llvm::join(parts, ".");
}

ModuleReader readModulesBelow(llvm::StringRef folder) {
  llvm::SmallString<128> root;
  std::string shown = folder.str();
  if (llvm::sys::fs::real_path(folder.empty() ? "." : folder, root))
    return {};
  return [shown, root = root.str().str()](llvm::StringRef path) -> std::optional<ModuleText> {
    llvm::SmallString<128> named(shown), real;
    llvm::sys::path::append(named, path);
    if (!llvm::sys::fs::is_regular_file(named) || llvm::sys::fs::real_path(named, real))
      return std::nullopt;
    llvm::StringRef rest = real;
    if (!rest.consume_front(root) ||
        !(rest.starts_with("/") || llvm::StringRef(root).ends_with("/")))
      return std::nullopt;
    auto buffer = llvm::MemoryBuffer::getFile(named, /*IsText=*/true);
    if (!buffer)
      return std::nullopt;
    return ModuleText{named.str().str(), (*buffer)->getBuffer().str()};
  };
}

std::vector<ImportedModule> importedModules(llvm::StringRef text, const ModuleReader &read) {
  std::vector<ImportedModule> out;
  if (!read)
    return out;
  struct Work {
    std::string module, text;
    bool isPackage;
  };
  std::vector<Work> work{{"", text.str(), false}};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    Work next = std::move(work.back());
    work.pop_back();
    SourceManager sources;
    DiagnosticEngine diags(sources);
    uint32_t file = sources.add("", next.text);
    std::unique_ptr<ast::Module> tree = parseModule(sources, file, diags);
    if (!tree)
      continue;
    llvm::SmallVector<const ast::ImportStmt *> imports;
    collectImports(tree->body, imports);
    for (const ast::ImportStmt *s : imports)
      for (const std::string &name : modulesOf(s, next.module, next.isPackage)) {
        if (!seen.insert(name).second)
          continue;
        std::optional<Found> found = findModule(name, read);
        if (!found)
          continue;
        work.push_back({name, found->file.text, found->isPackage});
        out.push_back({std::move(found->path), std::move(found->file)});
      }
  }
  llvm::sort(out, [](auto &a, auto &b) { return a.path < b.path; });
  return out;
}

const ModuleFiles::Parsed *ModuleFiles::find(llvm::StringRef dotted) {
  auto [it, isNew] = parsed.try_emplace(dotted);
  if (!isNew)
    return it->second.get();
  std::optional<Found> found = findModule(dotted, read);
  if (dotted == libraryModule)
    found = Found{"", {"<tilec library>", librarySource().str()}, false};
  if (dotted == tilesModule)
    found = Found{"", {"<tilec.tiles>", tilesSource().str()}, false};
  if (!found)
    return nullptr;
  auto made = std::make_unique<Parsed>();
  made->isPackage = found->isPackage;
  uint32_t file = sources.add(std::move(found->file.name), std::move(found->file.text));
  DiagnosticEngine diags(sources);
  made->module = parseModule(sources, file, diags);
  for (const Diagnostic &d : diags.all())
    if (d.severity == Severity::Error && !made->error)
      made->error = d;
  return (it->second = std::move(made)).get();
}

} // namespace tilec::script

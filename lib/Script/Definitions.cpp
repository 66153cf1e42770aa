//===- Definitions.cpp - opaque values, and values from outside -----------===//
//
// What a module gives that is not evaluated has no value, but a name: the text by which
// the script reaches it. `--define` gives such a name a value, and names of the module
// level, too; the target answers questions about itself.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Recovery.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
namespace {

/// `f(...)` may be written `f()`, and quotes are single ones. Spaces outside of quotes say nothing.
std::string spelled(llvm::StringRef name) {
  std::string out;
  char quote = 0;
  while (!name.empty()) {
    if (!quote && (name.starts_with("(...)") || name.starts_with("[...]"))) {
      out += {name[0], name[4]};
      name = name.drop_front(5);
      continue;
    }
    char c = name.front();
    name = name.drop_front();
    if (!quote && c == ' ')
      continue;
    bool isQuote = quote ? c == quote : c == '\'' || c == '"';
    out += isQuote ? '\'' : c;
    if (isQuote)
      quote = quote ? 0 : c;
  }
  return out;
}

/// The name with `[]` for every key: a definition of it means them all.
std::string withoutKeys(llvm::StringRef spelled) {
  std::string out;
  unsigned depth = 0;
  for (char c : spelled) {
    depth -= c == ']' && depth > 0;
    if (depth == 0)
      out += c;
    depth += c == '[';
  }
  return out;
}

/// As an argument of a command.
std::string inShell(const std::string &text) {
  char quote = text.find('\'') == std::string::npos ? '\'' : '"';
  return quote + text + quote;
}

bool canBeDefined(llvm::StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_.()[]'-/ ").contains(c);
  });
}

} // namespace

void Evaluator::define(llvm::StringRef name, const ast::Expr *value) {
  definitions[spelled(name)] = {value, std::nullopt, false};
}

std::vector<std::string> Evaluator::unusedDefinitions() const {
  std::vector<std::string> out;
  for (auto &entry : definitions)
    if (!entry.second.isUsed)
      out.push_back(entry.first().str());
  llvm::sort(out);
  return out;
}

/// The value that `name` is given from outside.
std::optional<Value> Evaluator::defined(llvm::StringRef name) {
  if (definitions.empty())
    return std::nullopt;
  // `driver.get_num_sms()` means `tilelang.carver.arch.driver.get_num_sms(...)`, too: scripts write
  // the end of the full name. What names a key goes before what means all of them.
  std::string full = spelled(name);
  for (const std::string &text : {full, withoutKeys(full)})
    for (llvm::StringRef rest = text; !rest.empty(); rest = rest.split('.').second)
      if (auto it = definitions.find(rest); it != definitions.end())
        return valueOf(it->second);
  return std::nullopt;
}

Value Evaluator::valueOf(Definition &definition) {
  definition.isUsed = true;
  if (!definition.value) {
    definition.value = Value(); // a value that needs itself has none
    Isolated isolated(*this, nullptr, nullptr);
    Attempt attempt(*this);
    llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
    llvm::SaveAndRestore savedHome(home, &script);
    llvm::SaveAndRestore savedRunning(script.running, ~size_t(0)); // with all names of the script
    definition.value = eval(definition.expression);
  }
  if (!definition.value->ok() && !failure)
    poison();
  return *definition.value;
}

Value Evaluator::opaque(std::string name, Span span) {
  if (std::optional<Value> value = defined(name))
    return *value;
  if (std::optional<Value> value = targetFact(name))
    return *value;
  return heap.named(ValueKind::Opaque, std::move(name), span);
}

Value Evaluator::failOpaque(const Value &v, Span span) {
  bool isNew = !failure;
  llvm::StringRef name = v.str();
  std::string how = " instead";
  if (canBeDefined(name))
    how += ", or give it with `--define " + inShell(spelled(name) + "=...") + "`";
  fail(DiagId::OpaqueValue, span, name, how);
  // A module beside the script may have said why it has no value.
  for (llvm::StringRef prefix = name; isNew && !prefix.empty(); prefix = prefix.rsplit('.').first) {
    auto why = whyOpaque.find(prefix);
    if (why != whyOpaque.end()) {
      const Diagnostic &d = why->second.error;
      note(DiagId::WhyOpaque, d.span, prefix, d.message);
      break;
    }
    if (!prefix.contains('.'))
      break;
  }
  return Value();
}

} // namespace tilec::script

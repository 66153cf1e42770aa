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

/// `f(...)` may be written `f()`.
std::string spelled(llvm::StringRef name) {
  std::string out;
  while (!name.empty()) {
    if (name.consume_front("(...)"))
      out += "()";
    else if (name.consume_front("[...]"))
      out += "[]";
    else if (name.front() == ' ')
      name = name.drop_front();
    else {
      out += name.front();
      name = name.drop_front();
    }
  }
  return out;
}

bool canBeDefined(llvm::StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_.()[]").contains(c);
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
  // the end of the full name.
  std::string full = spelled(name);
  for (llvm::StringRef rest = full;;) {
    auto it = definitions.find(rest);
    if (it != definitions.end()) {
      Definition &d = it->second;
      d.isUsed = true;
      if (!d.value) {
        d.value = Value(); // a value that needs itself has none
        Isolated isolated(*this, nullptr, nullptr);
        Attempt attempt(*this);
        llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
        llvm::SaveAndRestore savedHome(home, &script);
        d.value = eval(d.expression);
      }
      if (!d.value->ok() && !failure)
        poison();
      return *d.value;
    }
    size_t dot = rest.find('.');
    if (dot == llvm::StringRef::npos)
      return std::nullopt;
    rest = rest.drop_front(dot + 1);
  }
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
    how += ", or give it with `--define '" + spelled(name) + "=...'`";
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

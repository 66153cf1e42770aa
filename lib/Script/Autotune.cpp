//===- Autotune.cpp - the configurations that a script proposes -----------===//
//
// The expression of the decorator is evaluated in the script's scope like an entry,
// and its repr, which is plain literals, is taken apart.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/Autotune.h"

#include "tilec/Script/Parser.h"
#include "tilec/Script/Trace.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
namespace {

/// The value of `configs` in the decorators of a function; null without one.
const ast::Expr *configsOf(const ast::FunctionStmt &function) {
  for (const ast::Expr *decorator : function.decorators) {
    const auto *call = llvm::dyn_cast<ast::CallExpr>(decorator);
    if (!call)
      continue;
    const auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(call->callee);
    const auto *name = llvm::dyn_cast<ast::NameExpr>(call->callee);
    if ((attribute ? attribute->name : name ? name->name : "") != "autotune")
      continue;
    for (const ast::Keyword &keyword : call->keywords)
      if (keyword.name == "configs")
        return keyword.value;
    if (!call->args.empty())
      return call->args[0];
  }
  return nullptr;
}

/// Splits `text` at commas outside brackets and quotes.
std::vector<std::string> splitTop(llvm::StringRef text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == '\\' && i + 1 < text.size())
        part += text[i++], c = text[i];
      else if (c == quote)
        quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (llvm::StringRef("([{").contains(c)) {
      ++depth;
    } else if (llvm::StringRef(")]}").contains(c)) {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(llvm::StringRef(part).trim().str());
      part.clear();
      continue;
    }
    part += c;
  }
  if (!llvm::StringRef(part).trim().empty())
    parts.push_back(llvm::StringRef(part).trim().str());
  return parts;
}

/// What is between the brackets of `text`, or nothing when it has others.
std::optional<llvm::StringRef> inside(llvm::StringRef text, llvm::StringRef open,
                                      llvm::StringRef close) {
  text = text.trim();
  if (text.consume_front(open) && text.consume_back(close))
    return text;
  return std::nullopt;
}

/// `{'block_M': 64, 'dtype': 'float16'}`
std::optional<KeywordTexts> parseConfig(llvm::StringRef text) {
  std::optional<llvm::StringRef> body = inside(text, "{", "}");
  if (!body)
    return std::nullopt;
  KeywordTexts config;
  for (const std::string &item : splitTop(*body)) {
    auto [key, value] = llvm::StringRef(item).split(':');
    std::optional<llvm::StringRef> name = inside(key, "'", "'");
    if (!name || value.trim().empty())
      return std::nullopt;
    config.emplace_back(name->str(), value.trim().str());
  }
  return config;
}

} // namespace

std::optional<std::vector<KeywordTexts>> listConfigs(SourceManager &sources, uint32_t file,
                                                     llvm::StringRef entry, Arch arch,
                                                     DiagnosticEngine &diags) {
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diags);
  if (!module)
    return std::nullopt;
  llvm::StringRef wanted = entry.take_until([](char c) { return c == '('; }).trim();
  std::vector<KeywordTexts> configs;
  const ast::Expr *expression = nullptr;
  for (const ast::Stmt *statement : module->body)
    if (const auto *function = llvm::dyn_cast<ast::FunctionStmt>(statement))
      if ((wanted.empty() || function->name == wanted) && !expression)
        expression = configsOf(*function);
  if (!expression)
    return configs;
  std::string source = sources.textOf(expression->span).str();
  std::optional<std::string> text = evaluateToText(sources, file, source, arch, diags);
  if (text && !inside(*text, "[", "]") && !inside(*text, "(", ")"))
    text = evaluateToText(sources, file, "(" + source + ")()", arch, diags);
  if (!text)
    return std::nullopt;
  std::optional<llvm::StringRef> list = inside(*text, "[", "]");
  if (!list)
    list = inside(*text, "(", ")");
  bool isGood = list.has_value();
  for (const std::string &item : isGood ? splitTop(*list) : std::vector<std::string>()) {
    std::optional<KeywordTexts> config = parseConfig(item);
    isGood &= config.has_value();
    if (config)
      configs.push_back(std::move(*config));
  }
  if (isGood)
    return configs;
  diags.report(DiagId::AutotuneConfigs, expression->span);
  return std::nullopt;
}

} // namespace tilec::script
